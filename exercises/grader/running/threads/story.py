"""A story: what several threads do at the same time, and what came of it. The grader's side; plain values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from exercises.grader.running.threads.play import AFTER, BEFORE
from exercises.grader.running.wire import Record, unpack

THREADS = "ABCDEF"


@dataclass(frozen=True, slots=True)
class Take:
    """An argument that an earlier call gave: a field of its result. Without it, the call is passed over."""

    thread: str
    number: int
    field: str


@dataclass(frozen=True, slots=True)
class Library:
    """An argument of the shared object: something of the kit's own, made anew for each run."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a story, and how a trace names it."""

    words: str
    method: str
    args: tuple[Any, ...] = ()

    def packed(self) -> dict[str, Any]:
        """The call as the answer's process reads it."""
        taken = [{"take": [a.thread, a.number, a.field]} if isinstance(a, Take) else a for a in self.args]
        return {"method": self.method, "args": taken}


@dataclass(frozen=True, slots=True)
class Got:
    """How one call ended: `kind` is value, raised, passed over, unfinished or too large."""

    kind: str
    value: Any = None
    error: str = ""
    message: str = ""
    ancestors: tuple[str, ...] = ()
    line: tuple[int, str] | None = None

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Got":
        """Take it from a reply.

        Raises:
            LookupError, TypeError: The reply has not the form that the grader's own code gives it.
        """
        kind, line = str(told["kind"]), told.get("line")
        place = (int(line[0]), str(line[1])) if line else None
        if kind == "value":
            return cls(kind, unpack(told["value"]), line=place)
        if kind != "raised":
            return cls(kind)
        ancestors = tuple(str(name) for name in told["ancestors"])
        return cls(kind, None, str(told["error"]), str(told["message"]), ancestors, place)

    def field(self, name: str) -> Any:
        """A field of the record that came back; None if there is none."""
        return self.value.fields.get(name) if isinstance(self.value, Record) else None


def told(got: Got) -> str:
    """Say in a few words what a call gave."""
    match got.kind:
        case "value":
            return "nothing" if got.value is None else str(got.value)
        case "raised":
            return f"raised {got.error}"
        case "unfinished":
            return "never comes back"
    return got.kind


@dataclass(frozen=True, slots=True)
class Story:
    """Calls by thread, on one object of the class `kind`, made with the arguments `make`.

    `before` and `after` are told by a single thread each; those in `threads` meet, each named by a letter.
    """

    kind: str
    threads: Mapping[str, tuple[Call, ...]]
    before: tuple[Call, ...] = ()
    after: tuple[Call, ...] = ()
    tell: Callable[[Got], str] = field(default=told)
    make: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        """Refuse names that a schedule's id could not hold."""
        if not all(len(name) == 1 and name in THREADS for name in self.threads):
            raise ValueError(f"threads are named by one of the letters {THREADS}")

    @property
    def all(self) -> dict[str, tuple[Call, ...]]:
        """Every call by who makes it, in the order of the story."""
        return {BEFORE: self.before, **self.threads, AFTER: self.after}

    @property
    def made_with(self) -> list[Any]:
        """The arguments of the shared object as the answer's process reads them."""
        return [{"library": one.name} if isinstance(one, Library) else one for one in self.make]

    def packed(self) -> dict[str, Any]:
        """The story as the answer's process reads it."""
        return {name: [call.packed() for call in calls] for name, calls in self.all.items()}


@dataclass(frozen=True, slots=True)
class Seen:
    """One outcome: what each call gave, and how the run ended if not as it should."""

    order: str
    switches: tuple[tuple[str, int], ...]
    calls: Mapping[str, tuple[Got, ...]]
    end: Mapping[str, Any] | None
    number: int = 0
    impatient: bool = False  # somebody has lost a wait for a lock that had a time limit

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Seen":
        """Take it from a reply.

        Raises:
            LookupError, TypeError, ValueError: The reply has not the form that the grader's own code gives it.
        """
        switches = tuple((str(name), int(step)) for name, step in told["switches"])
        calls = {str(name): tuple(map(Got.read, calls)) for name, calls in told["calls"].items()}
        number, impatient = int(told["number"]), told["impatient"] is True
        return cls(str(told["order"]), switches, calls, told["end"], number, impatient)

    def of(self, thread: str) -> tuple[Got, ...]:
        """What the calls of one thread gave; also `before` and `after`."""
        return self.calls.get(thread, ())


@dataclass(frozen=True, slots=True)
class Wrong:
    """What a judge finds wrong with an outcome; `how` names the way for the diagnosis.

    `by` is the thread whose own doing it is. Empty: it comes of what another one did in between. `calls` are
    those that do not go together, each by who makes it and its number among theirs: the last of them to come
    back is the broken step. Empty: the last step is.
    """

    expected: str
    got: str
    how: str
    by: str = ""
    calls: tuple[tuple[str, int], ...] = ()


Judge = Callable[[Seen], Wrong | None]
