"""Large jobs: an answer is bounded in bytes, and what never fits says so instead of burning attempts."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy
from tests.http.asking import Api

MEGABYTE = 1_000_000


@pytest.fixture
def api(clock: ManualClock) -> Api:
    return Api(JobQueue(clock, RetryPolicy(3, 1000, 60_000)), clock)


def test_a_claim_hands_out_as_many_large_jobs_as_an_answer_has_room_for(api: Api) -> None:
    """Three of 30 MB, three asked for: one by one, each once, none lost and none tried in vain."""
    for _ in range(3):
        api.store.submit("mail", "x" * 30 * MEGABYTE)
    worker = api.client_of("worker")
    seen = []
    for _ in range(3):
        (lease,) = worker.poll_many("w", 60_000, 3)
        assert len(lease.payload) == 30 * MEGABYTE
        worker.complete(lease.job_id, lease.token)
        seen.append((lease.job_id, lease.attempt))
    assert seen == [("J1", 1), ("J2", 1), ("J3", 1)]
    assert worker.poll_many("w", 60_000, 3) == []


def test_many_jobs_of_a_usual_size_share_an_answer(api: Api) -> None:
    """Sixty of 20,000 characters: up to the one with which it is enough."""
    for _ in range(60):
        api.store.submit("mail", "x" * 20_000)
    assert [len(api.claim(limit=100)) for _ in range(3)] == [53, 7, 0]


@pytest.mark.parametrize("payload", ["x" * 60 * MEGABYTE, "\x01" * 10 * MEGABYTE], ids=["long", "escapes"])
def test_a_job_that_no_answer_has_room_for_fails_with_the_reason(api: Api, payload: Any) -> None:
    """At the first claim, not after many that nobody sees; the job behind it is handed out at once."""
    api.store.submit("mail", payload)
    api.store.submit("mail", "small")
    worker = api.client_of("worker")
    assert worker.poll_many("w", 1000, 1) == []
    assert [lease.job_id for lease in worker.poll_many("w", 1000, 1)] == ["J2"]
    job = api.store.view("J1")
    assert (job.status, job.dead_reason, job.attempts) == ("DEAD", "permanent", 1)
    assert "bytes as JSON, the API hands out at most" in job.last_error


def test_a_list_of_jobs_with_large_results_has_shorter_pages(api: Any) -> None:
    """Every job is on one of them, and each page fits."""
    for _ in range(5):
        api.store.submit("mail")
    for lease in api.store.poll_many("w", 1000, 5):
        api.store.complete(lease.job_id, lease.token, "x" * 20 * MEGABYTE)
    pages, after = [], ""
    while after is not None:
        told = api.get(f"/jobs?limit=200{after and f'&after={after}'}").json
        pages.append([job["id"] for job in told["jobs"]])
        after = told["next"]
    assert pages == [["J5"], ["J4"], ["J3"], ["J2"], ["J1"]]


def test_a_job_that_is_larger_than_any_answer_is_refused_to_be_shown(api: Api) -> None:
    """With the reason and a way out, and not cut off on the way; one of 30 MB is shown whole."""
    api.store.submit("mail", "x" * 30 * MEGABYTE)
    api.store.submit("mail", "x" * 70 * MEGABYTE)
    operator = api.client_of("operator")
    assert len(operator.payload("J1")) == 30 * MEGABYTE
    with pytest.raises(ValueError, match="read it where the queue is"):
        operator.payload("J2")


@pytest.mark.parametrize("verb", ["complete", "renew", "submit"])
def test_a_body_that_is_too_large_is_not_even_sent(api: Any, verb: Any) -> None:
    """The server would stop reading it, and the client would take that for a line that broke, and try again."""
    api.store.submit("mail")
    lease = api.store.poll("w", 1000)
    sent = []
    client = api.client_of("worker")
    client._send = lambda *_: sent.append(1)
    large = "x" * 5 * MEGABYTE
    calls = {
        "complete": lambda: client.complete("J1", lease.token, large),
        "renew": lambda: client.renew("J1", lease.token, 1000, large),
        "submit": lambda: client.submit("mail", large),
    }
    with pytest.raises(ValueError, match="at most 262144"):
        calls[verb]()
    assert sent == []
