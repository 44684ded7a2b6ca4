"""Lesson 03 tells the truth: about the scenario, in its keys, and in whatever order its cells are run."""

import random

import pytest

from jobqueue.simulation import find_scenario
from jobqueue.simulation.narration import narrate, seconds
from jobqueue.simulation.trace import trace
from tests.notebooks.cells import code_cells, run
from webui.labs import Lab

NAME = "03_zombies_and_fencing"
CHECKS = ("at-lease-end", "a-reports", "board", "record-run", "outside-story", "highest-run", "check")
KEYS = {
    "lease_end": "PENDING",
    "report": "refused",
    "record": "B at 35.0 s",
    "invoices": "2",
    "highest": "2",
}


@pytest.fixture(scope="module")
def in_order():
    """The lesson, run from top to bottom."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        return run(NAME)


def shuffled(seed):
    """The code cells in another order: wild for even seeds, a few cells swapped for odd ones.

    Only the imports stay first, for without them nothing runs at all.
    """
    first, *others = code_cells(NAME)
    draw = random.Random(seed)  # noqa: S311 - any order will do
    if seed % 2:
        for _ in range(4):
            i, j = draw.sample(range(len(others)), 2)
            others[i], others[j] = others[j], others[i]
    else:
        draw.shuffle(others)
    return [first, *others]


def key_facts(log):
    return [(e.seq, e.at, e.kind, e.job_id, e.worker_id, e.attempt, e.generation) for e in log]


def test_every_cell_works(in_order):
    """From top to bottom no cell fails."""
    assert in_order.failed == {}


def test_the_lesson_the_board_and_the_simulator_have_the_same_events(in_order):
    """Seq, instant, kind, job, worker, attempt and generation: equal in notebook, board and World."""
    zombie, lab = find_scenario("zombie"), Lab("zombie-1", find_scenario("zombie"))
    while lab.world.next_at() is not None:
        lab.step()
    world = in_order.names["lesson"].scenario("zombie")
    assert len(in_order.names["log"]) == 10
    assert key_facts(in_order.names["log"]) == key_facts(world.log) == key_facts(lab.world.log)
    assert in_order.names["policy"] == zombie.policy


def test_the_trace_says_what_the_lesson_says(in_order):
    """Each event of the notebook is a line of the trace; its other lines tell what no queue sees."""
    world = in_order.names["lesson"].scenario("zombie")
    told, _, _ = trace(world).partition("\nRules\n")
    lines = [" ".join(line.split("  [")[0].split()) for line in told.splitlines()[3:] if line.strip()]
    sentences = [narrate(event, 3) for event in in_order.names["log"]]
    mine = [f"{seconds(s.at)} {s.who} {s.text}" for s in sentences]
    rest = [line for line in lines if line not in mine]
    assert [line for line in lines if line in mine] == mine
    assert len(rest) == 5
    assert all(any(word in line for word in ("freezes", "wakes up", "out in the world")) for line in rest)


def test_every_key_is_what_the_queue_says(in_order):
    """The keys, recomputed, are the answers; and each other option has feedback."""
    boxes = {n: b for n, b in in_order.names.items() if type(b).__name__ == "Box"}
    assert {name: str(box.key()) for name, box in boxes.items()} == KEYS
    for box in boxes.values():
        assert set(box.why) == set(box.options) - {str(box.key())}


def test_the_flawed_queues_lose_and_the_real_one_does_not(in_order):
    """By state the zombie always wins, by name when it shares the heir's, by token never."""
    assert in_order.shown["check-token"][-1].splitlines() == [
        "ByStatus  heir B: done by B at 35.0 s",
        "ByStatus  heir A: done by A at 35.0 s",
        "ByName    heir B: done by B at 41.0 s",
        "ByName    heir A: done by A at 35.0 s",
        "JobQueue  heir B: done by B at 41.0 s",
        "JobQueue  heir A: done by A at 41.0 s",
    ]


def test_only_a_receiver_that_remembers_the_job_makes_one_invoice(in_order):
    """The highest generation stops only old calls that come last; a key stops both, until it is forgotten."""
    assert in_order.shown["highest"][-1] == "[1, 2] with Eager: 2 invoices\n"
    assert in_order.shown["highest-run"][-1] == "A's call first: 2\nB's call first: 1\n"
    expected = "A's call first: 1\nB's call first: 1\nrestarted in between: 2\n"
    assert in_order.shown["once-per-job"][-1] == expected


@pytest.mark.parametrize("seed", range(20))
def test_no_order_of_the_cells_makes_a_check_lie(seed, in_order):
    """In any order a check says what it says from top to bottom, or fails, or says what to run first."""
    order = shuffled(seed)
    session = run(NAME, order)
    for cell_id in CHECKS:
        if cell_id in session.failed:
            continue
        last = str(session.shown[cell_id][-2])
        kindly = "Run the cells above first" in last
        assert last == str(in_order.shown[cell_id][-2]) or kindly
    claims = session.text("board").startswith("The same, event for event")
    assert claims == is_the_scenario(session, order)


def is_the_scenario(session, order):
    """Whether the cells before `board` had really made the scenario's events."""
    before = run(NAME, order[: order.index("board")])
    if not {"log", "lesson"} <= set(before.names):
        return False
    return key_facts(before.names["log"]) == key_facts(session.names["lesson"].scenario("zombie").log)


def test_the_orders_let_the_checks_speak():
    """Over the twenty orders every check is heard at least once, so that it could have lied."""
    heard = {check for seed in range(20) for check in CHECKS if check not in run(NAME, shuffled(seed)).failed}
    assert heard == set(CHECKS)


@pytest.mark.parametrize("seed", range(20))
def test_no_order_of_the_cells_makes_a_wrong_guess_right(seed):
    """A guess made in any order is judged by the queue, or the reader is told which cell to run."""
    order = shuffled(seed)
    session = run(NAME, order[: len(order) // 2])
    for name, right in KEYS.items():
        box = session.names.get(name)
        for option in box.options if box else ():
            said = box.guess(option).text.partition("\n")[2]
            verdict = "✓" if option == right else "✗"
            assert said.startswith((verdict, "Run the cells above first"))


def test_the_cells_that_check_are_the_ones_that_the_tests_watch():
    """Every cell that compares, or asks at the end, is among those that are run in random orders."""
    words = ("lesson.compare(", "lesson.same(", "lesson.quiz(")
    assert [i for i, source in code_cells(NAME).items() if any(w in source for w in words)] == list(CHECKS)
