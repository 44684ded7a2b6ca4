"""A heap from whose middle items can be taken: items in the order of their keys, smallest key first.

Taking an item out of the middle of a heap would mean searching for it. Instead its key is forgotten, and its
stale entry is skipped when it surfaces. Stale entries never outnumber the others by more than a constant, so a
heap that is used for years stays as small as what is in it.
"""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_STALE_ALLOWED = 16


class IndexedHeap(Generic[T]):
    """Items with comparable keys, smallest key first; O(log n) for each operation, averaged over many.

    `keys` has the key of each item in it. `heap` may have stale entries, too, none smaller than its first.

    >>> line = IndexedHeap()
    >>> line.put("b", 2)
    >>> line.put("a", 1)
    >>> line.first()
    (1, 'a')
    >>> line.drop("a")
    >>> line.first()
    (2, 'b')
    """

    def __init__(self) -> None:
        self.heap: list[tuple[Any, T]] = []
        self.keys: dict[T, Any] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def put(self, item: T, key: Any) -> None:
        """Let an item join at the place of its key; if it is in the line already, it moves there."""
        self.keys[item] = key
        heappush(self.heap, (key, item))
        if len(self.heap) > 2 * len(self.keys) + _STALE_ALLOWED:
            self._rebuild()

    def drop(self, item: T) -> None:
        """Let an item step out; nothing happens if it is not in the line."""
        if self.keys.pop(item, None) is not None and (len(self.heap) > 2 * len(self.keys) + _STALE_ALLOWED):
            self._rebuild()

    def key_of(self, item: T) -> Any:
        """Return the key of an item; None if it is not in the line."""
        return self.keys.get(item)

    def items(self) -> Iterable[tuple[Any, T]]:
        """Return all keys with their items, in no order."""
        return ((key, item) for item, key in self.keys.items())

    def before(self, key: Any) -> Iterator[T]:
        """Yield the items with smaller keys, in no order; what comes after them is not looked at.

        In a heap nothing is smaller than what is above it. A stale entry whose item has come back is none.
        """
        places, met = [0], set()
        while places:
            place = places.pop()
            if place >= len(self.heap) or not self.heap[place][0] < key:
                continue
            found, item = self.heap[place]
            if item not in met and self.keys.get(item) == found:
                met.add(item)
                yield item
            places += [2 * place + 1, 2 * place + 2]

    def ordered(self) -> Iterator[tuple[Any, T]]:
        """Yield the items in order with their keys; the first few cost little, however many there are."""
        coming, met = [(*self.heap[0], 0)] if self.heap else [], set()
        while coming:
            key, item, place = heappop(coming)
            if item not in met and self.keys.get(item) == key:
                met.add(item)
                yield key, item
            for below in (2 * place + 1, 2 * place + 2):
                if below < len(self.heap):
                    heappush(coming, (*self.heap[below], below))

    def first(self) -> tuple[Any, T] | None:
        """Return the smallest key with its item, both left in place; None if the line is empty."""
        heap = self.heap
        while heap and self.keys.get(heap[0][1]) != heap[0][0]:
            heappop(heap)
        return heap[0] if heap else None

    def _rebuild(self) -> None:
        """Build the heap anew once most of it is stale: n steps, after at least n that made them."""
        self.heap = [(key, item) for item, key in self.keys.items()]
        heapify(self.heap)
