"""When a failed job may be tried again: the retry policy.

It never looks at a clock: it turns the number of an attempt into a delay.
"""

from dataclasses import dataclass

from jobqueue.arguments import check_integer


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a job is attempted, and how long it rests after each failure.

    Args:
        max_attempts: attempts before the job is a dead letter; at least 1.
        base_backoff_millis: rest after the first failed attempt; doubles with each further one.
        max_backoff_millis: the cap that the rest never exceeds; at least the base.
    """

    max_attempts: int
    base_backoff_millis: int
    max_backoff_millis: int

    def __post_init__(self) -> None:
        """Refuse a policy that makes no sense, before any job depends on it."""
        check_integer("max_attempts", self.max_attempts, low=1)
        check_integer("base_backoff_millis", self.base_backoff_millis, low=0)
        check_integer("max_backoff_millis", self.max_backoff_millis, low=0)
        if self.base_backoff_millis > self.max_backoff_millis:
            raise ValueError(
                f"base_backoff_millis: {self.base_backoff_millis} is more than the cap, "
                f"max_backoff_millis {self.max_backoff_millis}"
            )

    def backoff_millis(self, attempt: int) -> int:
        """Return the rest after the `attempt`-th attempt failed: min(cap, base * 2**(attempt - 1)).

        >>> policy = RetryPolicy(8, 1000, 60_000)
        >>> [policy.backoff_millis(n) for n in range(1, 9)]
        [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]
        """
        doublings = check_integer("attempt", attempt, low=1) - 1
        # Once the cap is passed, further doublings change nothing; without this line the
        # 100,000th attempt would compute a number of 100,000 bits to throw it away.
        doublings = min(doublings, self.max_backoff_millis.bit_length())
        return min(self.max_backoff_millis, self.base_backoff_millis << doublings)
