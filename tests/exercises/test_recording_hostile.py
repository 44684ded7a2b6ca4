"""Answers that misbehave on the board: whatever they do, the story ends soon, with a sentence."""

from __future__ import annotations

import time

import pytest

from exercises.grader.judging.catalogue import find
from exercises.playback.interfaces import INTERFACES, STORIES
from exercises.playback.player import play_check, play_scenario
from exercises.playback.recording import MOST_FRAMES
from jobqueue import Event
from tests.exercises.test_recording import EX03, EXERCISES, SOLUTION, edited, right
from tests.sampling import one_in
from webui.answers.recording import board_at

HOSTILE = {
    "endless loop": ("while True: pass", "no answer within"),
    "exit": ("import os; os._exit(3)", "ended the Python process"),
    "sys.exit": ("raise SystemExit", "asked Python to exit"),
    "flood": ('while True: print("x" * 10_000)', "printed more than"),
    "exception": ('raise KeyError("J1")', "raised KeyError"),
    "not written": ('raise NotImplementedError("task 3")', "Still to write: task 3"),
    "recursion": ("return self.complete(job_id, token)", "RecursionError"),
    "closed pipes": ("import os; os.closerange(0, 50)", "pipe"),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_hostile_answer_ends_soon_with_a_sentence_and_its_frames(how: str) -> None:
    """Within 5 seconds, with what had happened until then."""
    line, says = HOSTILE[how]
    begin = time.monotonic()
    recording = play_scenario(EX03, edited("complete", line), "zombie")
    assert time.monotonic() - begin < 5
    assert says in recording.ending
    kinds = [str(entry.kind) for entry in recording.entries]
    assert kinds[:2] == ["submitted", "leased"]
    assert len(recording.frames) >= 3
    assert recording.frames[-1].entries == len(recording.entries)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "TokenQueue"),
        ("def", "cannot be executed"),
        ("import time\nwhile True: time.sleep(1)", "no answer within"),
        ("class TokenQueue:\n    def __init__(self, clock): pass", "submit"),
        (EX03.text("starter.py"), "Still to write: ex03, task 1: submit"),
    ],
)
def test_an_answer_that_cannot_begin_says_why(source: str, says: str) -> None:
    """There is one frame, with nothing in it."""
    recording = play_scenario(EX03, source, "zombie")
    assert says in recording.ending
    assert [frame.entries for frame in recording.frames] == [0]


@pytest.mark.parametrize(
    ("method", "line", "says"),
    [
        ("submit", "return None", "submit returned None"),
        ("submit", 'return "J7"', "the job should be J1"),
        ("poll", "return 3", "A record with a text 'job_id'"),
        ("view", "return None", "A record with a text 'status'"),
        ("view", 'return JobView(job_id, "DONE", 0, None)', "view shows J1 as 'DONE'"),
        ("view", 'return JobView(job_id, "PENDING", "many", None)', "whole number 'attempts'"),
    ],
)
def test_what_no_queue_returns_ends_the_story(method: str, line: str, says: str) -> None:
    """The sentence names the method and what came."""
    assert says in play_scenario(EX03, edited(method, line), "zombie").ending


@pytest.mark.parametrize(
    ("method", "line", "says"),
    [
        ("poll", "lease_millis = 2**70", "'lease_until' is a number that no queue has"),
        ("renew", "return -1", "'lease_until' is a number that no queue has"),
        ("renew", "return None", "A record with a whole number 'lease_until'"),
        ("renew", "while True: pass", "no answer within"),
        (
            "view",
            'return JobView(job_id, "PENDING", 0, 2**60, None, None)',
            "'run_at' is a number that no queue",
        ),
        ("view", 'return JobView(job_id, "PENDING", 0, "soon", None, None)', "whole number 'run_at'"),
    ],
)
def test_numbers_that_no_queue_has_end_the_story(method: str, line: str, says: str) -> None:
    """Neither the clock nor a picture is asked to show them."""
    ex02 = EXERCISES["ex02"]
    begin = time.monotonic()
    recording = play_scenario(ex02, edited(method, line, right(ex02)["solution"]), "crash_loop")
    assert time.monotonic() - begin < 5
    assert says in recording.ending


