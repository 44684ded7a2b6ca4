"""Who held what from when to when: the chronicle as bars and marks on one lane per worker. No drawing here."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from jobqueue.events import Event, EventKind
from jobqueue.simulation.chronicle import Entry, Note

_OUTCOMES = {
    EventKind.COMPLETED: "succeeded",
    EventKind.FAILED: "failed",
    EventKind.LEASE_EXPIRED: "expired",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One attempt on its worker's lane.

    `end` is where the lease was given back or ran out, None while it runs. `ghost_until` is where the worker
    learned that it had lost the job, or `now` while it does not know yet; None if it never lost it.
    """

    worker: str
    job_id: str
    attempt: int
    token: str
    start: int
    lease_until: int
    end: int | None = None
    outcome: str = "running"
    ghost_until: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant on a worker's lane: refused, crashed or restarted."""

    worker: str
    at: int
    kind: str
    job_id: str | None


@dataclass(frozen=True, slots=True)
class Rest:
    """A stretch in which a worker stood still, or was dead."""

    worker: str
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Everything that the picture shows, from `begin` to `end`, seen at `now`."""

    workers: tuple[str, ...]
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    rests: tuple[Rest, ...]
    now: int
    begin: int
    end: int


def timeline(
    entries: Iterable[Entry], workers: Iterable[str], now: int, zombies: Iterable[str] = ()
) -> Timeline:
    """Read a chronicle as a timeline.

    Args:
        entries: the chronicle, oldest first.
        workers: the lanes, top to bottom.
        now: the instant at which it is looked at.
        zombies: the tokens of those who still work on what they have lost.
    """
    bars: dict[str, Bar] = {}
    marks: list[Mark] = []
    rests: list[Rest] = []
    resting: dict[str, tuple[str, int]] = {}
    for entry in entries:
        if isinstance(entry, Note):
            _read_note(entry, marks, rests, resting)
        else:
            _read_event(entry, bars, marks)
    rests += [Rest(worker, start, now, kind) for worker, (kind, start) in resting.items()]
    for token in zombies:
        bars[token] = replace(bars[token], ghost_until=now)
    latest = max((bar.lease_until for bar in bars.values() if bar.end is None), default=now)
    return Timeline(tuple(workers), tuple(bars.values()), tuple(marks), tuple(rests), now, 0, max(now, latest))


def _read_event(event: Event, bars: dict[str, Bar], marks: list[Mark]) -> None:
    if event.worker_id is None:
        return
    token = f"{event.job_id}:{event.generation}"
    if event.kind is EventKind.LEASED:
        lease_until = event.detail["lease_until"]
        bars[token] = Bar(
            event.worker_id, str(event.job_id), event.attempt, token, event.at, lease_until=lease_until
        )
    elif event.kind is EventKind.RENEWED:
        bars[token] = replace(bars[token], lease_until=event.detail["lease_until"])
    elif event.kind in _OUTCOMES:
        bars[token] = replace(bars[token], end=event.at, outcome=_OUTCOMES[event.kind])
    elif event.kind is EventKind.REFUSED:
        marks.append(Mark(event.worker_id, event.at, "refused", event.job_id))
        if bars[token].outcome == "expired":
            bars[token] = replace(bars[token], ghost_until=event.at)


def _read_note(note: Note, marks: list[Mark], rests: list[Rest], resting: dict[str, tuple[str, int]]) -> None:
    if note.kind in {"crashed", "restarted"}:
        marks.append(Mark(note.worker, note.at, note.kind, note.job_id))
    # Whatever begins or ends a rest ends the one before: a frozen worker may still be killed.
    if note.kind in {"crashed", "restarted", "froze", "thawed"} and note.worker in resting:
        kind, start = resting.pop(note.worker)
        rests.append(Rest(note.worker, start, note.at, kind))
    if note.kind in {"crashed", "froze"}:
        resting[note.worker] = ("dead" if note.kind == "crashed" else "frozen", note.at)
