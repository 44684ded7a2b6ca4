"""Tokens: how they are configured, and that only their hashes are kept."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from webui.auth import Grant, Role, TokenFileError, described, hash_of, new_token, read_tokens, tokens_for_today
from webui.cli import main


def test_a_token_that_the_command_makes_is_let_in(tmp_path):
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


def test_nothing_of_a_token_is_kept_but_its_hash():
    """So whoever reads the program's memory of grants cannot use them."""
    access, tokens = tokens_for_today()
    assert not any(token in repr(vars(access)) for token in tokens.values())
    assert len({new_token() for _ in range(100)}) == 100
    assert all(len(token) > 40 for token in tokens.values())


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
def test_a_bad_file_says_what_is_wrong(tmp_path, text):
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
def test_a_token_that_makes_no_sense_is_not_made(role, tenants, words):
    """A producer has one tenant; names are not blank."""
    result = CliRunner().invoke(main, ["token", "--name", "x", "--role", role, "--tenants", tenants])
    assert result.exit_code == 2
    assert words in result.output
