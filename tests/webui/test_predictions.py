"""Questions about what comes next: the key is the queue's, the mark is explained, and nobody has to answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS, World
from tests.webui.asking import BoardClient, Parsed, dump, words
from webui.board.predictions import AGAIN, NEVER, NEXT, Predictions, ready_again_at

if TYPE_CHECKING:
    from flask import Flask

    from webui.board.predictions import Question

RIGHT = [name for name, scenario in SCENARIOS.items() if scenario.flaw is None]


def begun(name: str, at: int) -> tuple[World, Predictions]:
    """Return a world at an instant, and somebody who wants to be asked."""
    world = World(SCENARIOS[name])
    world.advance_to(at)
    return world, Predictions(on=True)


def asked(world: World, predictions: Predictions) -> Question:
    """Return the question of the moment; there is one."""
    question = predictions.question(world)
    assert question is not None
    return question


@pytest.mark.parametrize("name", RIGHT)
def test_the_key_is_what_the_queue_does(name: str) -> None:
    """At every step of every story: the job is the one that a poll gets, the instant that of the retry."""
    world, predictions = begun(name, 0)
    while world.step():
        question = predictions.question(world)
        if question is None:
            continue
        if question.kind == NEXT:
            copy = world.log.replay(world.now())
            truth = copy.poll("somebody", 1000).job_id
        else:
            at = ready_again_at(world, question.job)
            truth = NEVER if at is None else f"{at / 1000}"
            copy = world.log.replay(world.queue.view(question.job).lease_until)
            assert at is None or copy.view(question.job).next_run_at == at
        predictions.answer(world, question.key, truth)
        assert predictions.verdict(world).is_right, predictions.last  # type: ignore[union-attr]
    assert predictions.right == predictions.asked


def test_who_is_next() -> None:
    """The invoice overtakes the mails; a wrong guess is told why."""
    world, predictions = begun("life_of_a_job", 600)
    question = asked(world, predictions)
    assert (question.kind, question.choices) == (NEXT, ("J2", "J3"))
    predictions.answer(world, question.key, "J2")
    verdict = predictions.verdict(world)
    assert not verdict.is_right  # type: ignore[union-attr]
    assert "It is J3" in verdict.text  # type: ignore[union-attr]
    assert "Of J2 the queue says: 1 job comes before it" in verdict.text  # type: ignore[union-attr]
    assert (predictions.right, predictions.asked) == (0, 1)


@pytest.mark.parametrize(
    ("given", "is_right"), [("31", True), ("31.0", True), (" 31.000 ", True), ("30", False), ("never", False)]
)
def test_when_a_job_comes_back(given: str, is_right: bool) -> None:
    """The lease until 30.0 s and a rest of 1.0 s after the first attempt."""
    world, predictions = begun("zombie", 500)
    question = asked(world, predictions)
    assert (question.kind, question.job) == (AGAIN, "J1")
    predictions.answer(world, question.key, given)
    verdict = predictions.verdict(world)
    assert verdict.is_right is is_right  # type: ignore[union-attr]
    assert "31.0 s" in verdict.text  # type: ignore[union-attr]
    assert (
        "The lease ends at 30.0 s, and attempt 1 of 3 has failed then; the rest after it is 1.0 s"
        in verdict.text  # type: ignore[union-attr]
    )


def test_a_job_may_never_come_back() -> None:
    """The third attempt of three: it is a dead letter at the end of its lease."""
    world, predictions = begun("crash_loop", 10_100)
    question = asked(world, predictions)
    predictions.answer(world, question.key, "Never")
    assert predictions.verdict(world).is_right  # type: ignore[union-attr]
    assert "dead letter" in predictions.verdict(world).text  # type: ignore[union-attr]


def test_nobody_guesses_what_was_drawn() -> None:
    """Where rests are drawn, no instant is asked for."""
    world, predictions = begun("jitter", 0)
    kinds = set()
    while world.step():
        question = predictions.question(world)
        kinds.add(question.kind if question else None)
    assert AGAIN not in kinds


def test_a_question_counts_once() -> None:
    """The same answer again, an old question, a question left out: none of it changes the score."""
    world, predictions = begun("zombie", 500)
    key = asked(world, predictions).key
    for _ in range(3):
        predictions.answer(world, key, "31")
    assert (predictions.right, predictions.asked) == (1, 1)
    world.advance_to(33_000)
    predictions.answer(world, key, "31")
    assert (predictions.right, predictions.asked) == (1, 1)
    assert "gone on" in predictions.verdict(world).text  # type: ignore[union-attr]
    predictions.skip(world, asked(world, predictions).key)
    assert predictions.question(world) is None
    assert (predictions.right, predictions.asked) == (1, 1)
    predictions.switch(on=False)
    assert predictions.question(world) is None
    assert predictions.asked == 1


@pytest.mark.parametrize("given", ["", "J", "1e400", "NaN", "-1", "9" * 400, "<b>", "٣١", "31,0"])
def test_whatever_is_typed_is_marked(given: str) -> None:
    """What is no number is a wrong answer, and no error."""
    world, predictions = begun("zombie", 500)
    predictions.answer(world, asked(world, predictions).key, given)
    assert not predictions.verdict(world).is_right  # type: ignore[union-attr]


# -- on the page -----------------------------------------------------------------------------------------


def predict(board: BoardClient, **form: str) -> str:
    """Return the board after an answer of the learner."""
    return board.do("predict", **form)


def key_of(html: str) -> str:
    """Return the key of the question on a page."""
    return next(i["value"] for i in Parsed(html).all("input") if i["name"] == "key")


def test_nobody_has_to_answer(app: Flask) -> None:
    """Until somebody wants to be asked there is one button, and all that is next can be seen."""
    board = BoardClient(app, "life_of_a_job")
    board.lab.world.advance_to(600)
    html = board.page()
    assert 'id="predict-begin"' in html
    assert 'id="question"' not in html
    assert 'class="next-up"' in html


def test_a_question_hides_its_answer(app: Flask) -> None:
    """No pick order, no chip "next", no list, until it is answered; then all of it is there again."""
    board = BoardClient(app, "life_of_a_job")
    board.lab.world.advance_to(600)
    html = predict(board, do="begin")
    assert "Which job is handed out?" in words(html)
    assert 'class="next-up"' not in html
    assert ">next<" not in html
    assert re.findall(r'id="job-(J[23])"', html) == ["J2", "J3"]
    html = predict(board, do="answer", key=key_of(html), given="J3")
    assert "Yes, J3." in words(html)
    assert "1 of 1 right" in words(html)
    assert re.findall(r'id="job-(J[23])"', html) == ["J3", "J2"]


def test_a_question_changes_nothing_of_the_story(app: Flask) -> None:
    """Asked, answered, skipped, stopped: time and jobs are what they were."""
    board = BoardClient(app, "zombie")
    before = dump(board.lab)
    html = predict(board, do="begin")
    predict(board, do="answer", key=key_of(html), given="31")
    predict(board, do="stop")
    after = dump(board.lab)
    assert {**before, "control": None} == {**after, "control": None}


def test_a_playing_board_asks_nothing(app: Flask) -> None:
    """Whoever wants to think pauses; being asked pauses the board."""
    board = BoardClient(app, "zombie")
    board.do("play", speed="1")
    predict(board, do="begin")
    assert not board.lab.playing
    html = board.do("play", speed="1")
    assert "Pause, and there is a question" in words(html)


def test_a_flawed_queue_is_not_guessed(app: Flask) -> None:
    """There is no panel for it."""
    board = BoardClient(app, "flawed_by_id")
    assert 'id="predict"' not in board.page()
    assert 'id="question"' not in predict(board, do="begin")


def test_without_scripts_the_way_back_leads_to_the_question(app: Flask) -> None:
    """A form that is posted by the browser itself ends at the board."""
    board = BoardClient(app, "zombie")
    answer = board.client.post(f"{board.url}/predict", data={"do": "begin"})
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"{board.url}?s={board.lab.code()}#predict"
    assert board.client.get(f"{board.url}/predict").status_code == 405
    assert board.client.post("/labs/zombie-gone/predict").status_code == 410
