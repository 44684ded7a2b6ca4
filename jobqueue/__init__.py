"""A lock-based job queue to learn from: leases, fencing tokens, retries with backoff, dead letters.

Start reading at `JobQueue` in `queue.py`. Nothing but the standard library is imported here.
"""

from jobqueue.clock import ManualClock, SystemClock, TimeSource
from jobqueue.errors import (
    AdmissionError,
    IllegalStateError,
    JobQueueError,
    RequestKeyConflictError,
    StaleTokenError,
    StoreError,
    UnknownJobError,
)
from jobqueue.events import Event, EventKind, EventLog
from jobqueue.model import Attempt, JobStatus, JobView, Lease, Outcome
from jobqueue.queue import JobQueue
from jobqueue.retry import RetryPolicy

__all__ = [
    "AdmissionError",
    "Attempt",
    "Event",
    "EventKind",
    "EventLog",
    "IllegalStateError",
    "JobQueue",
    "JobQueueError",
    "JobStatus",
    "JobView",
    "Lease",
    "ManualClock",
    "Outcome",
    "RequestKeyConflictError",
    "RetryPolicy",
    "StaleTokenError",
    "StoreError",
    "SystemClock",
    "TimeSource",
    "UnknownJobError",
]
