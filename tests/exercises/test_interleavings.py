"""The search for schedules, tried on sample programs: it finds each wrong one, and passes each right one."""

import json
import os
import shutil
import subprocess
import threading
import types
from pathlib import Path
from types import CodeType

import pytest

from exercises.grader.running.threads.patched_primitives import Lock, adopt, patched
from exercises.grader.running.threads.points import Points
from exercises.grader.running.threads.schedules import Schedule, read_id
from exercises.grader.running.threads.search import found_again, id_of
from tests.exercises import sample_programs, sample_programs_right
from tests.exercises.sample_search import CODES, found_ids, play_of, searched, wrong_among

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("program", sample_programs.WRONG, ids=lambda program: program.__name__)
def test_each_wrong_program_is_found(program: type) -> None:
    """Without luck: the search is the same every time."""
    found = found_ids(program.__name__)
    assert found
    assert found == found_ids(program.__name__)


@pytest.mark.parametrize("program", sample_programs_right.RIGHT, ids=lambda program: program.__name__)
def test_each_right_program_is_left_alone(program: type) -> None:
    """Whatever it waits in; and no schedule makes it wait for ever."""
    with patched():
        outcomes, tried = searched(play_of(program.__name__))
    assert wrong_among(outcomes) == []
    assert tried["none"] == 2


def test_what_is_right_for_two_may_be_tried_with_three() -> None:
    """Three threads, one job."""
    assert found_ids("Unlocked", "ABC")
    assert not found_ids("Locked", "ABC")
    assert found_ids("Counter", "ABC")


@pytest.mark.parametrize("program", sample_programs.WRONG, ids=lambda program: program.__name__)
def test_the_first_that_is_found_has_no_switch_too_many(program: type) -> None:
    """Whichever switch is left out, the run is as it should be."""
    with patched():
        play = play_of(program.__name__)
        outcomes, _ = searched(play)
        allowed = [one.calls for one in outcomes if not one.schedule.switches]
        first = wrong_among(outcomes)[0].schedule
        for place in range(len(first.switches)):
            fewer = play.tell(first.without(place))
            assert fewer.end is None
            assert fewer.calls in allowed


@pytest.mark.parametrize("program", sample_programs.WRONG, ids=lambda program: program.__name__)
def test_an_id_tells_the_same_run_again(program: type) -> None:
    """The id is all that is needed: it names lines, not numbers of a search."""
    with patched():
        play = play_of(program.__name__)
        first = wrong_among(searched(play)[0])[0]
        read = read_id(id_of(play.tell(first.schedule, trails=True)))
        assert read is not None
        schedule = found_again(play, *read)
        assert isinstance(schedule, Schedule)
        again = play.tell(schedule)
    assert (again.calls, again.end) == (first.calls, first.end)


@pytest.mark.parametrize("program", sample_programs_right.UNDECIDED, ids=lambda program: program.__name__)
def test_what_cannot_be_known_is_called_undecided(program: type) -> None:
    """A wait in something unknown, a loop without end, a thread that nobody steers: the reason is reported."""
    with patched():
        end = play_of(program.__name__).tell(Schedule("AB")).end
    assert end is not None
    assert end["kind"] == "undecided"
    assert sample_programs_right.UNDECIDED[program] in end["why"]


def test_a_deadlock_says_who_waits_where_for_whom() -> None:
    """Each waits for the lock of the other."""
    with patched():
        waits = next(one.end["waits"] for one in searched(play_of("TwoOrders"))[0] if one.end)
    assert [(wait["thread"], wait["holder"]) for wait in waits] == [("A", "B"), ("B", "A")]
    assert {wait["line"] for wait in waits} == {wait["since"] for wait in waits}


def test_a_lost_notify_is_told_from_a_lock() -> None:
    """Nobody holds anything; what is missing is somebody who wakes."""
    with patched():
        waits = next(one.end["waits"] for one in searched(play_of("LostWakeUp"))[0] if one.end)
    assert [(wait["thread"], wait["for"]) for wait in waits] == [("A", "a notify")]


