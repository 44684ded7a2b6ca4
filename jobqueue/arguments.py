"""What a caller may hand in: one check per kind of argument, each naming the argument that it refuses.

A check runs before anything else happens, so that a refused call has changed nothing. A wrong type is a
`TypeError`, a wrong value a `ValueError`. What a check returns is a plain int or str: a subclass could bring
code of its own, and that must not run inside the queue's lock.
"""

import re
from collections.abc import Iterable

LARGEST_INTEGER = 2**53 - 1
"""The largest integer that every reader of JSON keeps exactly."""

LONGEST_NAME = 200
LONGEST_ERROR = 65_536
HIGHEST_COST = 1_000_000

# A NUL ends a string in C and is refused by PostgreSQL; a lone surrogate has no UTF-8 form.
# Either one, accepted here, would be a failure later in some other store.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

# What nearly every name looks like: found good in one step, where all checks together take several.
_PLAIN_NAME = re.compile("[ -~]{0,199}[!-~]")

# As the queue writes it, and no longer than any honest counter.
_JOB_ID = re.compile("J[1-9][0-9]{0,15}")


def check_integer(name: str, value: int, *, low: int = -LARGEST_INTEGER, high: int = LARGEST_INTEGER) -> int:
    """Return `value` if it is an int (no bool) from `low` to `high`, both included.

    >>> check_integer("priority", -3)
    -3
    >>> check_integer("lease_millis", 0, low=1)
    Traceback (most recent call last):
    ValueError: lease_millis: 0 is not between 1 and 9007199254740991
    """
    if type(value) is int and low <= value <= high:
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: expected an int, found {type(value).__name__}")
    plain = int.__index__(value)
    if not low <= plain <= high:
        raise ValueError(f"{name}: {_short(plain)} is not between {low} and {high}")
    return plain


def check_text(name: str, value: str) -> str:
    """Return `value` if it is text that every store can keep, of any length."""
    plain = value if type(value) is str else check_string(name, value)
    found = _UNSTORABLE.search(plain)
    if found:
        what = "a NUL character" if found[0] == "\x00" else "a lone surrogate"
        raise ValueError(f"{name}: contains {what} at position {found.start()}, which cannot be stored")
    return plain


def check_name(name: str, value: str) -> str:
    """Return `value` if it is a name: 1 to 200 characters, not blank.

    >>> check_name("worker_id", " ")
    Traceback (most recent call last):
    ValueError: worker_id: is blank, expected 1 to 200 characters
    """
    if type(value) is str and _PLAIN_NAME.fullmatch(value):
        return value
    plain = check_text(name, value)
    if not plain.strip():
        raise ValueError(f"{name}: is blank, expected 1 to {LONGEST_NAME} characters")
    if len(plain) > LONGEST_NAME:
        raise ValueError(f"{name}: has {len(plain)} characters, expected 1 to {LONGEST_NAME}")
    return plain


def check_string(name: str, value: str) -> str:
    """Return `value` if it is a str at all: for ids and tokens, which only ever are looked up."""
    if type(value) is str:
        return value
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a str, found {type(value).__name__}")
    return str.__str__(value)


def check_job_id(name: str, value: str) -> int:
    """Return the number of a job if `value` has the form of an id, whether or not there is such a job.

    >>> check_job_id("after", "J12")
    12
    """
    number = number_of(check_string(name, value))
    if number is None:
        raise ValueError(f"{name}: {value[:40]!a} is no job id, expected one such as 'J12'")
    return number


def number_of(job_id: str) -> int | None:
    """Return the number in a job's id; None if no job could have that id.

    >>> number_of("J12"), number_of("J012"), number_of("12")
    (12, None, None)
    """
    return int(job_id[1:]) if _JOB_ID.fullmatch(job_id) else None


def check_asked(name: str, values: Iterable[str] | None) -> frozenset[str] | None:
    """Return the types, or tenants, that a poll asks for; None asks for all of them."""
    if values is None:
        return None
    asked = frozenset(check_name(name, value) for value in check_several(name, values))
    if not asked:
        raise ValueError(f"{name}: is empty, so no job could ever be handed out; leave it out to ask for all")
    return asked


def check_several(name: str, values: Iterable[str]) -> Iterable[str]:
    """Return `values` if they are several, and not the letters of one str."""
    if isinstance(values, str):
        raise TypeError(f"{name}: expected several names, such as [{values!a}], found one str")
    if not isinstance(values, Iterable):
        raise TypeError(f"{name}: expected several names, found {type(values).__name__}")
    return values


def check_flag(name: str, value: object) -> None:
    """Refuse a value that is not True or False, but only counts as one of them."""
    if value is not True and value is not False:
        raise TypeError(f"{name}: expected True or False, found {type(value).__name__}")


def check_instance(name: str, value: object, *kinds: type) -> None:
    """Refuse a value that is of none of these kinds."""
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        found = value.__name__ + " itself" if isinstance(value, type) else type(value).__name__
        raise TypeError(f"{name}: expected a {expected}, found {found}")


def error_text(error: object) -> str:
    """Return what is stored of a reported failure. It never raises: reporting a failure never fails.

    >>> error_text(ValueError("no such mailbox"))
    'ValueError: no such mailbox'
    >>> error_text(None)
    'failed'
    """
    if error is None:
        return "failed"
    text = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", _told(error))
    if len(text) <= LONGEST_ERROR:
        return text
    note = f" [cut: {len(text)} characters in all]"
    return text[: LONGEST_ERROR - len(note)] + note


def _told(error: object) -> str:
    """Return an error's own words, even when its `__str__` is broken."""
    try:
        text = str.__str__(str(error))
    except BaseException:  # whatever foreign code raises: the failure must still be recorded
        text = "(its text could not be read)"
    # Asked of the type itself: a class can lie about what it is, and what it is called.
    if BaseException in type.mro(type(error)):
        kind = type.__dict__["__name__"].__get__(type(error))
        return f"{kind}: {text}" if text else str(kind)
    return text


def _short(value: int) -> str:
    """Return a number's digits, or its size where the digits would fill a page."""
    return str(value) if value.bit_length() <= 128 else f"a number of {value.bit_length()} bits"  # noqa: PLR2004
