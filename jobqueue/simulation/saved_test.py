"""A recipe as a test for pytest: it plays the story again, and checks how everything ended."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from textwrap import fill
from typing import Any

import jobqueue
from jobqueue import Attempt, simulation
from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import Recipe
from jobqueue.simulation.world import World

_WIDTH = 100
_DO = '''
def do(operation, **arguments) -> None:
    """Do what was done on the board; what was refused there is refused here."""
    with suppress(JobQueueError, LookupError, ValueError):
        operation(**arguments)
'''
_FATE = '''
def fate(world: World, job_id: str) -> tuple:
    """Return how a job stands: its state, and who had it from when to when with which outcome."""
    attempts = world.queue.history(job_id)
    parts = [(a.worker_id, a.started_at, a.ended_at, a.outcome) for a in attempts]
    return world.queue.view(job_id).status, parts
'''


def as_test(recipe: Recipe) -> str:
    """Return the source of a test that plays the recipe, and expects of each job what came of it."""
    playback, story = Playback(recipe), _story(recipe)
    made = recipe.interventions[: playback.position[1]]
    seed = "" if recipe.seed is None else f", seed={recipe.seed}"
    body = [*_story_lines(story, seed), *_steps(recipe, playback), *_expectations(playback.world)]
    test = "\n".join(
        [
            "",
            f"def test_{recipe.name}() -> None:",
            f'    """Played to {playback.world.now()} ms, everything has come as it came on the board."""',
            *(f"    {line}" for line in body),
        ]
    )
    parts = [*([_DO] if made else []), _FATE, test]
    return "\n".join([*_docstring(recipe), *_imports("\n".join(parts)), *parts]) + "\n"


def _story(recipe: Recipe) -> str:
    """Return the source of the story: a scenario of ours, one with other rules, or one made by hand."""
    if recipe.free is not None:
        return code_of(recipe.scenario(), 2)
    known = f'SCENARIOS["{recipe.name}"]'
    if recipe.rules is None:
        return known
    policy, rules = code_of(recipe.rules.policy(), 3), code_of(recipe.rules.rules(), 3)
    return f"replace(\n        {known},\n        policy={policy},\n        rules={rules},\n    )"


def _story_lines(story: str, seed: str) -> Iterator[str]:
    if "\n" in story:
        yield f"story = {story}"
        story = "story"
    yield f"world = World({story}{seed})"
    yield "world.advance_to(0)"


def _steps(recipe: Recipe, playback: Playback) -> Iterator[str]:
    for made in recipe.interventions[: playback.position[1]]:
        arguments = "".join(f", {name}={_quoted(value)}" for name, value in made.arguments)
        yield f"world.advance_to({made.at})"
        yield f"do(world.{made.verb}{arguments})"
        yield "world.settle()"
    yield f"world.advance_to({playback.world.now()})"


def _expectations(world: World) -> Iterator[str]:
    yield "assert {job.id: fate(world, job.id) for job in world.jobs()} == {"
    for job in world.jobs():
        attempts = [f"        {_attempt(attempt)}," for attempt in world.queue.history(job.id)]
        if attempts:
            yield from (f'    "{job.id}": ("{job.status.value}", [', *attempts, "    ]),")
        else:
            yield f'    "{job.id}": ("{job.status.value}", []),'
    yield "}"
    if broken := sorted({violation.invariant.name for violation in world.watch.violations}):
        names = ", ".join(map(_quoted, broken))
        yield f"assert {{broken.invariant.name for broken in world.watch.violations}} == {{{names}}}"
    effects = ", ".join(f'"{job_id}": {times}' for job_id, times in sorted(world.effects.items()))
    yield f"assert world.effects == {{{effects}}}  # how often the work of each was done, out in the world"


def _attempt(attempt: Attempt) -> str:
    outcome = attempt.outcome and attempt.outcome.value
    return f"({_quoted(attempt.worker_id)}, {attempt.started_at}, {attempt.ended_at}, {_quoted(outcome)})"


def _docstring(recipe: Recipe) -> Iterator[str]:
    scenario = recipe.scenario()
    # Neither a quote nor a backslash may end the text early.
    words = f"{scenario.title}: {scenario.question}".replace("\\", "/").replace('"', "'")
    yield fill(f'"""{words}', _WIDTH)
    yield ""
    yield "Saved from a board. It needs nothing but jobkit: run it with pytest. Instants are milliseconds."
    yield '"""'
    yield ""


def _imports(source: str) -> Iterator[str]:
    """Yield imports of the names that a source uses, each from where people import it."""
    if "suppress(" in source:
        yield "from contextlib import suppress"
    if "replace(" in source:
        yield "from dataclasses import replace"
    if "suppress(" in source or "replace(" in source:
        yield ""
    places = {
        "jobqueue": jobqueue.__all__,
        "jobqueue.retry": ["JitterKind"],
        "jobqueue.simulation": simulation.__all__,
    }
    code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', source)  # without texts: a payload may say anything
    for place, names in places.items():
        used = sorted(name for name in names if re.search(rf"\b{name}\b", code))
        if used:
            yield f"from {place} import {', '.join(used)}"
    yield ""


def _quoted(value: object) -> str:
    """Return a value's source, texts in double quotes, and whatever is not plain in them visibly so."""
    if not isinstance(value, str):
        return repr(value)
    plain = (c if c.isascii() and c.isprintable() and c not in '"\\' else _escaped(c) for c in value)
    return f'"{"".join(plain)}"'


def _escaped(letter: str) -> str:
    return '\\"' if letter == '"' else letter.encode("unicode_escape").decode()


def code_of(value: Any, depth: int = 0) -> str:
    """Return the source of a record: its constructor, with all fields that are not as usual.

    >>> from jobqueue.simulation.scenario import Task
    >>> code_of(Task(0, "mail", times=3))
    'Task(at=0, type="mail", times=3)'
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple):
        items = [code_of(item, depth + 1) for item in value]
        return _call("", items, depth, one_more="," if len(items) == 1 else "")
    if hasattr(value, "items"):
        return "{" + ", ".join(f"{_quoted(name)}: {code_of(item)}" for name, item in value.items()) + "}"
    if not is_dataclass(value):
        return _quoted(value)
    given = []
    for field in fields(value):
        own = getattr(value, field.name)
        usual = field.default_factory() if field.default_factory is not MISSING else field.default
        if own != usual:
            given.append(f"{field.name}={code_of(own, depth + 1)}")
    return _call(type(value).__name__, given, depth)


def _call(name: str, given: list[str], depth: int, one_more: str = "") -> str:
    """Return a call on one line if it fits, else one argument a line."""
    line = f"{name}({', '.join(given)}{one_more})"
    if not given or (len(line) + 4 * depth <= _WIDTH - 12 and "\n" not in line):
        return line
    inner = "    " * depth
    return f"{name}(\n" + "".join(f"{inner}{argument},\n" for argument in given) + "    " * (depth - 1) + ")"
