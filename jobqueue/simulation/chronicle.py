"""Everything that happened in a simulated world, in the order of its instants.

The queue's events come from the queue; notes tell what no queue can see, such as that a worker froze.
"""

from bisect import insort_right
from dataclasses import dataclass

from jobqueue.events import Event


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened outside of the queue.

    `kind` is crashed, restarted, froze, thawed, effect (the work was done, out in the world), report_lost, or
    went_down and came_up: then `worker` is the type of work whose downstream it is.
    `times` counts how often the effect of this job has happened.
    """

    at: int
    kind: str
    worker: str
    job_id: str | None = None
    times: int = 1


Entry = Event | Note


class Chronicle:
    """Events and notes, oldest first; of one instant, in the order in which they came in.

    An expiry that is noticed late is filed at the instant of the lease's end, where it belongs.
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._arrived: list[Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries so far."""
        return tuple(self._entries)

    @property
    def events(self) -> tuple[Event, ...]:
        """The entries that came from the queue."""
        return tuple(entry for entry in self._entries if isinstance(entry, Event))

    def since(self, number: int) -> list[Entry]:
        """Return what came in after the first `number` entries, in the order in which it came in."""
        return self._arrived[number:]

    def add(self, entry: Entry) -> None:
        """File an entry."""
        self._arrived.append(entry)
        insort_right(self._entries, entry, key=lambda filed: filed.at)
