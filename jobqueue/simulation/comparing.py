"""Two worlds at one instant, compared in plain words: since when they differ, and for which jobs."""

from collections.abc import Sequence
from dataclasses import dataclass

from jobqueue.model import JobStatus, JobView, job_number
from jobqueue.simulation.chronicle import Entry, Note
from jobqueue.simulation.narration import QUEUE, narrate, seconds
from jobqueue.simulation.world import World


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
    views = [{job.id: job for job in world.jobs()} for world in (here, there)]
    ids = sorted({*views[0], *views[1]}, key=job_number)
    fates = tuple(Fate(job_id, *(_fate(view.get(job_id), here.now()) for view in views)) for job_id in ids)
    return Comparison(min(firsts, default=None), _told(here, common), _told(there, common), fates)


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
    return entry.at, entry.kind, entry.worker_id, entry.job_id, entry.generation, detail


def _told(world: World, number: int) -> str:
    """Return an entry as a sentence; empty if it has not come yet."""
    if number >= len(world.chronicle):
        return ""
    sentence = narrate(world.chronicle.entries[number], world.scenario.policy.max_attempts)
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
