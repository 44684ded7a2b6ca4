"""ex04, backoff and jitter: your answer. The story and the rules are in ex04_backoff.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex04

All durations are whole milliseconds.
"""

import random


def draw(seed: int, job_id: str, generation: int, most: int) -> int:
    """Draw a whole number from 0 to `most`, both included. Use it as it is.

    The same arguments give the same number, whatever was drawn before; other arguments give one that has
    nothing to do with it.
    """
    return random.Random(f"{seed}:{job_id}:{generation}").randint(0, most)  # noqa: S311  no secret


class Backoff:
    """How long a job rests after a failed attempt."""

    def __init__(self, base_millis: int, cap_millis: int) -> None:
        self._base = base_millis
        self._cap = cap_millis

    def rest(self, attempt: int) -> int:
        """Return the rest after so many failed attempts, from 1: the base, doubled for each further one.

        Never more than the cap. At once, however large `attempt` is.
        """
        raise NotImplementedError("ex04, task 1: rest")

    def full(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """Draw a rest from 0 to the capped one."""
        raise NotImplementedError("ex04, task 2: full")

    def equal(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """Draw a rest from half of the capped one, rounded down, to all of it."""
        raise NotImplementedError("ex04, task 3: equal")

    def decorrelated(self, previous: int | None, seed: int, job_id: str, generation: int) -> int:
        """Draw a rest from the base to three times the one before, within the cap.

        `previous` is the job's rest before this one; None if there was none, and then the base stands for it.
        """
        raise NotImplementedError("ex04, task 4: decorrelated")
