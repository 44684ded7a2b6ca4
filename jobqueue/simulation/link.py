"""A board's state as a short text for an address, or as a file: its recipes, and nothing else.

A code is a version, a checksum, and the recipes as JSON, compressed, in letters that an address may hold.
Whatever is read may come from anybody: it is bounded in size, depth and number before anything is played.
"""

import json
import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from jobqueue.simulation.free_lab import FREE, FreeLab
from jobqueue.simulation.parameters import packed, unpacked
from jobqueue.simulation.recipe import LONGEST_STORY_MILLIS, MOST_INTERVENTIONS, VERBS, Intervention, Recipe
from jobqueue.simulation.rule_settings import RULES, RuleSettings
from jobqueue.simulation.scenarios import SCENARIOS

VERSION = 1
LONGEST_CODE = 1900
"""So long at most, that a whole address stays below 2,000 characters."""
MOST_RECIPES = 2
LARGEST_FILE = 1_000_000
_CHECKSUM = 6
_CODE = re.compile(rf"([0-9]{{1,4}})-([A-Za-z0-9_-]{{{_CHECKSUM}}})([A-Za-z0-9_-]*)")
_FIELDS = frozenset({"name", "seed", "rules", "free", "did", "at", "applied"})


class BadLinkError(ValueError):
    """A code or a file is no state of a board; the message is for whoever opened it."""


def is_code(text: str) -> bool:
    """Return whether a text looks like a code at all, right or wrong.

    >>> is_code("1-abcdefgh"), is_code("zombie-abcdefgh")
    (True, False)
    """
    return re.match(r"[0-9]+-", text) is not None


