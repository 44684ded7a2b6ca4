"""In whatever order a lesson's cells are run, no check lies. Holds for every lesson that there is."""

import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from jobqueue import EventLog
from tests.notebooks.cells import LESSONS, code_cells, run

SEEDS = [0, 2, 13, 17]  # in these orders every check of every lesson is heard at least once
MANY = pytest.param(range(200), marks=pytest.mark.long)
CHECKING = ("lesson.compare(", "lesson.same(", "lesson.quiz(", "lesson.own(")


@pytest.fixture(scope="module")
def top_to_bottom() -> Iterator[Any]:
    """Return a lesson, run in order; each is run once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        patch.setenv("JOBKIT_WIDGETS", "0")
        yield cache(run)


def checks(name: str) -> Any:
    """The cells that compare, or ask at the end."""
    return [i for i, source in code_cells(name).items() if any(word in source for word in CHECKING)]


def shuffled(name: str, seed: Any) -> Any:
    """The code cells in another order: wild for even seeds, a few cells swapped for odd ones.

    Only the imports stay first, for without them nothing runs at all.
    """
    first, *others = code_cells(name)
    draw = random.Random(seed)  # noqa: S311 - any order will do
    if seed % 2:
        for _ in range(4):
            i, j = draw.sample(range(len(others)), 2)
            others[i], others[j] = others[j], others[i]
    else:
        draw.shuffle(others)
    return [first, *others]


def ran(name: str, seed: Any) -> Any:
    """Return a lesson, run in that other order."""
    return run(name, shuffled(name, seed))


def boxes(session: Any) -> Any:
    return {n: b for n, b in session.names.items() if type(b).__name__ == "Box"}


def key_facts(log: EventLog) -> Any:
    return [(e.seq, e.at, e.kind, e.job_id, e.worker_id, e.attempt, e.generation) for e in log]


def is_the_scenario(name: Any, order: Any, cell_id: Any) -> Any:
    """Whether the cells before one had really made the events of the scenario that it compares with."""
    scenario = re.search(r'lesson\.scenario\("(\w+)"\)', code_cells(name)[cell_id])[1]  # type: ignore[index]
    before = run(name, order[: order.index(cell_id)])
    if not {"log", "lesson"} <= set(before.names):
        return False
    return key_facts(before.names["log"]) == key_facts(before.names["lesson"].scenario(scenario).log)


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("seeds", [SEEDS, MANY], ids=["few", "many"])
def test_no_order_of_the_cells_makes_a_check_lie(name: str, seeds: Any, top_to_bottom: Any) -> None:
    """In any order a check says what it says from top to bottom, or fails, or says what to run first."""
    in_order = top_to_bottom(name)
    heard = set()
    for seed in seeds:
        order, session = shuffled(name, seed), ran(name, seed)
        for cell_id in checks(name):
            if cell_id in session.failed:
                continue
            heard.add(cell_id)
            if "lesson.same(" in code_cells(name)[cell_id]:
                claims = "The same, event for event" in session.text(cell_id)
                assert claims == is_the_scenario(name, order, cell_id), f"seed {seed}"
            last = str(session.shown[cell_id][-2])
            is_as_in_order = last == str(in_order.shown[cell_id][-2])
            assert is_as_in_order or "Run the cells above first" in last, f"seed {seed}"
    assert heard == set(checks(name)), "no order let these speak, so that they could have lied"


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("seeds", [SEEDS, MANY], ids=["few", "many"])
def test_no_order_of_the_cells_makes_a_wrong_guess_right(name: str, seeds: Any, top_to_bottom: Any) -> None:
    """A guess made in any order is judged by the queue, or the reader is told which cell to run."""
    right = {n: str(box.key()) for n, box in boxes(top_to_bottom(name)).items()}
    for seed in seeds:
        order = shuffled(name, seed)
        for n, box in boxes(run(name, order[: len(order) // 2])).items():
            for option in box.options:
                said = box.guess(option).text.partition("\n")[2]
                verdict = "✓" if option == right[n] else "✗"
                assert said.startswith((verdict, "Run the cells above first")), f"seed {seed}"


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_predicts_and_asks(name: str, top_to_bottom: Any) -> None:
    """Three to five predictions, each compared and with a word for each wrong option; questions at the end."""
    session = top_to_bottom(name)
    assert session.failed == {}
    asked, source = boxes(session), "\n".join(code_cells(name).values())
    assert 3 <= len(asked) <= 5
    for n, box in asked.items():
        assert set(box.why) == set(box.options) - {str(box.key())}
        assert f"lesson.compare({n})" in source
    assert len(session.names["questions"]) in {3, 4}
