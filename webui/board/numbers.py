"""Numbers as people type them, read with care. Whatever is typed, the answer is a number or a sentence."""

import re

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_LONGEST_NUMBER = 20  # a number of a million digits takes its time to read


def whole(typed: str) -> int:
    """Return a whole number; nothing typed is 0.

    Raises:
        ValueError: it is none; the message says what was expected and what was found.

    >>> whole(" -1 "), whole("")
    (-1, 0)
    """
    if not typed.strip():
        return 0
    try:
        return int(_number_sized(typed))
    except ValueError:
        raise ValueError(f"expected a whole number, such as 5 or -1, found {typed[:30]!r}") from None


def millis(typed: str, low: int, high: int) -> int:
    """Return milliseconds typed as seconds, within bounds; nothing typed is 0, digits count as far as they go.

    Raises:
        ValueError: it is no such time; the message says what was expected and what was found.

    >>> millis("1.5", 0, 60_000)
    1500
    """
    if not typed.strip():
        return 0
    try:
        read = round(float(_number_sized(typed)) * 1000)
    except (ValueError, OverflowError):
        read = low - 1
    if not low <= read <= high:
        expected = f"expected seconds from {as_seconds(low)} to {as_seconds(high)}, such as 5 or 1.5"
        raise ValueError(f"{expected}, found {typed[:30]!r}")
    return read


def as_seconds(value: int) -> str:
    """Return milliseconds as somebody would type them in seconds.

    >>> as_seconds(1500), as_seconds(60_000), as_seconds(-20)
    ('1.5', '60', '-0.02')
    """
    sign, value = ("-", -value) if value < 0 else ("", value)
    return f"{sign}{value // 1000}.{value % 1000:03}".rstrip("0").rstrip(".")


def _number_sized(typed: str) -> str:
    if len(typed) > _LONGEST_NUMBER or not _NUMBER.fullmatch(typed.strip()):
        raise ValueError
    return typed
