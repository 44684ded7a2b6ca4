"""A learner's answer on the board: it plays a story in its own process, and whatever it does is recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.catalogue import Exercise, find
from exercises.playback.interfaces import INTERFACES, STORIES
from exercises.playback.player import play_check, play_scenario, shown_check
from exercises.staging.whole_queue import WholeQueue
from jobqueue import Event
from tests.sampling import one_in
from webui.answers.recording import board_at

if TYPE_CHECKING:
    from exercises.grader import Case
    from exercises.grader.judging.records import Result
    from exercises.playback.recording import Recording

EX03 = find("ex03")
SOLUTION = EX03.text("solution.py")
EXERCISES = {name: find(name) for name in INTERFACES}


def right(exercise: Exercise) -> dict[str, str]:
    """Return all right answers of an exercise."""
    others = {path.stem: path.read_text(encoding="utf-8") for path in exercise.alternatives()}
    return {"solution": exercise.text("solution.py"), **others}


PLAYS = [(e, name, story) for e, one in EXERCISES.items() for name in right(one) for story in STORIES[e]]
CHECKS = [
    (e, c.name, n) for e, one in EXERCISES.items() for n, c in enumerate(one.checks) if shown_check(one, c.name)
]
# One mistake for each check and each way to end: how a recording ends depends on these, not on the mistake.
WRONG = {
    (e, wrong.killed_by, waits): (e, wrong.id)
    for e, one in EXERCISES.items()
    for wrong in one.misconceptions
    for waits in [wrong.forms[0].fails.get(wrong.killed_by, "").startswith("waits for")]
    if shown_check(one, wrong.killed_by)
}
WAITS = [one for (*_, waits), one in WRONG.items() if waits]
ENDS = [one for one in WRONG.values() if one not in WAITS]


def mutant(name: str, exercise: Exercise = EX03) -> tuple[str, str]:
    """Return a wrong answer by its misconception, and the check that it fails."""
    form = next(one for one in exercise.misconceptions if one.id == name).forms[0]
    text = exercise.text("solution.py")
    for old, new in form.edits:
        assert old in text
        text = text.replace(old, new, 1)
    return text, form.killed_by


def alone(exercise: Exercise, check: str) -> Exercise:
    """Return the exercise with one check only."""
    return replace(
        exercise, checks=tuple(replace(one, needs=()) for one in exercise.checks if one.name == check)
    )


def graded(exercise: Exercise, text: str) -> Result:
    """Check a text as if a learner had written it."""
    return runner.run(exercise, text.encode(), PurePosixPath(f"answers/{exercise.id}.py"), copies=False, seed=1)


def broken(recording: Recording) -> list[str]:
    """Return the lamps that went red, in order."""
    return [found.invariant.name for found in recording.violations]


def edited(method: str, line: str, solution: str = SOLUTION) -> str:
    """Return the solution with a line of its own at the beginning of a method."""
    head = next(text for text in solution.splitlines() if text.strip().startswith(f"def {method}("))
    start = solution.index(head)
    body = solution.index('"""\n', solution.index('"""', start) + 3) + 4
    return f"{solution[:body]}        {line}\n{solution[body:]}"


@pytest.mark.parametrize(("short", "name", "story"), one_in(3, PLAYS))
def test_a_right_answer_lights_no_lamp(short: str, name: str, story: str) -> None:
    """However it is built: the story is played to its end, and the jobs end where the story's title says."""
    exercise = EXERCISES[short]
    recording = play_scenario(exercise, right(exercise)[name], story)
    assert (recording.ending, broken(recording)) == ("", [])
    states = list(recording.frames[-1].statuses.values())
    assert states == OTHER_ENDS.get(story, ["SUCCEEDED"] * len(states))
    kinds = [str(entry.kind) for entry in recording.entries]
    if story == "zombie":
        assert ("refused" in kinds, "lease_expired" in kinds, "thawed" in kinds) == (True, True, True)


OTHER_ENDS = {
    "crash_loop": ["DEAD", "SUCCEEDED"],
    "life_of_a_job": ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "CANCELLED"],
}


def test_hidden_stories_and_those_of_threads_are_not_shown() -> None:
    """Nothing of them comes to the board."""
    ex07 = EXERCISES["ex07"]
    for check in ex07.checks:
        assert (shown_check(ex07, check.name) is not None) == (check.task == 1)
        if check.task != 1:
            with pytest.raises(LookupError):
                play_check(ex07, ex07.text("solution.py"), check.name)
    assert all(shown_check(one, c.name) for e, one in EXERCISES.items() if e != "ex07" for c in one.checks)


def test_a_check_that_hides_in_the_middle_is_not_shown() -> None:
    """What it has told before is dropped, too."""

    def tells_then_hides(case: Case) -> None:
        WholeQueue(case).submit()
        case.hide("late")

    ex07 = EXERCISES["ex07"]
    late = replace(ex07.checks[0], name="late", run=tells_then_hides)
    with pytest.raises(LookupError, match="hidden"):
        play_check(replace(ex07, checks=(late,)), ex07.text("solution.py"), "late")


