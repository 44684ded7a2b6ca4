"""A learner's answer on the board: it plays a story in its own process, and whatever it does is recorded."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from exercises.grader.catalogue import find
from exercises.recording import MOST_FRAMES, STAGES, STORIES, play_check, play_scenario
from jobqueue import Event

if TYPE_CHECKING:
    from exercises.recording import Recording

EX03 = find("ex03")
SOLUTION = EX03.text("solution.py")
RIGHT = {"solution": SOLUTION, **{path.stem: path.read_text(encoding="utf-8") for path in EX03.alternatives()}}


def mutant(name: str) -> tuple[str, str]:
    """Return a wrong answer by its misconception, and the check that it fails."""
    form = next(one for one in EX03.misconceptions if one.id == name).forms[0]
    text = SOLUTION
    for old, new in form.edits:
        assert old in text
        text = text.replace(old, new, 1)
    return text, form.killed_by


def broken(recording: Recording) -> list[str]:
    """Return the lamps that went red, in order."""
    return [found.invariant.name for found in recording.violations]


def edited(method: str, line: str) -> str:
    """Return the solution with a line of its own at the beginning of a method."""
    head = next(text for text in SOLUTION.splitlines() if text.strip().startswith(f"def {method}("))
    start = SOLUTION.index(head)
    body = SOLUTION.index('"""\n', SOLUTION.index('"""', start) + 3) + 4
    return f"{SOLUTION[:body]}        {line}\n{SOLUTION[body:]}"


@pytest.mark.parametrize("story", STORIES["ex03"])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_lights_no_lamp(name: str, story: str) -> None:
    """However it is built: the story is played to its end, and the zombie is refused."""
    recording = play_scenario(EX03, RIGHT[name], story)
    assert (recording.ending, broken(recording)) == ("", [])
    assert set(recording.frames[-1].statuses.values()) == {"SUCCEEDED"}
    kinds = [str(entry.kind) for entry in recording.entries]
    if story == "zombie":
        assert ("refused" in kinds, "lease_expired" in kinds, "thawed" in kinds) == (True, True, True)


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("check", [check.name for check in EX03.checks])
def test_a_right_answer_keeps_its_lamps_in_every_check(name: str, check: str) -> None:
    """The conversation of each check, told as events, breaks nothing."""
    recording = play_check(EX03, RIGHT[name], check)
    assert (recording.ending, broken(recording)) == ("", [])
    assert len(recording.frames) > 1


@pytest.mark.parametrize(
    ("name", "lamp"),
    [
        ("by_id_only", "current_lease"),
        ("by_id_and_running", "current_lease"),
        ("old_tokens_stay_good", "current_lease"),
        ("one_token_per_job", "new_tokens"),
        ("late_by_one", "ends_in_time"),
        ("leases_never_end", "ends_in_time"),
        ("refusal_frees_the_job", "one_worker"),
    ],
)
def test_a_wrong_answer_lights_its_lamp_in_the_zombies_story(name: str, lamp: str) -> None:
    """The lamp goes red at a frame, and not before it."""
    recording = play_scenario(EX03, mutant(name)[0], "zombie")
    assert broken(recording)[0] == lamp
    red = [frame.violations > 0 for frame in recording.frames]
    assert red == sorted(red)
    assert red[0] is False


@pytest.mark.parametrize("misconception", [one.id for one in EX03.misconceptions])
def test_the_recording_of_a_check_ends_at_the_step_that_fails(misconception: str) -> None:
    """Its last frame is the last step of the check's own report, and the ending says what was expected."""
    text, check = mutant(misconception)
    recording = play_check(EX03, text, check)
    promise = next(one.promise for one in EX03.checks if one.name == check)
    assert recording.ending.startswith(promise)
    assert "Expected: " in recording.ending
    assert recording.frames[-1].words
    assert all(frame.words for frame in recording.frames)


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
    assert STAGES.keys() == STORIES.keys()
    assert {find(name).short for name in STAGES} == set(STAGES)
