"""What the lessons show things with, in plain Python: pictures, sentences, comparisons, the board."""

from typing import Any
from xml.etree import ElementTree as ET

import lesson  # type: ignore[import-not-found]
import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, lifecycle
from jobqueue.simulation.picture import TimelinePicture

POLICY = RetryPolicy(max_attempts=3, base_backoff_millis=1000, max_backoff_millis=60_000)
HOSTILE = "<script>alert('A')</script>&"


def made(worker: Any = "A") -> Any:
    """A queue with a job in the hands of a worker, at 0."""
    clock, log = ManualClock(), EventLog()
    queue = JobQueue(clock, POLICY, log=log)
    queue.submit("mail")
    return clock, log, queue, queue.poll(worker, 5000)


def test_a_scenario_is_played_to_its_end_or_to_an_instant() -> None:
    """`scenario` plays until nothing more happens, or up to and including `until`."""
    assert lesson.scenario("zombie").now() == 41_000
    assert lesson.scenario("zombie", until=29_999).queue.view("J1").status == "RUNNING"
    assert lesson.scenario("zombie", until=30_000).queue.view("J1").status == "PENDING"


def test_an_unknown_scenario_gets_a_proposal() -> None:
    """A misspelt scenario is refused, and the message names the nearest."""
    with pytest.raises(LookupError, match="did you mean zombie"):
        lesson.scenario("zombi")


def test_the_timeline_of_a_world_is_the_boards() -> None:
    """A world's timeline in a lesson says what the board's picture says."""
    world = lesson.scenario("zombie")
    assert lesson.timeline(world).text == TimelinePicture(world.timeline()).summary()


def test_the_timeline_of_a_log_has_the_same_bars() -> None:
    """A log alone gives the bars that the world gives."""
    world = lesson.scenario("zombie")
    assert lesson.timeline(world.log).text == lesson.timeline(world).text


def test_a_zombie_is_hatched_until_now() -> None:
    """A token named in `zombies` gets a hatched bar from its lease's end to now."""
    clock, log, queue, lease = made()
    clock.advance_to(8000)
    queue.sweep()
    assert "tl-ghost" not in lesson.timeline(log, now=8000).html.partition("</style>")[2]
    assert "tl-ghost" in lesson.timeline(log, now=8000, zombies=[lease.token]).html.partition("</style>")[2]


def test_two_pictures_of_a_page_share_no_id() -> None:
    """Different pictures have different ids, and the same picture has the same id in every run."""
    early, late = (lesson.timeline(lesson.scenario("zombie", until=at)) for at in (20_000, 40_000))
    first, second = (ET.fromstring(shown.html) for shown in (early, late))  # noqa: S314 - our own
    ids = [{e.get("id") for e in root.iter() if e.get("id")} for root in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert lesson.timeline(lesson.scenario("zombie", until=20_000)).html == early.html


def test_an_empty_log_can_be_shown() -> None:
    """Before anything happened there is a picture, a diagram and an empty story."""
    log = EventLog()
    assert lesson.timeline(log).text == "Timeline until 0.0 s: no job was handed out yet"
    assert lesson.story(log, POLICY).text == ""
    assert lesson.life(log, "J1").text.startswith(
        "State machine of a job: submit leads to PENDING; poll leads from"
    )


def test_a_story_tells_the_newest_sentences() -> None:
    """`last` cuts the story to its newest sentences; 0 leaves none."""
    _, log, _, _ = made()
    assert lesson.story(log, POLICY).text == (
        "   0.0 s  producer  submits J1 (mail)\n"
        "   0.0 s  A         polls and gets J1: attempt 1 of 3, token J1:1, lease until 5.0 s"
    )
    whole = lesson.story(log, POLICY).text
    assert lesson.story(log, POLICY, last=1).text == whole.splitlines()[1]
    assert lesson.story(log, POLICY, last=0).text == ""
    assert lesson.story(log, POLICY, last=99).text == whole


def test_a_story_of_a_log_needs_the_policy() -> None:
    """A log does not know how many attempts there are; the message says what to hand over."""
    with pytest.raises(TypeError, match=r"story\(log, policy\)"):
        lesson.story(EventLog())


def test_names_are_shown_and_never_run() -> None:
    """A worker's name is text in every picture, sentence and diagram."""
    _, log, _, _ = made(HOSTILE)
    for shown in (lesson.story(log, POLICY), lesson.timeline(log), lesson.life(log, "J1")):
        assert "<script" not in shown.html
        ET.fromstring(shown.html)  # noqa: S314 - our own
    assert HOSTILE in lesson.story(log, POLICY).text


def test_the_same_story_is_found_the_same() -> None:
    """Two runs are the same if their events are; else the first difference is named, or how many there are."""
    world = lesson.scenario("zombie")
    assert str(lesson.same(world.log, world)) == "The same, event for event: 10 events."
    _, log, _, _ = made()
    assert str(lesson.same(log, world)).startswith("Not the same: 2 events here, 10 there.")
    assert str(lesson.same(made("B")[1], world)).startswith("Not the same: they part at event 2.")


def test_an_attempt_is_accepted_or_says_why_not() -> None:
    """`attempt` makes the call, and gives back a refusal as a sentence; wrong arguments stay errors."""
    _, log, queue, lease = made()
    assert lesson.done_by(log, "J1") == "nobody"
    assert lesson.attempt(queue.complete, "J1", "J1:9").startswith("refused: cannot complete J1: token J1:9")
    assert lesson.attempt(queue.complete, "J1", lease.token) == "accepted"
    assert lesson.done_by(log, "J1") == "A at 0.0 s"
    with pytest.raises(TypeError):
        lesson.attempt(queue.complete, "J1", 9)


def test_code_is_shown_as_it_is_written() -> None:
    """The lines of a function come with their file, and as text on a page."""
    shown = lesson.code(lifecycle.Lifecycle.check_token)
    assert shown.text.startswith("jobqueue/lifecycle.py, line ")
    assert "if job.status is RUNNING and token == job.token:" in shown.text
    assert "-&gt; None" in shown.html
    assert lesson.code(JobQueue.poll).text.splitlines()[2].startswith("def poll(")


def test_the_board_is_framed_at_the_named_address() -> None:
    """The frame shows the scenario at the address that is set, with or without a slash at its end."""
    assert 'src="http://127.0.0.1:8000/scenarios/zombie"' in lesson.board("zombie").html
    assert str(lesson.board()) == "The board: http://127.0.0.1:8000/"
    with pytest.raises(LookupError):
        lesson.board("../labs")


def test_everything_shown_has_words() -> None:
    """In a terminal, what is shown is its text."""
    shown = lesson.life(lesson.scenario("zombie"), "J1")
    assert repr(shown) == shown.text
    assert shown._repr_html_() == shown.html
