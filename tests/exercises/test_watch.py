"""`jobkit watch`: what it does with a file between two looks, and that real saves are seen."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exercises.grader.explaining.exercise_progress import ExerciseProgress
from exercises.grader.explaining.progress import Progress
from exercises.grader.judging.catalogue import catalogue
from tests.exercises.grading import EXERCISE, OWN_ANSWER
from webui.cli import loop as loop_commands
from webui.cli import main
from webui.cli import watch as watching

ROOT = Path(__file__).parents[2]
ANSWER = Path("answers/ex03_tokens.py")
BROKEN = "def broken(:\n"
STARTED = "Watching"
WAITING = "Waiting for the next save"
Scene = Callable[[Path], Iterator[None]]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each learner works in a folder of their own, with a space and an umlaut in its name."""
    folder = tmp_path / "my löve of queues"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def jobkit(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


def done(*, but: str) -> None:
    """Write down that all exercises are done, but one."""
    progress = Progress.read(Path())
    for one in catalogue():
        if one.id != but:
            state = ExerciseProgress(points=one.points, best=one.points, possible=one.points, passed=True)
            progress.exercises[one.id] = state
    progress.write()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Callable[[Scene], Result]:
    """Watch while a scene is played: what it does between two looks is what happens to the file."""
    jobkit("start", "ex03")
    monkeypatch.setattr(loop_commands, "stop_politely", lambda: None)
    monkeypatch.setattr(watching, "SETTLE_SECONDS", 0.0)

    def play(scene: Scene) -> Result:
        monkeypatch.setattr(loop_commands, "way", lambda *, poll: (scene, f"a scene, poll={poll}"))
        return jobkit("watch")

    return play


def test_each_new_text_is_checked_once(watched: Callable[[Scene], Result]) -> None:
    """A look without a change checks nothing; Ctrl-C ends it with code 0."""

    def scene(path: Path) -> Iterator[None]:
        path.write_text(BROKEN, encoding="utf-8")
        yield
        yield
        path.write_text(BROKEN, encoding="utf-8")
        yield
        path.write_text(BROKEN + "\n", encoding="utf-8")
        yield
        raise KeyboardInterrupt

    said = watched(scene)
    assert said.exit_code == 0
    assert said.output.count("Python cannot read the file") == said.output.count(WAITING) == 2
    assert said.output.endswith("Stopped.\n")


def test_an_editor_may_replace_the_file_and_a_deleted_one_may_come_back(
    watched: Callable[[Scene], Result],
) -> None:
    """A moment without the file is nothing; a longer one is told once."""

    def scene(path: Path) -> Iterator[None]:
        path.unlink()
        yield
        path.with_name("other").write_text(BROKEN, encoding="utf-8")
        path.with_name("other").replace(path)
        yield
        path.unlink()
        yield
        yield
        yield
        path.mkdir()
        yield
        path.rmdir()
        path.write_text("import os\ndef (", encoding="utf-8")
        yield
        raise KeyboardInterrupt

    said = watched(scene)
    assert said.output.count("Python cannot read the file") == 2
    assert said.output.count(f"{ANSWER} is gone. It is checked when it comes back.") == 1


def test_a_save_during_a_check_is_checked_afterwards(watched: Callable[[Scene], Result]) -> None:
    """The answer here saves another text over itself while it is being checked."""
    later = f"open({str(ANSWER.absolute())!r}, 'w').write({BROKEN!r})\n"

    def scene(path: Path) -> Iterator[None]:
        path.write_text(later, encoding="utf-8")
        yield
        yield
        raise KeyboardInterrupt

    said = watched(scene)
    assert said.output.count(WAITING) == 2
    assert "Python cannot read the file" in said.output.rpartition("Waiting")[0]


def test_when_all_is_right_the_next_exercise_begins(
    watched: Callable[[Scene], Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its starter is written and watched; when none is left, that is the end."""
    following = replace(EXERCISE, folder=EXERCISE.folder.with_name("ex03_tokens"), title="Another")
    looked: list[str] = []
    goals = iter([following, None])
    monkeypatch.setattr(Progress, "next_open", lambda *_: next(goals))

    def scene(path: Path) -> Iterator[None]:
        looked.append(path.name)
        path.write_text(OWN_ANSWER, encoding="utf-8")
        yield

    said = watched(scene)
    assert looked == ["ex03_tokens.py"] * 2
    assert "ex03: Another, 39 points" in said.output
    assert f"Watching {ANSWER} now." in said.output
    assert said.output.endswith("All exercises are done.\n")
    assert said.exit_code == 0


def test_the_next_exercise_is_the_first_open_one_after_this() -> None:
    """Then those before it; a best result below the full points counts as open."""
    a, b, c = (replace(EXERCISE, folder=Path(name)) for name in ("ex01_a", "ex02_b", "ex03_c"))
    progress = Progress(Path("progress.json"))
    progress.exercises["ex03_c"] = ExerciseProgress(best=EXERCISE.points)
    progress.exercises["ex01_a"] = ExerciseProgress(best=EXERCISE.points - 1)
    assert progress.next_open([a, b, c], a) is b
    assert progress.next_open([a, b, c], b) is a
    progress.exercises["ex01_a"].best = EXERCISE.points
    assert progress.next_open([a, b, c], b) is None


def test_once_checks_once_like_check() -> None:
    """With its exit code."""
    assert jobkit("watch", "ex03").output == f"Error: There is no {ANSWER} yet. Begin with: jobkit start ex03\n"
    jobkit("start", "ex03")
    ANSWER.write_text(BROKEN, encoding="utf-8")
    said = jobkit("watch", "--once")
    assert said.exit_code == 1
    assert "Python cannot read the file" in said.output


class _Watching:
    """A real `jobkit watch`, whose lines can be waited for."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "webui.cli", "watch", *words]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, encoding="utf-8"
        )
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, words: str) -> str:
        said = ""
        while words not in said:
            said += self.lines.get(timeout=30)
        return said

    def close(self) -> None:
        self.process.kill()
        self.process.wait(10)
        self.reader.join(10)
        self.process.stdout.close()


@pytest.fixture(params=["polling", "events"])
def watching_process(request: pytest.FixtureRequest) -> Iterator[_Watching]:
    """Start it with a file that Python cannot read."""
    if request.param == "events":
        pytest.importorskip("watchfiles")
    jobkit("start", "ex03")
    done(but="ex03_tokens")
    ANSWER.write_text(BROKEN, encoding="utf-8")
    process = _Watching("ex03", *(["--poll"] if request.param == "polling" else []))
    words = "looking every" if request.param == "polling" else "the system tells of changes"
    assert words in process.until(STARTED)
    yield process
    process.close()


def test_saves_are_seen_as_they_happen(watching_process: _Watching) -> None:
    """By polling and by events: a save, a replaced file, and the right answer at the end."""
    watching_process.until(WAITING)
    ANSWER.write_text(BROKEN + BROKEN, encoding="utf-8")
    assert "def broken" in watching_process.until(WAITING)
    fresh = ANSWER.with_name("fresh.tmp")
    fresh.write_text(OWN_ANSWER, encoding="utf-8")
    fresh.replace(ANSWER)
    assert "All 39 checks pass" in watching_process.until("All exercises are done.")
    assert watching_process.process.wait(10) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_watching_cleanly(watching_process: _Watching) -> None:
    """Code 0 and one word, no traceback."""
    watching_process.until(WAITING)
    watching_process.process.send_signal(signal.SIGINT)
    assert watching_process.until("Stopped.") == "Stopped.\n"
    assert watching_process.process.wait(10) == 0


def test_without_the_library_watching_says_that_it_looks_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """And how to get the other way."""
    monkeypatch.setattr(watching.importlib.util, "find_spec", lambda _: None)
    looks, words = watching.way(poll=False)
    assert looks is watching.polled
    assert "jobkit[watch]" in words
