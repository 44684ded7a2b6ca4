"""Lesson 01 tells the truth: about the scenario, in its keys, and about the two queues that it breaks."""

from typing import Any

import lesson  # type: ignore[import-not-found]
import pytest

from jobqueue import JobQueue, ManualClock
from jobqueue.simulation import find_scenario
from tests.notebooks.cells import run
from tests.notebooks.test_orders import boxes, key_facts

NAME = "01_life_of_a_job"
KEYS = {"overtaken": "J3", "place": "J2", "idle": "nothing", "second_out": "J10", "crashes": "20"}


@pytest.fixture(scope="module")
def in_order() -> Any:
    """The lesson, run from top to bottom."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        return run(NAME)


def test_the_lesson_and_the_simulator_have_the_same_events(in_order: Any) -> None:
    """Seq, instant, kind, job, worker, attempt and generation: equal in notebook and World."""
    world = lesson.scenario("life_of_a_job")
    assert len(in_order.names["log"]) == 17
    assert key_facts(in_order.names["log"]) == key_facts(world.log)
    assert in_order.names["policy"] == find_scenario("life_of_a_job").policy


def test_every_key_is_what_the_queue_says(in_order: Any) -> None:
    """The keys, recomputed, are the answers."""
    assert {name: str(box.key()) for name, box in boxes(in_order).items()} == KEYS


def test_only_one_of_five_jobs_is_next(in_order: Any) -> None:
    """The reasons that the lesson shows, and what `later` says about each job."""
    assert in_order.shown["later"][-1].splitlines() == [
        "J1 RUNNING - it is RUNNING: held by A until 10000",
        "J2 PENDING - 1 job comes before it",
        "J3 PENDING - it is next",
        "J4 PENDING - due in 13500 ms",
        "J5 PENDING - due in 20000 ms",
    ]


def test_a_job_is_ready_at_its_instant_and_not_before(in_order: Any) -> None:
    """One millisecond before its run_at a job is not handed out, at its run_at it is."""
    shown = in_order.shown["to-the-end"][-1].splitlines()
    assert shown == ["14.499 s next up: []", "14.5 s next up: ['J4']"]


def test_ids_as_text_are_handed_out_like_words(in_order: Any) -> None:
    """The toy hands out J10 second, the queue J2."""
    assert in_order.shown["second-out-run"][-1].splitlines() == [
        "ByText:   J1 J10 J11 J12 J2 J3 J4 J5 J6 J7 J8 J9",
        "JobQueue: J1 J2 J3 J4 J5 J6 J7 J8 J9 J10 J11 J12",
    ]


def test_an_attempt_counted_at_its_end_is_never_counted_in_a_crash(in_order: Any) -> None:
    """The toy hands the picture out at each of twenty polls, the queue three times; reports it does count."""
    assert in_order.shown["crashes-run"][-1].splitlines() == [
        "CountsReports: 20 workers",
        "JobQueue:      3 workers, then it is DEAD",
    ]
    clock = ManualClock()
    toy = in_order.names["CountsReports"](clock, most=3)
    for _ in range(3):
        assert toy.poll("A", 1000) == "J1"
        toy.fail("no route")
    assert toy.poll("A", 1000) is None


def test_the_order_that_is_asked_for_at_the_end_is_the_queues() -> None:
    """The quiz about order has a typed answer; a queue gives the same."""
    clock = ManualClock()
    queue = JobQueue(clock, find_scenario("life_of_a_job").policy)
    for number in range(1, 11):
        priority, run_at = {2: (0, 3000), 7: (0, 1000), 10: (1, 5000)}.get(number, (0, 99_000))
        queue.submit("mail", priority=priority, run_at_millis=run_at)
    clock.advance_to(10_000)
    assert ", ".join(queue.next_up(3)) == lesson.quiz("01/order")[0].key()


def right(jobs: Any, now: Any) -> Any:
    ready = [job for job in jobs if job[2] <= now]
    best = min(ready, key=lambda job: (-job[1], job[2], int(job[0][1:])), default=None)
    return best[0] if best else "nobody"


def wrongly(key: Any, *, due: Any = lambda run_at, now: run_at <= now) -> Any:
    """A function with a misconception in it, in what it compares or in what it takes for ready."""

    def next_job(jobs: Any, now: Any) -> Any:
        best = min((job for job in jobs if due(job[2], now)), key=key, default=None)
        return best[0] if best else "nobody"

    return next_job


def checked(in_order: Any, answer: Any) -> Any:
    return lesson.own(answer, in_order.names["the_queue_says"], in_order.names["cases"]).text


def test_what_the_learner_writes_is_checked(in_order: Any) -> None:
    """Empty it is not written yet; right it is praised."""
    assert in_order.text("own").startswith("Not written yet.")
    assert checked(in_order, right) == "✓ All 9 cases are as the queue says. Well done."


@pytest.mark.parametrize(
    ("answer", "case"),
    [
        (wrongly(lambda job: (-job[1], job[2], job[0])), "ten and more"),
        (wrongly(lambda job: (-job[1], int(job[0][1:]))), "the earlier run_at"),
        (wrongly(lambda job: (job[2], -job[1], int(job[0][1:]))), "priority before age"),
        (wrongly(lambda job: (-job[1], job[2])), "submitted at once"),
        (wrongly(lambda job: (-abs(job[1]), job[2], int(job[0][1:]))), "more than it seems"),
        (
            wrongly(
                lambda job: (-job[1], job[2], int(job[0][1:])),
                due=lambda run_at, now: run_at < now,
            ),
            "one job",
        ),
        (
            wrongly(lambda job: (-job[1], job[2], int(job[0][1:])), due=lambda *_: True),
            "due a millisecond later",
        ),
    ],
)
def test_each_misconception_has_its_case(answer: Any, case: Any, in_order: Any) -> None:
    """Text ids, no run_at, age first, no tie-break, size for sign, `<` for `<=`, no delay: all are caught."""
    assert checked(in_order, answer).splitlines()[0] == f"✗ Not yet. Case “{case}”:"
