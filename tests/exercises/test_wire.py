"""What crosses the pipe, and the examples in the grader's docstrings."""

import doctest
import importlib
import json
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import pytest

from exercises.grader.running.wire import Opaque, Record, pack, unpack

STAGING = [f"exercises.staging.{name}" for name in ("driver", "queue_words", "story_tables", "thread_stories")]
MODULES = [
    "exercises.grader.judging.diagnosis",
    "exercises.grader.explaining.hints",
    "exercises.grader.proving.mechanical",
    "exercises.grader.explaining.page",
    "exercises.grader.judging.provenance",
    "exercises.grader.proving.verify",
    "exercises.grader.running.wire",
    "exercises.grader.classroom.formats.junit",
    "exercises.grader.classroom.formats.table",
    "exercises.grader.classroom.notebook",
    "exercises.grader.classroom.results",
    "exercises.grader.classroom.submissions",
    "webui.cli.loop",
]


class Colour(Enum):
    RED = "red"


@dataclass
class Plain:
    token: str


class Pair(NamedTuple):
    left: int
    right: int


def crossed(value: object) -> object:
    """The value as it arrives on the other side."""
    return unpack(json.loads(json.dumps(pack(value))))


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (None, None),
        (True, True),
        (2**53, 2**53),
        ("\ud800 ü", "\ud800 ü"),
        ((1, [2]), [1, [2]]),
        ({1: "a", (2, 3): "b"}, {1: "a", (2, 3): "b"}),
        (Colour.RED, "red"),
        (Plain("J1:1"), Record("Plain", {"token": "J1:1"})),
        (Pair(1, 2), Record("Pair", {"left": 1, "right": 2})),
        (object(), Opaque("a value of type object")),
        ("x" * 10_001, Opaque("a text of 10001 characters")),
        (2**5000, Opaque("a giant integer")),
    ],
)
def test_a_value_arrives_as_what_it_is(value: object, arrives: object) -> None:
    """Plain values cross whole, records with their fields, everything else as a description."""
    assert crossed(value) == arrives


def test_a_value_that_holds_itself_arrives_cut_off() -> None:
    """The depth is bounded, so packing ends."""
    ring: list[object] = []
    ring.append(ring)
    assert "a deeply nested value" in str(crossed(ring))


@pytest.mark.parametrize("module", [*MODULES, *STAGING])
def test_the_examples_in_the_docstrings_are_true(module: str) -> None:
    """Each module has some, and none fails."""
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0
