"""What a worker does with a job: run, renew, report, once."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import pytest

from jobqueue import JobQueue, JobQueueError, ManualClock, StaleTokenError, StoreError


def test_a_job_is_done_and_its_result_kept(queue: Any, make_worker: Any, told: Any) -> None:
    """The handler sees the lease, and what it returns is the job's result."""
    queue.submit("mail", "to bo")
    seen = []
    worker = make_worker(lambda context: seen.append(context.lease.payload) or "sent")  # type: ignore[func-returns-value]
    assert worker.run_once() == 1
    assert worker.run_once() == 0
    assert seen == ["to bo"]
    assert (queue.view("J1").status, queue.view("J1").result) == ("SUCCEEDED", "sent")
    assert told == [("leased", "J1"), ("done", "J1")]


def test_a_lease_is_renewed_at_each_third(
    queue: JobQueue, make_worker: Any, clock: ManualClock, told: Any
) -> None:
    """A handler of 9 s on leases of 3 s: never a second between renewals, and nobody else ever gets the job."""
    queue.submit("mail")
    renewed_at, others = [0], []  # type: ignore[var-annotated]

    def handler(context: Any) -> None:
        for _ in range(18):
            clock.advance(500)
            until = context.lease.lease_until
            worker.beat()
            if context.lease.lease_until > until:
                renewed_at.append(clock.now())
            others.append(queue.poll("other", 1000))
            assert not context.cancelled

    worker = make_worker(handler)
    worker.run_once()
    assert others == [None] * 18
    assert max(b - a for a, b in pairwise(renewed_at)) <= 1000
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("SUCCEEDED", 1)
    assert told.count_of("renewed") == 9


def test_it_renews_only_what_it_holds_itself(queue: JobQueue, make_worker: Any, clock: ManualClock) -> None:
    """A process of the same name died with J1; whatever the new one renews, J1's lease ends."""
    queue.submit("mail")
    queue.poll("w", 1000)
    worker = make_worker(lambda _context: None)
    for _ in range(5):
        clock.advance(200)
        worker.beat()
    assert (queue.view("J1").status, queue.view("J1").next_run_at) == ("PENDING", 2000)


class Silent:
    """A queue whose renewals get no answer: each takes `millis`, then fails as a client does."""

    def __init__(self, queue: JobQueue, clock: ManualClock, millis: Any) -> None:
        self.queue, self.clock, self.millis = queue, clock, millis

    def __getattr__(self, name: Any) -> Any:
        return getattr(self.queue, name)

    def renew(self, *_: Any) -> None:
        self.clock.advance(self.millis)
        raise StoreError("no answer")


def test_a_handler_is_told_to_stop_before_its_lease_may_be_over(
    queue: JobQueue, make_worker: Any, clock: ManualClock, told: Any
) -> None:
    """No renewal is answered: 300 ms before the last confirmed end it is cancelled, and nothing is reported."""
    queue.submit("mail")
    seen = {}

    def handler(context: Any) -> None:
        for instant in (999, 2699, 2700, 2999):
            clock.advance_to(instant)
            seen[instant] = context.cancelled

    worker = make_worker(handler, Silent(queue, clock, 0), margin_millis=300)
    worker.run_once()
    assert seen == {999: False, 2699: False, 2700: True, 2999: True}
    assert told[-1] == ("abandoned", "J1")
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("RUNNING", 1)


def test_a_renewal_that_hangs_hides_nothing_from_the_handler(
    queue: JobQueue, make_worker: Any, clock: ManualClock
) -> None:
    """While one thread hangs in a renewal, the handler's flag still follows the clock."""
    queue.submit("mail")
    hanging, go_on = threading.Event(), threading.Event()
    seen = []

    class Hanging(Silent):
        def renew(self, *_: Any) -> None:
            hanging.set()
            assert go_on.wait(20)
            raise StoreError("no answer")

    def handler(context: Any) -> None:
        clock.advance_to(1000)
        assert hanging.wait(20)
        seen.append(context.cancelled)
        clock.advance_to(2700)
        seen.append(context.cancelled)
        go_on.set()

    make_worker(handler, Hanging(queue, clock, 0), margin_millis=300).run_once()
    assert seen == [False, True]
    assert queue.view("J1").status == "RUNNING"


def test_after_a_refusal_nothing_is_reported_and_nothing_tried_again(
    queue: Any, make_worker: Any, clock: Any, told: Any
) -> None:
    """The lease ran out unnoticed and another has the job: one refusal, then silence."""
    queue.submit("mail")
    calls = []

    class Counting:
        def __getattr__(self, name: Any) -> Any:
            return lambda *args, **named: calls.append(name) or getattr(queue, name)(*args, **named)  # type: ignore[func-returns-value]

    def handler(context: Any) -> None:
        clock.advance_to(4000)
        assert queue.poll("other", 10_000).generation == 2
        # The worker's own clock stood still meanwhile, as a frozen process's does.
        assert not context.cancelled

    class Still:
        def now(self) -> Any:
            return 0

    worker = make_worker(handler, Counting(), time=Still())
    worker.run_once()
    worker.beat()
    assert calls == ["poll_many", "complete"]
    assert told[-1] == ("refused", "J1")
    assert queue.view("J1").worker_id == "other"


