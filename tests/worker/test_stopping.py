"""How a worker rests and how it ends."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from jobqueue import JobQueue, ManualClock, StoreError


def test_idle_rests_grow_to_a_bound_and_are_spread(make_worker: Any) -> None:
    """Doubling from the shortest, never above the longest, drawn between half and whole."""
    worker = make_worker(lambda _context: None, idle_millis=(100, 5000), seed=1)
    for idle, most in [(1, 100), (2, 200), (3, 400), (7, 5000), (1000, 5000)]:
        drawn = {worker.rest_millis(idle) for _ in range(200)}
        assert most // 2 <= min(drawn) < max(drawn) <= most
        assert len(drawn) > 20


def test_a_job_ends_the_rest(queue: JobQueue, make_worker: Any) -> None:
    """After a job has come the next rest is a short one again."""
    rests = []

    def wait(millis: Any) -> None:
        rests.append(millis)
        if len(rests) == 4:
            queue.submit("mail")
        if len(rests) == 6:
            worker.stop()

    worker = make_worker(lambda _context: None, wait=wait, idle_millis=(100, 100_000))
    worker.run()
    assert queue.view("J1").status == "SUCCEEDED"
    assert [rest >= 400 for rest in rests] == [False, False, False, True, False, False]


def test_a_store_that_does_not_answer_is_asked_again_after_a_rest(make_worker: Any, told: Any) -> None:
    """It counts as nothing found."""
    rests = []

    class Down:
        def poll_many(self, *_: Any, **__: Any) -> None:
            raise StoreError("down")

    def wait(millis: Any) -> None:
        rests.append(millis)
        if len(rests) == 3:
            worker.stop()

    worker = make_worker(lambda _context: None, Down(), wait=wait)
    worker.run()
    assert len(rests) == told.count_of("unanswered") == 3


def test_told_to_stop_it_gives_back_what_it_has_not_begun(queue: JobQueue, make_worker: Any, told: Any) -> None:
    """The running job ends well; the others are as if they had never been handed out."""
    for _ in range(3):
        queue.submit("mail")

    def handler(_context: Any) -> None:
        worker.stop()

    worker = make_worker(handler, batch=3)
    worker.run()
    views = [queue.view(f"J{n}") for n in (1, 2, 3)]
    assert [(view.status, view.attempts) for view in views] == [
        ("SUCCEEDED", 1),
        ("PENDING", 0),
        ("PENDING", 0),
    ]
    assert told[-2:] == [("released", "J2"), ("released", "J3")]


def test_what_is_not_begun_is_given_back_while_the_running_job_goes_on(
    queue: JobQueue, make_worker: Any
) -> None:
    """At once, and not after the running job or its grace: others can take it meanwhile."""
    for _ in range(5):
        queue.submit("mail")

    def handler(_context: Any) -> Any:
        worker.stop()
        for _ in range(2000):
            if all(queue.view(f"J{n}").status == "PENDING" for n in (2, 3, 4, 5)):
                return "done"
            threading.Event().wait(0.01)
        return "the others were not given back meanwhile"

    worker = make_worker(handler, batch=5)
    worker.run()
    assert (queue.view("J1").status, queue.view("J1").result) == ("SUCCEEDED", "done")
    assert [queue.view(f"J{n}").attempts for n in (2, 3, 4, 5)] == [0, 0, 0, 0]


def test_told_to_stop_it_tries_a_report_until_its_grace_is_over(
    queue: Any, make_worker: Any, clock: Any, told: Any
) -> None:
    """The work is done: one answer that got lost on the way is no reason to drop it."""
    queue.submit("mail")
    queue.submit("mail")
    lost = [2, 10_000]

    class Lossy:
        def __getattr__(self, name: Any) -> Any:
            return getattr(queue, name)

        def complete(self, *args: Any) -> None:
            if lost[0] > 0:
                lost[0] -= 1
                raise StoreError("no answer")
            queue.complete(*args)

    def work() -> None:
        worker = make_worker(lambda _context: worker.stop(), Lossy(), wait=clock.advance, grace_millis=500)  # type: ignore[has-type]
        worker.run()

    work()
    lost.pop(0)
    work()
    assert [queue.view(f"J{n}").status for n in (1, 2)] == ["SUCCEEDED", "RUNNING"]
    assert told[-1] == ("abandoned", "J2")
    assert clock.now() == 200 + 500


@pytest.mark.parametrize("is_obedient", [True, False])
def test_a_running_job_has_its_grace_and_no_more(
    queue: JobQueue, make_worker: Any, clock: ManualClock, told: Any, is_obedient: Any
) -> None:
    """After the grace the handler is told to stop; if it does not, the worker ends without it."""
    queue.submit("mail")
    over = threading.Event()

    def handler(context: Any) -> None:
        worker.stop()
        assert not context.cancelled
        for _ in range(500):  # five seconds, should nobody ever look
            clock.advance(10)
            if context.cancelled or over.wait(0.01):
                break
        assert context.cancelled
        if not is_obedient:
            assert over.wait(20)
        raise RuntimeError("told to stop")

    worker = make_worker(handler, grace_millis=500, lease_millis=60_000)
    worker.run()
    over.set()
    assert told[-1] == (("failed" if is_obedient else "abandoned"), "J1")
    assert queue.view("J1").status == ("PENDING" if is_obedient else "RUNNING")


def test_no_thread_is_left(queue: Any, make_worker: Any) -> None:
    """The thread that handlers run in ends with the worker."""
    queue.submit("mail")
    seen = []
    worker = make_worker(lambda _context: seen.append(threading.current_thread()), wait=lambda _: worker.stop())  # type: ignore[has-type]
    worker.run()
    seen[0].join(10)
    assert not seen[0].is_alive()
