"""What a page shows of a recording: one frame of it as lanes, lamps, timeline and log. No Flask in here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from exercises.playback.recording import Recording
from jobqueue import Event, JobStatus
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.ledger import JobRecord, Ledger
from jobqueue.simulation.narration import narrate
from jobqueue.simulation.picture import TimelinePicture
from jobqueue.simulation.timeline import timeline
from jobqueue.simulation.units import seconds
from jobqueue.simulation.watch import Violation, lamps_after
from webui.board.panels import LampCard, lamps_of
from webui.board.view import LogLine, line_of

_LOOKS = {"PENDING": "ready", "RUNNING": "run", "SUCCEEDED": "ok", "DEAD": "dead", "CANCELLED": "wait"}


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """One job at one frame."""

    id: str
    type: str
    look: str
    chip: str
    why: str


@dataclass(frozen=True, slots=True)
class RecordedBoard:
    """One frame of a recording. Steps count from 1; `broken_at` is the first step at which a lamp is red."""

    title: str
    question: str
    step: int
    steps: int
    broken_at: int | None
    clock: str
    words: str
    lanes: list[tuple[str, list[RecordedJob]]]
    lamps: list[LampCard]
    picture: str
    log: list[LogLine]
    ending: str
    printed: str


def board_at(recording: Recording, step: int) -> RecordedBoard:
    """Return a recording as it was at a step; one beyond the ends is the first or the last."""
    steps = len(recording.frames)
    step = min(max(step, 1), steps)
    frame = recording.frames[step - 1]
    entries = sorted(recording.entries[: frame.entries], key=lambda entry: entry.at)
    return RecordedBoard(
        title=recording.title,
        question=recording.question,
        step=step,
        steps=steps,
        broken_at=broken_at(recording),
        clock=seconds(frame.at).removesuffix(" s"),
        words=frame.words,
        lanes=_lanes(recording, step),
        lamps=lamps_of(lamps_after(recording.promises, recording.violations[: frame.violations])),
        picture=TimelinePicture(timeline(entries, _workers(recording, entries), frame.at)).svg(),
        log=[_line(entry, recording.violations[: frame.violations]) for entry in reversed(entries)],
        ending=recording.ending if step == steps else "",
        printed=recording.printed,
    )


def broken_at(recording: Recording) -> int | None:
    """Return the first step at which a lamp is red; None if all holds."""
    found = (number for number, frame in enumerate(recording.frames, 1) if frame.violations)
    return next(found, None)


def _workers(recording: Recording, entries: list[Entry]) -> tuple[str, ...]:
    """Return all workers: those of the story, and whoever else the log names."""
    named = {entry.worker_id: None for entry in entries if isinstance(entry, Event) and entry.worker_id}
    return tuple(dict.fromkeys((*recording.workers, *named)))


def _lanes(recording: Recording, step: int) -> list[tuple[str, list[RecordedJob]]]:
    frame, ledger = recording.frames[step - 1], Ledger()
    for entry in recording.entries[: frame.entries]:
        if isinstance(entry, Event):
            ledger.note(entry)
    lanes = []
    for status in (JobStatus.PENDING, JobStatus.RUNNING, JobStatus.SUCCEEDED):
        ids = [job_id for job_id, shown in frame.statuses.items() if shown == status]
        lanes.append((str(status), [_job(job_id, str(status), ledger.jobs.get(job_id)) for job_id in ids]))
    others = {i: s for i, s in frame.statuses.items() if s not in {"PENDING", "RUNNING", "SUCCEEDED"}}
    if others:
        lanes.append(("other states", [_job(i, s, ledger.jobs.get(i)) for i, s in others.items()]))
    return lanes


def _job(job_id: str, status: str, job: JobRecord | None) -> RecordedJob:
    look = _LOOKS.get(status, "dead")
    if job is None:
        return RecordedJob(job_id, "", look, status, "")
    held = f"held by {job.worker} until {seconds(job.lease_until)}" if job.is_open else "held by nobody"
    return RecordedJob(job_id, job.type, look, job.token or status, f"attempts {job.attempts}; {held}")


def _line(entry: Entry, violations: Sequence[Violation]) -> LogLine:
    """Return an entry as a sentence; such a queue has no number of attempts to name."""
    line = line_of(entry, narrate(entry, 0), violations)
    return replace(line, text=line.text.replace(" of 0", ""))
