"""A board saved as a test: it runs under pytest, passes, and fails when the story comes out otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jobqueue.simulation import SCENARIOS, Task
from jobqueue.simulation.free_lab import FREE, FreeLab
from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import Recipe
from jobqueue.simulation.rule_settings import RuleSettings
from jobqueue.simulation.saved_test import as_test
from tests.simulation.walks import FREE_LABS, RULES, poke, walk

ROOT = Path(__file__).parents[2]
HOSTILE = 'a "quoted" \\ text\\\'s \u202e end""" {x} \N{ZOMBIE}\n'


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run pytest on a folder, as a learner would."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", str(folder)],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def stories() -> dict[str, Recipe]:
    """Return a story of every kind: with and without hands in it, other rules, free labs, hostile words."""
    found = {name: Playback(Recipe(name)) for name in SCENARIOS}
    for playback in found.values():
        playback.seek(playback.end())
    recipes = {name: playback.recipe for name, playback in found.items()}
    recipes |= {f"walk_{seed}": walk(seed)[-1].recipe for seed in range(25)}
    for number, rules in enumerate(filter(None, RULES)):
        recipes[f"rules_{number}"] = Recipe("hhhnnl", 5, rules).at_instant(9000)
    for number, free in enumerate(FREE_LABS):
        recipes[f"free_{number}"] = Recipe(
            FREE, 2, RuleSettings(4, cycle="HNL", max_running_low=1), free, at=8000
        )
    words = Playback(Recipe(FREE, free=FreeLab((Task(0, HOSTILE[:20].strip(), HOSTILE),))))
    words.do("submit", type=HOSTILE.strip(), payload=HOSTILE, tenant="World Scenario")
    poke(words, "crash", {"worker": "A"})
    return recipes | {"words": words.recipe}


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """Return the saved test of each story."""
    return {name: as_test(recipe) for name, recipe in stories().items()}


def test_every_saved_test_passes(tmp_path: Path, sources: dict[str, str]) -> None:
    """All of them, each in a file of its own, in a folder that knows nothing of this one."""
    for name, source in sources.items():
        (tmp_path / f"test_{name}.py").write_text(source, encoding="utf-8")
    result = run(tmp_path)
    assert f"{len(sources)} passed" in result.stdout, result.stdout[-3000:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('("SUCCEEDED", [', '("DEAD", ['),
        ("30000", "30001"),
        ('"expired"', '"failed"'),
        ('("B", 31000', '("A", 31000'),
        ('{"J1": 2', '{"J1": 1'),
        ("world.advance_to(41000)", "world.advance_to(34000)"),
    ],
)
def test_a_saved_test_fails_if_anything_comes_out_otherwise(
    tmp_path: Path, sources: dict[str, str], old: str, new: str
) -> None:
    """A state, an instant, an outcome, a worker, an effect: each is looked at."""
    assert old in sources["zombie"]
    (tmp_path / "test_zombie.py").write_text(sources["zombie"].replace(old, new, 1), encoding="utf-8")
    result = run(tmp_path)
    assert "1 failed" in result.stdout, result.stdout


def test_a_saved_test_is_readable_and_plain(sources: dict[str, str]) -> None:
    """Plain letters, a sentence of what it is about, and no line that nobody could read."""
    for name, source in sources.items():
        assert source.isascii(), name
        assert max(map(len, source.splitlines())) < 2600, name
        assert '"""' in source.splitlines()[0]
    assert max(map(len, sources["zombie"].splitlines())) <= 110
    assert SCENARIOS["zombie"].question.split(".")[0] in sources["zombie"]


def test_what_lies_ahead_is_not_in_the_test() -> None:
    """It tells what was played, and not what was taken back."""
    playback = Playback(Recipe("zombie"))
    playback.seek(7500)
    playback.do("crash", worker="B")
    playback.seek(2000)
    assert "crash" not in as_test(playback.recipe)
