"""The stage for the exercise about tokens: what its files of checks share."""

from exercises.grader import Case
from exercises.staging.queue_driver import Hold, QueueStage


def stage_for(case: Case) -> QueueStage:
    """Set up an empty TokenQueue at t=0."""
    return QueueStage(case, "TokenQueue", error="StaleTokenError")


def leased(case: Case) -> tuple[QueueStage, Hold]:
    """Begin as most stories do: J1 is submitted and A leases it until 10.0 s."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    return stage, stage.polls("A", 10_000, gives="J1")
