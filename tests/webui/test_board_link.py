"""From a failed check to the board: one's own story, the same mistake, or what the exercise is about."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from exercises.grader.judging.catalogue import Exercise, catalogue, find
from exercises.grader.judging.records import CheckResult, Diagnosis, Result, Verdict
from webui import create_app
from webui.cli.board_link import watch_line
from webui.server import listen, serving

STARTED = "start it here with `jobkit board`, then open http://127.0.0.1:9"
WITH_SCENARIO = [(one, wrong.scenario) for one in catalogue() for wrong in one.misconceptions if wrong.scenario]


pytestmark = pytest.mark.usefixtures("no_board")


@pytest.fixture(scope="module")
def visitor() -> FlaskClient:
    """A client of a board."""
    return create_app({"TESTING": True}).test_client()


def failed(exercise: Exercise, check: str, scenario: str | None, verdict: Verdict = Verdict.FAIL) -> Result:
    """A result in which one check ended so, with this scenario in its diagnosis."""
    ended = CheckResult(check, 1, 1, "A promise.", verdict, trace=("0 ms  A polls",))
    found = Diagnosis("odd", "Odd", "It is odd.", check, ("1", "2", "3"), exact=True, scenario=scenario or "")
    return Result(exercise.id, "answers/x.py", (ended,), found if scenario is not None else None)


@pytest.mark.parametrize("exercise", catalogue(), ids=lambda exercise: exercise.short)
def test_every_failure_leads_to_a_page_that_is_there(exercise: Exercise, visitor: FlaskClient) -> None:
    """Where the board can play the check, to the learner's own story; else to the exercise's scenario."""
    for check in exercise.checks:
        line = watch_line(exercise, failed(exercise, check.name, None))
        assert line is not None
        own = f"Watch it on the board: {STARTED}/answers/{exercise.short}?check={check.name}"
        about = f"What it is about, on the board: {STARTED}/scenarios/{{}}"
        scenario = exercise.scenarios.get(check.name, exercise.scenario)
        assert line in {own, about.format(scenario)}
        assert visitor.get(f"/scenarios/{scenario}").status_code == 200


@pytest.mark.parametrize("scenario", sorted({scenario for _, scenario in WITH_SCENARIO}))
def test_every_scenario_of_a_misconception_can_be_opened(scenario: str, visitor: FlaskClient) -> None:
    """The page has the words by which a running board is known."""
    page = visitor.get(f"/scenarios/{scenario}")
    assert (page.status_code, "Open the board" in page.text) == (200, True)


def test_a_known_mistake_leads_to_the_queue_that_makes_it() -> None:
    """If the learner's own story cannot be shown: where threads meet, and where inputs are hidden."""
    ex07 = find("ex07")
    hidden = next(check.name for check in ex07.checks if check.task != 1)
    line = watch_line(ex07, failed(ex07, hidden, "flawed_backoff"))
    assert line == f"The same mistake on the board: {STARTED}/scenarios/flawed_backoff"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:port", "http://[", "nonsense", "http://127.0.0.1:70000/"]
)
def test_an_address_that_is_none_is_named_as_given(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check of an answer has its report, whatever the variable holds."""
    monkeypatch.setenv("JOBKIT_BOARD", address)
    ex06 = find("ex06")
    line = watch_line(ex06, failed(ex06, ex06.checks[0].name, "flawed_by_id"))
    assert line is not None
    assert f"start it here with `jobkit board`, then open {address.rstrip('/')}/scenarios/flawed_by_id" in line


def test_what_was_stopped_or_not_begun_leads_nowhere() -> None:
    """There is no story to tell, unless it is the answer's own up to that step."""
    ex06, ex03 = find("ex06"), find("ex03")
    assert watch_line(ex06, failed(ex06, ex06.checks[0].name, None, Verdict.STOPPED)) is None
    assert watch_line(ex03, Result(ex03.id, "x.py", ())) is None
    own = watch_line(ex03, failed(ex03, ex03.checks[0].name, None, Verdict.STOPPED))
    assert own is not None
    assert "/answers/ex03?check=" in own


def test_a_running_board_is_named_without_more_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Any board has the scenarios, whose answers it runs."""
    sock = listen("127.0.0.1", 0)
    port = sock.getsockname()[1]
    ex06 = find("ex06")
    with serving(create_app({"WORK_FOLDER": str(tmp_path)}), sock):
        monkeypatch.setenv("JOBKIT_BOARD", f"http://127.0.0.1:{port}")
        line = watch_line(ex06, failed(ex06, ex06.checks[0].name, "flawed_by_id"))
    assert line == f"The same mistake on the board: http://127.0.0.1:{port}/scenarios/flawed_by_id"
