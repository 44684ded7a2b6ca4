"""When a failed job may be tried again: backoff, jitter, and a budget for retries.

It never looks at a clock or a dice: it turns numbers into a delay, the same ones into the same every time.
"""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

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


class JitterKind(StrEnum):
    """How much of a rest is left to chance."""

    FULL = "full"
    EQUAL = "equal"
    DECORRELATED = "decorrelated"


@dataclass(frozen=True, slots=True)
class Jitter:
    """Spreads the retries of jobs that failed together, so that they do not come back together.

    A draw depends on the seed, the job and the hand-out alone, not on what was drawn before: so every store,
    replay and fork draws the same. It is drawn within the cap, never added on top.

    Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015, for the three kinds.
    """

    kind: JitterKind
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a seed that is no number, and a kind that does not exist."""
        JitterKind(self.kind)
        check_integer("seed", self.seed)

    @classmethod
    def full(cls, seed: int = 0) -> "Jitter":
        """Return a jitter that rests from nothing up to the whole backoff."""
        return cls(JitterKind.FULL, seed)

    @classmethod
    def equal(cls, seed: int = 0) -> "Jitter":
        """Return a jitter that rests at least half of the backoff."""
        return cls(JitterKind.EQUAL, seed)

    @classmethod
    def decorrelated(cls, seed: int = 0) -> "Jitter":
        """Return a jitter that rests from the base up to three times the rest before, within the cap."""
        return cls(JitterKind.DECORRELATED, seed)

    def draw(self, job_id: str, generation: int, least: int, most: int) -> int:
        """Return an integer from `least` to `most`, both included, each equally likely.

        >>> Jitter.full(seed=1).draw("J1", 1, 0, 1000) == Jitter.full(seed=1).draw("J1", 1, 0, 1000)
        True
        """
        bits = int.from_bytes(sha256(f"{self.seed}:{job_id}:{generation}".encode()).digest())
        # The top of 256 bits times the range: even for the widest range the odds differ by less than 2**-200.
        return least + (bits * (most - least + 1) >> 256)


@dataclass(frozen=True, slots=True)
class RetryRule:
    """A policy, and the jitter on top of it if there is one."""

    policy: RetryPolicy
    jitter: Jitter | None = None

    def delay_millis(self, job_id: str, attempt: int, generation: int, previous: int | None) -> int:
        """Return the rest after a failed attempt.

        Args:
            job_id: whose attempt it was.
            attempt: which attempt of this era, from 1.
            generation: which hand-out in the job's life.
            previous: the rest before this one in the era; None at first.
        """
        backoff = self.policy.backoff_millis(attempt)
        if self.jitter is None:
            return backoff
        least, most = 0, backoff
        if self.jitter.kind == JitterKind.EQUAL:
            least = backoff // 2
        elif self.jitter.kind == JitterKind.DECORRELATED:
            least = self.policy.base_backoff_millis
            before = least if previous is None else previous
            most = max(least, min(self.policy.max_backoff_millis, 3 * before))
        return self.jitter.draw(job_id, generation, least, most)


@dataclass(frozen=True, slots=True)
class RetryBudget:
    """How many retries of a type may run beside its first attempts, so that a storm of them starves nobody.

    A retry is handed out only while its type's running retries are fewer than
    floor + running first attempts * percent // 100. Beyond that it waits, with the hold `budget`.

    Args:
        percent: retries allowed for each hundred running first attempts.
        floor: retries allowed in any case, so that nothing waits for ever; at least 1.
    """

    percent: int = 20
    floor: int = 1

    def __post_init__(self) -> None:
        """Refuse a budget under which no retry could ever run."""
        check_integer("percent", self.percent, low=0)
        check_integer("floor", self.floor, low=1)

    def allows(self, running_first: int, running_retries: int) -> bool:
        """Return whether one more retry may run.

        >>> RetryBudget(percent=20, floor=1).allows(running_first=10, running_retries=2)
        True
        >>> RetryBudget(percent=20, floor=1).allows(running_first=10, running_retries=3)
        False
        """
        return running_retries < self.floor + running_first * self.percent // 100
