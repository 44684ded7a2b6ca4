"""Who may: bearer tokens, each with a role and the tenants that it covers.

A token is 256 random bits, so its plain SHA-256 is all that needs to be kept: there is no dictionary to guess
it from, and a slow hash would only slow down every request. What is configured is the hash; the token itself is
seen once, by whoever made it.
"""

import hmac
import os
import secrets
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from jobqueue.arguments import check_name

MOST_TENANTS = 100
ALL = "*"


class Role(StrEnum):
    """What a token is for."""

    PRODUCER = "producer"
    WORKER = "worker"
    OPERATOR = "operator"


class TokenFileError(Exception):
    """The file of tokens is not as it should be; the message says where."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What the bearer of a token may do.

    Args:
        name: who it is; the audit of redrives has it.
        role: what for.
        tenants: on whose behalf; None for all.
    """

    name: str
    role: Role
    tenants: frozenset[str] | None = None

    def covers(self, tenant: str) -> bool:
        """Return whether it may see and do something for a tenant."""
        return self.tenants is None or tenant in self.tenants

    @property
    def tenant(self) -> str:
        """The one tenant of a producer."""
        assert self.tenants is not None, "a producer has one tenant"  # noqa: S101 - for the type checker
        return next(iter(self.tenants))


class Access:
    """The tokens of one server.

    Args:
        grants: what each token's hash stands for, (SHA-256 in hexadecimal, grant).
        is_configured: whether somebody chose them. If nobody did, only this machine itself is let in.
    """

    def __init__(self, grants: Iterable[tuple[str, Grant]], *, is_configured: bool) -> None:
        self._grants = list(grants)
        self.is_configured = is_configured

    def find(self, token: str) -> Grant | None:
        """Return what a token stands for; None if it is none of ours."""
        asked, found = hash_of(token), None
        for digest, grant in self._grants:
            # All of them are compared, each in constant time: how long it takes tells nothing.
            if hmac.compare_digest(digest, asked):
                found = grant
        return found

    def admits(self, address: str | None) -> bool:
        """Return whether requests from an address are answered at all."""
        return self.is_configured or is_loopback(address)


def is_loopback(address: str | None) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return address is not None and ip_address(address).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Return a new token that nobody can guess."""
    return "jk_" + secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """Return what is kept of a token."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


_OWN_TENANTS = {Role.PRODUCER: frozenset({"default"}), Role.WORKER: None, Role.OPERATOR: None}


def own_tokens(path: Path) -> tuple[Access, dict[Role, str]]:
    """Return the tokens of a server whose owner configured none: those that a file keeps, else new ones.

    Returns:
        Who is let in; and the tokens themselves if they are new, one for each role.

    Raises:
        TokenFileError: the file is there and cannot be read.
    """
    if path.exists():
        return read_tokens(path, is_configured=False), {}
    tokens = {role: new_token() for role in Role}
    grants = [(hash_of(token), Grant(role, role, _OWN_TENANTS[role])) for role, token in tokens.items()]
    return Access(grants, is_configured=False), tokens


def keep_tokens(path: Path, tokens: Mapping[Role, str]) -> bool:
    """Keep the hashes of new tokens, so that they work after a restart; return False if that cannot be done.

    The file is its owner's alone. Who reads it cannot use it: a token cannot be found from its hash.
    """
    text = "\n".join(described(role, role, _OWN_TENANTS[role], token) for role, token in tokens.items())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Never over a file that is there: another board has just made it, and printed its tokens.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return False
    return True


def read_tokens(path: Path, *, is_configured: bool = True) -> Access:
    """Return the access that a TOML file describes, one `[[token]]` with name, role, tenants, sha256 for each.

    Args:
        path: the file.
        is_configured: whether its owner wrote it; else only this machine itself is let in.

    Raises:
        TokenFileError: it cannot be read, or says something else.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TokenFileError(f"{path}: {error}") from error
    entries = told.get("token")
    if not isinstance(entries, list) or not entries or set(told) != {"token"}:
        raise TokenFileError(f"{path}: expected one or more [[token]] tables, and nothing else")
    grants = [_entry(path, place, entry) for place, entry in enumerate(entries, 1)]
    return Access(grants, is_configured=is_configured)


def _entry(path: Path, place: int, entry: Any) -> tuple[str, Grant]:
    where = f"{path}, token {place}"
    names = {"name", "role", "tenants", "sha256"}
    if not isinstance(entry, dict) or set(entry) != names:
        raise TokenFileError(f"{where}: expected exactly {', '.join(sorted(names))}")
    try:
        name = check_name("name", entry["name"])
        role = Role(entry["role"])
        tenants = read_tenants(role, entry["tenants"])
    except (TypeError, ValueError) as error:
        raise TokenFileError(f"{where}: {error}") from error
    digest = str(entry["sha256"]).lower()
    if len(digest) != len(hash_of("")) or set(digest) - set("0123456789abcdef"):
        raise TokenFileError(f"{where}: sha256: expected 64 hexadecimal digits, as `jobkit token` prints them")
    return digest, Grant(name, role, tenants)


def read_tenants(role: Role, told: str | Sequence[str]) -> frozenset[str] | None:
    """Return the tenants that a token covers; None for all of them.

    Raises:
        ValueError: a producer has another number than one, or there are too many.
    """
    if told in (ALL, [ALL]):
        if role is Role.PRODUCER:
            raise ValueError("tenants: a producer's token has one tenant, not all")
        return None
    names = [told] if isinstance(told, str) else list(told)
    tenants = frozenset(check_name("tenants", name) for name in names)
    most = 1 if role is Role.PRODUCER else MOST_TENANTS
    if not 1 <= len(tenants) <= most:
        raise ValueError(f"tenants: a {role}'s token has 1 to {most} of them, or * for all")
    return tenants


def described(name: str, role: Role, tenants: frozenset[str] | None, token: str) -> str:
    """Return the lines that let a token in, for the file that `read_tokens` reads."""

    def quoted(text: str) -> str:
        # A name can hold a line break or an escape sequence; TOML and a terminal both want them written out.
        written = text.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in written) + '"'

    listed = quoted(ALL) if tenants is None else f"[{', '.join(map(quoted, sorted(tenants)))}]"
    rows = {"name": quoted(name), "role": quoted(role), "tenants": listed, "sha256": quoted(hash_of(token))}
    return "[[token]]\n" + "".join(f"{key} = {value}\n" for key, value in rows.items())
