"""The demo's handlers: files that are whole, the same however often the work is done, and clear refusals."""

from __future__ import annotations

import json
import sys
from email import message_from_bytes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from jobqueue import JobQueue, Lease, ManualClock, RetryPolicy
from jobqueue.worker import PermanentError
from webui.cli import main
from webui.handlers import handlers
from webui.live.queue import default_url, own_folder


def run(folder: Any, type_: Any, payload: Any, job_id: Any = "J1") -> Any:
    lease = Lease(job_id, f"{job_id}:1", type_, payload, 1, 1000, 1, "w")
    return handlers(folder)[type_](SimpleNamespace(lease=lease))  # type: ignore[arg-type]


@pytest.mark.parametrize("type_", ["mail", "invoice", "resize"])
@pytest.mark.parametrize(
    "payload", ["", "plain text", "{}", "[1]", '{"to": "bo@example.org"}', "\N{ZOMBIE}\r\n"]
)
def test_work_that_is_done_twice_is_done_once(tmp_path: Path, type_: Any, payload: Any) -> None:
    """One file for each job, the same after the second time, and no half one beside it."""
    if type_ == "resize":
        pytest.importorskip("PIL")
    first = Path(run(tmp_path, type_, payload))
    content = first.read_bytes()
    assert Path(run(tmp_path, type_, payload)) == first
    assert first.read_bytes() == content
    assert list(tmp_path.iterdir()) == [first]
    run(tmp_path, type_, payload, "J2")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_mail_is_a_mail(tmp_path: Path) -> None:
    """Its header cannot be broken out of, and its id is the job's."""
    told = {"to": "bo@example.org", "subject": "Hi\r\nBcc: all@example.org", "text": "Good day \N{ZOMBIE}"}
    message = message_from_bytes(Path(run(tmp_path, "mail", json.dumps(told))).read_bytes())
    assert (message["To"], message["Bcc"]) == ("bo@example.org", None)
    assert message["Message-ID"] == "<J1@jobkit.example>"
    assert "Good day \N{ZOMBIE}" in message.get_payload(decode=True).decode()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("type_", "told"),
    [
        ("mail", {"to": "nobody"}),
        ("mail", {"to": "a@b\nc"}),
        ("invoice", {"lines": "none"}),
        ("invoice", {"lines": [["x"]]}),
        ("invoice", {"lines": 5}),
        ("resize", {"width": "wide"}),
        ("resize", {"width": 0}),
        ("resize", {"width": 10**9, "height": 10**9}),
    ],
)
def test_what_can_never_be_done_fails_for_good(tmp_path: Path, type_: Any, told: Any) -> None:
    """With words that say what is wrong, and no file."""
    if type_ == "resize":
        pytest.importorskip("PIL")
    with pytest.raises(PermanentError):
        run(tmp_path, type_, json.dumps(told))
    assert list(tmp_path.iterdir()) == []


def test_without_pillow_only_pictures_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the message says what to install."""
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(PermanentError, match=r"pip install 'jobkit\[demo\]'"):
        run(tmp_path, "resize", "{}")
    run(tmp_path, "mail", "")


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "home/.local/share/jobkit"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/jobkit"),
        ("linux", {"XDG_DATA_HOME": ""}, "home/.local/share/jobkit"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "home/.local/share/jobkit"),
        ("freebsd14", {}, "home/.local/share/jobkit"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "home/Library/Application Support/jobkit"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/jobkit"),
        ("win32", {}, "home/AppData/Local/jobkit"),
    ],
)
def test_each_platform_has_its_place(platform: Any, environment: Any, folder: Any) -> None:
    """Where programs keep what their user must not lose."""
    assert own_folder(platform, environment, Path("home")).as_posix() == folder


def test_the_place_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue of somebody who names none is a file there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "new"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_url() == f"sqlite:///{tmp_path}/new/jobkit/jobkit.db"
    assert (tmp_path / "new" / "jobkit").is_dir()


def test_the_mixture_has_everything_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tenants, bands, types, delays, deadlines, and some that can only fail; twice the same is other jobs."""
    store = JobQueue(ManualClock(10**12), RetryPolicy(3, 0, 0))
    monkeypatch.setattr("webui.cli.queue.open_shared", lambda _: store)
    for _ in range(2):
        result = CliRunner().invoke(main, ["demo-load", "--db", "memory:", "--jobs", "300"])
        assert result.exit_code == 0, result.output
    for word in ("ready at once", "delayed", "with a deadline", "bound to fail"):
        assert word in result.output
    jobs = store.list_jobs(limit=1000)
    assert len(jobs) == 600
    assert {job.tenant for job in jobs} == {"acme", "bo", "cy"}
    assert {job.type for job in jobs} == {"mail", "invoice", "resize"}
    assert {job.priority for job in jobs} == {5, 0, -5}
    assert any(job.deadline for job in jobs)
    assert any(job.next_run_at > 10**12 for job in jobs)
