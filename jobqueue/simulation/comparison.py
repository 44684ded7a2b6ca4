"""Compares two worlds at one instant, in plain words: when they diverged, and which jobs differ.

Two branches of a board are compared by everything that happened, to their workers too. A flawed queue and the
right one are compared by what the queues did, since the rest of the story is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from jobqueue.model import JobStatus, job_number
from jobqueue.simulation.chronicle import Entry, Note
from jobqueue.simulation.narration import QUEUE, narrate
from jobqueue.simulation.units import seconds
from jobqueue.simulation.world import World
from jobqueue.views import JobView


@dataclass(frozen=True, slots=True)
class Fate:
    """How one job fares in each of two worlds."""

    job_id: str
    here: str
    there: str

    @property
    def differs(self) -> bool:
        """Whether it fares differently."""
        return self.here != self.there

    @property
    def sentence(self) -> str:
        """Both in one sentence."""
        return f"{self.job_id}: here {self.here}; there {self.there}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two worlds have in common, and what not.

    Args:
        parted_at: the instant of the first thing that happened in one of them only; None if there is none.
        here: what happened in the first world from there on that is not in the second, as one sentence.
        there: likewise of the second.
        fates: all jobs of either, in submission order.
    """

    parted_at: int | None
    here: str
    there: str
    fates: tuple[Fate, ...]

    @property
    def different(self) -> tuple[Fate, ...]:
        """The jobs that fare differently."""
        return tuple(fate for fate in self.fates if fate.differs)


def compare(here: World, there: World) -> Comparison:
    """Compare two worlds, which best stand at the same instant."""
    ours, theirs = here.chronicle.entries, there.chronicle.entries
    common = _common(ours, theirs)
    firsts = [entries[common].at for entries in (ours, theirs) if len(entries) > common]
    return Comparison(
        min(firsts, default=None),
        _entry_sentence(here, common),
        _entry_sentence(there, common),
        fates(here, there),
    )


def fates(here: World, there: World) -> tuple[Fate, ...]:
    """Return how each job of either world fares in both, in submission order."""
    views = [{job.id: job for job in world.jobs()} for world in (here, there)]
    ids = sorted({*views[0], *views[1]}, key=job_number)
    return tuple(Fate(job_id, *(_fate(view.get(job_id), here.now()) for view in views)) for job_id in ids)


def differences(here: World, there: World) -> list[str]:
    """Return a sentence for each job that fares differently."""
    return [fate.sentence for fate in fates(here, there) if fate.differs]


@dataclass(frozen=True, slots=True)
class Parting:
    """The first instant at which two queues do something else; `here` and `there` say what."""

    at: int
    seq: int
    here: str
    there: str


def parting(here: World, there: World) -> Parting | None:
    """Return where the queues of two worlds part; None while all that they did is the same."""
    now = min(here.now(), there.now())
    ours, others = ([event for event in world.log.events if event.at <= now] for world in (here, there))
    for one, other in zip_longest(ours, others):
        if one is None or other is None or _content(one) != _content(other):
            at = min(event.at for event in (one, other) if event is not None)
            seq = one.seq if one is not None else len(ours)
            most = here.scenario.policy.max_attempts
            return Parting(at, seq, _sentence(one, most), _sentence(other, most))
    return None


def _common(ours: Sequence[Entry], theirs: Sequence[Entry]) -> int:
    """Return how many entries both begin with."""
    for number, (our, their) in enumerate(zip(ours, theirs, strict=False)):
        if _content(our) != _content(their):
            return number
    return min(len(ours), len(theirs))


def _content(entry: Entry) -> tuple[object, ...]:
    """Return an entry without its number: a refusal in one world alone must not make all after it different."""
    if isinstance(entry, Note):
        return entry.at, entry.kind, entry.worker, entry.job_id, entry.times
    detail = {name: value for name, value in entry.detail.items() if name != "message"}
    of_attempt = (entry.worker_id, entry.attempt, entry.generation) if entry.worker_id else ()
    return entry.at, entry.kind, entry.job_id, of_attempt, detail


def _entry_sentence(world: World, number: int) -> str:
    """Return an entry as a sentence; empty if it has not come yet."""
    if number >= len(world.chronicle):
        return ""
    return _sentence(world.chronicle.entries[number], world.scenario.policy.max_attempts)


def _sentence(entry: Entry | None, most: int) -> str:
    if entry is None:
        return "nothing happens"
    sentence = narrate(entry, most)
    # The queue's sentences bring their own subject.
    who = f"{sentence.who}:" if sentence.who == QUEUE else sentence.who
    return f"{seconds(sentence.at)}: {who} {sentence.text}"


def _fate(job: JobView | None, now: int) -> str:
    """Return how a job fares, in a few words.

    Equal words mean an equal fate: they name the attempt, and the instant of an end.
    """
    if job is None:
        return "not submitted"
    attempt = f", attempt {job.attempts}" if job.attempts else ""
    match job.status:
        case JobStatus.RUNNING:
            return f"running at {job.worker_id}{attempt}"
        case JobStatus.SUCCEEDED:
            return f"succeeded at {seconds(job.finished_at or 0)}{attempt}"
        case JobStatus.CANCELLED:
            return f"cancelled at {seconds(job.finished_at or 0)}"
        case JobStatus.DEAD:
            return f"dead since {seconds(job.failed_at or 0)}{attempt}"
    failed = f", {job.attempts} failed" if job.attempts else ""
    return f"ready{failed}" if job.next_run_at <= now else f"waits until {seconds(job.next_run_at)}{failed}"