def test_a_story_is_played_by_the_numbers_of_the_exercise() -> None:
    """The rest is the same each time, and the last of three attempts ends in a dead letter."""
    recording = play_scenario(EXERCISES["ex02"], right(EXERCISES["ex02"])["solution"], "crash_loop")
    events = [entry for entry in recording.entries if isinstance(entry, Event) and entry.job_id == "J1"]
    rests = [event.detail["run_at"] - event.at for event in events if event.kind == "retry_scheduled"]
    assert rests == [1_000, 1_000]
    assert [event.at for event in events if event.kind == "lease_expired"] == [1_000, 6_000, 11_000]
    assert [(event.at, event.attempt) for event in events if event.kind == "dead_lettered"] == [(11_000, 3)]
    assert "renewed" in {str(entry.kind) for entry in recording.entries}


@pytest.mark.parametrize(("short", "check", "place"), one_in(4, CHECKS))
def test_a_right_answer_keeps_its_lamps_in_every_check(short: str, check: str, place: int) -> None:
    """The conversation of each check, told as events, breaks nothing; the right answers take turns."""
    answers = list(right(EXERCISES[short]).values())
    recording = play_check(EXERCISES[short], answers[place % len(answers)], check)
    assert (recording.ending, broken(recording)) == ("", [])
    assert len(recording.frames) > 1
    assert all(frame.words for frame in recording.frames)


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


@pytest.mark.parametrize(
    ("short", "name", "lamp"),
    [
        ("ex02", "late_by_one", "ends_in_time"),
        ("ex02", "early_by_one", "ends_in_time"),
        ("ex02", "died_when_noticed", "ends_in_time"),
        ("ex02", "no_rest", "rests"),
        ("ex02", "one_attempt_too_many", "attempts_count"),
        ("ex02", "renewal_shortens", "lease_length"),
        ("ex02", "renewal_revives", "current_lease"),
        ("ex02", "anybody_renews", "current_lease"),
        ("ex05", "resets_tokens", "new_tokens"),
        ("ex05", "one_attempt_too_many", "attempts_count"),
        ("ex05", "retried_at_once", "rests"),
    ],
)
def test_a_wrong_answer_lights_its_lamp_in_the_check_that_it_fails(short: str, name: str, lamp: str) -> None:
    """What was told of it, by the answer alone, is what the lamp is about."""
    text, check = mutant(name, EXERCISES[short])
    assert broken(play_check(EXERCISES[short], text, check))[0] == lamp


@pytest.mark.parametrize(("short", "misconception"), WAITS)
def test_the_recording_of_an_answer_that_waits_for_ever_ends_there(short: str, misconception: str) -> None:
    """With what it waits for, and with all the steps before."""
    text, check = mutant(misconception, EXERCISES[short])
    played = play_check(EXERCISES[short], text, check)
    assert "it waits for ever: " in played.ending
    assert played.frames[-1].words.endswith("-> no answer")
    assert len(played.frames) > 1


@pytest.mark.parametrize(("short", "misconception"), one_in(4, ENDS))
def test_the_recording_of_a_check_ends_at_the_step_that_fails(short: str, misconception: str) -> None:
    """Its last frame is the last step of the check's own report, and the ending says what was expected."""
    exercise = EXERCISES[short]
    text, check = mutant(misconception, exercise)
    recording = play_check(exercise, text, check)
    promise = next(one.promise for one in exercise.checks if one.name == check)
    assert recording.ending.startswith(promise)
    assert "Expected: " in recording.ending
    assert recording.frames[-1].words
    assert all(frame.words for frame in recording.frames)
    told = next(one for one in exercise.misconceptions if one.id == misconception).forms[0].written.report
    (broken_step,) = [line for line in told.splitlines() if line.endswith("   <-- here")]
    assert broken_step.removesuffix("   <-- here").endswith(recording.frames[-1].words)


@pytest.mark.parametrize(
    ("name", "lamp"), [("keeps_attempts", "attempts_count"), ("resets_tokens", "new_tokens")]
)
def test_a_wrong_redrive_lights_its_lamp_in_the_story(name: str, lamp: str) -> None:
    """A job that comes back has all its attempts, and tokens that were never there before."""
    ex05 = EXERCISES["ex05"]
    assert broken(play_scenario(ex05, mutant(name, ex05)[0], "redrive"))[0] == lamp


def test_where_time_ends_no_lease_nobody_is_late() -> None:
    """A report after the end of the lease is heard, and the lamp about ends is not promised."""
    ex05 = EXERCISES["ex05"]
    recording = play_check(ex05, right(ex05)["solution"], "any_story")
    board = board_at(recording, len(recording.frames))
    assert {card.name for card in board.lamps if card.state == "none"} >= {"ends_in_time"}
    assert "dead_lettered" in {str(entry.kind) for entry in recording.entries}
    assert "redriven" in {str(entry.kind) for entry in recording.entries}


@pytest.mark.parametrize(
    ("short", "name"), [("ex02", "no_rest"), ("ex02", "renewals_add_up"), ("ex05", "resets_tokens")]
)
def test_of_a_drawn_story_the_shortest_telling_is_shown(short: str, name: str) -> None:
    """Word for word what the report tells, under its head."""
    exercise = EXERCISES[short]
    text, _ = mutant(name, exercise)
    recording = play_check(exercise, text, "any_story")
    head, *steps = graded(alone(exercise, "any_story"), text).checks[0].trace
    assert head.startswith("(drawn with seed")
    assert [frame.words for frame in recording.frames] == steps
    assert recording.entries[0].kind == "submitted"
