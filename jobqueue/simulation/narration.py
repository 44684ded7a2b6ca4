"""What happened, in sentences, each with the rule behind it.

The rules' words are those of the table in `transitions`, where there is an arrow; nothing is decided here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from jobqueue import lifecycle, transitions
from jobqueue.events import Event, EventKind
from jobqueue.lifecycle import Lifecycle
from jobqueue.simulation.chronicle import Entry, Note
from jobqueue.simulation.units import in_seconds, seconds
from jobqueue.simulation.watch import Violation

PRODUCER, QUEUE, OPERATOR = "producer", "queue", "operator"


@dataclass(frozen=True, slots=True)
class Rule:
    """A promise of the queue, and the function that keeps it."""

    text: str
    source: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One entry of the chronicle as people read it."""

    at: int
    who: str
    text: str
    kind: str
    job_id: str | None
    rule: Rule | None


def breaks(entry: Entry, violations: Iterable[Violation]) -> str:
    """Return the title of the invariant that an event breaks; empty if it breaks none.

    Such an event must not cite a rule: its queue did not keep one. What is only seen later, by a look at all
    jobs, is no event's doing.
    """
    if isinstance(entry, Note):
        return ""
    judged = (found for found in violations if found.seq == entry.seq and found.invariant.judge is not None)
    return next((found.invariant.title for found in judged), "")


def _arrow(verb: str, source: Callable[..., Any]) -> Rule:
    return Rule(transitions.TRANSITIONS[verb].rule, source)


_ONLY_THE_CURRENT_TOKEN = _arrow("complete", Lifecycle.check_token)
_RULES = {
    EventKind.LEASED: _arrow("poll", Lifecycle.leased),
    EventKind.RENEWED: _arrow("renew", Lifecycle.renewed),
    EventKind.COMPLETED: _ONLY_THE_CURRENT_TOKEN,
    EventKind.FAILED: _ONLY_THE_CURRENT_TOKEN,
    EventKind.LEASE_EXPIRED: Rule(
        "a lease that is over has failed at the instant of its end, whenever that is noticed",
        Lifecycle.expired,
    ),
    EventKind.RETRY_SCHEDULED: _arrow("retry", Lifecycle.to_retry),
    EventKind.DEAD_LETTERED: _arrow("bury", Lifecycle.to_bury),
    EventKind.REDRIVEN: _arrow("retry_dead", Lifecycle.redriven),
    EventKind.RELEASED: _arrow("release", Lifecycle.released),
    EventKind.CANCELLED: _arrow("cancel", Lifecycle.cancelled),
}
_MISSED = _arrow("miss", Lifecycle.missed)
_EXHAUSTED = _arrow("bury", Lifecycle.exhausted)
_STATE_FORBIDS = Rule("an operation that the job's state does not allow is refused", Lifecycle.cancelled)
_OUTSIDE = Rule(
    "what is done outside the queue is done: no token can take it back, so receivers must bear a repetition",
    Lifecycle.completed,
)

_REPORTS = {
    "complete": "reports success for",
    "fail": "reports a failure of",
    "renew": "asks to renew the lease of",
    "cancel": "asks to cancel",
    "retry_dead": "asks to bring back",
    "redrive": "asks to bring back",
    "release": "wants to give back",
}
_SUBMITS = frozenset({"submit", "submit_once"})


def narrate(entry: Entry, max_attempts: int) -> Sentence:
    """Return an entry of the chronicle as a sentence.

    Args:
        entry: an event of the queue, or a note.
        max_attempts: how many attempts the policy allows, for "attempt 2 of 3".
    """
    if isinstance(entry, Note):
        rule = _OUTSIDE if entry.kind == "effect" else None
        return Sentence(entry.at, entry.worker, _note_text(entry), entry.kind, entry.job_id, rule)
    who, text = _TELLERS[entry.kind](entry, max_attempts)
    if entry.kind is not EventKind.REFUSED:
        rule = _RULES.get(entry.kind)
        if entry.kind is EventKind.DEAD_LETTERED and entry.worker_id is None:
            rule = _MISSED if entry.detail["reason"] == lifecycle.DEADLINE else _EXHAUSTED
    elif entry.detail["operation"] in _SUBMITS:
        rule = None  # neither a token nor the state of a job stood against it
    else:
        rule = _ONLY_THE_CURRENT_TOKEN if entry.detail["token"] is not None else _STATE_FORBIDS
    return Sentence(entry.at, who, text, entry.kind, entry.job_id, rule)


def _note_text(note: Note) -> str:
    with_job = f" with {note.job_id} in hand" if note.job_id else ""
    return {
        "crashed": f"crashes{with_job}, and nobody tells the queue",
        "restarted": "is restarted, with empty hands",
        "froze": f"freezes{with_job}",
        "thawed": f"wakes up{with_job} and goes on as if nothing had been",
        "effect": f"has done the work of {note.job_id}, out in the world{_again(note)}",
        "went_down": "is down from now on: all work of this type fails",
        "came_up": "is up again: work of this type goes well",
        "report_lost": f"reports success for {note.job_id}, but the report is lost on its way",
    }[note.kind]


def _again(note: Note) -> str:
    """Return what a repeated effect means for receivers."""
    if note.times == 1:
        return ""
    return f", again: a naive receiver has it {note.times} times, one that keeps job ids once"


