"""Tokens: how they are configured, and that only their hashes are kept."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from webui.auth import (
    Grant,
    Role,
    TokenFileError,
    described,
    hash_of,
    keep_tokens,
    new_token,
    own_tokens,
    read_tokens,
)
from webui.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def test_a_token_that_the_command_makes_is_let_in(tmp_path: Path) -> None:
    """`jobkit token` prints it once, and the lines for the file, which do not contain it."""
    path, tokens = tmp_path / "tokens.toml", {}
    for role, tenants in (("producer", "acme"), ("worker", "acme, bo"), ("operator", "*")):
        told = CliRunner().invoke(
            main, ["token", "--name", f'the "{role}"', "--role", role, "--tenants", tenants]
        )
        assert told.exit_code == 0, told.output
        first, rest = told.output.split("\n", 1)
        tokens[role] = first.rsplit(" ", 1)[1]
        assert tokens[role] not in rest
        path.write_text((path.read_text() if path.exists() else "") + rest)
    access = read_tokens(path)
    assert access.is_configured
    assert [access.find(tokens[role]) for role in tokens] == [
        Grant('the "producer"', Role.PRODUCER, frozenset({"acme"})),
        Grant('the "worker"', Role.WORKER, frozenset({"acme", "bo"})),
        Grant('the "operator"', Role.OPERATOR, None),
    ]
    assert access.find(tokens["worker"] + "x") is None
    assert access.find("") is None
    assert access.find("\ud800") is None


def test_nothing_of_a_token_is_kept_but_its_hash(tmp_path: Path) -> None:
    """So whoever reads the program's memory of grants, or the file that it keeps, cannot use them."""
    path = tmp_path / "own" / "tokens.toml"
    access, tokens = own_tokens(path)
    assert keep_tokens(path, tokens)
    assert not any(token in repr(vars(access)) + path.read_text() for token in tokens.values())
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len({new_token() for _ in range(100)}) == 100
    assert all(len(token) > 40 for token in tokens.values())


def test_tokens_that_nobody_configured_are_made_once(tmp_path: Path) -> None:
    """The next start lets the same ones in, for this machine only as before, and has none to show."""
    path = tmp_path / "tokens.toml"
    first, tokens = own_tokens(path)
    assert keep_tokens(path, tokens)
    second, shown = own_tokens(path)
    assert (shown, second.is_configured) == ({}, False)
    for role, token in tokens.items():
        assert second.find(token) == first.find(token)
        assert second.find(token).role is role  # type: ignore[union-attr]
    assert not keep_tokens(path, own_tokens(tmp_path / "none")[1])  # another board was faster: its tokens stay
    assert second.find(tokens["worker"]) == own_tokens(path)[0].find(tokens["worker"])  # type: ignore[index]


@pytest.mark.parametrize("text", ["", "nonsense"])
def test_a_broken_file_of_own_tokens_is_no_reason_to_let_others_in(tmp_path: Path, text: Any) -> None:
    """The board does not start, and names the file."""
    (tmp_path / "tokens.toml").write_text(text)
    with pytest.raises(TokenFileError, match=r"tokens\.toml"):
        own_tokens(tmp_path / "tokens.toml")


GOOD = described("w", Role.WORKER, None, "token")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[token]\n",
        "token = []\n",
        "[[token]]\n",
        GOOD.replace("worker", "boss"),
        GOOD.replace('"*"', "[]"),
        GOOD.replace('"*"', "7"),
        GOOD.replace('"*"', '[""]'),
        GOOD.replace("worker", "producer"),
        GOOD.replace(hash_of("token"), "token"),
        GOOD + "more = 1\n",
        GOOD + "[other]\n",
        GOOD.replace('name = "w"\n', ""),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path: Path, text: Any) -> None:
    """In one line with its name, and nobody is let in."""
    path = tmp_path / "tokens.toml"
    path.write_text(text)
    with pytest.raises(TokenFileError, match=r"tokens\.toml"):
        read_tokens(path)
    result = CliRunner().invoke(main, ["board", "--db", "memory:", "--token-file", str(path)])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) <= 3


@pytest.mark.parametrize(
    ("role", "tenants", "words"),
    [
        ("producer", "*", "one tenant, not all"),
        ("producer", "a,b", "has 1 to 1"),
        ("worker", "", "blank"),
        ("boss", "*", "Invalid value"),
    ],
)
def test_a_token_that_makes_no_sense_is_not_made(role: Any, tenants: Any, words: Any) -> None:
    """A producer has one tenant; names are not blank."""
    result = CliRunner().invoke(main, ["token", "--name", "x", "--role", role, "--tenants", tenants])
    assert result.exit_code == 2
    assert words in result.output
