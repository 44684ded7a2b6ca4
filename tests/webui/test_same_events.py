"""The terminal and the board tell of one and the same world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from jobqueue.simulation import SCENARIOS, run
from jobqueue.simulation.narration import narrate
from jobqueue.simulation.units import seconds
from tests.simulation.worlds import keys
from tests.webui.asking import BoardClient, Parsed
from webui import cli
from webui.board.view import LOG_LINES
from webui.cli import jobkit

if TYPE_CHECKING:
    from flask import Flask


def stepped(app: Flask, name: str) -> BoardClient:
    """Return a board that was stepped to the end."""
    board = BoardClient(app, name)
    while board.lab.world.next_at() is not None:
        board.lab.step()
    return board


@pytest.mark.parametrize("name", SCENARIOS)
def test_trace_and_board_are_drawn_from_the_same_events(
    app: Flask, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The world behind `jobkit trace` and the one behind the board are equal in all that an event says."""
    worlds = []
    monkeypatch.setattr(jobkit, "run", lambda *arguments: worlds.append(run(*arguments)) or worlds[-1])  # type: ignore[func-returns-value]
    result = CliRunner().invoke(cli.main, ["trace", name])
    assert result.exit_code == 0
    traced, shown = worlds[0].log.events, stepped(app, name).lab.world.log.events
    assert keys(traced) == keys(shown)
    assert [dict(event.detail) for event in traced] == [dict(event.detail) for event in shown]
    assert len(traced) >= 5


@pytest.mark.parametrize("name", SCENARIOS)
def test_trace_and_board_tell_the_same_sentences(app: Flask, name: str) -> None:
    """Each line of the terminal is a line of the board's log, which shows the newest first."""
    board = stepped(app, name)
    text = " ".join(Parsed(board.page()).text.replace("\N{NO-BREAK SPACE}", " ").split())
    trace = " ".join(CliRunner().invoke(cli.main, ["trace", name]).output.split())
    most = SCENARIOS[name].policy.max_attempts
    sentences = [narrate(entry, most) for entry in board.lab.world.chronicle.entries]
    for sentence in sentences:
        assert f"{seconds(sentence.at)} {sentence.who} {sentence.text}" in trace
    for sentence in sentences[-LOG_LINES:]:
        who = {"queue": "queue:"}.get(sentence.who, sentence.who)
        assert f"{seconds(sentence.at)} {who} {sentence.text}" in text


def test_the_command_knows_every_scenario() -> None:
    """Names are listed; a wrong one is told with the one that was probably meant."""
    listed = CliRunner().invoke(cli.main, ["scenarios"]).output
    assert [name for name in SCENARIOS if name not in listed] == []
    wrong = CliRunner().invoke(cli.main, ["trace", "zombi"])
    assert wrong.exit_code == 1
    assert "did you mean zombie?" in wrong.output