def encode(recipes: Sequence[Recipe]) -> str:
    """Return recipes as a code, of any length: an address holds those of up to `LONGEST_CODE`."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = urlsafe_b64encode(squeezed.compress(_text(recipes).encode()) + squeezed.flush()).decode().rstrip("=")
    return f"{VERSION}-{_checksum(body)}{body}"


def decode(code: str) -> tuple[Recipe, ...]:
    """Return the recipes of a code.

    Raises:
        BadLinkError: it is damaged, of a newer version, or says what no board could have come to.
    """
    if len(code) > LONGEST_CODE:
        raise BadLinkError(f"It has {len(code)} characters; a link of ours has at most {LONGEST_CODE}.")
    found = _CODE.fullmatch(code)
    if found is None:
        raise BadLinkError("It is incomplete: perhaps a part was lost when it was copied.")
    version, checksum, body = found.groups()
    _check_version(int(version))
    if _checksum(body) != checksum:
        raise BadLinkError("Its checksum is wrong: perhaps a letter was lost or changed when it was copied.")
    unpacker = zlib.decompressobj(-15)
    try:
        text = unpacker.decompress(urlsafe_b64decode(body + "=" * (-len(body) % 4)), LARGEST_FILE)
    except (ValueError, zlib.error) as wrong:
        raise BadLinkError("It cannot be unpacked.") from wrong
    if not unpacker.eof:
        raise BadLinkError("It holds more than any board of ours.")
    return _recipes(_values(text))


def to_file(recipes: Sequence[Recipe]) -> str:
    """Return recipes as the text of a file, which has no such bound, and can be read by people."""
    return json.dumps(
        {"what": "jobkit board", "version": VERSION, "recipes": json.loads(_text(recipes))},
        ensure_ascii=False,
        indent=1,
    )


def from_file(content: bytes) -> tuple[Recipe, ...]:
    """Return the recipes of a file.

    Raises:
        BadLinkError: it is none of ours.
    """
    if len(content) > LARGEST_FILE:
        raise BadLinkError(f"It has more than {LARGEST_FILE} bytes, as no file of ours has.")
    values = _values(content)
    if not isinstance(values, dict) or values.get("what") != "jobkit board":
        raise BadLinkError("It is not a file that a board has saved.")
    version = values.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise BadLinkError("It does not say which version it is of.")
    _check_version(version)
    return _recipes(values.get("recipes"))


def _check_version(version: int) -> None:
    if version != VERSION:
        raise BadLinkError(
            f"It is of version {str(version)[:10]}, and this program reads version {VERSION}: "
            "perhaps it was made by a newer one."
        )


def _checksum(body: str) -> str:
    return urlsafe_b64encode(sha256(f"{VERSION}-{body}".encode()).digest()).decode()[:_CHECKSUM]


def _values(content: bytes) -> object:
    try:
        return json.loads(content)
    except (
        ValueError,
        RecursionError,
    ) as wrong:  # not JSON, not UTF-8, a number without end, nested without end
        raise BadLinkError("It cannot be read.") from wrong


# -- recipes as plain values -------------------------------------------------------------------------------


def _text(recipes: Sequence[Recipe]) -> str:
    rows = [_packed_recipe(recipe) for recipe in recipes]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def _packed_recipe(recipe: Recipe) -> dict[str, Any]:
    values = {
        "name": recipe.name,
        "seed": recipe.seed,
        "rules": None if recipe.rules is None else packed(recipe.rules, RULES),
        "free": None if recipe.free is None else recipe.free.packed(),
        "did": [_packed_intervention(made) for made in recipe.interventions] or None,
        "at": recipe.at or None,
        "applied": None if recipe.applied == recipe.made_by(recipe.at) else recipe.applied,
    }
    return {name: value for name, value in values.items() if value is not None}


def _packed_intervention(made: Intervention) -> list[Any]:
    given, known = dict(made.arguments), VERBS[made.verb]
    if len(known) == 1:
        return [made.at, made.verb, given[known[0].name]]
    return [made.at, made.verb, given]


def _recipes(rows: object) -> tuple[Recipe, ...]:
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_RECIPES:
        raise BadLinkError(f"It does not hold one story, or {MOST_RECIPES} to compare.")
    try:
        recipes = tuple(_recipe(row) for row in rows)
    except (ValueError, TypeError, LookupError) as wrong:
        raise BadLinkError(f"It says what no board could have come to: {wrong}.") from wrong
    if len({recipe.at for recipe in recipes}) > 1:
        raise BadLinkError("The stories that it compares are not at the same instant.")
    return recipes


def _recipe(row: object) -> Recipe:
    if not isinstance(row, dict) or not row.keys() <= _FIELDS:
        raise ValueError("a story has only " + ", ".join(sorted(_FIELDS)))
    name = row.get("name")
    if not isinstance(name, str) or (name != FREE and name not in SCENARIOS):
        raise LookupError(f"no scenario is called {str(name)[:40]!a}")
    interventions = tuple(_intervention(made) for made in _bounded(row.get("did", []), MOST_INTERVENTIONS))
    at = _instant(row.get("at", 0))
    free = None if row.get("free") is None else FreeLab.unpacked(row["free"])
    rules = None if row.get("rules") is None else RuleSettings(**unpacked(row["rules"], RULES))
    seed, applied = (None if row.get(key) is None else _instant(row[key]) for key in ("seed", "applied"))
    recipe = Recipe(name, seed, rules, free, interventions)
    recipe = recipe.at_instant(at)
    return recipe if applied is None else Recipe(name, seed, rules, free, interventions, at, applied)


def _intervention(row: object) -> Intervention:
    if not isinstance(row, list) or len(row) != len(("at", "verb", "arguments")):
        raise ValueError("an intervention has an instant, a verb and what it is done to")
    at, verb, given = row
    if not isinstance(verb, str) or verb not in VERBS:
        raise ValueError(f"nobody can {str(verb)[:40]!a} here")
    known = VERBS[verb]
    if len(known) == 1:
        given = {known[0].name: given}
    return Intervention.of(_instant(at), verb, unpacked(given, known))


def _bounded(rows: object, most: int) -> list[Any]:
    if not isinstance(rows, list) or len(rows) > most:
        raise ValueError(f"expected a list of at most {most}")
    return rows


def _instant(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"expected a number from 0 on, found {str(value)[:20]!a}")
    if value > max(LONGEST_STORY_MILLIS, 2**31):
        raise ValueError("expected a smaller number")
    return value
