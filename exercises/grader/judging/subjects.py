"""What a learner's tests are run against: right queues, and flawed ones made from the first by one edit each.

Only an exercise of the kind `tests` has them. They are in the grader's process; see `remote_objects`.
"""

import random
import tomllib
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from exercises.grader.errors import BadExerciseError
from exercises.grader.judging.misconceptions import edited

RIGHT = "right_queue.py"
OTHERS = "right_queues"
FLAWS = "flaws.toml"

Maker = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Flaw:
    """One wrong place. `told` ends the sentence "a queue ..."; a hidden flaw is told by its family alone.

    Of a hidden flaw and its variants a run tries one.
    """

    id: str
    family: str
    told: str
    hidden: bool
    edits: tuple[tuple[str, str], ...]
    variant_of: str = ""

    def applied_to(self, right: str) -> str:
        """Return the right queue's text with this flaw built in.

        Raises:
            BadExerciseError: An old text is not there exactly once.
        """
        try:
            return edited(right, self.edits, RIGHT)
        except BadExerciseError as error:
            raise BadExerciseError(f"{self.id}: {error}") from None


@dataclass(frozen=True, slots=True)
class Subjects:
    """All queues of one exercise. `methods` has for each object that a maker makes what may be called."""

    text: str
    rights: Mapping[str, Maker]
    flaws: tuple[Flaw, ...]
    families: Mapping[str, str]
    methods: Mapping[int, tuple[str, ...]]

    def flawed(self, flaw: Flaw) -> Maker:
        """Return what makes queues with this flaw."""
        return maker(flaw.applied_to(self.text), flaw.id)

    def hidden(self, family: str | None = None) -> tuple[tuple[Flaw, ...], ...]:
        """Return the hidden flaws of one family, or of all, each together with its variants."""
        together: dict[str, list[Flaw]] = {}
        for flaw in self.flaws:
            if flaw.hidden and family in {None, flaw.family}:
                together.setdefault(flaw.variant_of or flaw.id, []).append(flaw)
        return tuple(map(tuple, together.values()))

    def drawn(self, family: str, chance: random.Random) -> tuple[Flaw, ...]:
        """Draw one out of each hidden flaw of a family and its variants."""
        return tuple(chance.choice(variants) for variants in self.hidden(family))


@cache
def subjects(folder: Path) -> Subjects:
    """Read the queues of an exercise; the first of the right ones is the one that flaws are built into."""
    text = (folder / RIGHT).read_text(encoding="utf-8")
    files = [folder / RIGHT, *sorted((folder / OTHERS).glob("*.py"))]
    rights = {path.stem: maker(path.read_text(encoding="utf-8"), path.stem) for path in files}
    told = tomllib.loads((folder / FLAWS).read_text(encoding="utf-8"))
    flaws = tuple(_flaw(entry) for entry in told["flaw"])
    made = next(iter(rights.values()))()
    methods = {place: _public(one) for place, one in enumerate(made)}
    return Subjects(text, rights, flaws, told["families"], methods)


@cache
def maker(text: str, name: str) -> Maker:
    """Execute a text of the kit's own and return its `make_queue`."""
    module = types.ModuleType(f"subject_{name}")
    exec(compile(text, f"<{name}>", "exec", dont_inherit=True), module.__dict__)  # noqa: S102  our own text
    made: Maker = module.make_queue
    return made


def _flaw(entry: dict[str, Any]) -> Flaw:
    old, new = entry["old"], entry["new"]
    edits = [(old, new)] if isinstance(old, str) else zip(old, new, strict=True)
    told, variant_of = entry.get("told", ""), entry.get("variant_of", "")
    return Flaw(entry["id"], entry["family"], told, not told, tuple(edits), variant_of)


def _public(made: object) -> tuple[str, ...]:
    names = (name for name in dir(type(made)) if not name.startswith("_"))
    return tuple(name for name in names if callable(getattr(made, name)))
