"""Where the learner writes the tests, the flaws are graded as well, and that grading must find a fault."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from exercises.grader.judging.catalogue import Exercise, find, load
from exercises.grader.proving import verify_flaws
from exercises.grader.proving.mechanical import Mechanical, mechanical_mutants
from exercises.grader.proving.verify import PARTS

EXERCISE = find("ex13")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The exercise's folder, to be spoilt."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(EXERCISE.folder, tmp_path / EXERCISE.id, ignore=ignored))


@dataclass(frozen=True, slots=True)
class Fault:
    """One edit of one file, and what the part `flaws` says to it."""

    file: str
    old: str
    new: str
    says: str


FAULTS = [
    Fault("flaws.toml", 'old = "now >= job.lease_until"', 'old = "now >> then"', "its old text is 0 times"),
    Fault("flaws.toml", '"now >= job.lease_until - 1"', '"now > job.lease_until"', "is the same queue as"),
    Fault("flaws.toml", '"now > job.lease_until"', '"True"', "late_by_one does not even pass the worked"),
    Fault("flaws.toml", 'family = "retries"', 'family = "trials"', "never_doubles is of no family"),
    Fault(
        "task.md", "## Out of scope", "no_cap\n\n## Out of scope", "no_cap is hidden, and yet its name is told"
    ),
    Fault("flaws.toml", 'variant_of = "no_cap"', 'variant_of = "no_end"', "cap_comes_late is a variant of no"),
    Fault("flaws.toml", 'variant_of = "no_cap"', 'variant_of = "never_doubles"', "is a variant of no hidden"),
    Fault("task.md", "`dead_letters()`", "the list", "task.md does not mention dead_letters"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.says for fault in FAULTS])
def test_a_spoilt_flaw_is_found_out(copy: Path, fault: Fault) -> None:
    """One fault in the folder is a sentence in the findings."""
    path = copy / fault.file
    text = path.read_text(encoding="utf-8")
    assert fault.old in text
    exercise = replace(EXERCISE, folder=copy)
    count = -1 if fault.file == "task.md" else 1
    path.write_text(text.replace(fault.old, fault.new, count), encoding="utf-8")
    if fault.says.startswith("late_by_one"):  # the only one whose tests must be run
        assert any(fault.says in problem for problem in PARTS["flaws"](exercise))
        return
    assert any(fault.says in problem for problem in _without_running(exercise))


def _without_running(exercise: Exercise) -> Iterator[str]:
    """The findings that need no test to be run."""
    known = verify_flaws.subjects(exercise.folder)
    yield from verify_flaws._texts(exercise, known)
    yield from dict(verify_flaws._unfit(known)).values()


def test_few_hidden_flaws_and_few_right_queues_are_found_out(copy: Path) -> None:
    """Twelve at least, and two right queues more than the one that is flawed."""
    head, *entries = (copy / "flaws.toml").read_text(encoding="utf-8").split("[[flaw]]")
    (copy / "flaws.toml").write_text("[[flaw]]".join([head, *entries[: 7 + 2 * 11]]), encoding="utf-8")
    (copy / "right_queues" / "library.py").unlink()
    found = list(PARTS["flaws"](replace(EXERCISE, folder=copy)))
    assert "there are 11 hidden flaws, not 12 or more" in found
    assert "there are fewer than 2 right queues that are built otherwise" in found


def test_a_change_that_no_test_of_the_solution_notices_is_found_out(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the test at the instant, the change of >= to > in the right queue goes unseen."""

    def instants_only(text: str) -> list[Mechanical]:
        return [one for one in mechanical_mutants(text) if "now > job.lease_until" in one.change]

    monkeypatch.setattr(verify_flaws, "mechanical_mutants", instants_only)
    path = copy / "solution.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("test_at_the_instant", "at_the_instant"), encoding="utf-8")
    exercise = replace(load(copy), equivalents={})
    found = list(PARTS["mechanical mutants"](exercise))
    assert len(found) == 1
    assert found[0].endswith("add one, or list it as equivalent")
    assert list(PARTS["mechanical mutants"](replace(EXERCISE, equivalents={}))) == []


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("min(self._cap + self._cap * (job.attempts > 8),", "solution.py does not catch cap_comes_late"),
        (
            "(error == 'broken') + min(self._cap,",
            "first_failure_only shows at only one of no_cap and cap_comes_late",
        ),
    ],
)
def test_every_draw_must_be_caught_not_only_one(copy: Path, new: str, says: str) -> None:
    """A right answer that misses a variant is found out, and so is a misconception that misses only one."""
    path = copy / "flaws.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count("min(2 * self._cap,") == 1
    path.write_text(text.replace("min(2 * self._cap,", new), encoding="utf-8")
    wrong = [one for one in EXERCISE.misconceptions if one.id == "first_failure_only"]
    known = verify_flaws.subjects(copy)
    both = [flaw for flaw in known.flaws if "no_cap" in {flaw.id, flaw.variant_of}]
    assert len(both) == 2
    assert says in list(
        verify_flaws._draws(replace(EXERCISE, folder=copy, misconceptions=tuple(wrong)), known, both)
    )


def test_a_kind_that_nobody_knows_is_refused(copy: Path) -> None:
    """A slip in exercise.toml must not quietly make another kind of exercise."""
    path = copy / "exercise.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"tests"', '"test"'), encoding="utf-8")
    with pytest.raises(Exception, match="its kind is 'test', not one of code, tests"):
        load(copy)
