"""Another right answer: a loop that doubles until the cap, and a range to choose from."""

import random


def draw(seed: int, job_id: str, generation: int, most: int) -> int:
    """Draw a whole number from 0 to `most`, both included."""
    return random.Random(f"{seed}:{job_id}:{generation}").randint(0, most)  # noqa: S311  no secret


class Backoff:
    """The ladder of rests is made once."""

    def __init__(self, base_millis: int, cap_millis: int) -> None:
        self._base, self._cap = base_millis, cap_millis
        self._ladder = [base_millis]
        while 0 < self._ladder[-1] < cap_millis:
            self._ladder.append(min(cap_millis, self._ladder[-1] + self._ladder[-1]))

    def rest(self, attempt: int) -> int:
        """Look it up; the last rung is for all that follow."""
        return self._ladder[min(attempt, len(self._ladder)) - 1]

    def full(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """Choose from the whole range."""
        return self._choose(range(self.rest(attempt) + 1), seed, job_id, generation)

    def equal(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """Choose from the upper half of the range."""
        rest = self.rest(attempt)
        return self._choose(range(rest // 2, rest + 1), seed, job_id, generation)

    def decorrelated(self, previous: int | None, seed: int, job_id: str, generation: int) -> int:
        """Choose from the base to three times what was before."""
        if previous is None:
            previous = self._base
        top = max(min(previous * 3, self._cap), self._base)
        return self._choose(range(self._base, top + 1), seed, job_id, generation)

    def _choose(self, rests: range, seed: int, job_id: str, generation: int) -> int:
        return rests[draw(seed, job_id, generation, len(rests) - 1)]
