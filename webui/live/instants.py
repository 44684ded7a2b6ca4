"""Instants and durations as people read them."""

from datetime import UTC, datetime, timedelta

from jobqueue.simulation.units import in_seconds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"))
_TEN_SECONDS = 10_000


def utc(millis: int) -> str:
    """Return an instant in UTC, to the second.

    >>> utc(1627824019123)
    '2021-08-01 13:20:19Z'
    """
    instant = _instant(millis)
    return f"{millis} ms" if instant is None else f"{instant:%Y-%m-%d %H:%M:%S}Z".rjust(20, "0")


def iso(millis: int) -> str:
    """Return an instant as ISO 8601 in UTC, to the millisecond; empty if there is no such date.

    >>> iso(1627824019123)
    '2021-08-01T13:20:19.123Z'
    """
    instant = _instant(millis)
    return "" if instant is None else instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def span(millis: int) -> str:
    """Return a duration in its two largest units.

    >>> span(950), span(12_400), span(3_725_000), span(200_000_000)
    ('0.9 s', '12 s', '1 h 2 min', '2 d 7 h')
    """
    if millis < 0:
        return f"-{span(-millis)}"
    if millis < _TEN_SECONDS:
        return f"{millis // 100 / 10} s"
    for place, (unit, name) in enumerate(_UNITS):
        if millis >= unit:
            rest = _UNITS[place + 1 : place + 2]
            small = f" {millis % unit // rest[0][0]} {rest[0][1]}" if rest else f" {millis % unit // 1000} s"
            return f"{millis // unit} {name}" + ("" if small.startswith(" 0 ") else small)
    return f"{millis // 1000} s"


def in_words(text: str) -> str:
    """Return what the queue says with its instants as dates.

    >>> in_words("cannot cancel J1: the current lease is J1:1, held by w until 1627824019000")
    'cannot cancel J1: the current lease is J1:1, held by w until 2021-08-01 13:20:19Z'
    """
    return in_seconds(text, utc)


def _instant(millis: int) -> datetime | None:
    try:
        return _EPOCH + timedelta(milliseconds=millis)
    except OverflowError:  # the queue counts further than the calendar
        return None
