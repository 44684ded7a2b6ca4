"""The answer's side of `remote_objects`: proxies that pass each call on to the grader's process.

Runs in the answer's process, which sees names of methods and nothing behind them.
"""

import builtins
from _thread import allocate_lock
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jobqueue
from exercises.grader.running.wire import Record, pack, unpack

Ask = Callable[[dict[str, Any]], dict[str, Any]]


class Proxy:
    """Stands for an object that is in the grader's process."""

    __slots__ = ("_call", "_names")

    def __init__(self, call: Callable[[str, Any, Any], Any], names: list[str]) -> None:
        self._call, self._names = call, names

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._names:
            raise AttributeError(f"there is no {name}; there is {', '.join(self._names)}")
        call = self._call
        return lambda *args, **options: call(name, args, options)

    def __dir__(self) -> list[str]:
        return list(self._names)


class RemoteProxies:
    """Makes proxies, and passes what is called on them on to the grader."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._lock = allocate_lock()  # an answer may call from several threads; replies must not change places

    def maker(self, name: str) -> Callable[..., tuple[Proxy, ...]]:
        """Return a function that makes remote objects and returns their proxies."""

        def make(*args: Any, **options: Any) -> tuple[Proxy, ...]:
            told: tuple[Proxy, ...] = self._call(None, name, args, options)
            return told

        return make

    def _call(self, number: int | None, name: str, args: Any, options: Any) -> Any:
        with self._lock:
            told = self._ask({"kind": "asks", "name": name, "value": pack([number, args, options])})
        if "error" in told:
            raise _error(told["error"], told["message"])
        if "remote" in told:
            return tuple(self._proxy(*one) for one in told["remote"])
        return _plain(unpack(told["value"]))

    def _proxy(self, number: int, names: list[str]) -> Proxy:
        return Proxy(lambda name, args, options: self._call(number, name, args, options), names)


def _error(name: str, message: str) -> BaseException:
    kind = getattr(jobqueue, name, getattr(builtins, name, RuntimeError))
    error: BaseException = kind(message)
    return error


def _plain(value: Any) -> Any:
    """Show a record as an object with fields; it equals another one with the same fields."""
    if isinstance(value, Record):
        return SimpleNamespace(**{name: _plain(one) for name, one in value.fields.items()})
    return [_plain(one) for one in value] if isinstance(value, list) else value
