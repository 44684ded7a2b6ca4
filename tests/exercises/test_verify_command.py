"""`jobkit verify`: all exercises side by side, one of them step by step, and what it says of both."""

import json
from typing import Self

import pytest
from click.testing import CliRunner

from exercises.grader.judging.catalogue import Exercise, find
from exercises.grader.proving.verify import Tell
from webui.cli import verify as verify_command
from webui.cli.verify import verify_

EX01, EX02 = find("ex01"), find("ex02")


@pytest.fixture(autouse=True)
def no_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The signals of the program that runs the tests stay as they are."""
    monkeypatch.setattr(verify_command, "stop_politely", lambda: None)


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are two exercises."""
    monkeypatch.setattr(verify_command, "catalogue", lambda: [EX01, EX02])


def answered(monkeypatch: pytest.MonkeyPatch, *, out: str, err: str = "") -> list[list[str]]:
    """Let every process that is started say this; return what was started."""
    started: list[list[str]] = []

    class Process:
        """One that says it at once."""

        def __init__(self, command: list[str], **_: object) -> None:
            started.append(command)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing is left of it."""

        def communicate(self) -> tuple[str, str]:
            return out, err

    monkeypatch.setattr(verify_command.subprocess, "Popen", Process)
    return started


def test_one_is_told_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process; its problems come last, before the sum."""

    def verify(exercise: Exercise, tell: Tell, *, write: bool) -> list[str]:
        tell("files, to be written" if write else "files")
        return [f"{exercise.id}, files: notes.txt does not belong here"]

    monkeypatch.setattr(verify_command, "verify", verify)
    said = CliRunner().invoke(verify_, ["ex01"])
    assert said.exit_code == 1
    assert said.output.splitlines()[1:] == [
        "  files",
        "  ex01_who_is_next, files: notes.txt does not belong here",
        "Verified: 1. Problems: 1.",
    ]
    told = json.loads(CliRunner().invoke(verify_, ["ex01", "--json"]).output)
    problems = ["ex01_who_is_next, files: notes.txt does not belong here"]
    assert told == {EX01.id: {"skipped": "", "problems": problems}}
    assert "  files, to be written" in CliRunner().invoke(verify_, ["ex01", "--write"]).output


@pytest.mark.usefixtures("two")
def test_all_are_verified_in_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one with more to do begins; what each says is told as it comes."""
    sound = {"skipped": "", "problems": []}
    started = answered(monkeypatch, out=json.dumps({EX01.id: sound, EX02.id: {**sound, "problems": ["Odd."]}}))
    said = CliRunner().invoke(verify_, [])
    assert [command[-2] for command in started] == [EX02.id, EX01.id]
    CliRunner().invoke(verify_, ["--write"])
    assert [command[-3:] for command in started[2:]] == [[one.id, "--json", "--write"] for one in (EX02, EX01)]
    lines = said.output.splitlines()
    assert lines[-1] == "Verified: 2. Problems: 1."
    assert lines[lines.index("  Odd.") - 1].split()[3] == "ex02_leases_and_expiry:"
    assert said.exit_code == 1


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("out", "err", "says"),
    [
        ("", "Traceback\nMemoryError", "ex01_who_is_next: the verification broke off: MemoryError"),
        ("{}", "", "ex01_who_is_next: the verification broke off: it said nothing"),
    ],
)
def test_a_process_that_breaks_off_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, out: str, err: str, says: str
) -> None:
    """Nothing said is never taken for nothing found."""
    answered(monkeypatch, out=out, err=err)
    said = CliRunner().invoke(verify_, [])
    assert says in said.output
    assert (said.exit_code, said.output.splitlines()[-1]) == (1, "Verified: 2. Problems: 2.")


@pytest.mark.usefixtures("two")
def test_what_is_skipped_is_said_and_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its reason."""
    skipped = {"skipped": "There is no server.", "problems": []}
    answered(monkeypatch, out=json.dumps({EX01.id: skipped, EX02.id: {"skipped": "", "problems": []}}))
    said = CliRunner().invoke(verify_, [])
    assert "ex01_who_is_next: skipped. There is no server." in said.output
    assert (said.exit_code, said.output.splitlines()[-1]) == (0, "Verified: 1. Problems: 0.")


def test_a_real_process_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest exercise, through the whole command."""
    monkeypatch.setattr(verify_command, "catalogue", lambda: [EX01])
    said = CliRunner().invoke(verify_, [])
    assert said.output.splitlines() == [
        f"1 of 1  {EX01.id}: {len(EX01.checks)} checks, {len(EX01.misconceptions)} misconceptions",
        "Verified: 1. Problems: 0.",
    ]
