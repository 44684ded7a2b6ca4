"""An exercise as a notebook: its form is that of nbgrader, its last cell gives the points of a check."""

import json
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result
from nbclient import NotebookClient

from exercises.grader.classroom.in_notebook import points
from exercises.grader.classroom.notebook import BadNotebookError, answer_in, newest_answer, notebook
from exercises.grader.judging.catalogue import catalogue
from tests.exercises.grading import EXERCISE, OWN_ANSWER
from webui.cli.classroom import notebook as command

ROOT = Path(__file__).parents[2]
EXERCISES = catalogue()
ALLOWED = {"schema_version", "grade", "locked", "solution", "task", "grade_id", "points"}


def jobkit_notebook(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)


@pytest.mark.parametrize("source", [False, True], ids=["release", "source"])
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.short)
def test_the_form_is_a_notebooks_and_nbgraders(exercise, source: bool) -> None:
    """Valid for nbformat; each cell has nbgrader's fields and no others; the points are the exercise's."""
    made = nbformat.reads(json.dumps(notebook(exercise, source=source)), as_version=4)
    nbformat.validate(made)
    metas = [cell.metadata.nbgrader for cell in made.cells]
    assert all(set(meta) <= ALLOWED and meta.schema_version == 3 for meta in metas)
    assert len({meta.grade_id for meta in metas}) == len(metas)
    answer, test = made.cells[-2:]
    assert (answer.metadata.nbgrader.solution, answer.metadata.nbgrader.grade) == (True, False)
    assert (test.metadata.nbgrader.grade, test.metadata.nbgrader.locked) == (True, True)
    assert test.metadata.nbgrader.points == exercise.points
    assert all(cell.metadata.nbgrader.locked for cell in made.cells if cell is not answer)
    compile(answer.source, exercise.id, "exec", dont_inherit=True)
    holes = exercise.text("starter.py").count("raise NotImplementedError(")
    assert answer.source.count("### BEGIN SOLUTION") == answer.source.count("### END SOLUTION")
    assert answer.source.count("### BEGIN SOLUTION") == (holes if source else 0)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.short)
def test_the_answer_is_found_by_what_it_defines(exercise) -> None:
    """The newest cell that defines it, also if Python cannot read it; other cells are not taken for it."""
    starter = exercise.text("starter.py")
    newer = starter + "\ndef broken(:\n"
    assert newest_answer(exercise, ["", "x = 1", starter, "print(1)"]) == starter
    assert newest_answer(exercise, [starter, newer, "1"]) == newer
    assert newest_answer(exercise, ["", "x = 1"]) is None


def test_the_answer_is_taken_out_of_a_notebook_that_was_handed_in() -> None:
    """Also from a cell that was edited by hand into a single text; the last one counts."""
    made = notebook(EXERCISE)
    assert answer_in(EXERCISE, json.dumps(made).encode()) == EXERCISE.text("starter.py").rstrip("\n")
    made["cells"].append({"cell_type": "code", "source": OWN_ANSWER})
    assert answer_in(EXERCISE, json.dumps(made).encode()) == OWN_ANSWER
    lines = "%load_ext webui.jupyter\n%time 1 + 1\nfiles = !ls\n"
    made["cells"].append({"cell_type": "code", "source": f"%%exercise ex03\n{lines}{OWN_ANSWER}"})
    read = answer_in(EXERCISE, json.dumps(made).encode())
    assert read == f"\nNone\nNone\nfiles = None\n{OWN_ANSWER}"  # its line numbers stay
    del made["cells"][2:]
    with pytest.raises(BadNotebookError, match="No cell of the notebook defines TokenQueue"):
        answer_in(EXERCISE, json.dumps(made).encode())


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff", b'{"cells": 3}', b'{"cells": [{}]}', b"[" * 100_000],
    ids=["empty", "list", "bytes", "number", "cell", "deep"],
)
def test_what_is_no_notebook_is_told_so(content: bytes) -> None:
    """A learner can hand in anything under that name."""
    with pytest.raises(BadNotebookError, match="no notebook that can be read"):
        answer_in(EXERCISE, content)


def test_without_an_answer_there_are_no_points(capfd: pytest.CaptureFixture[str]) -> None:
    """Said on standard output: nbgrader takes anything on the other stream for a failure."""
    assert points("ex03", ["x = 1"]) == 0
    said = capfd.readouterr()
    assert said.out == "No cell that was run defines TokenQueue. Run the cell with your answer first.\n"
    assert said.err == ""


def test_an_answer_that_python_cannot_read_is_told_like_on_the_command_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The cell itself fails in the notebook; its text is checked all the same."""
    assert points("ex03", ["class TokenQueue:\n    def submit(self:\n"]) == 0
    said = capfd.readouterr()
    assert said.out.startswith("Python cannot read the file: SyntaxError")
    assert said.err == ""


@pytest.mark.parametrize(
    ("answer", "earned", "says"),
    [
        (None, 0, "Next: task 1, submit, poll and view."),
        (OWN_ANSWER, 39, "All 39 checks pass."),
    ],
    ids=["starter", "right"],
)
def test_running_it_gives_the_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str | None, earned: int, says: str
) -> None:
    """As nbgrader runs it: all cells in a fresh kernel; the number that the test cell shows is the grade."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for folder in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{folder}_DIR", str(tmp_path / folder.lower()))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    path = tmp_path / "für ada.ipynb"
    assert jobkit_notebook("ex03", path).output == f"{path}: ex03 Tokens and zombies, 39 points\n"
    made = nbformat.read(path, as_version=4)
    if answer is not None:
        made.cells[-2].source = answer
    NotebookClient(
        made,
        timeout=60,
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path)}},
        shutdown_kernel="immediate",
    ).execute()
    outputs = made.cells[-1].outputs
    assert [one.output_type for one in outputs] == ["stream", "execute_result"]
    assert outputs[0].name == "stdout"
    assert says in outputs[0].text
    assert outputs[1].data["text/plain"] == str(earned)


def test_every_exercise_at_once_and_nothing_is_overwritten(tmp_path: Path) -> None:
    """A folder with one notebook each; a second time needs --replace."""
    said = jobkit_notebook("--all", tmp_path / "to hand out")
    assert said.exit_code == 0
    written = sorted(path.stem for path in (tmp_path / "to hand out").iterdir())
    assert written == [exercise.id for exercise in EXERCISES]
    file = tmp_path / "to hand out" / f"{EXERCISE.id}.ipynb"
    file.write_text("mine", encoding="utf-8")
    said = jobkit_notebook("ex03", file)
    assert (said.exit_code, file.read_text(encoding="utf-8")) == (2, "mine")
    assert said.output == f"Error: {file} is there already and stays as it is. Another name, or --replace?\n"
    assert jobkit_notebook("ex03", file, "--replace").exit_code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["nbformat"] == 4


@pytest.mark.parametrize("words", [("ex03",), ("--all", "ex03", "a"), ("ex03", ".")])
def test_a_mistake_is_answered_in_one_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2 and what would be right."""
    monkeypatch.chdir(tmp_path)
    said = jobkit_notebook(*words)
    assert (said.exit_code, len(said.output.splitlines())) == (2, 1)
    assert list(tmp_path.iterdir()) == []
