"""A waiting line: items in the order of their keys, from which any item can step out.

It is a heap with ghosts. Taking an item out of the middle of a heap would mean searching for it; instead the
item is forgotten, and its place is skipped when it surfaces. Ghosts never outnumber the living by more than
a constant, so a line that is used for years stays as small as what waits in it.
"""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_GHOSTS_ALLOWED = 16


class Line(Generic[T]):
    """Items with comparable keys, smallest key first; O(log n) for each operation, averaged over many.

    >>> line = Line()
    >>> line.put("b", 2)
    >>> line.put("a", 1)
    >>> line.first()
    (1, 'a')
    >>> line.drop("a")
    >>> line.first()
    (2, 'b')
    """

    def __init__(self) -> None:
        self._heap: list[tuple[Any, T]] = []
        self._keys: dict[T, Any] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def put(self, item: T, key: Any) -> None:
        """Let an item join at the place of its key; if it is in the line already, it moves there."""
        self._keys[item] = key
        heappush(self._heap, (key, item))
        self._bury_ghosts()

    def drop(self, item: T) -> None:
        """Let an item step out; nothing happens if it is not in the line."""
        if self._keys.pop(item, None) is not None:
            self._bury_ghosts()

    def key_of(self, item: T) -> Any:
        """Return the key of an item; None if it is not in the line."""
        return self._keys.get(item)

    def items(self) -> Iterable[tuple[Any, T]]:
        """Return all keys with their items, in no order."""
        return ((key, item) for item, key in self._keys.items())

    def before(self, key: Any) -> Iterator[T]:
        """Yield the items with smaller keys, in no order; what comes after them is not looked at.

        In a heap nothing is smaller than what is above it. A ghost whose item has come back is no second item.
        """
        places, met = [0], set()
        while places:
            place = places.pop()
            if place >= len(self._heap) or not self._heap[place][0] < key:
                continue
            found, item = self._heap[place]
            if item not in met and self._keys.get(item) == found:
                met.add(item)
                yield item
            places += [2 * place + 1, 2 * place + 2]

    def ordered(self) -> Iterator[tuple[Any, T]]:
        """Yield the items in order with their keys; the first few cost little, however many there are."""
        coming, met = [(*self._heap[0], 0)] if self._heap else [], set()
        while coming:
            key, item, place = heappop(coming)
            if item not in met and self._keys.get(item) == key:
                met.add(item)
                yield key, item
            for below in (2 * place + 1, 2 * place + 2):
                if below < len(self._heap):
                    heappush(coming, (*self._heap[below], below))

    def first(self) -> tuple[Any, T] | None:
        """Return the smallest key with its item, both left in place; None if the line is empty."""
        heap = self._heap
        while heap and self._keys.get(heap[0][1]) != heap[0][0]:
            heappop(heap)
        return heap[0] if heap else None

    def _bury_ghosts(self) -> None:
        """Build the heap anew once most of it is ghosts: n steps, after at least n that made them."""
        if len(self._heap) > 2 * len(self._keys) + _GHOSTS_ALLOWED:
            self._heap = [(key, item) for item, key in self._keys.items()]
            heapify(self._heap)
