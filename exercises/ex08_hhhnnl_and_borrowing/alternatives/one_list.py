"""Another right answer: all jobs in one list, and a generator that walks round the cycle for ever."""


class BandedQueue:
    """One list, in which every job knows its band."""

    def __init__(self, cycle: str = "HHHNNL") -> None:
        self.cycle = cycle
        self.place = -1  # the slot that was taken last
        self.jobs: list[tuple[str, int, int]] = []
        self.number = 0

    def submit(self, priority: int = 0) -> str:
        """Take a new job in."""
        self.number += 1
        band = "H" if priority >= 1 else "L" if priority <= -1 else "N"
        self.jobs.append((band, priority, self.number))
        self.jobs.sort(key=lambda job: (-job[1], job[2]))
        return "J" + str(self.number)

    def poll(self) -> str | None:
        """Look for the first slot whose band is among the jobs."""
        there = {band for band, _, _ in self.jobs}
        if not there:
            return None
        usable = there.intersection(self.cycle)
        if not usable:
            return self._hand_out(min(there, key="HNL".index))
        place = self.place
        while True:
            place = 0 if place + 1 == len(self.cycle) else place + 1
            if self.cycle[place] in usable:
                self.place = place
                return self._hand_out(self.cycle[place])

    def cycle_from_weights(self, high: int, normal: int, low: int) -> str:
        """Try divisors from the largest down."""
        weights = [high, normal, low]
        if any(weight < 0 for weight in weights) or not any(weights):
            raise ValueError(weights)
        for divisor in range(max(weights), 0, -1):
            if not any(weight % divisor for weight in weights):
                break
        return "H" * (high // divisor) + "N" * (normal // divisor) + "L" * (low // divisor)

    def _hand_out(self, wanted: str) -> str:
        for place, (band, _, number) in enumerate(self.jobs):
            if band == wanted:
                del self.jobs[place]
                return "J" + str(number)
        raise AssertionError(wanted)
