"""The picture of the state machine has every arrow that the queue has, and the way of one job."""

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from jobqueue import EventKind, EventLog, JobQueue, JobStatus, ManualClock, RetryPolicy
from jobqueue.simulation import find_scenario, run
from jobqueue.simulation.diagram import HEIGHT, MISS, PLACES, VERBS, WIDTH, LifeDiagram, Step, path_of
from jobqueue.transitions import TRANSITIONS, Arrow

SVG = "{http://www.w3.org/2000/svg}"


def drawn(path: Any = (), **options: Any) -> Any:
    return ET.fromstring(LifeDiagram(path, "J1", **options).svg())  # noqa: S314 - our own


def arrows(root: Any, look: Any) -> Any:
    """The verbs of the arrows that look so."""
    groups = [g for g in root.iter(f"{SVG}g") if g.get("class") == look]
    return {g.find(f"{SVG}text").text for g in groups}


def test_every_arrow_and_every_state_is_drawn() -> None:
    """The bare machine has each arrow of the table, with its rule, and a box for each status."""
    root = drawn()
    assert arrows(root, "sm-open") == set(TRANSITIONS)
    titles = " ".join(title.text for title in root.iter(f"{SVG}title"))
    assert [arrow.rule for arrow in TRANSITIONS.values() if arrow.rule not in titles] == []
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert set(JobStatus) <= texts
    assert set(PLACES) == {None, *JobStatus}


def test_every_arrow_has_an_event_that_tells_of_it() -> None:
    """No arrow of the table can be gone along unseen."""
    assert {*VERBS.values(), MISS} == set(TRANSITIONS)


def test_a_new_arrow_is_drawn_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """An arrow that the table gets one day appears, and does not lie on one that is there."""
    monkeypatch.setitem(TRANSITIONS, "preempt", Arrow(JobStatus.RUNNING, JobStatus.PENDING, "taken back"))
    monkeypatch.setitem(TRANSITIONS, "reject", Arrow(JobStatus.PENDING, JobStatus.DEAD, "unwanted"))
    root = drawn()
    assert {"preempt", "reject"} <= arrows(root, "sm-open")
    shafts = [path.get("d") for path in root.iter(f"{SVG}path") if path.get("class") == "sm-arrow"]
    assert len(set(shafts)) == len(TRANSITIONS) == 12


def test_the_way_of_a_job_comes_from_its_events() -> None:
    """The zombie's job: handed out twice, and no step at 35.0 s, where a report was refused."""
    log = run(find_scenario("zombie")).log
    assert path_of(log, "J1") == (
        Step("submit", 0),
        Step("poll", 0),
        Step("retry", 30_000),
        Step("poll", 31_000),
        Step("complete", 41_000),
    )


def test_what_was_gone_along_is_marked_with_its_times() -> None:
    """Arrows of the way carry their instants, the others none; the job stands in one box."""
    world = run(find_scenario("zombie"))
    root = drawn(path_of(world.chronicle.entries, "J1"))
    assert arrows(root, "sm-gone") == {"submit", "poll", "retry", "complete"}
    assert arrows(root, "sm-open") == {"renew", "release", "bury", "miss", "cancel", "retry_dead"}
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "0.0 s, 31.0 s" in texts
    assert texts.count("J1 is here") == 1
    here = [g for g in root.iter(f"{SVG}g") if "sm-now" in g.get("class", "")]
    assert [g.get("class") for g in here] == ["sm-state sm-succeeded sm-been sm-now"]


def test_many_times_are_cut() -> None:
    """More than two instants become a number, so that no label grows into its neighbour."""
    root = drawn(path_of(run(find_scenario("backoff")).log, "J1"))
    assert "0.0 s, 1.5 s +4" in [text.text for text in root.iter(f"{SVG}text")]


def test_the_words_say_what_the_picture_shows() -> None:
    """The picture has a role and a title with the way in words."""
    root = drawn((Step("submit", 0), Step("cancel", 1500)))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == (
        "The way of J1 through its states: 0.0 s submit, PENDING; 1.5 s cancel, CANCELLED"
    )


def test_every_kind_of_way_can_be_drawn() -> None:
    """Renewed, failed, buried, brought back, cancelled: each arrow is marked once it was gone along."""
    clock, log = ManualClock(), EventLog()
    queue = JobQueue(clock, RetryPolicy(1, 0, 0), log=log)
    queue.submit("mail")
    token = queue.poll("A", 1000).token  # type: ignore[union-attr]
    queue.renew("J1", token, 2000)
    queue.fail("J1", token, "no route")
    queue.retry_dead("J1")
    queue.cancel("J1")
    gone = arrows(drawn(path_of(log, "J1")), "sm-gone")
    assert gone == {"submit", "poll", "renew", "bury", "retry_dead", "cancel"}
    assert EventKind.REFUSED not in VERBS


def test_a_job_that_was_given_back_or_too_late_has_its_own_arrows() -> None:
    """A release leads back; a missed deadline leads from waiting to DEAD; a release after it is a burial."""
    clock, log = ManualClock(), EventLog()
    queue = JobQueue(clock, RetryPolicy(1, 0, 0), log=log)
    for _ in range(2):
        queue.submit("mail", deadline_millis=5000)
    queue.release("J1", queue.poll("A", 9000).token)  # type: ignore[union-attr]
    token = queue.poll("A", 9000).token  # type: ignore[union-attr]
    clock.advance_to(6000)
    queue.release("J1", token)
    assert path_of(log, "J1") == (
        Step("submit", 0),
        Step("poll", 0),
        Step("release", 0),
        Step("poll", 0),
        Step("bury", 6000),
    )
    assert path_of(log, "J2") == (Step("submit", 0), Step("miss", 5000))


@pytest.mark.parametrize("standalone", [True, False])
def test_looks_are_classes(standalone: Any) -> None:
    """No inline style; a style sheet and a background only where the picture stands alone."""
    root = drawn(standalone=standalone)
    assert not [element for element in root.iter() if element.get("style")]
    assert len(list(root.iter(f"{SVG}style"))) == standalone
    assert ("sm-back" in {e.get("class") for e in root.iter()}) == standalone


def test_every_number_lies_within_the_picture() -> None:
    """Nothing is drawn outside of the view box, and no label begins or ends outside."""
    root = drawn(path_of(run(find_scenario("backoff")).log, "J1"))
    for path in root.iter(f"{SVG}path"):
        numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d"))]
        assert all(0 <= x <= WIDTH for x in numbers[::2])
        assert all(0 <= y <= HEIGHT for y in numbers[1::2])
    for text in root.iter(f"{SVG}text"):
        x, width = float(text.get("x")), len(text.text) * 8
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor")]
        assert 0 <= left <= left + width <= WIDTH


def test_a_hostile_job_id_is_text() -> None:
    """An id is escaped in the title and in the box."""
    svg = LifeDiagram((Step("submit", 0),), "<script>").svg()
    assert "<script" not in svg
    ET.fromstring(svg)  # noqa: S314 - our own