@pytest.mark.parametrize("until", one_in(2, ["2**52", "2**53 - 1"]))
def test_an_end_in_the_far_future_costs_no_more_than_the_time_there_is(until: str) -> None:
    """Idle workers would poll for millennia."""
    ex02 = EXERCISES["ex02"]
    begin = time.monotonic()
    line = f"lease_millis = {until}"
    recording = play_scenario(ex02, edited("poll", line, right(ex02)["solution"]), "effect_then_crash")
    assert time.monotonic() - begin < 6
    assert recording.ending


@pytest.mark.parametrize("value", ["2**70", "-1", "True", "None", "'x'", "[1]"])
def test_odd_numbers_in_a_check_are_drawn_as_nothing(value: str) -> None:
    """The check says what is wrong with them; the board shows each step."""
    ex02 = EXERCISES["ex02"]
    for method in ("renew", "view", "poll"):
        odd = {
            "renew": f"return {value}",
            "view": f'return JobView(job_id, "DEAD", {value}, {value}, None, {value})',
            "poll": f'return Lease("J1", "J1:1", "mail", "", {value}, {value}, worker_id)',
        }[method]
        recording = play_check(ex02, edited(method, odd, right(ex02)["solution"]), "renewed")
        for step in range(1, len(recording.frames) + 1):
            assert board_at(recording, step).steps == len(recording.frames)


def test_a_story_that_never_ends_is_cut() -> None:
    """A queue that hands the job out again and again fills no memory."""
    recording = play_scenario(
        EX03, edited("complete", "self._job(job_id).status = Status.PENDING; return"), "zombie"
    )
    assert len(recording.frames) <= MOST_FRAMES
    assert recording.ending


def test_events_are_numbered_without_gaps() -> None:
    """The log of an answer can be drawn like any other."""
    recording = play_scenario(EX03, SOLUTION, "zombie")
    numbers = [entry.seq for entry in recording.entries if isinstance(entry, Event)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("name", ["", "nothing", "backoff", "aging", "x" * 500])
def test_a_story_that_the_queue_cannot_play_is_refused(name: str) -> None:
    """Those that need priorities or rests are not offered."""
    with pytest.raises(LookupError):
        play_scenario(EX03, SOLUTION, name)
    with pytest.raises(LookupError):
        play_check(EX03, SOLUTION, name)


def test_the_stages_and_the_stories_belong_to_exercises() -> None:
    """Each short name is one of the catalogue, and both tables have the same."""
    assert INTERFACES.keys() == STORIES.keys()
    assert {find(name).short for name in INTERFACES} == set(INTERFACES)


@pytest.mark.parametrize("how", ["endless loop", "exit", "flood", "exception"])
@pytest.mark.parametrize("method", ["fail", "redrive", "view"])
def test_a_hostile_dead_letter_queue_ends_soon(method: str, how: str) -> None:
    """Wherever it goes wrong, its frames are there, and can be drawn."""
    ex05, (line, says) = EXERCISES["ex05"], HOSTILE[how]
    begin = time.monotonic()
    recording = play_scenario(ex05, edited(method, line, right(ex05)["solution"]), "redrive")
    assert time.monotonic() - begin < 5
    assert says in recording.ending
    assert board_at(recording, 999).ending == recording.ending


@pytest.mark.parametrize("reason", ["None", "'because'", "[1]", "{}", "'x' * 9000"])
def test_an_odd_reason_of_death_can_be_drawn(reason: str) -> None:
    """The log knows three reasons."""
    ex05 = EXERCISES["ex05"]
    line = f'return JobView(job_id, "DEAD", 2, 0, None, 0, {reason})'
    for recording in (
        play_scenario(ex05, edited("view", line, right(ex05)["solution"]), "redrive"),
        play_check(ex05, edited("view", line, right(ex05)["solution"]), "buried"),
    ):
        assert all(board_at(recording, step).log is not None for step in range(1, len(recording.frames) + 1))
