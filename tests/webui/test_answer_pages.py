"""Run my answer: the pages around a recording, and the line in the terminal that leads there."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from exercises.grader.judging import runner
from exercises.grader.judging.catalogue import find
from tests.webui.asking import Parsed, words
from webui import cli, create_app
from webui.answers.pages import MOST_RECORDINGS, Recordings
from webui.cli import board_link
from webui.cli.board_link import watch_line
from webui.server import listen, serving

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

EX03 = find("ex03")
SOLUTION = EX03.text("solution.py")
BY_ID = SOLUTION.replace(
    "        if job.status is not Status.RUNNING or token != job.token:", "        if job is None:"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a learner's folder with a wrong answer in it."""
    (tmp_path / "answers").mkdir()
    write(tmp_path, BY_ID)
    return tmp_path


def write(folder: Path, text: str) -> None:
    """Save an answer."""
    (folder / "answers" / "ex03_tokens.py").write_text(text, encoding="utf-8")


@pytest.fixture
def learner(folder: Path) -> FlaskClient:
    """Return a client of a board that runs the answers of this folder."""
    return create_app({"TESTING": True, "WORK_FOLDER": str(folder)}).test_client()


def played(learner: FlaskClient, **form: str) -> tuple[str, str]:
    """Return address and page of a recording."""
    answer = learner.post("/answers/ex03/runs", data=form)
    assert answer.status_code == 303
    return answer.headers["Location"], learner.get(answer.headers["Location"]).text


def test_a_story_opens_at_the_step_where_a_lamp_turns_red(learner: FlaskClient) -> None:
    """The zombie is believed: a red lamp, its event in the log, and the steps before it."""
    url, html = played(learner, story="zombie")
    page = Parsed(html)
    assert 'class="lamp lamp-broken" id="lamp-current_lease"' in html
    assert "the current lease is J1:2, held by B" in page.text
    for link in [a["href"] for a in page.all("a") if "#e" in a["href"]]:
        assert page.ids[link.partition("#")[2]] == 1
    step = int(url.rpartition("=")[2])
    before = learner.get(url.replace(f"step={step}", f"step={step - 1}")).text
    assert "lamp-broken" not in before


def test_the_picture_shows_the_tokens_that_the_answer_gave(learner: FlaskClient, folder: Path) -> None:
    """Not those that a right queue would have given: the same one twice is what there is to see."""
    write(folder, SOLUTION.replace('job.token = f"{job.id}:{job.generation}"', 'job.token = f"key-{job.id}"'))
    _, html = played(learner, check="new_token_each_time")
    assert html.count("token key-J1") >= 2
    assert "J1:2" not in html


def test_every_step_can_be_seen_and_changes_nothing(learner: FlaskClient) -> None:
    """From the first to the last by the links of the page, and back to the same words."""
    url, _ = played(learner, story="zombie")
    address = url.partition("?")[0]
    html, clocks = learner.get(address).text, []
    while True:
        clocks.append(float(re.findall(r'<span id="clock">([\d.]+)<', html)[0]))
        found = re.search(r'id="step" href="([^"]+)"', html)
        if found is None:
            break
        html = learner.get(found[1]).text
    assert clocks == sorted(clocks)
    assert clocks[-1] == 40.0
    assert learner.get(f"{address}?step={len(clocks)}").text == html
    for odd in ("0", "-1", "x", "9" * 400, "٣", "1e3"):
        assert learner.get(f"{address}?step={odd}").status_code == 200


def test_a_failing_check_opens_at_its_last_step(learner: FlaskClient) -> None:
    """The link of the terminal leads to a button; the button to the step that fails."""
    page = learner.get("/answers/ex03?check=zombie_completes").text
    assert "A worker that lost its lease cannot complete the job that another one now holds." in words(page)
    assert 'name="check" value="zombie_completes"' in page
    _, html = played(learner, check="zombie_completes")
    assert "A completes J1 with token J1:1 -&gt; accepted" in html
    assert "Expected: refused with StaleTokenError" in words(html)
    assert 'id="step" href' not in html


def test_the_answer_is_read_anew_each_time(learner: FlaskClient, folder: Path) -> None:
    """What was saved since counts; a recording stays what it was."""
    url, before = played(learner, story="zombie")
    write(folder, SOLUTION)
    _, html = played(learner, story="zombie")
    assert "lamp-broken" not in html
    assert learner.get(url).text == before


def test_a_hostile_answer_is_told_on_its_page(learner: FlaskClient, folder: Path) -> None:
    """With markup in what it prints, returns and raises: all of it is text."""
    evil = "<script>window.__x=1</script>"
    raising = SOLUTION.replace(
        "        job = self._held(job_id, token)\n        job.status = Status.SUCCEEDED",
        f"        print({evil!r}); raise KeyError({evil!r})",
    )
    assert raising != SOLUTION
    write(folder, raising)
    url, _ = played(learner, story="zombie")
    html = learner.get(url.partition("?")[0] + "?step=999").text
    assert "Your code raised KeyError" in words(html)
    assert evil in Parsed(html).text
    assert evil not in html


