"""ex07, the whole queue: your answer, from a blank file. Story and rules are in ex07_whole_queue.md, beside it.

Write the classes UnknownJobError, IllegalStateError, StaleTokenError, Lease, JobView and JobQueue.
Then: jobkit check ex07
"""

from jobqueue import TimeSource


class JobQueue:
    """Everything in here is yours."""

    def __init__(self, clock: TimeSource, max_attempts: int, base_backoff: int, max_backoff: int) -> None:
        raise NotImplementedError("ex07, task 1: the whole queue")
