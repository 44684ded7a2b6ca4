"""Words for what a story of a queue says: lists, leases, histories, and tokens that are like a given one."""

import re
from collections.abc import Sequence
from typing import Any

from exercises.staging.driver import seconds

_NAME = re.compile(r"\w+")


def like(token: str) -> tuple[str, ...]:
    """Make tokens that are not this one: empty, cut off, longer, in the other case, with a space.

    >>> like("J1:1")
    ('', 'J1:', 'J1:11', 'j1:1', ' J1:1', 'J1:1 ')
    """
    made = ("", token[:-1], token + token[-1:], token.swapcase(), f" {token}", f"{token} ")
    return tuple(one for one in dict.fromkeys(made) if one != token)


def several(gives: Any) -> Sequence[Any]:
    """Return what must come back as a sequence: a single one stands for itself in a story."""
    return gives if isinstance(gives, tuple | list) else (gives,)


def in_words(got: Any) -> str:
    """Say a list of names in words, or a list of rows of names; anything else as Python shows it.

    >>> in_words(["J1", "J2"]), in_words([["J1", "done"], ["J9", "unknown"]]), in_words([])
    ('J1, J2', 'J1 done, J9 unknown', 'none')
    >>> in_words(["J1, J2"])
    "['J1, J2']"
    """
    if not isinstance(got, list):
        return repr(got)
    rows = [one if isinstance(one, list) and len(one) > 1 else [one] for one in got]
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for row in rows for name in row):
        return repr(got)
    return ", ".join(map(" ".join, rows)) or "none"


def lease_words(lease: Any) -> str:
    """Say in words what a poll gave."""
    fields = getattr(lease, "fields", None)
    if fields is None:
        return "nothing" if lease is None else repr(lease)
    return f"{fields.get('job_id')}, token {fields.get('token')}"


def attempts_in_words(history: Any) -> str:
    """Say a history in words."""
    if not isinstance(history, list):
        return repr(history)
    return "; ".join(map(_attempt, history)) or "no attempts"


def _attempt(one: Any) -> str:
    fields = getattr(one, "fields", {})
    if not {"attempt", "generation", "outcome", "error"} <= {*fields}:
        return str(one)
    ended = "not ended" if fields["outcome"] is None else str(fields["outcome"])
    error = "" if fields["error"] is None else f", error {fields['error']!r}"
    return f"attempt {fields['attempt']}, generation {fields['generation']}, {ended}{error}"


def quoted(notes: Any) -> str:
    """Say a list of notes in words."""
    return ", ".join(map(repr, notes)) or "none" if isinstance(notes, list) else repr(notes)


def attempt_of(text: str) -> tuple[Any, ...]:
    """Read an attempt as a story writes it: attempt, generation, outcome and error, with a / between."""
    attempt, generation, *rest = text.split("/")
    outcome, error = (*rest, None, None)[:2]
    return int(attempt), int(generation), outcome, error


def until_in_words(end: object) -> str:
    """Return the end that a renewal gave as people read it; what is no instant, as it is."""
    return f"until {seconds(end)} s" if type(end) is int else f"until {end!r}"
