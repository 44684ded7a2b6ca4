"""What is kept of a story that an answer plays: frame by frame, with all that had happened by then."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobqueue import Event
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.watch import Violation, Watch

MOST_FRAMES = 300


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: what was done, how much had happened by then, and the states of all jobs as far as known."""

    at: int
    words: str
    entries: int
    violations: int
    statuses: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole story. `ending` says why it broke off, if it did; `entries` are in order of arrival."""

    exercise: str
    title: str
    question: str
    promises: Promises
    workers: tuple[str, ...]
    frames: tuple[Frame, ...]
    entries: tuple[Entry, ...]
    violations: tuple[Violation, ...]
    ending: str = ""
    printed: str = ""


@dataclass(slots=True)
class Recorder:
    """What is recorded while the story runs."""

    watch: Watch
    entries: list[Entry] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    workers: dict[str, None] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Keep an entry in the order of arrival."""
        self.entries.append(entry)
        if isinstance(entry, Event) and entry.worker_id:
            self.workers[entry.worker_id] = None

    def frame(self, at: int, words: str, statuses: Mapping[str, str]) -> None:
        """Close a step."""
        if len(self.frames) < MOST_FRAMES:
            seen = len(self.watch.violations)
            self.frames.append(Frame(at, words, len(self.entries), seen, dict(statuses)))
