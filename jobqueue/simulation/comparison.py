"""Two worlds side by side: where they part, and what became of each job, in plain words."""

from dataclasses import dataclass
from itertools import zip_longest

from jobqueue.events import Event
from jobqueue.model import JobView
from jobqueue.simulation.narration import narrate, seconds
from jobqueue.simulation.world import World


@dataclass(frozen=True, slots=True)
class Parting:
    """The first instant at which something else happens; `here` and `there` say what."""

    at: int
    seq: int
    here: str
    there: str


def parting(here: World, there: World) -> Parting | None:
    """Return where two worlds part; None while all that has happened is the same."""
    now = min(here.now(), there.now())
    ours, others = ([e for e in world.log.events if e.at <= now] for world in (here, there))
    most = here.scenario.policy.max_attempts
    for one, other in zip_longest(ours, others):
        if one is None or other is None or _told(one) != _told(other):
            at = min(event.at for event in (one, other) if event is not None)
            seq = one.seq if one is not None else len(ours)
            return Parting(at, seq, _words(one, most), _words(other, most))
    return None


def ends(here: World, there: World) -> list[str]:
    """Return a sentence for each job that stands elsewhere than in the other world."""
    others = {job.id: job for job in there.jobs()}
    found = []
    for job in here.jobs():
        other = others.get(job.id)
        if other is None:
            found.append(f"{job.id} is {_where(job)}; in the other it was never submitted.")
        elif _where(job) != _where(other):
            found.append(f"{job.id} is {_where(job)}; in the other it is {_where(other)}.")
    return found


def _told(event: Event) -> tuple[object, ...]:
    """Return what of an event counts in a comparison: all but its number and the words of a refusal."""
    told = {name: value for name, value in event.detail.items() if name != "message"}
    of_attempt = (event.worker_id, event.attempt, event.generation) if event.worker_id else ()
    return event.at, event.kind, event.job_id, of_attempt, told


def _words(event: Event | None, most: int) -> str:
    if event is None:
        return "nothing happens"
    sentence = narrate(event, most)
    return f"{seconds(event.at)}: {sentence.who} {sentence.text}"


def _where(job: JobView) -> str:
    by = f", held by {job.worker_id} as attempt {job.attempts}" if job.worker_id else ""
    ended = job.finished_at if job.finished_at is not None else job.failed_at
    return f"{job.status}{by}" + ("" if ended is None else f" since {seconds(ended)}")
