"""What a bulk redrive does with each id that it is given: redrive the job, or skip it for a reason."""

from collections.abc import Iterable, Iterator, Sequence

from jobqueue.arguments import LARGEST_INTEGER, check_several, check_string
from jobqueue.audit import RedriveRow
from jobqueue.errors import StoreError
from jobqueue.lifecycle import PERMANENT
from jobqueue.model import DEAD, Job, job_number

NAMED = 10
"""How many ids a message names."""


def each_once(ids: Iterable[str]) -> dict[str, None]:
    """Return the ids that a caller gave, checked, in their order and without repetitions."""
    return dict.fromkeys(check_string("ids", job_id) for job_id in check_several("ids", ids))


def planned(
    asked: Iterable[str], known: Iterable[Job], first_run_at: int, spread_millis: int
) -> Iterator[tuple[str, Job | None, int, str | None]]:
    """Yield for each id its job, when that would start again, and why it is skipped, if it is.

    Args:
        asked: the ids, each once.
        known: those of their jobs that exist, in submission order; unknown ids come last.
        first_run_at: when the first one starts again.
        spread_millis: how much later than the one before each other one does.
    """
    run_at, left = first_run_at, dict.fromkeys(asked)
    for job in known:
        del left[job.id]
        found = redrive_obstacle(job, run_at, is_corrected=False, deadline=None)
        yield job.id, job, run_at, None if found is None else found[0]
        if found is None:
            run_at = min(run_at + spread_millis, LARGEST_INTEGER)
    yield from ((job_id, None, run_at, "unknown") for job_id in left)


def by_place(row: RedriveRow) -> tuple[bool, int]:
    """Return what orders rows by their jobs' place in submission order, with unknown ids last."""
    is_unknown = row.reason == "unknown"
    return is_unknown, 0 if is_unknown else job_number(row.job_id)


def partly_done(done: int, asked: int, left: Sequence[str], error: StoreError) -> StoreError:
    """Return the error of a bulk redrive that failed after its first step: it says what that step did."""
    names = ", ".join(left[:NAMED]) + ", ..." * (len(left) > NAMED)
    return StoreError(f"{done} of {asked} jobs are redriven; of {names}: {error}")


def redrive_obstacle(
    job: Job, run_at: int, *, is_corrected: bool, deadline: int | None
) -> tuple[str, str] | None:
    """Return what stands against a redrive, as a word and as words; None if nothing does."""
    if job.status is not DEAD:
        return "wrong_state", f"it is {job.status}, and only a DEAD job can be brought back"
    if job.dead_reason == PERMANENT and not is_corrected:
        return (
            "permanent",
            "its failure was reported as permanent; give a corrected payload, or say that it goes unchanged",
        )
    until = job.deadline if deadline is None else deadline
    if until is not None and until <= run_at:
        return "deadline", f"its deadline {until} is not after {run_at}, when it would start; give a later one"
    return None
