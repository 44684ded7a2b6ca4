"""Who held what from when to when: the chronicle as bars and marks on one lane per worker. No drawing here."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from jobqueue.events import Event, EventKind
from jobqueue.simulation.chronicle import Entry, Note

Bars = dict[tuple[str, str], "Bar"]
"""The bars by hand-out (job and generation) and worker, in the order of the hand-outs."""

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
    """An instant on a lane: refused, crashed, restarted; believed, where a flawed queue hears a zombie."""

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
    bars: Bars = {}
    marks: list[Mark] = []
    rests: list[Rest] = []
    resting: dict[str, tuple[str, int]] = {}
    for entry in entries:
        if isinstance(entry, Note):
            _read_note(entry, marks, rests, resting)
        else:
            _read_event(entry, bars, marks)
    rests += [Rest(worker, start, now, kind) for worker, (kind, start) in resting.items()]
    lost = set(zombies)
    for key, bar in bars.items():
        if bar.token in lost and bar.outcome == "expired":
            bars[key] = replace(bar, ghost_until=now)
    latest = max((bar.lease_until for bar in bars.values() if bar.end is None), default=now)
    return Timeline(tuple(workers), tuple(bars.values()), tuple(marks), tuple(rests), now, 0, max(now, latest))


def window(whole: Timeline, begin: int, end: int) -> Timeline:
    """Return the part of a timeline between two instants; bars that reach over an edge are cut there.

    Raises:
        ValueError: the end is not after the beginning.
    """
    if end <= begin:
        raise ValueError(f"window: its end {end} is not after its beginning {begin}")
    bars = [
        bar
        for bar in whole.bars
        if bar.start <= end
        and max(bar.end if bar.end is not None else whole.now, bar.ghost_until or 0) >= begin
    ]
    rests = [
        replace(rest, start=max(rest.start, begin), end=min(rest.end, end))
        for rest in whole.rests
        if rest.start <= end and rest.end >= begin
    ]
    marks = [mark for mark in whole.marks if begin <= mark.at <= end]
    return replace(whole, bars=tuple(bars), marks=tuple(marks), rests=tuple(rests), begin=begin, end=end)


def _read_event(event: Event, bars: Bars, marks: list[Mark]) -> None:
    if event.worker_id is None:
        return
    hand_out = f"{event.job_id}:{event.generation}"
    key = hand_out, event.worker_id
    if event.kind is EventKind.LEASED:
        if key in bars:  # a flawed queue makes one hand-out of two
            bars[hand_out, f"{event.worker_id} before {event.at}"] = bars.pop(key)
        token, until = str(event.detail["token"]), event.detail["lease_until"]
        bars[key] = Bar(event.worker_id, str(event.job_id), event.attempt, token, event.at, lease_until=until)
    elif key in bars:
        bars[key] = _told(event, bars[key], marks)


def _told(event: Event, bar: Bar, marks: list[Mark]) -> Bar:
    """Return the bar of an attempt after one more event about it."""
    if event.kind is EventKind.RENEWED:
        return replace(bar, lease_until=event.detail["lease_until"], end=None, outcome="running")
    if event.kind in _OUTCOMES and bar.end is None:
        return replace(bar, end=event.at, outcome=_OUTCOMES[event.kind])
    if event.kind in _OUTCOMES:
        # A flawed queue believes a zombie: its lease ended long ago, and it has worked on since.
        marks.append(Mark(bar.worker, event.at, "believed", event.job_id))
        return replace(bar, ghost_until=event.at)
    if event.kind is EventKind.REFUSED:
        marks.append(Mark(bar.worker, event.at, "refused", event.job_id))
        if bar.outcome == "expired":
            return replace(bar, ghost_until=event.at)
        if bar.end is None:  # a flawed queue refuses the one that holds the lease
            return replace(bar, end=event.at, outcome="refused")
    return bar


def _read_note(note: Note, marks: list[Mark], rests: list[Rest], resting: dict[str, tuple[str, int]]) -> None:
    if note.kind in {"crashed", "restarted"}:
        marks.append(Mark(note.worker, note.at, note.kind, note.job_id))
    # Whatever begins or ends a rest ends the one before: a frozen worker may still be killed.
    if note.kind in {"crashed", "restarted", "froze", "thawed"} and note.worker in resting:
        kind, start = resting.pop(note.worker)
        rests.append(Rest(note.worker, start, note.at, kind))
    if note.kind in {"crashed", "froze"}:
        resting[note.worker] = ("dead" if note.kind == "crashed" else "frozen", note.at)