def _submitted(event: Event, _: int) -> tuple[str, str]:
    detail = event.detail
    run_at = detail["run_at_millis"]
    priority = f", priority {detail['priority']}" if detail["priority"] else ""
    due = "" if run_at is None or run_at <= event.at else f", due at {seconds(run_at)}"
    deadline = detail["deadline_millis"]
    given_up = "" if deadline is None else f", to be started before {seconds(deadline)}"
    tenant = "" if detail["tenant"] == "default" else f" for {detail['tenant']}"
    cost = "" if detail["cost"] == 1 else f", cost {detail['cost']}"
    return PRODUCER, f"submits {event.job_id} ({detail['type']}{priority}{cost}){tenant}{due}{given_up}"


def _leased(event: Event, most: int) -> tuple[str, str]:
    until = seconds(event.detail["lease_until"])
    return str(event.worker_id), (
        f"polls and gets {event.job_id}: attempt {event.attempt} of {most}, "
        f"token {event.detail['token']}, lease until {until}"
    )


def _renewed(event: Event, _: int) -> tuple[str, str]:
    until = seconds(event.detail["lease_until"])
    return str(event.worker_id), f"renews its lease of {event.job_id}, now until {until}"


def _completed(event: Event, _: int) -> tuple[str, str]:
    return str(event.worker_id), (
        f"reports success for {event.job_id} with token {event.detail['token']}: accepted"
    )


def _failed(event: Event, most: int) -> tuple[str, str]:
    attempt = f"attempt {event.attempt} of {most}"
    return str(event.worker_id), f'reports that {event.job_id} failed, {attempt}: "{event.detail["error"]}"'


def _lease_expired(event: Event, most: int) -> tuple[str, str]:
    return QUEUE, (
        f"the lease of {event.job_id} held by {event.worker_id} is over: "
        f'attempt {event.attempt} of {most} failed, "{event.detail["error"]}"'
    )


def _retry_scheduled(event: Event, _: int) -> tuple[str, str]:
    run_at = event.detail["run_at"]
    return QUEUE, (
        f"{event.job_id} rests {seconds(run_at - event.at)} and may start again from {seconds(run_at)} on"
    )


def _dead_lettered(event: Event, most: int) -> tuple[str, str]:
    why = {
        lifecycle.PERMANENT: "its failure was reported as permanent",
        lifecycle.ATTEMPTS_EXHAUSTED: f"{event.attempt} of {most} attempts are used up",
        lifecycle.DEADLINE: "a retry could only start after its deadline",
    }[event.detail["reason"]]
    if event.worker_id is None and event.detail["reason"] == lifecycle.DEADLINE:
        why = "its deadline came, and nobody had started it"
    return QUEUE, f"{event.job_id} is a dead letter: {why}"


def _released(event: Event, _: int) -> tuple[str, str]:
    return str(event.worker_id), f"gives {event.job_id} back unstarted: it has its place and its attempt again"


def _paused(event: Event, _: int) -> tuple[str, str]:
    return OPERATOR, f"pauses {event.detail['type']}: jobs of this type are not handed out"


def _resumed(event: Event, _: int) -> tuple[str, str]:
    return OPERATOR, f"resumes {event.detail['type']}"


def _redriven(event: Event, _: int) -> tuple[str, str]:
    run_at = event.detail["run_at"]
    ready = "ready now" if run_at <= event.at else f"ready at {seconds(run_at)}"
    return OPERATOR, f"brings {event.job_id} back: {ready}, with a new set of attempts"


def _cancelled(event: Event, _: int) -> tuple[str, str]:
    return OPERATOR, f"cancels {event.job_id}"


def _dropped(event: Event, _: int) -> tuple[str, str]:
    return QUEUE, f"forgets {event.job_id}: only the newest finished jobs are kept"


def _refused(event: Event, _: int) -> tuple[str, str]:
    nobody = PRODUCER if event.detail["operation"] in _SUBMITS else OPERATOR
    return event.worker_id or nobody, f"{asked(event)}. Refused: {found(event)}"


def asked(event: Event) -> str:
    """Return what was asked for in a refused request."""
    detail = event.detail
    if detail["operation"] in _SUBMITS:
        return "asks to submit one more job"
    token = f" with token {detail['token']}" if detail["token"] is not None else ""
    return f"{_REPORTS[detail['operation']]} {event.job_id}{token}"


def found(event: Event) -> str:
    """Return what stood against a refused request."""
    detail = event.detail
    if detail["reason"] == "admission":
        return "as many jobs wait as the limits allow"
    if detail["operation"] in {"redrive", "retry_dead", "submit_once"}:
        return in_seconds(str(detail["message"]).partition(": ")[2])
    if "holder" in detail:
        until = seconds(detail["lease_until"])
        return f"the current lease is {detail['held_token']}, held by {detail['holder']} until {until}"
    if detail["reason"] == "lease_expired":
        return f"the lease of that token ran out at {seconds(detail['ended_at'])}"
    if detail["reason"] == "stale_generation":
        return f"the job was handed out again since, and is {detail['status']}"
    return f"the job is {detail['status']}"


_TELLERS: dict[EventKind, Callable[[Event, int], tuple[str, str]]] = {
    EventKind.SUBMITTED: _submitted,
    EventKind.LEASED: _leased,
    EventKind.RENEWED: _renewed,
    EventKind.COMPLETED: _completed,
    EventKind.FAILED: _failed,
    EventKind.LEASE_EXPIRED: _lease_expired,
    EventKind.RETRY_SCHEDULED: _retry_scheduled,
    EventKind.DEAD_LETTERED: _dead_lettered,
    EventKind.REDRIVEN: _redriven,
    EventKind.RELEASED: _released,
    EventKind.PAUSED: _paused,
    EventKind.RESUMED: _resumed,
    EventKind.CANCELLED: _cancelled,
    EventKind.DROPPED: _dropped,
    EventKind.REFUSED: _refused,
}
