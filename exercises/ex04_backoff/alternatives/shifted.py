"""Another right answer: the doubling is a shift, stopped by looking at lengths; chance comes from a hash."""

from hashlib import sha256


class Backoff:
    """How long a job rests after a failed attempt."""

    def __init__(self, base_millis: int, cap_millis: int) -> None:
        self.base, self.cap = base_millis, cap_millis

    def rest(self, attempt: int) -> int:
        """Shift the base to the left, unless it would be longer than the cap anyway."""
        if self.base == 0:
            return 0
        if self.base.bit_length() + attempt - 1 > self.cap.bit_length():
            return self.cap
        return min(self.base << (attempt - 1), self.cap)

    def full(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """From nothing to all."""
        return self._between(0, self.rest(attempt), (seed, job_id, generation))

    def equal(self, attempt: int, seed: int, job_id: str, generation: int) -> int:
        """From half to all."""
        return self._between(self.rest(attempt) // 2, self.rest(attempt), (seed, job_id, generation))

    def decorrelated(self, previous: int | None, seed: int, job_id: str, generation: int) -> int:
        """From the base to three times what was before."""
        most = min(self.cap, 3 * (self.base if previous is None else previous))
        return self._between(self.base, max(self.base, most), (seed, job_id, generation))

    @staticmethod
    def _between(least: int, most: int, what: tuple[int, str, int]) -> int:
        chance = int.from_bytes(sha256(repr(what).encode()).digest(), "big")
        return least + chance % (most - least + 1)
