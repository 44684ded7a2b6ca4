"""The clock of a challenge: started on request, told with each check, and nothing depends on it."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from exercises.grader.explaining.progress import Progress
from exercises.grader.judging.catalogue import find
from webui.cli import exercises as exercise_commands
from webui.cli.exercises import COMMANDS

JOBKIT = click.Group("jobkit", commands={str(command.name): command for command in COMMANDS})
EX07 = find("ex07")
ANSWER = Path("answers/ex07_whole_queue.py")
MINE = EX07.text("solution.py").replace("class JobQueue", "class Mine:\n    x = 1\n\n\nclass JobQueue")
BEGAN = 1_000_000


class Clock:
    """The time of day, as far as the commands know it."""

    def __init__(self) -> None:
        self.now = float(BEGAN)

    def time(self) -> float:
        """Tell it."""
        return self.now

    def set_minutes(self, minutes: float) -> None:
        """So many minutes after the beginning."""
        self.now = BEGAN + 60 * minutes


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A folder of one's own, and a clock that stands still."""
    monkeypatch.chdir(tmp_path)
    found = Clock()
    monkeypatch.setattr(exercise_commands, "time", found)
    return found


def jobkit(*words: str) -> Result:
    return CliRunner().invoke(JOBKIT, words, catch_exceptions=False)


def last(*words: str) -> str:
    """The last line of a command's output."""
    return jobkit(*words).output.splitlines()[-1]


def answer(text: str) -> None:
    ANSWER.write_text(text, encoding="utf-8")


def test_each_check_says_how_the_time_stands(clock: Clock) -> None:
    """A pass stops the clock, and a later check does not begin it anew."""
    assert last("start", "ex07", "--clock") == "The clock: 0 of 45 minutes."
    clock.set_minutes(12.9)
    assert last("check", "ex07") == "The clock: 12 of 45 minutes."
    answer(MINE)
    clock.set_minutes(44.5)
    done = "The clock: all of it in 44 of 45 minutes."
    assert done in jobkit("check", "ex07").output
    clock.set_minutes(500)
    assert done in jobkit("check", "ex07").output


def test_after_the_time_one_may_go_on(clock: Clock) -> None:
    """What was reached in time is kept apart from what comes later; a reset does not stop the clock."""
    jobkit("start", "ex07", "--clock")
    clock.set_minutes(46)
    over = "The clock: the 45 minutes are over, with 0 of 43 points in time. Go on as long as you like."
    assert last("check", "ex07") == over
    jobkit("reset", "ex07")
    answer(MINE)
    said = jobkit("check", "ex07")
    assert said.exit_code == 0
    assert "The clock: all of it in 46 minutes; 0 of 43 points in the first 45." in said.output
    assert last("start", "ex07", "--clock") == "The clock: 0 of 45 minutes."


def test_without_the_wish_there_is_no_clock(clock: Clock) -> None:
    """Neither a word of it, nor one where an exercise has no time."""
    del clock
    assert "clock" not in jobkit("start", "ex07").output
    assert "clock" not in jobkit("check", "ex07").output
    said = jobkit("start", "ex03", "--clock")
    assert (said.exit_code, said.output) == (2, "Error: ex03 has no clock: take all the time you like.\n")
    assert not Path("answers/ex03_tokens.py").exists()


@pytest.mark.parametrize("wrong", [-1, "noon", 2**60, 1.5])
def test_a_clock_that_cannot_be_is_ignored(clock: Clock, wrong: object) -> None:
    """And a file that knows none is whole."""
    jobkit("start", "ex07")
    file = Path("answers/progress.json")
    told = json.loads(file.read_text(encoding="utf-8"))
    del told["exercises"]["ex07_whole_queue"]["clock"]
    file.write_text(json.dumps(told), encoding="utf-8")
    assert Progress.read(Path()).warning is None
    told["exercises"]["ex07_whole_queue"]["clock"] = wrong
    file.write_text(json.dumps(told), encoding="utf-8")
    assert "clock of ex07_whole_queue" in str(Progress.read(Path()).warning)
    clock.set_minutes(-10)
    assert jobkit("start", "ex07", "--clock").exit_code == 0
    clock.set_minutes(-20)
    assert last("check", "ex07") == "The clock: 0 of 45 minutes."
