"""Whose file is it, and what does it answer? Names as classes really hand them in."""

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from exercises.grader.classroom.results import file_names
from exercises.grader.classroom.submissions import Listing, files_below, recognise, sort_out
from exercises.grader.errors import ExerciseError

IDS = {3: "ex03_tokens", 4: "ex04_backoff", 12: "ex12_idempotent_submit"}
ALL = sorted(IDS.values())


@pytest.mark.parametrize(
    ("path", "learner", "number"),
    [
        ("ada/ex03_tokens.py", "ada", 3),
        ("ada/ex3.py", "ada", 3),
        ("ada/answers/ex12_idempotent_submit.py", "ada", 12),
        ("ada_ex03.py", "ada", 3),
        ("ada_ex03.ipynb", "ada", 3),
        ("ada-ex03_tokens.py", "ada", 3),
        ("ADA.EX03_TOKENS.PY", "ADA", 3),
        ("Ada Lovelace ex03 (1).py", "Ada Lovelace", 3),
        ("lovelaceada_4711_1234_ex03_tokens-2.py", "lovelaceada", 3),
        ("lovelaceada_LATE_4711_1234_ex03_tokens.py", "lovelaceada", 3),
        ("ada_ex03_LATE.py", "ada", 3),
        ("ex04/ada/answer.py", "ada", 4),
        ("Zoë Löwe_99_assignsubmission_file/ex04.py", "Zoë Löwe", 4),
        ("ex04/ada.py", "ada", 4),
        ("ex04_backoff/ada/ex04.py", "ada", 4),
        ("ex04/ada_ex04.py", "ada", 4),
        ("rex04/ex04.py", "rex04", 4),
    ],
)
@pytest.mark.parametrize("kind", [PurePosixPath, PureWindowsPath])
def test_a_submission_is_recognised(kind, path, learner, number):
    """By folder or by file name, on every system."""
    one = recognise(kind(*path.split("/")), IDS)
    assert not isinstance(one, str), one
    assert (one.learner, one.exercise) == (learner, IDS[number])


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("ada/notes.txt", "no Python file and no notebook"),
        ("ada/queue.py", "tells no exercise"),
        ("ada/ex99.py", "tells no exercise"),
        ("ada/ex03_backoff.py", "tells no exercise"),
        ("index03.py", "tells no exercise"),
        ("ex03_tokens.py", "whose it is"),
        ("ex03/ex04.py", "different exercises"),
        ("x" * 101 + "/ex03.py", "too long"),
        ("a\x1b[2J/ex03.py", "no name"),
    ],
)
def test_what_is_not_recognised_says_why(path, why):
    """Nothing is guessed."""
    said = recognise(PurePosixPath(path), IDS)
    assert isinstance(said, str)
    assert why in said


def test_a_second_answer_to_one_exercise_is_named_and_not_graded():
    """The newest counts, else the first in order; no submission is chosen in silence."""
    both = (PurePosixPath("ada/ex03_tokens.py"), PurePosixPath("ada_ex03.py"))
    newer = sort_out(Listing(both, saved_at={both[0]: 1.0, both[1]: 2.0}), ALL)
    assert [one.path for one in newer.submissions] == [both[1]]
    assert newer.older == {"ada": ("ada/ex03_tokens.py",)}
    found = sort_out(Listing(both), ALL)
    assert [str(one.path) for one in found.submissions] == ["ada/ex03_tokens.py"]
    assert found.others == (
        (PurePosixPath("ada_ex03.py"), "ada has another answer to ex03_tokens: ada/ex03_tokens.py is graded"),
    )


def test_a_folder_can_be_one_learners():
    """Then no name has to say whose it is, and none that does is believed."""
    paths = tuple(map(PurePosixPath, ("answers/ex03_tokens.py", "ex04.py", "bob_ex12.py")))
    found = sort_out(Listing(paths), ALL, "ada/l")
    assert {one.learner for one in found.submissions} == {"ada/l"}
    assert [one.exercise for one in found.submissions] == ALL
    assert found.others == ()


def test_a_folder_is_listed_without_links_and_without_what_tools_leave(tmp_path: Path):
    """Links are named, not followed; hidden folders, caches and the kit's own files are passed over."""
    for name in (
        "ada/ex03_tokens.py",
        "ada/ex03_tokens.md",
        "ada/ex03_tokens.backup-1.py",
        "ada/progress.json",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for name in ("__pycache__", ".git", "__MACOSX"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bob_ex03.py").touch()
    outside = tmp_path.parent / "outside"
    outside.mkdir()
    (outside / "ex03.py").touch()
    try:
        (tmp_path / "eve").symlink_to(outside, target_is_directory=True)
        (tmp_path / "mallory_ex03.py").symlink_to(outside / "ex03.py")
    except OSError:
        pytest.skip("this system lets not everybody make links")
    found = sort_out(files_below(tmp_path), ALL)
    assert [(one.learner, one.path.as_posix()) for one in found.submissions] == [("ada", "ada/ex03_tokens.py")]
    assert [path.as_posix() for path, _ in found.others] == ["eve", "mallory_ex03.py"]
    assert {why for _, why in found.others} == {"it is a link, and links are not followed"}


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A learner's work must not be passed over in silence."""
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ex03.py").touch()
    scandir = os.scandir

    def locked(path: str):
        if Path(path).name == "bob":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", locked)
    found = sort_out(files_below(tmp_path), ALL)
    assert [one.learner for one in found.submissions] == ["ada"]
    assert [(str(path), why) for path, why in found.others] == [("bob", "it cannot be read: Permission denied")]


def test_a_folder_with_too_much_in_it_is_refused(tmp_path: Path):
    """Somebody may have named the wrong one."""
    for number in range(4):
        (tmp_path / f"{number}").touch()
    with pytest.raises(ExerciseError, match="holds more than 3 files"):
        files_below(tmp_path, most=3)
    with pytest.raises(ExerciseError, match="There is no folder"):
        files_below(tmp_path / "nowhere")


def test_every_learner_gets_a_file_name_that_every_system_takes():
    """No device, no path, no name twice where case does not count."""
    learners = ["ada", "ADA", "..", "a/b", r"a\b", "CON", "nul.txt", "x" * 300, "Zoë", "a:b?", " b", "ada-2"]
    names = file_names(learners)
    assert len({name.casefold() for name in names.values()}) == len(learners)
    for name in names.values():
        assert not PureWindowsPath(name).is_reserved()
        assert len(PureWindowsPath(name).parts) == len(PurePosixPath(name).parts) == 1
        assert name == name.strip(" .")
        assert len(name) < 100
    assert names["Zoë"] == "Zoë"
