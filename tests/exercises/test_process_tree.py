"""Only the answer's own processes are ended, whatever the grader knows of them."""

import os
import subprocess
import sys

import pytest

from exercises.grader.running import process_tree, stopwatch

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found in /proc")  # noqa: PTH112

SLEEPER = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def ended(monkeypatch):
    """Collect whom the hunt would kill, instead of killing; each is then taken for dead."""
    pids = []
    living = process_tree._living
    monkeypatch.setattr(process_tree, "_kill", pids.append)
    monkeypatch.setattr(
        process_tree, "_living", lambda: ((pid, parent) for pid, parent in living() if pid not in pids)
    )
    return pids


def test_nobody_else_is_ended_when_the_answer_has_ended(ended):
    """Without a root only the mark tells; a process without it is left alone, and so is everybody else."""
    with subprocess.Popen(SLEEPER, stdin=subprocess.PIPE) as stranger:
        process_tree.end_process_tree("a mark that nobody has", None)
        assert ended == []
        stranger.kill()


def test_a_marked_process_is_ended_wherever_it_went(ended):
    """A process that moved to a session of its own still carries the mark."""
    mark = "a mark of this one test"
    environment = os.environ | {process_tree.MARK: mark}
    with subprocess.Popen(SLEEPER, stdin=subprocess.PIPE, env=environment, start_new_session=True) as marked:
        process_tree.end_process_tree(mark, None)
        assert ended == [marked.pid]
        marked.kill()


@pytest.mark.parametrize("root", [0, 1, -1, os.getpid()], ids=["0", "1", "-1", "own"])
def test_a_root_that_is_no_answer_is_refused(ended, root):
    """Everything descends from the first process: such a root must never be hunted."""
    with pytest.raises(ValueError, match="is not that of an answer"):
        process_tree.end_process_tree("a mark that nobody has", root)
    assert ended == []


def test_a_mark_that_others_could_have_is_refused(ended):
    """A short mark could be in anybody's environment."""
    with pytest.raises(ValueError, match="too short"):
        process_tree.end_process_tree("", None)
    assert ended == []


@pytest.mark.parametrize(
    ("computed", "counted"), [(0.02, 0.2), (0.1, 1.0), (0.0, 1.0)], ids=["starved", "busy", "asleep"]
)
def test_what_an_answer_waits_for_a_processor_is_not_its_time(
    monkeypatch: pytest.MonkeyPatch, computed: float, counted: float
) -> None:
    """In ten slices of 0.1 s it has what it computed, or all of it if it slept."""
    now = [0.0]
    monkeypatch.setattr(stopwatch.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(stopwatch.time, "clock_gettime", lambda _: now[0] * computed / 0.1)
    watch = stopwatch.Stopwatch(1, 2.0)
    for number in range(1, 11):
        now[0] = number * 0.1
        watch.count(waited=True)
    assert watch.counted == pytest.approx(counted)
