"""What must be true of a queue whatever happens, each as a pure function of the ledger and the next event.

The same checkers light the lamps of the board and run in the tests. They see what anybody could see, the events
and the jobs' states, and know nothing of how a queue is built. Each returns what is wrong in a plain sentence.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jobqueue.arguments import LARGEST_INTEGER
from jobqueue.events import Event, EventKind
from jobqueue.model import JobStatus
from jobqueue.retry import RetryRule
from jobqueue.simulation.invariants_of_turns import (
    bands_get_slots,
    has_limits,
    limits_hold,
    tenants_take_turns,
)
from jobqueue.simulation.ledger import ENDINGS, JobRecord, Ledger
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.units import seconds

_REPORTS = frozenset({EventKind.COMPLETED, EventKind.FAILED, EventKind.RENEWED, EventKind.RELEASED})
_VERBS = {
    EventKind.COMPLETED: "reports success for",
    EventKind.FAILED: "reports a failure of",
    EventKind.RENEWED: "renews its lease of",
    EventKind.RELEASED: "gives back",
}


Judge = Callable[[Ledger, Event, Promises], str | None]
Look = Callable[[Ledger, int, Mapping[str, str]], str | None]


@dataclass(frozen=True, slots=True)
class Invariant:
    """One thing that must be true.

    Args:
        name: how tests and flaws call it.
        title: what stands beside its lamp.
        rule: the promise in one sentence.
        judge: judges one event by what was told before it.
        look: judges the states of all jobs at an instant, as anybody sees them.
        promised: whether a queue with these promises promises it at all.
    """

    name: str
    title: str
    rule: str
    judge: Judge | None = None
    look: Look | None = None
    promised: Callable[[Promises], bool] = lambda _: True


# -- leases and tokens -----------------------------------------------------------------------------------


def one_worker(ledger: Ledger, event: Event, _: Promises) -> str | None:
    """A job is handed out while somebody else's lease of it still runs."""
    job = ledger.job_of(event)
    if event.kind is not EventKind.LEASED or job is None or not job.is_open or event.at >= job.lease_until:
        return None
    return (
        f"{event.worker_id} gets {job.id} at {seconds(event.at)}, "
        f"but {job.worker} holds it until {seconds(job.lease_until)}"
    )


