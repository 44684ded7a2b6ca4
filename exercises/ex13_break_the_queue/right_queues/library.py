"""The queue of the library itself: heaps, a lock, a pure state machine."""

from jobqueue import JobQueue, ManualClock, RetryPolicy


def make_queue(
    max_attempts: int = 3, base_backoff_millis: int = 1_000, max_backoff_millis: int = 60_000
) -> tuple[JobQueue, ManualClock]:
    """Make an empty queue and the clock that it reads, at 0."""
    clock = ManualClock()
    return JobQueue(clock, RetryPolicy(max_attempts, base_backoff_millis, max_backoff_millis)), clock
