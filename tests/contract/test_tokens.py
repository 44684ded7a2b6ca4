"""Who may still speak for a job: only the holder of its current lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import IllegalStateError, JobQueue, ManualClock, RetryPolicy, StaleTokenError, UnknownJobError
from tests.contract.observing import everything, outcome, polled, submit_as

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.over_http

pure_rule = pytest.mark.one_store("`check_token` looks at the job and the text alone, in every store")

CALLS = {
    "complete": lambda queue, job_id, token: queue.complete(job_id, token),
    "fail": lambda queue, job_id, token: queue.fail(job_id, token, "late"),
    "renew": lambda queue, job_id, token: queue.renew(job_id, token, 1000),
}
RESEMBLING = [
    *("", " ", "x", "1", ":1", "J1", "J1:", "J1-1", "j1:1", "J01:1"),
    *("J1:1x", "J1:1 ", " J1:1", "J1:1\n", "J1:1\0", "J1:1:1", "J1:1.0"),
    *("J1:0", "J1:-1", "J1:2", "J1:01", "J1:+1", "J1:\uff11", "J1:\ud800", "J1:" + "9" * 5000),
]

every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


def refuse(queue: JobQueue, call: Any, job_id: str, token: Any, reason: Any, *, submitted: Any = 2) -> None:
    """Assert that the call is refused for `reason`, and that it changed nothing that can be seen."""
    before = everything(queue, submitted)
    refusal = outcome(call, queue, job_id, token)
    assert isinstance(refusal, StaleTokenError), f"the token {token!a:.40} works"
    assert (refusal.reason, everything(queue, submitted)) == (reason, before)


def test_a_token_is_readable_text_of_id_and_generation(queue: JobQueue, clock: ManualClock) -> None:
    """The token names the job and how often it has been handed out."""
    queue.submit("mail")
    queue.submit("mail")
    first, other = polled(queue), polled(queue)
    clock.advance_to(2000)
    again = polled(queue)
    assert [lease.token for lease in (first, other, again)] == ["J1:1", "J2:1", "J1:2"]
    assert [lease.generation for lease in (first, other, again)] == [1, 1, 2]
    assert [type(lease.token) for lease in (first, other, again)] == [str, str, str]


def test_no_token_is_ever_repeated(one_try: JobQueue) -> None:
    """Failures, redrives and other jobs in between never bring an old token back."""
    tokens = []
    one_try.submit("mail")
    one_try.submit("mail")
    for _ in range(20):
        for lease in (polled(one_try), polled(one_try)):
            tokens.append(lease.token)
            one_try.fail(lease.job_id, lease.token)
            one_try.retry_dead(lease.job_id)
    assert len(set(tokens)) == 40


def test_a_redrive_starts_the_attempts_again_but_not_the_generation(one_try: Any) -> None:
    """After retry_dead the first attempt is number 1 again, and the token of the earlier life is refused."""
    one_try.submit("mail")
    first = polled(one_try)
    one_try.fail("J1", first.token, "x")
    one_try.retry_dead("J1")
    second = polled(one_try)
    assert (second.attempt, second.generation) == (1, 2)
    refuse(one_try, CALLS["complete"], "J1", first.token, "stale_generation", submitted=1)
    assert one_try.complete("J1", second.token) is None


@every_call
def test_a_zombie_cannot_speak_for_the_job_of_its_successor(
    queue: JobQueue, clock: ManualClock, call: Any
) -> None:
    """Once somebody else holds the job, the first worker is refused and the second one keeps its lease."""
    queue.submit("mail")
    queue.submit("mail", run_at_millis=10**9)
    zombie = polled(queue, "a", 1000)
    clock.advance_to(2000)
    successor = polled(queue, "b", 5000)
    refuse(queue, call, "J1", zombie.token, "stale_generation")
    assert (queue.view("J1").worker_id, queue.view("J1").lease_until) == ("b", 7000)
    queue.complete("J1", successor.token)


@every_call
def test_the_worker_name_is_no_proof(queue: JobQueue, clock: ManualClock, call: Any) -> None:
    """A worker that polls its own job again holds a new token; its old one is as stale as anybody's."""
    queue.submit("mail")
    queue.submit("mail", run_at_millis=10**9)
    old = polled(queue, "a", 1000)
    clock.advance_to(2000)
    polled(queue, "a", 1000)
    refuse(queue, call, "J1", old.token, "stale_generation")


@every_call
def test_the_token_of_another_job_never_works(queue: JobQueue, call: Any) -> None:
    """A token of J1 never works for J2, although both run in the same generation."""
    queue.submit("mail")
    queue.submit("mail")
    first, second = polled(queue), polled(queue)
    refuse(queue, call, "J2", first.token, "stale_generation")
    refuse(queue, call, "J1", second.token, "stale_generation")


@pure_rule
@every_call
def test_only_the_exact_token_works(queue: Any, call: Any) -> None:
    """Whatever merely resembles the token is refused while the job runs, and the lease goes on."""
    queue.submit("mail")
    queue.submit("mail")
    lease = polled(queue)
    for token in RESEMBLING:
        refuse(queue, call, "J1", token, "stale_generation")
    assert queue.complete("J1", lease.token) is None