def current_lease(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """A report is accepted from somebody without the current lease, or refused to whoever has it."""
    job = ledger.job_of(event)
    if job is None:
        return None
    shown = event.detail.get("token")
    if event.kind not in _REPORTS:
        in_time = event.at < job.lease_until or not promises.leases_end
        holds = job.status is JobStatus.RUNNING and job.is_open and shown == job.token and in_time
        refused = event.kind is EventKind.REFUSED and holds
        return (
            f"{job.worker} holds {job.id} until {seconds(job.lease_until)} and is refused" if refused else None
        )
    what = f"{event.worker_id} {_VERBS[event.kind]} {job.id} with token {shown} and is believed"
    if job.status is not JobStatus.RUNNING or shown != job.token:
        held = f"the current lease is {job.token}, held by {job.worker}"
        nobody = f"nobody holds it: it is {job.status}"
        return f"{what}, but {held if job.status is JobStatus.RUNNING else nobody}"
    if event.at >= job.lease_until and promises.leases_end:
        return f"{what} at {seconds(event.at)}, but that lease was over at {seconds(job.lease_until)}"
    return None


def new_tokens(ledger: Ledger, event: Event, _: Promises) -> str | None:
    """A token is handed out twice, or a generation does not rise."""
    job = ledger.job_of(event)
    if event.kind is not EventKind.LEASED or job is None:
        return None
    token = event.detail["token"]
    if token in ledger.tokens:
        return f"{event.worker_id} gets {job.id} with token {token}, which was handed out before"
    if event.generation <= job.generation:
        return f"the generation of {job.id} goes from {job.generation} to {event.generation}, and must rise"
    return None


def one_ending(ledger: Ledger, event: Event, _: Promises) -> str | None:
    """An attempt ends twice, or the next one begins before it has ended."""
    job = ledger.job_of(event)
    if job is None:
        return None
    if event.kind in ENDINGS and not job.is_open:
        return (
            f"{job.id} is {event.kind.replace('_', ' ')} at {seconds(event.at)}, but no attempt was under way"
        )
    if event.kind is EventKind.LEASED and job.is_open:
        return f"{job.id} is handed out again, but nothing has ended the attempt of {job.worker}"
    return None


def ends_in_time(ledger: Ledger, event: Event, _: Promises) -> str | None:
    """An expiry is not dated at the end of the lease."""
    job = ledger.job_of(event)
    if event.kind is not EventKind.LEASE_EXPIRED or job is None or event.at == job.lease_until:
        return None
    ended, found = seconds(job.lease_until), seconds(event.at)
    return f"the lease of {job.id} ended at {ended}, but its attempt is said to have failed at {found}"


def none_runs_past_its_end(ledger: Ledger, now: int, statuses: Mapping[str, str]) -> str | None:
    """Somebody sees a RUNNING job whose lease is over."""
    for job in ledger.jobs.values():
        if statuses.get(job.id) == JobStatus.RUNNING and job.is_open and now >= job.lease_until:
            return f"{job.id} still shows as RUNNING, though its lease was over at {seconds(job.lease_until)}"
    return None


def lease_length(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """A lease reaches further than anybody asked for, or a renewal shortens it."""
    job, longest = ledger.job_of(event), promises.longest_lease_millis
    if event.kind not in {EventKind.LEASED, EventKind.RENEWED} or job is None:
        return None
    until = event.detail["lease_until"]
    if event.kind is EventKind.RENEWED and until < job.lease_until:
        return f"a renewal shortens the lease of {job.id} from {seconds(job.lease_until)} to {seconds(until)}"
    is_as_before = event.kind is EventKind.RENEWED and until == job.lease_until
    if longest is None or until - event.at <= longest or is_as_before:
        return None
    return (
        f"at {seconds(event.at)} {event.worker_id} has {job.id} until {seconds(until)}, "
        f"which is longer than the {seconds(longest)} that it asked for"
    )


# -- attempts and rests ----------------------------------------------------------------------------------


def attempts_count(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """An attempt is not counted when it is handed out, or there are more or fewer than the policy says."""
    job = ledger.job_of(event)
    if job is None:
        return None
    if event.kind is EventKind.LEASED and event.attempt != job.attempts + 1:
        return f"{job.id} is handed out as attempt {event.attempt}, but it is attempt {job.attempts + 1}"
    return None if promises.policy is None else _number_of_attempts(job, event, promises.policy.max_attempts)


def _number_of_attempts(job: JobRecord, event: Event, most: int) -> str | None:
    if event.kind is EventKind.LEASED and event.attempt > most:
        return f"{job.id} is handed out as attempt {event.attempt} of {most}"
    if event.kind is EventKind.RETRY_SCHEDULED and job.attempts >= most:
        return f"{job.id} is to be tried again after attempt {job.attempts} of {most}"
    exhausted = event.kind is EventKind.DEAD_LETTERED and event.detail["reason"] == "attempts_exhausted"
    if exhausted and job.attempts < most:
        return f"{job.id} is given up after attempt {job.attempts} of {most}"
    return None


def rests(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """A rest is not the one of the policy."""
    job = ledger.job_of(event)
    if event.kind is not EventKind.RETRY_SCHEDULED or job is None or promises.policy is None:
        return None
    rule = RetryRule(promises.policy, promises.jitter)
    due = rule.delay_millis(job.id, max(1, job.attempts), job.generation, job.rest_millis)
    if event.detail["run_at"] == min(event.at + due, LARGEST_INTEGER):
        return None
    found = event.detail["run_at"] - event.at
    return f"{job.id} rests {seconds(found)} after attempt {job.attempts}, and the policy says {seconds(due)}"


# -- nothing is lost -------------------------------------------------------------------------------------


def nothing_lost(ledger: Ledger, _: int, statuses: Mapping[str, str]) -> str | None:
    """A job is nowhere, or not where its events have led it."""
    for job in ledger.jobs.values():
        if job.id not in statuses:
            return f"{job.id} was submitted, and now it is nowhere"
        over = job.is_open and statuses[job.id] == JobStatus.RUNNING
        if statuses[job.id] != job.status and not over:
            return f"{job.id} is {statuses[job.id]}, but what happened to it leads to {job.status}"
    kept = ledger.submitted - ledger.dropped
    if len(statuses) != kept:
        return f"{kept} jobs were submitted and kept, and all states together hold {len(statuses)}"
    return None


INVARIANTS = (
    Invariant(
        "one_worker",
        "One worker at a time",
        "no two leases of one job overlap",
        one_worker,
    ),
    Invariant(
        "current_lease",
        "Only the current lease is heard",
        "a report counts with the token of the lease that runs now, and with no other",
        current_lease,
    ),
    Invariant(
        "new_tokens",
        "Every hand-out has a new token",
        "generations only rise, also after a retry or a redrive",
        new_tokens,
    ),
    Invariant(
        "one_ending",
        "Every attempt ends once",
        "what was handed out is completed, failed, given back or over, and only one of them",
        one_ending,
    ),
    Invariant(
        "ends_in_time",
        "A lease ends at its end",
        "it has failed at that very instant, whenever that is noticed, and nobody sees it run on",
        ends_in_time,
        none_runs_past_its_end,
        promised=lambda promises: promises.leases_end,
    ),
    Invariant(
        "lease_length",
        "No lease is longer than asked for",
        "a renewal counts from now, and never shortens",
        lease_length,
    ),
    Invariant(
        "attempts_count",
        "Attempts are counted at the hand-out",
        "one, two, three, up to the policy's number and no further; a redrive begins at one",
        attempts_count,
    ),
    Invariant(
        "rests",
        "Rests are those of the policy",
        "the base, doubled after each further failure, never more than the cap",
        rests,
        promised=lambda promises: promises.policy is not None,
    ),
    Invariant(
        "nothing_lost",
        "No job is lost",
        "all states together hold as many jobs as were submitted, less those that were dropped",
        look=nothing_lost,
    ),
    Invariant(
        "bands_get_slots",
        "Each band gets its slots",
        "a band with work waits for no more hand-outs than the cycle has slots",
        bands_get_slots,
        promised=lambda promises: promises.bands is not None,
    ),
    Invariant(
        "tenants_take_turns",
        "Tenants take turns",
        "nobody gets more than a turn while another one waits for his",
        tenants_take_turns,
        promised=lambda promises: promises.bands is not None,
    ),
    Invariant(
        "limits_hold",
        "Limits hold",
        "no more runs at once than is allowed",
        limits_hold,
        promised=has_limits,
    ),
)
"""All of them, in the order of the lamps."""
