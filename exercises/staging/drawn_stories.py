"""Stories drawn from a seed, told to an answer, and cut to the shortest that still goes wrong.

Knows neither queues nor exercises. A story is a list of steps, and every step has to keep its meaning, or to be
passed over, when others are dropped.
"""

import logging
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from typing import Any, TypeVar

from exercises.grader import Case
from exercises.grader.judging.case import Broken

LOG = logging.getLogger(__name__)
MOST_TRIES = 200  # a shortest story is worth some hundredths of a second, not the learner's patience
SHORT = 12  # so few steps are tried two by two as well

Step = TypeVar("Step")
Draw = Callable[[random.Random], Sequence[Step]]
Tell = Callable[[Case, Sequence[Step]], None]


def drawn(
    chance: random.Random,
    acts: Mapping[str, int],
    steps: int,
    details: Callable[[random.Random], tuple[Any, ...]],
    *,
    timed: bool = False,
) -> list[tuple[Any, ...]]:
    """Draw a story: so many steps, each an act, as often as its weight says, and its details.

    `timed`: the first detail is how long nothing happens before; in the story it is the instant.
    """
    story = [(act, *details(chance)) for act in chance.choices([*acts], [*acts.values()], k=steps)]
    if timed:
        instants = accumulate(step[1] for step in story)
        story = [(act, now, *more) for now, (act, _, *more) in zip(instants, story, strict=True)]
    return story


def tell_drawn(case: Case, seeds: Iterable[int], draw: Draw[Step], tell: Tell[Step]) -> None:
    """Tell one story per seed; let the first that goes wrong end the check, as short as it gets.

    Args:
        case: The conversation with the answer.
        seeds: Fixed ones, so that the same answer gets the same verdict tomorrow.
        draw: Makes a story of what chance gives.
        tell: Tells a story from its beginning, to an object of its own; raises Broken where it goes wrong.
    """
    for seed in seeds:
        story = draw(random.Random(seed))  # noqa: S311  a story, no secret
        LOG.info("seed %d: a story of %d steps", seed, len(story))
        tell_shortest(case, seed, story, tell)


def tell_shortest(case: Case, seed: int, story: Sequence[Step], tell: Tell[Step]) -> None:
    """Tell one story. If it goes wrong, drop what can be dropped, and end the check with what is left."""
    broken = _broken_by(case, story, tell)
    if broken is not None:
        kept, broken, trace = shortest(case, story, tell, broken)
        enough = "this 1 is" if len(kept) == 1 else f"these {len(kept)} are"
        head = f"(drawn with seed {seed}; of its {len(story)} steps {enough} enough)"
        case.retell((head, *trace))
        raise broken


def shortest(
    case: Case, story: Sequence[Step], tell: Tell[Step], broken: Broken
) -> tuple[list[Step], Broken, tuple[str, ...]]:
    """Drop steps while the rest still goes wrong: first many at once, at last one by one and two by two.

    Returns the steps that are left, how they end, and the trace of their telling.
    """
    kept, trace = list(story), case.trace
    size, tries = max(len(kept) // 2, 1), 0
    while tries < MOST_TRIES:
        before = len(kept)
        for start in range(len(kept) - size, -size, -size):
            fewer = [*kept[: max(start, 0)], *kept[start + size :]]
            again = _broken_by(case, fewer, tell)
            tries += 1
            if again is not None:
                kept, broken, trace = fewer, again, case.trace
        if size == 1 and len(kept) == before:
            break
        size = max(size // 2, 1)
    while tries < MOST_TRIES and len(kept) <= SHORT:
        for pair in combinations(range(len(kept)), 2):  # two steps may need each other, and the story neither
            fewer = [step for place, step in enumerate(kept) if place not in pair]
            again = _broken_by(case, fewer, tell)
            tries += 1
            if again is not None:
                kept, broken, trace = fewer, again, case.trace
                break
        else:
            break
    return kept, broken, trace


def _broken_by(case: Case, story: Sequence[Step], tell: Tell[Step]) -> Broken | None:
    """Tell the story from its beginning. None if every step was as it should be."""
    case.retell(())
    try:
        tell(case, story)
    except Broken as broken:
        return broken
    return None