def test_what_is_left_out_is_left_out_only_where_nobody_can_come_in() -> None:
    """Under a lock most places are alike; without one none is."""
    with patched():
        _, locked = searched(play_of("Locked"))
        _, unlocked = searched(play_of("Unlocked"))
    assert locked["alike"] > 0
    assert unlocked["alike"] == 0


def test_leaving_out_what_is_alike_loses_no_outcome() -> None:
    """A search that tries each place finds the same outcomes."""
    with patched():
        for program in (*sample_programs.WRONG, *sample_programs_right.RIGHT):
            play = play_of(program.__name__)
            found = {repr((one.calls, one.end)) for one in searched(play)[0]}
            base = play.tell(Schedule("AB"), trails=True)
            for step in range(1, len(base.trails["A"]) + 1):
                one = play.tell(Schedule("AB", (("A", step),)))
                assert repr((one.calls, one.end)) in found


def test_locks_that_were_made_before_are_found_and_replaced() -> None:
    """Of a module and of its classes."""
    module = types.ModuleType("sample_programs")
    exec(CODES["sample_programs_right"], vars(module))  # noqa: S102  our own sample programs
    adopt(module)
    assert isinstance(vars(module)["GATE"], Lock)
    assert isinstance(vars(module)["ClassLocked"].gate, Lock)


def test_the_patched_primitives_are_gone_afterwards() -> None:
    """Python's own locks are back, and a lock made before works on without a controller."""
    before = threading.Lock
    with patched():
        lock = threading.Lock()
    assert threading.Lock is before
    with lock:
        assert lock.locked()
        assert not lock.acquire(timeout=0.001)
    assert not lock.locked()


@pytest.mark.parametrize(
    "text", ["", "AB-", "AB-93", "ab-A9", "AB-A9.", "AB-A9x", "AB/A9", "AB-A9\n", "A" * 3 + "-A1x1x1"]
)
def test_what_is_no_id_is_not_read_as_one(text: str) -> None:
    """An id has one form."""
    assert read_id(text) is None


SCRIPT = """
import json
from tests.exercises import sample_programs, sample_programs_right
from tests.exercises.sample_search import found_ids
programs = (*sample_programs.WRONG, *sample_programs_right.RIGHT)
print(json.dumps({program.__name__: found_ids(program.__name__)[:1] for program in programs}))
"""


def pythons() -> list[str]:
    """Every Python here that is new enough, each but once."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/bin", "/usr/local/bin"]
    found = {}
    for minor in range(11, 20):
        for path in (shutil.which(f"python3.{minor}", path=folder) for folder in folders if folder):
            if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
                found.setdefault(minor, path)
    return list(found.values())


@pytest.mark.long
@pytest.mark.parametrize("python", pythons())
def test_every_python_finds_the_same(python: str) -> None:
    """Of the wrong sample programs all, of the right ones none, and twice the same."""
    run = [python, "-c", SCRIPT]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    told = [
        subprocess.run(run, capture_output=True, text=True, cwd=ROOT, env=environment, check=True).stdout
        for _ in range(2)
    ]
    assert told[0] == told[1]
    found = json.loads(told[0])
    assert {name for name, ids in found.items() if ids} == {
        program.__name__ for program in sample_programs.WRONG
    }


def test_a_search_is_quick() -> None:
    """Some hundred schedules of a program take well under a second; more would be felt by a learner."""
    with patched():
        _, tried = searched(play_of("Unlocked"))
    assert sum(tried.values()) < 200


@pytest.mark.parametrize("line", ["a, b = shared", "a, *b = shared", "a = shared[0]", "shared.append(1)"])
def test_what_reads_or_writes_a_shared_list_is_a_place_to_switch(line: str) -> None:
    """Also where a list is only taken apart: its parts may have changed since the line before."""
    outer = compile(f"def look(shared):\n    {line}\n", "program.py", "exec")
    code = next(const for const in outer.co_consts if isinstance(const, CodeType))
    known = Points([outer]).of(code)
    assert known is not None
    assert any(known[0])
