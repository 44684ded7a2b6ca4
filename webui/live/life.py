"""The way of one job through its states, as its view and its attempts tell it.

A durable queue keeps no events; but what happened to a job can be read from what it keeps.
"""

from collections.abc import Iterator, Sequence

from jobqueue import Attempt, JobStatus, JobView, Outcome, Redrive
from jobqueue.simulation.diagram import MISS, LifeDiagram, Step

MOST_STEPS = 60


def life_of(job: JobView, history: Sequence[Attempt], redrives: Sequence[Redrive]) -> str:
    """Return the state machine with the job's way as SVG; times count from its submit."""
    steps = list(steps_of(job, history, redrives))
    if len(steps) > MOST_STEPS:
        steps = steps[:1] + steps[1 - MOST_STEPS :]
    return LifeDiagram([Step(s.verb, s.at - job.submitted_at) for s in steps], job.id).svg()


def steps_of(job: JobView, history: Sequence[Attempt], redrives: Sequence[Redrive]) -> Iterator[Step]:
    """Yield each arrow that a job went along, in order."""
    yield Step("submit", job.submitted_at)
    brought_back = {redrive.redrive_generation: redrive for redrive in redrives}
    for era in range(job.redrive_generation + 1):
        if era in brought_back:
            yield Step("retry_dead", brought_back[era].at)
        attempts = [attempt for attempt in history if attempt.era == era]
        yield from _era(job, attempts, brought_back.get(era + 1))
    if job.status is JobStatus.CANCELLED and job.finished_at is not None:
        yield Step("cancel", job.finished_at)


def _era(job: JobView, attempts: Sequence[Attempt], ended_by: Redrive | None) -> Iterator[Step]:
    """Yield the arrows between two redrives; the era has ended in death if it was brought back from it."""
    is_last_era = ended_by is None
    died_at = job.failed_at if is_last_era else None
    for place, attempt in enumerate(attempts, 1):
        yield Step("poll", attempt.started_at)
        if attempt.ended_at is None:
            continue
        is_last = place == len(attempts)
        was_buried = is_last and (died_at == attempt.ended_at if is_last_era else True)
        yield Step(_verb(attempt.outcome, was_buried=was_buried), attempt.ended_at)
    if died_at is not None and (not attempts or attempts[-1].ended_at != died_at):
        yield Step(MISS, died_at)
    if not is_last_era and not attempts and ended_by is not None:
        yield Step(MISS, ended_by.at)  # nobody noted when; it was before it was brought back


def _verb(outcome: Outcome | None, *, was_buried: bool) -> str:
    if outcome is Outcome.SUCCEEDED:
        return "complete"
    if was_buried:
        return "bury"
    return "release" if outcome is Outcome.RELEASED else "retry"
