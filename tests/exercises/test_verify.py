"""The grader is graded, and the grading itself must be able to find a fault."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from exercises.grader.errors import BadExerciseError
from exercises.grader.judging.catalogue import Exercise, catalogue, load
from exercises.grader.judging.verdicts import as_text, read_verdicts
from exercises.grader.proving import verify as verifying
from exercises.grader.proving.verify import PARTS, verify
from tests.exercises.grading import EXERCISE, need_server_for


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The exercise's folder, to be spoilt."""
    return Path(
        shutil.copytree(EXERCISE.folder, tmp_path / EXERCISE.id, ignore=shutil.ignore_patterns("__pycache__"))
    )


def keep_only(copy: Path, *ids: str) -> None:
    """Drop all other misconceptions: the fewer there are, the sooner a fault in one is found."""
    path = copy / "mutants.toml"
    head, *entries = path.read_text(encoding="utf-8").split("[[mutant]]")
    kept = [entry for entry in entries if any(f'id = "{name}"' in entry for name in ids)]
    assert len(kept) == len(ids)
    path.write_text("[[mutant]]".join([head, *kept]), encoding="utf-8")
    verdicts = {name: forms for name, forms in read_verdicts(copy).items() if name in ids}
    (copy / "verdicts.toml").write_text(as_text("ex03", verdicts), encoding="utf-8")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new), encoding="utf-8")


QUICK = ("files", "texts", "starter", "right answers", "hints")


@pytest.mark.parametrize("exercise", catalogue(), ids=lambda exercise: exercise.id)
def test_every_exercise_is_sound(exercise: Exercise) -> None:
    """Files, texts, starter, right answers and hints do what they promise.

    Wrong answers are left to `jobkit verify`, which runs beside these tests; a few are in test_verdicts.py.
    """
    need_server_for(exercise)
    assert [problem for part in QUICK for problem in PARTS[part](exercise)] == []


def test_verification_runs_every_part_and_tells_it(copy: Path) -> None:
    """Nothing is found in a sound exercise, here with few misconceptions: too few of them is all there is."""
    told: list[str] = []
    keep_only(copy, "late_by_one", "fail_unchecked")
    assert verify(load(copy), told.append) == ["ex03_tokens, files: there are fewer than 8 misconceptions"]
    assert told == list(PARTS)


@pytest.fixture
def two_will_do(monkeypatch: pytest.MonkeyPatch, copy: Path) -> None:
    """Two misconceptions are enough for this exercise."""
    monkeypatch.setattr(verifying, "FEWEST_MISCONCEPTIONS", 2)
    keep_only(copy, "late_by_one", "fail_unchecked")


@pytest.mark.usefixtures("two_will_do")
def test_what_is_written_is_what_was_found(copy: Path) -> None:
    """Then it is all right, and a hint in other words changes nothing of it."""
    path = copy / "verdicts.toml"
    agreed = path.read_text(encoding="utf-8")
    path.unlink()
    edit(copy / "mutants.toml", "What happens to B's job", "What becomes of B's job")
    assert [one.forms[0].fails for one in load(copy).misconceptions] == [{}, {}]
    assert verify(load(copy), write=True) == []
    assert path.read_text(encoding="utf-8") == agreed
    assert verify(load(copy)) == []


@pytest.mark.usefixtures("two_will_do")
def test_nothing_is_written_as_long_as_something_is_wrong(copy: Path) -> None:
    """A mistake that survives cannot be blessed by carelessness."""
    agreed = (copy / "verdicts.toml").read_text(encoding="utf-8")
    edit(copy / "mutants.toml", "now > job", "now >=  job")
    assert verify(load(copy), write=True) == [
        "ex03_tokens, misconceptions: late_by_one survives ends_at_the_instant",
        "ex03_tokens, misconceptions: late_by_one is diagnosed as nothing",
        "ex03_tokens: verdicts.toml is not written, as long as something else is wrong",
    ]
    assert (copy / "verdicts.toml").read_text(encoding="utf-8") == agreed


@dataclass(frozen=True, slots=True)
class Fault:
    """One edit of one file, the part of the verification that must notice, and what it says."""

    part: str
    file: str
    old: str
    new: str
    says: str


