"""Another right answer: the cycle itself is turned, so that its next slot always stands first."""

from collections import deque
from fractions import Fraction
from heapq import heappop, heappush


class BandedQueue:
    """A ring of slots, and a heap for each band."""

    def __init__(self, cycle: str = "HHHNNL") -> None:
        self._ring = deque(cycle)
        self._heaps: dict[str, list[tuple[int, int]]] = {"H": [], "N": [], "L": []}
        self._submitted = 0

    def submit(self, priority: int = 0) -> str:
        """Take a new job in."""
        self._submitted += 1
        band = "NHL"[(priority > 0) - (priority < 0)]
        heappush(self._heaps[band], (-priority, self._submitted))
        return f"J{self._submitted}"

    def poll(self) -> str | None:
        """Turn the ring to the first slot that has a job, and one further."""
        turns = next((n for n, band in enumerate(self._ring) if self._heaps[band]), None)
        if turns is not None:
            band = self._ring[turns]
            self._ring.rotate(-turns - 1)
        else:
            band = next((band for band, heap in self._heaps.items() if heap), "")
        return f"J{heappop(self._heaps[band])[1]}" if band else None

    def cycle_from_weights(self, high: int, normal: int, low: int) -> str:
        """Divide by the largest number that divides all."""
        if high < 0 or normal < 0 or low < 0 or high == normal == low == 0:
            raise ValueError("weights are 0 or more, and one of them is more")
        shares = [Fraction(weight, high + normal + low) for weight in (high, normal, low)]
        slots = 1
        while any((share * slots).denominator != 1 for share in shares):
            slots += 1
        return "".join(band * int(share * slots) for band, share in zip("HNL", shares, strict=True))