def test_what_is_not_there_is_said(learner: FlaskClient, folder: Path) -> None:
    """An exercise, a story, a check, a recording, an answer; none of it is a fault of the server."""
    assert learner.get("/answers/ex99").status_code == 404
    assert learner.get("/answers/runs/gone").status_code == 410
    assert learner.get("/answers/ex03?check=<b>").status_code == 200
    for form in ({}, {"story": "aging"}, {"check": "nothing"}):
        assert learner.post("/answers/ex03/runs", data=form).status_code == 404
    (folder / "answers" / "ex03_tokens.py").unlink()
    assert "jobkit start ex03" in words(learner.get("/answers/ex03").text)
    assert learner.post("/answers/ex03/runs", data={"story": "zombie"}).status_code == 404
    (folder / "answers" / "ex03_tokens.py").write_bytes(b"# coding: no-such-codec\n")
    assert learner.post("/answers/ex03/runs", data={"story": "zombie"}).status_code == 400


def test_a_board_for_others_runs_nobodys_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder of its own, as on a board that other machines can reach, nothing is run."""
    monkeypatch.chdir(folder)
    client = create_app({"TESTING": True}).test_client()
    assert client.get("/answers/ex03").status_code == 404
    assert client.post("/answers/ex03/runs", data={"story": "zombie"}).status_code == 404


def test_only_our_own_pages_may_run_an_answer(learner: FlaskClient) -> None:
    """A page of another site may not, and no reading request does."""
    foreign = learner.post(
        "/answers/ex03/runs", data={"story": "zombie"}, headers={"Origin": "http://evil.example"}
    )
    assert foreign.status_code == 403
    assert learner.get("/answers/ex03/runs").status_code == 405


def test_recordings_are_bounded() -> None:
    """The oldest goes."""
    shelf = Recordings()
    names = [shelf.keep(object()) for _ in range(MOST_RECORDINGS + 3)]  # type: ignore[arg-type]
    assert [shelf.find(name) is None for name in names].count(True) == 3
    assert shelf.find(names[0]) is None


@pytest.mark.usefixtures("no_board")
def test_the_terminal_says_where_to_watch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a board running the link alone; without one, how to start it."""
    monkeypatch.chdir(folder)
    told = CliRunner().invoke(cli.main, ["check", "ex03"]).output
    assert (
        "start it here with `jobkit board`, then open http://127.0.0.1:9/answers/ex03?check=made_up_token"
        in told
    )
    app = create_app({"WORK_FOLDER": str(folder)})
    sock = listen("127.0.0.1", 0)
    port = sock.getsockname()[1]
    with serving(app, sock):
        monkeypatch.setenv("JOBKIT_BOARD", f"http://127.0.0.1:{port}")
        result = runner.run(EX03, BY_ID.encode(), folder, copies=False)
        line = watch_line(EX03, result)
        assert line == f"Watch it on the board: http://127.0.0.1:{port}/answers/ex03?check=made_up_token"
        other = watch_line(EX03, result, folder / "somewhere else")
        assert other is not None
        assert "start it here with `jobkit board`, then" in other


def test_a_board_is_looked_for_where_boards_begin(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of another folder holds the first place: the next one is named, until one's own is there."""
    result = runner.run(EX03, BY_ID.encode(), folder, copies=False)
    with closing(listen("127.0.0.1", 0)) as one, closing(listen("127.0.0.1", 0)) as two:
        first, second = (sock.getsockname()[1] for sock in (one, two))
        monkeypatch.delenv("JOBKIT_BOARD", raising=False)
        monkeypatch.setattr(board_link, "DEFAULT_PORTS", (first, second))
        with serving(create_app({"WORK_FOLDER": str(folder / "other")}), one):
            with serving(create_app({"WORK_FOLDER": str(folder)}), two):
                line = watch_line(EX03, result, folder)
            assert line == f"Watch it on the board: http://127.0.0.1:{second}/answers/ex03?check=made_up_token"
            line = watch_line(EX03, result, folder)
            assert line is not None
            assert f"start it here with `jobkit board --port {second}`, then open http" in line


@pytest.mark.usefixtures("no_board")
def test_other_queues_play_as_well(learner: FlaskClient, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal leads to the failing step, and each step of a story can be seen."""
    ex02 = find("ex02")
    wrong = next(one for one in ex02.misconceptions if one.id == "no_rest")
    text = wrong.applied_to(ex02.text("solution.py"))
    (folder / "answers" / f"{ex02.id}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    told = CliRunner().invoke(cli.main, ["check", "ex02"]).output
    assert "http://127.0.0.1:9/answers/ex02?check=handed_out_again" in told
    assert 'value="handed_out_again"' in learner.get("/answers/ex02?check=handed_out_again").text
    for form in ({"check": "handed_out_again"}, {"story": "crash_loop"}):
        answer = learner.post("/answers/ex02/runs", data=form)
        html = learner.get(answer.headers["Location"]).text
        assert 'class="lamp lamp-broken" id="lamp-rests"' in html


def test_a_right_answer_is_not_sent_anywhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is the JSON for machines disturbed."""
    monkeypatch.chdir(folder)
    assert '"points"' in CliRunner().invoke(cli.main, ["check", "ex03", "--json"]).output
    assert "Watch it" not in CliRunner().invoke(cli.main, ["check", "ex03", "--json"]).output
