"""What a terminal is given: every control character of a foreign text is shown, none is obeyed."""

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exercises.grader.explaining.page import plain_text
from jobqueue import JobQueue, ManualClock, RetryPolicy
from webui.auth import Role, described, read_tokens
from webui.cli import main
from webui.cli import queue as queue_commands

FORGED = "w: J7 done"
HOSTILE = f"x\x1b[2J\x9b31m\x7f\r\u202e\u2066\u200by\n{FORGED}"

WITHOUT_FOREIGN_TEXT = {"lab", "list", "scenarios"}
CASES = [
    [HOSTILE],
    ["trace", f"--{HOSTILE}"],
    ["trace", HOSTILE],
    ["trace", "zombie", "--seed", HOSTILE],
    ["board", "--db", HOSTILE],
    ["board", "--token-file", HOSTILE],
    ["board", "--db", "memory:", "--host", HOSTILE],
    ["worker", "--db", HOSTILE],
    ["worker", "--types", HOSTILE],
    ["worker", "--url", HOSTILE, "--token", "x"],
    ["demo-load", "--db", HOSTILE],
    ["demo-load", "--db", f"sqlite:///{HOSTILE}/none.db"],
    ["demo-load", "--url", f"http://127.0.0.1:9/{HOSTILE}", "--token", "x"],
    ["token", "--role", "worker", "--name", HOSTILE],
    ["token", "--role", "worker", "--name", "w", "--tenants", HOSTILE],
    ["token", "--role", HOSTILE],
    ["postgres", "--data", "file\x1b[2J"],
    *(
        [name, HOSTILE]
        for name in ("start", "check", "hint", "reset", "watch", "copy", "open", "solution", "grade", "verify")
    ),
    ["copy", "ex01", HOSTILE.replace("/", "")],
    ["grade", "handed_in", "--dry-run"],
    ["notebook", HOSTILE, "x.ipynb"],
    ["notebook", "ex01", HOSTILE],
    ["progress", "--import", HOSTILE],
    ["progress", "--export", HOSTILE],
]


def assert_plain(output: Any) -> None:
    """Line breaks are ours, and nothing else in it is for the terminal."""
    assert output.replace("\n", "").isprintable(), ascii(output)
    assert not any(line.startswith(FORGED) for line in output.splitlines())


def test_every_command_is_asked() -> None:
    """A new command has to show here what it does with foreign text."""
    assert set(main.commands) == WITHOUT_FOREIGN_TEXT | {case[0] for case in CASES} - {HOSTILE}


@pytest.mark.parametrize("arguments", CASES, ids=lambda case: plain_text(" ".join(case)[:40]))
def test_no_argument_reaches_the_terminal_as_it_is(
    arguments: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a command says of a name, a path or an address, it writes its control characters out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file\x1b[2J").write_text("no folder")
    (tmp_path / "handed_in" / HOSTILE).mkdir(parents=True)
    for name in ("ex01.py", f"{HOSTILE}.txt"):
        (tmp_path / "handed_in" / HOSTILE / name).write_text("")
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.output
    assert_plain(result.output)


@pytest.mark.parametrize(
    "word", ["leased", "renewed", "failed", "refused", "released", "abandoned", "unanswered"]
)
def test_a_worker_prints_one_line_for_each_thing_that_it_says(
    word: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error's text cannot make a line of its own, and neither can the name of a type or of the worker."""
    queue = JobQueue(ManualClock(), RetryPolicy(1, 0, 0))
    queue.submit(HOSTILE, HOSTILE, tenant=HOSTILE)
    tell = queue_commands._teller(HOSTILE)
    for lease in (queue.poll(HOSTILE, 1000), None):
        tell(word, lease, HOSTILE)
    output = capsys.readouterr().out
    assert output.count("\n") == 2
    assert_plain(output)


def test_what_is_logged_is_plain() -> None:
    """A traceback quotes the words of errors, and those may be anybody's."""
    CliRunner().invoke(main, ["scenarios"])
    try:
        pytest.fail(HOSTILE)
    except pytest.fail.Exception:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, "of %s", (HOSTILE,), sys.exc_info())
    output = logging.lastResort.format(record)  # type: ignore[union-attr]
    assert "Traceback" in output
    assert_plain(output)


def test_a_token_file_holds_any_name(tmp_path: Path) -> None:
    """What the command prints is one TOML table, whatever the name is."""
    path = tmp_path / "tokens.toml"
    path.write_text(described(HOSTILE, Role.WORKER, frozenset({HOSTILE}), "token"))
    assert_plain(path.read_text())
    found = read_tokens(path).find("token")
    assert (found.name, found.tenants) == (HOSTILE, {HOSTILE})  # type: ignore[union-attr]
