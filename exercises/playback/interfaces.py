"""Which exercises have a queue that can play on the board, what it is called, and which stories it can play."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobqueue import RetryPolicy

AT_ONCE = RetryPolicy(max_attempts=1_000_000, base_backoff_millis=0, max_backoff_millis=0)
"""What a queue promises that says nothing of rests: ready again at once, as often as it takes."""
_ATTEMPTS_AND_REST = 2


@dataclass(frozen=True, slots=True)
class Interface:
    """What an exercise's queue is called, how it is created, and which error its refusals raise.

    Args:
        kind: the class.
        error: raised when the token of a report is not good.
        numbers: how many numbers it is created with: none, attempts and rest, or attempts, base and cap.
        submits: what submit takes after type and payload, as an event calls it.
        state_error: raised when the state of a job does not allow what is asked.
        leases_end: time ends leases.
        redrive: the method that brings a dead job back, and whether it takes a note.
    """

    kind: str
    error: str
    numbers: int = 0
    submits: tuple[str, ...] = ()
    state_error: str = ""
    leases_end: bool = True
    redrive: tuple[str, bool] = ("redrive", True)

    def played(self, policy: RetryPolicy) -> RetryPolicy:
        """Return a story's policy as far as such a queue can have one."""
        if self.numbers == 0:
            return AT_ONCE
        return self.policy(self.args(policy))

    def args(self, policy: RetryPolicy) -> tuple[int, ...]:
        """Return what a queue with this policy is created with, after the clock."""
        told = (policy.max_attempts, policy.base_backoff_millis, policy.max_backoff_millis)
        return told[: self.numbers]

    def policy(self, args: Sequence[int]) -> RetryPolicy:
        """Return what a queue promises that was created with these numbers."""
        if not args:
            return AT_ONCE
        if len(args) == _ATTEMPTS_AND_REST:
            return RetryPolicy(args[0], args[1], args[1])
        return RetryPolicy(*args)


INTERFACES: Mapping[str, Interface] = {
    "ex02": Interface("LeaseQueue", "LeaseOverError", numbers=2),
    "ex03": Interface("TokenQueue", "StaleTokenError"),
    "ex05": Interface(
        "DeadLetterQueue",
        "StaleTokenError",
        numbers=2,
        submits=("deadline_millis",),
        state_error="NotDeadError",
        leases_end=False,
    ),
    "ex07": Interface(
        "JobQueue",
        "StaleTokenError",
        numbers=3,
        submits=("priority", "run_at_millis"),
        state_error="IllegalStateError",
        redrive=("retry_dead", False),
    ),
}
"""The exercises whose queues can be shown, by their short names."""

STORIES: Mapping[str, tuple[str, ...]] = {
    "ex02": ("late_poll", "crash_loop", "zombie", "effect_then_crash", "lost_acknowledgement"),
    "ex03": ("zombie", "late_poll", "effect_then_crash", "lost_acknowledgement"),
    "ex05": ("redrive",),
    "ex07": (
        "life_of_a_job",
        "late_poll",
        "zombie",
        "crash_loop",
        "backoff",
        "redrive",
        "effect_then_crash",
        "lost_acknowledgement",
        "uncertain_redrive",
        "starvation",
    ),
}
"""The scenarios that need no more of a queue than the exercise asks for."""
