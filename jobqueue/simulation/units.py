"""Instants and durations as people read them: in seconds, with their unit."""

import re
from collections.abc import Callable

_BARE_INSTANT = re.compile(
    r"\b(held by .+? until |(?:done|cancelled|given up|ran out) at |its deadline |is not after )(-?\d+)\b"
)
_BARE_DURATION = re.compile(r"\b(due in )(\d+) ms\b")


def seconds(millis: int) -> str:
    """Return a duration or an instant in seconds, with one digit or as many as it needs.

    >>> seconds(31_000), seconds(1234), seconds(250)
    ('31.0 s', '1.234 s', '0.25 s')
    """
    sign, millis = ("-", -millis) if millis < 0 else ("", millis)
    digits = f"{millis % 1000:03}".rstrip("0") or "0"
    return f"{sign}{millis // 1000}.{digits} s"


def in_seconds(text: str, instant: Callable[[int], str] = seconds) -> str:
    """Return what the queue says, in which instants are bare milliseconds, as people read it.

    Args:
        text: a reason of `why_not`, or the message of a refusal.
        instant: how an instant is shown; a durable queue's are dates.

    >>> in_seconds("it is RUNNING: held by B until 61000"), in_seconds("due in 3000 ms")
    ('it is RUNNING: held by B until 61.0 s', 'due in 3.0 s')
    """
    text = _BARE_INSTANT.sub(lambda found: found[1] + instant(int(found[2])), text)
    return _BARE_DURATION.sub(lambda found: found[1] + seconds(int(found[2])), text)
