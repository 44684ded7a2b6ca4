"""In which way a wrong value of the whole queue is wrong: words for the diagnosis, found with the model's help.

Nothing here decides whether an answer is right; only which of the known mistakes would give what it gave.
"""

from collections.abc import Sequence
from typing import Any

from exercises.staging.whole_model import PENDING, WholeJob, WholeModel


def choice(model: WholeModel, wanted: str, got: Any, now: int) -> str:
    """Say what is wrong with handing out the job `got` instead of `wanted`. The model has polled already."""
    jobs = {f"J{number}": job for number, job in model.jobs.items()}
    best, other = jobs[wanted], jobs.get(got) if isinstance(got, str) else None
    if other is None:
        return "no such job"
    if other.status != PENDING:
        return f"it is {other.status}"
    if other.run_at > now:
        return "not yet ready"
    if other.priority != best.priority:
        ready = [job.priority for job in jobs.values() if job.status == PENDING and job.run_at <= now]
        return "lowest priority" if other.priority == min(ready) else "lower priority"
    return "later run_at" if other.run_at != best.run_at else "later in order"


def date(model: WholeModel, job: WholeJob, got: Any, now: int) -> str:
    """Say which mistake would give `got` for the instant at which a job may run again."""
    if type(got) is not int:
        return "no whole number"
    if job.attempts == 0 and job.last_error is None and got == now > job.run_at:
        return "now instead of 0" if job.run_at == 0 else "now instead of the past"
    rest, doubled = got - job.failed_at, model.base * 2 ** max(job.attempts - 1, 0)
    names = {
        job.run_at_before: "as before",
        now + min(model.cap, doubled): "counted from now",
        job.failed_at: "no rest",
    }
    rests = {
        2 * doubled: "twice as long",
        doubled: "longer than the longest",
        model.base * job.attempts: "one base more each time",
        model.base: "always the base",
        doubled // 2: "half as long",
    }
    return names.get(got) or rests.get(rest) or "other"


def letters(wanted: Sequence[str], got: Any) -> str:
    """Say what is wrong with a list of dead letters."""
    if not isinstance(got, list):
        return "no list"
    if sorted(map(str, got)) == sorted(wanted):
        return "in another order"
    if not got:
        return "none of them"
    return "not all of them" if set(map(str, got)) < set(wanted) else "others"
