"""Lesson 03 tells the truth: about the scenario, and in its keys."""

from typing import Any

import pytest

from jobqueue import EventLog
from jobqueue.simulation import find_scenario
from jobqueue.simulation.narration import narrate
from jobqueue.simulation.trace import trace
from jobqueue.simulation.units import seconds
from tests.notebooks.cells import run
from webui.board.labs import Lab

NAME = "03_zombies_and_fencing"
KEYS = {
    "lease_end": "PENDING",
    "report": "refused",
    "record": "B at 35.0 s",
    "invoices": "2",
    "highest": "2",
}


@pytest.fixture(scope="module")
def in_order() -> Any:
    """The lesson, run from top to bottom."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        return run(NAME)


def key_facts(log: EventLog) -> Any:
    return [(e.seq, e.at, e.kind, e.job_id, e.worker_id, e.attempt, e.generation) for e in log]


def test_the_lesson_the_board_and_the_simulator_have_the_same_events(in_order: Any) -> None:
    """Seq, instant, kind, job, worker, attempt and generation: equal in notebook, board and World."""
    zombie, lab = find_scenario("zombie"), Lab("zombie-1", find_scenario("zombie"))
    while lab.world.next_at() is not None:
        lab.step()
    world = in_order.names["lesson"].scenario("zombie")
    assert len(in_order.names["log"]) == 10
    assert key_facts(in_order.names["log"]) == key_facts(world.log) == key_facts(lab.world.log)
    assert in_order.names["policy"] == zombie.policy


def test_the_trace_says_what_the_lesson_says(in_order: Any) -> None:
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


def test_every_key_is_what_the_queue_says(in_order: Any) -> None:
    """The keys, recomputed, are the answers."""
    boxes = {n: b for n, b in in_order.names.items() if type(b).__name__ == "Box"}
    assert {name: str(box.key()) for name, box in boxes.items()} == KEYS


def test_the_flawed_queues_lose_and_the_real_one_does_not(in_order: Any) -> None:
    """By state the zombie always wins, by name when it shares the heir's, by token never."""
    assert in_order.shown["check-token"][-1].splitlines() == [
        "ByStatus  heir B: done by B at 35.0 s",
        "ByStatus  heir A: done by A at 35.0 s",
        "ByName    heir B: done by B at 41.0 s",
        "ByName    heir A: done by A at 35.0 s",
        "JobQueue  heir B: done by B at 41.0 s",
        "JobQueue  heir A: done by A at 41.0 s",
    ]


def test_only_a_receiver_that_remembers_the_job_makes_one_invoice(in_order: Any) -> None:
    """The highest generation stops only old calls that come last; a key stops both, until it is forgotten."""
    assert in_order.shown["highest"][-1] == "[1, 2] with Eager: 2 invoices\n"
    assert in_order.shown["highest-run"][-1] == "A's call first: 2\nB's call first: 1\n"
    expected = "A's call first: 1\nB's call first: 1\nrestarted in between: 2\n"
    assert in_order.shown["once-per-job"][-1] == expected