FAULTS = [
    Fault("right answers", "solution.py", "now >= job", "now > job", "solution.py: ends_at_the_instant: fail"),
    Fault("texts", "starter.py", "ex03, task 4: fail", "later", "does not name exercise and task: 'later'"),
    Fault("texts", "starter.py", "worker_id: str, lease", "worker: str, lease", "TokenQueue.poll differs"),
    Fault(
        "texts", "task.md", "Task 2: the end of a lease", "Task 2: leases", "does not say 'Task 2: the end of"
    ),
    Fault(
        "starter",
        "starter.py",
        'raise NotImplementedError("ex03, task 1: submit")',
        'return "X"',
        "handed_out is",
    ),
    Fault(
        "written verdicts",
        "verdicts.toml",
        'fails.accepted = ["zombie_fails"]',
        'fails.silent = ["zombie_fails"]',
        """-fails.silent = ["zombie_fails"]\n+fails.accepted = ["zombie_fails"]""",
    ),
    Fault("misconceptions", "mutants.toml", "now > job", "now >=  job", "late_by_one survives"),
    Fault("misconceptions", "mutants.toml", "now >= job.lease_until", "now == 0", "its old text is 0 times"),
    Fault(
        "hints",
        "mutants.toml",
        "What happens to B's job",
        "job.attempts += 1",
        "fail_unchecked quotes the solution",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{fault.file}: {fault.says}" for fault in FAULTS])
def test_a_spoilt_exercise_is_found_out(copy: Path, fault: Fault) -> None:
    """One fault in the folder is one sentence in the findings of that part."""
    keep_only(copy, "late_by_one", "fail_unchecked")
    edit(copy / fault.file, fault.old, fault.new)
    assert any(fault.says in problem for problem in PARTS[fault.part](load(copy)))


def test_two_misconceptions_that_look_alike_are_found_out(copy: Path) -> None:
    """Who fails the same checks in the same ways cannot be told apart: a check is missing."""
    keep_only(copy, "late_by_one", "fail_unchecked")
    path = copy / "mutants.toml"
    again = path.read_text(encoding="utf-8").split("[[mutant]]")[-1]
    with path.open("a", encoding="utf-8") as file:
        file.write("\n[[mutant]]" + again.replace("fail_unchecked", "nobody_asks"))
    found = list(PARTS["misconceptions"](load(copy)))
    assert any(
        "nobody_asks fails in the same way as fail_unchecked: add a check that tells them apart" in one
        for one in found
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("exercise.toml", "prerequisites = []", 'prerequisites = ["ex02"]', "'ex02' is no earlier exercise"),
        ("exercise.toml", "prerequisites = []", 'prerequisites = ["ex03"]', "'ex03' is no earlier exercise"),
        ("exercise.toml", 'scenario = "zombie"', 'scenario = "no"', "exercise.toml: no scenario is named 'no'"),
        ("mutants.toml", "flawed_by_id", "flawed", "by_id_only: no scenario is named 'flawed'"),
        ("task.md", "## Out of scope", "## Out of scope\n\nSee ex04.", "task.md names ex04, which does not"),
    ],
)
def test_an_exercise_that_names_one_that_does_not_exist_is_found_out(
    copy: Path, file: str, old: str, new: str, says: str
) -> None:
    """A learner must not be sent to look for something that is not there."""
    edit(copy / file, old, new)
    assert any(says in problem for problem in PARTS["files"](load(copy)))


def test_a_stray_file_is_found_out(copy: Path) -> None:
    """An exercise folder holds what belongs there."""
    (copy / "notes.txt").write_text("x", encoding="utf-8")
    assert list(PARTS["files"](load(copy))) == ["notes.txt does not belong here"]


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("exercise.toml", "points = 14", "points = 13", "task 3 promises 13 points, its checks give 14"),
        (
            "exercise.toml",
            'happy_path = "happy_path"',
            'happy_path = "sad_path"',
            "the happy path 'sad_path' is no check",
        ),
        (
            "mutants.toml",
            'killed_by = "says_why"',
            'killed_by = "nobody"',
            "killed_by names 'nobody', which is no check",
        ),
        (
            "mutants.toml",
            'id = "late_by_one"',
            'id = "by_id_only"',
            "by_id_only: two misconceptions of this id",
        ),
        ("checks.toml", "[1.handed_out]\n", "[1.handed_out]\npoints = 0\n", "worth at least one point"),
    ],
)
def test_a_contradiction_in_the_folder_is_told_in_one_line(
    copy: Path, file: str, old: str, new: str, says: str
) -> None:
    """An exercise that contradicts itself is not even loaded."""
    edit(copy / file, old, new)
    with pytest.raises(BadExerciseError, match="ex03_tokens: ") as refusal:
        load(copy)
    assert says in str(refusal.value)


def test_a_broken_check_is_the_graders_fault_never_the_learners(copy: Path) -> None:
    """An error inside a check is told as what it is, and the other checks go on."""
    edit(
        copy / "checks.py",
        "    walk(case, token_queue, WIDTHS, turns=40)",
        "    1 / 0",
    )
    problems = list(PARTS["right answers"](load(copy)))
    assert any("any_story: grader fault: The check itself is broken" in problem for problem in problems)