@pure_rule
@every_call
@pytest.mark.parametrize("status", ["PENDING", "SUCCEEDED", "DEAD", "CANCELLED"])
def test_a_token_of_nobody_finds_the_wrong_state(one_try: Any, call: Any, status: Any) -> None:
    """On a job that does not run, a token that was never its own is refused because of the state."""
    submit_as(one_try, status)
    for token in ("J1:7", "J2:1", "junk", ""):
        refuse(one_try, call, "J1", token, "wrong_state", submitted=1)


@every_call
@pytest.mark.parametrize("status", ["SUCCEEDED", "DEAD"])
@pytest.mark.not_over_http("over HTTP the exact repeat of a completion is answered once more")
def test_the_last_token_of_an_ended_attempt_finds_the_wrong_state(
    one_try: JobQueue, call: Any, status: str
) -> None:
    """A worker that has reported cannot report again."""
    submit_as(one_try, status)
    refuse(one_try, call, "J1", "J1:1", "wrong_state", submitted=1)


@every_call
def test_after_a_failure_the_token_of_a_job_that_waits_for_its_retry_is_over(
    queue: JobQueue, clock: ManualClock, call: Any
) -> None:
    """The reported attempt is over, before and after the retry is due, as long as nobody polls."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token, "x")
    refuse(queue, call, "J1", "J1:1", "wrong_state", submitted=1)
    clock.advance_to(1000)
    refuse(queue, call, "J1", "J1:1", "wrong_state", submitted=1)
    polled(queue)
    refuse(queue, call, "J1", "J1:1", "stale_generation", submitted=1)


@every_call
def test_after_an_expiry_the_reason_says_so_until_somebody_polls(
    queue: JobQueue, clock: ManualClock, call: Any
) -> None:
    """The holder of the latest lease learns that it was too slow; then, that it has a successor."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(5000)
    refuse(queue, call, "J1", "J1:1", "lease_expired", submitted=1)
    polled(queue, lease_millis=1000)
    refuse(queue, call, "J1", "J1:1", "stale_generation", submitted=1)
    clock.advance_to(6000)
    refuse(queue, call, "J1", "J1:1", "stale_generation", submitted=1)
    refuse(queue, call, "J1", "J1:2", "lease_expired", submitted=1)


@every_call
def test_an_expired_last_attempt_is_refused_as_expired(
    one_try: JobQueue, clock: ManualClock, call: Any
) -> None:
    """Dead or redriven, the job still knows that its latest lease ran out."""
    one_try.submit("mail")
    polled(one_try, lease_millis=1000)
    clock.advance_to(1000)
    refuse(one_try, call, "J1", "J1:1", "lease_expired", submitted=1)
    one_try.retry_dead("J1")
    refuse(one_try, call, "J1", "J1:1", "lease_expired", submitted=1)
    one_try.cancel("J1")
    refuse(one_try, call, "J1", "J1:1", "lease_expired", submitted=1)


@every_call
@pytest.mark.not_over_http("over HTTP the exact repeat of a completion is answered once more")
def test_an_old_token_stays_stale_when_its_successor_has_finished(
    queue: JobQueue, clock: ManualClock, call: Any
) -> None:
    """After a success the zombie of an earlier attempt is told that there was a later lease."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(2000)
    queue.complete("J1", polled(queue).token)
    refuse(queue, call, "J1", "J1:1", "stale_generation", submitted=1)
    refuse(queue, call, "J1", "J1:2", "wrong_state", submitted=1)


@every_call
def test_an_unknown_job_is_unknown_whatever_the_token(queue: JobQueue, call: Any) -> None:
    """The id is looked up before the token is."""
    queue.submit("mail")
    token = polled(queue).token
    with pytest.raises(UnknownJobError):
        call(queue, "J2", token)


@pytest.mark.parametrize("name", CALLS)
def test_a_refusal_says_what_was_asked_found_and_right(queue: JobQueue, clock: ManualClock, name: str) -> None:
    """The message names the call, the job, the stale token, the current lease, its holder and its end."""
    queue.submit("mail")
    polled(queue, "worker-a", 1000)
    clock.advance_to(2000)
    polled(queue, "worker-b", 28_000)
    with pytest.raises(StaleTokenError) as refusal:
        CALLS[name](queue, "J1", "J1:1")
    message = str(refusal.value)
    assert [part for part in (name, "J1", "J1:1", "J1:2", "worker-b", "30000") if part not in message] == []


@pytest.mark.parametrize("status", ["PENDING", "SUCCEEDED", "DEAD", "CANCELLED"])
@pytest.mark.not_over_http("over HTTP the exact repeat of a completion is answered once more")
def test_a_refusal_on_a_job_that_does_not_run_names_its_state(one_try: JobQueue, status: str) -> None:
    """The message says in which state the job was found."""
    submit_as(one_try, status)
    with pytest.raises(IllegalStateError, match=status):
        one_try.complete("J1", "J1:1")


def test_a_refused_call_uses_up_no_generation(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """The next token after any number of refusals is the next number."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0))
    queue.submit("mail")
    lease = polled(queue)
    for call in CALLS.values():
        with pytest.raises(StaleTokenError):
            call(queue, "J1", "J1:9")  # type: ignore[no-untyped-call]
    queue.fail("J1", lease.token)
    assert polled(queue).generation == 2
