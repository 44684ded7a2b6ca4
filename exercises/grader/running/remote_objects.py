"""Objects of the grader's process that an answer can call: it knows the names of some methods, and no more.

This is the grader's side; `remote_proxies` is the answer's. Only plain values and the names of errors cross the
pipe, so an answer cannot look inside a queue that it tests.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from exercises.grader.running.process import Stopped
from exercises.grader.running.wire import Opaque, pack, unpack

MOST_CALLS = 2_000
LONGEST_MESSAGE = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that the answer made, and how it ended: `value` if nothing was raised, else `error`."""

    at: int
    method: str
    args: tuple[Any, ...]
    value: Any = None
    error: str = ""


class RemoteObjects:
    """A maker of objects, and all objects that were made with it, for one function of the answer."""

    def __init__(self, make: Callable[..., tuple[Any, ...]], methods: Mapping[int, tuple[str, ...]]) -> None:
        """Offer a maker.

        Args:
            make: Returns a tuple of objects; the last is the clock that they read.
            methods: For each place in that tuple the names that may be called.
        """
        self._make, self._methods = make, methods
        self._objects: list[tuple[Any, tuple[str, ...]]] = []
        self._clock: Any = None
        self.asked: list[Asked] = []
        self._said: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def difference(self, make: Callable[..., tuple[Any, ...]]) -> tuple[Asked, ...] | None:
        """Put the same calls to another maker's objects, up to the first that is answered otherwise.

        None if there is none: whoever made these calls cannot tell the two makers apart, and need not be asked.
        """
        other = RemoteObjects(make, self._methods)
        differs = any(other.serve(request) != told for request, told in self._said)
        return tuple(other.asked) if differs else None

    def serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out what the answer asks for.

        Raises:
            Stopped: It asks without end.
        """
        if len(self._said) >= MOST_CALLS:
            raise Stopped(f"Your code made more than {MOST_CALLS:,} calls and was stopped.")
        told = self._tell(request)
        self._said.append((request, told))
        return told

    def _tell(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            number, args, options = unpack(request["value"])
            self._demand_plain([*args, *options.values()])
            if number is None:
                return {"do": "told", "remote": self._make_more(args, options)}
            return {"do": "told", "value": self._call(number, request["name"], args, options)}
        except Exception as refusal:  # whatever a call raises is for the answer to catch
            message = str(refusal)[:LONGEST_MESSAGE]
            return {"do": "told", "error": type(refusal).__name__, "message": message}

    def _make_more(self, args: list[Any], options: dict[str, Any]) -> list[tuple[int, tuple[str, ...]]]:
        made = self._make(*args, **options)
        self._clock = made[-1]
        first = len(self._objects)
        self._objects += [(one, self._methods[place]) for place, one in enumerate(made)]
        return [(number, self._objects[number][1]) for number in range(first, len(self._objects))]

    def _call(self, number: int, name: str, args: list[Any], options: dict[str, Any]) -> Any:
        target, names = self._objects[number]
        if name not in names:
            raise AttributeError(f"there is no {name}; there is {', '.join(names)}")
        at, given = self._clock.now(), (*args, *options.values())
        try:
            value = pack(getattr(target, name)(*args, **options))
        except Exception as error:
            self.asked.append(Asked(at, name, given, error=type(error).__name__))
            raise
        self.asked.append(Asked(at, name, given, unpack(value)))
        return value

    @staticmethod
    def _demand_plain(values: list[Any]) -> None:
        for value in values:
            if isinstance(value, Opaque):
                raise TypeError(f"only plain values can be passed, not {value}")
