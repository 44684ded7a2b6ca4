"""The audit of redrives: who redrove which dead letter, when and why."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Redrive:
    """One redrive of a job.

    `redrive_generation` counts them for each job from 1; `batch` is the same for all of one `redrive_many`.
    """

    job_id: str
    redrive_generation: int
    at: int
    run_at: int
    actor: str | None
    note: str | None
    has_new_payload: bool = False
    deadline: int | None = None
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class RedriveRow:
    """What became of one id in a `redrive_many`.

    `outcome` is `done` or `skipped`; a skipped one has a `reason`: unknown, wrong_state, deadline or permanent.
    """

    job_id: str
    outcome: str
    reason: str | None = None
    redrive: Redrive | None = None


class Redrivable(NamedTuple):
    """Whether `redrive_many` would redrive a job: `reason` is None if so, else that of the skipped row."""

    job_id: str
    reason: str | None
