"""The refusals: one base, one rung for each reason, each keeping what it knows as attributes.

A message says what was asked, what was found, and what would be right. A refused call has changed nothing.
"""

from typing import Self


class JobQueueError(Exception):
    """The base of every refusal of a queue, apart from wrong arguments (`TypeError`, `ValueError`)."""


class UnknownJobError(JobQueueError, LookupError):
    """No job has this id: it was never given, or the job was removed by retention."""

    def __init__(self, message: str, *, job_id: str = "") -> None:
        super().__init__(message)
        self.job_id = job_id

    @classmethod
    def of(cls, job_id: str, last_number: int) -> Self:
        """Return the refusal of an id, given the number of the newest job."""
        return cls(
            f"no job has the id {job_id[:40]!a}: {last_number} were submitted so far, "
            "and finished ones are forgotten where keep_finished says so",
            job_id=job_id,
        )


class IllegalStateError(JobQueueError, RuntimeError):
    """The job exists, but its state does not allow the operation."""

    def __init__(self, message: str, *, job_id: str = "", operation: str = "", status: str = "") -> None:
        super().__init__(message)
        self.job_id = job_id
        self.operation = operation
        self.status = status


class StaleTokenError(IllegalStateError):
    """The token is not that of the job's current lease.

    `reason` is `lease_expired` (the token is the latest one, and its lease ran out), `stale_generation` (the
    job was handed out again since, or the token was never one of this job) or `wrong_state` (the attempt has
    already ended).
    """

    def __init__(
        self,
        message: str,
        *,
        job_id: str = "",
        operation: str = "",
        status: str = "",
        token: str = "",
        reason: str = "",
    ) -> None:
        super().__init__(message, job_id=job_id, operation=operation, status=status)
        self.token = token
        self.reason = reason


class RequestKeyConflictError(IllegalStateError):
    """The request key is taken by a submit with other content."""


class AdmissionError(JobQueueError, RuntimeError):
    """The queue is full for this caller; trying again after `retry_after_millis` may work."""

    def __init__(self, message: str, *, retry_after_millis: int = 0) -> None:
        super().__init__(message)
        self.retry_after_millis = retry_after_millis


class StoreError(JobQueueError):
    """The store failed, stayed busy or did not answer.

    The operation is not acknowledged. The message says whether it may have been done all the same: a commit, or
    an answer over HTTP, can be lost on its way. Asking again is safe for a submit with a request key, and for a
    report, which counts once.
    """


NOT_DONE = "nothing was changed, so you can try again"
PERHAPS_DONE = "it may have been done all the same: look first, or ask again with the same request key"
"""The end of a `StoreError`'s message: what is known of the operation."""


REFUSALS = (IllegalStateError, AdmissionError)
"""What is recorded as an event: somebody asked for what may not happen now."""