def test_a_refused_renewal_cancels_and_is_the_last_word(
    queue: JobQueue, make_worker: Any, clock: ManualClock, told: Any
) -> None:
    """The handler is told, its result is dropped, and no further renewal is tried."""
    queue.submit("mail")

    def handler(context: Any) -> Any:
        queue.complete("J1", context.lease.token, "somebody else")
        clock.advance(1000)
        worker.beat()
        assert context.cancelled
        clock.advance(1000)
        worker.beat()
        return "mine"

    worker = make_worker(handler)
    worker.run_once()
    assert queue.view("J1").result == "somebody else"
    assert told == [("leased", "J1"), ("refused", "J1"), ("abandoned", "J1")]


def test_a_report_without_an_answer_is_made_again(queue: JobQueue, make_worker: Any) -> None:
    """No answer is no refusal: while the lease is sure, the same report is sent again."""
    queue.submit("mail")
    answers = [StoreError("lost"), StoreError("lost"), None]

    class Lossy:
        def __getattr__(self, name: Any) -> Any:
            return getattr(queue, name)

        def complete(self, *args: Any) -> None:
            answer = answers.pop(0)
            if answer is not None:
                raise answer
            queue.complete(*args)

    make_worker(lambda _context: "sent", Lossy()).run_once()
    assert (queue.view("J1").result, answers) == ("sent", [])


def test_a_checkpoint_reaches_the_next_attempt(queue: JobQueue, make_worker: Any, clock: ManualClock) -> None:
    """It is kept at once, and handed out with the next lease."""
    queue.submit("mail")
    seen = []

    def handler(context: Any) -> None:
        seen.append(context.lease.checkpoint)
        assert context.checkpoint(f"page {len(seen)}")
        if len(seen) == 1:
            raise RuntimeError("later")

    worker = make_worker(handler)
    worker.run_once()
    clock.advance(1000)
    worker.run_once()
    assert seen == [None, "page 1"]
    assert queue.view("J1").status == "SUCCEEDED"


def test_it_asks_only_for_types_that_it_has_handlers_for(
    queue: JobQueue, make_worker: Any, clock: ManualClock
) -> None:
    """P died with a pdf; Q, who can only mail, settles its expiry and leaves it alone; the next P gets it."""
    queue.submit("pdf")
    queue.poll("P", 1000)
    clock.advance_to(2000)
    mail = make_worker({"mail": lambda _context: None}, worker_id="Q")
    assert mail.run_once() == 0
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("PENDING", 1)
    assert make_worker({"pdf": lambda _context: None}, worker_id="P").run_once() == 1
    assert queue.view("J1").status == "SUCCEEDED"


@pytest.mark.parametrize(
    ("handlers", "types"), [({"mail": print}, ["mail", "pdf"]), ({}, None), ({"a": print}, [])]
)
def test_a_type_without_a_handler_is_refused_at_once(make_worker: Any, handlers: Any, types: Any) -> None:
    """Not when the first such job comes and is failed for nothing."""
    with pytest.raises(ValueError, match="types: there is no handler for"):
        make_worker(handlers, types=types)


def test_a_lost_batch_is_not_begun(queue: JobQueue, make_worker: Any, clock: ManualClock, told: Any) -> None:
    """The first job took so long that the second's lease may be over: it is left to whoever comes next."""
    for _ in range(2):
        queue.submit("mail")
    seen = []

    def handler(context: Any) -> None:
        seen.append(context.lease.job_id)
        clock.advance(3000)

    make_worker(handler, Silent(queue, clock, 0), batch=2).run_once()
    assert seen == ["J1"]
    assert told[-2:] == [("abandoned", "J1"), ("abandoned", "J2")]


def test_nothing_but_the_lost_report_is_hidden(make_worker: Any) -> None:
    """A queue that refuses the poll itself is no reason to spin: the error is the caller's."""
    broken = type("Broken", (), {"poll_many": lambda *_, **__: (_ for _ in ()).throw(JobQueueError("no"))})()
    with pytest.raises(JobQueueError):
        make_worker(lambda _context: None, broken).run_once()


def test_a_zombie_is_refused(queue: Any, clock: Any) -> None:
    """What all this is for: the old token is worth nothing once the lease is over."""
    queue.submit("mail")
    lease = queue.poll("w", 1000)
    clock.advance(1000)
    with pytest.raises(StaleTokenError):
        queue.complete("J1", lease.token)
