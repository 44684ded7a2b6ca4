"""ex04, backoff and jitter: one right answer. First the cap, then chance, and no number larger than needed."""

import random


def draw(seed: int, job_id: str, generation: int, most: int) -> int:
    """Draw a whole number from 0 to `most`, both included."""
    return random.Random(f"{seed}:{job_id}:{generation}").randint(0, most)  # noqa: S311  no secret


class Backoff:
    """How long a job rests after a failed attempt."""

    def __init__(self, base_millis: int, cap_millis: int) -> None:
        self._base = base_millis
        self._cap = cap_millis

    def rest(self, attempt: int) -> int:
        """Return the base, doubled for each further attempt, within the cap."""
        # So many doublings take any base of at least 1 past the cap; more of them would change nothing.
        doublings = min(attempt - 1, self._cap.bit_length())
        return min(self._cap, self._base * 2**doublings)

    def full(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """Draw a rest from 0 to the capped one."""
        return draw(seed, job_id, generation, self.rest(attempt))

    def equal(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """Draw a rest from half of the capped one to all of it."""
        whole = self.rest(attempt)
        half = whole // 2
        return half + draw(seed, job_id, generation, whole - half)

    def decorrelated(self, previous: int | None, seed: int, job_id: str, generation: int) -> int:
        """Draw a rest from the base to three times the one before, within the cap."""
        before = self._base if previous is None else previous
        most = max(self._base, min(self._cap, 3 * before))
        return self._base + draw(seed, job_id, generation, most - self._base)
