"""A lock-based job queue to learn from: leases, fencing tokens, retries with backoff, dead letters.

Start reading at `JobQueue` in `queue.py`. Nothing but the standard library is imported here.
"""

from jobqueue.audit import Redrivable, Redrive, RedriveRow
from jobqueue.clock import ManualClock, MonotonicClock, SystemClock, TimeSource
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
from jobqueue.model import JobStatus, Lease, Outcome
from jobqueue.queue import JobQueue
from jobqueue.retry import Jitter, RetryBudget, RetryPolicy
from jobqueue.scheduling import (
    DeficitRoundRobin,
    DispatchLimit,
    Limits,
    RoundRobin,
    StrictPriority,
    WeightedBands,
)
from jobqueue.statistics import Stats
from jobqueue.stores.urls import open_queue
from jobqueue.submission import Submission
from jobqueue.views import Attempt, JobView
from jobqueue.worker import Context, PermanentError, Worker

__all__ = [
    "AdmissionError",
    "Attempt",
    "Context",
    "DeficitRoundRobin",
    "DispatchLimit",
    "Event",
    "EventKind",
    "EventLog",
    "IllegalStateError",
    "Jitter",
    "JobQueue",
    "JobQueueError",
    "JobStatus",
    "JobView",
    "Lease",
    "Limits",
    "ManualClock",
    "MonotonicClock",
    "Outcome",
    "PermanentError",
    "Redrivable",
    "Redrive",
    "RedriveRow",
    "RequestKeyConflictError",
    "RetryBudget",
    "RetryPolicy",
    "RoundRobin",
    "StaleTokenError",
    "Stats",
    "StoreError",
    "StrictPriority",
    "Submission",
    "SystemClock",
    "TimeSource",
    "UnknownJobError",
    "WeightedBands",
    "Worker",
    "open_queue",
]
