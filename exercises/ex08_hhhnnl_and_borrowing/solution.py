"""ex08, HHHNNL and borrowing: one right answer. A place in the cycle, and one look around it."""

from math import gcd

BANDS = "HNL"


class BandedQueue:
    """A queue that shares its hand-outs among urgent, normal and low work."""

    def __init__(self, cycle: str = "HHHNNL") -> None:
        self._cycle = cycle
        self._slot = 0
        self._count = 0
        self._waiting: dict[str, list[tuple[int, int]]] = {band: [] for band in BANDS}

    def submit(self, priority: int = 0) -> str:
        """Take a new job in, and return its id."""
        self._count += 1
        self._waiting[self._band(priority)].append((-priority, self._count))
        return f"J{self._count}"

    def poll(self) -> str | None:
        """Hand out a job of the band whose slot is next."""
        for step in range(len(self._cycle)):
            slot = (self._slot + step) % len(self._cycle)
            if self._waiting[self._cycle[slot]]:
                self._slot = slot + 1
                return self._take(self._cycle[slot])
        for band in BANDS:
            if self._waiting[band]:
                return self._take(band)
        return None

    def cycle_from_weights(self, high: int, normal: int, low: int) -> str:
        """Make a cycle of one block for each band."""
        weights = (high, normal, low)
        divisor = gcd(*weights)
        if min(weights) < 0 or divisor == 0:
            raise ValueError(f"{weights} are no weights")
        return "".join(band * (weight // divisor) for band, weight in zip(BANDS, weights, strict=True))

    def _take(self, band: str) -> str:
        first = min(self._waiting[band])
        self._waiting[band].remove(first)
        return f"J{first[1]}"

    @staticmethod
    def _band(priority: int) -> str:
        if priority > 0:
            return "H"
        return "N" if priority == 0 else "L"
