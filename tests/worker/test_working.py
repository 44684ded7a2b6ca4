"""What a worker does with a job: run, renew, report, once."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from jobqueue import JobQueueError, StaleTokenError, StoreError
from jobqueue.worker import PermanentError


def test_a_job_is_done_and_its_result_kept(queue, make_worker, told):
    """The handler sees the lease, and what it returns is the job's result."""
    queue.submit("mail", "to bo")
    seen = []
    worker = make_worker(lambda context: seen.append(context.lease.payload) or "sent")
    assert worker.run_once() == 1
    assert worker.run_once() == 0
    assert seen == ["to bo"]
    assert (queue.view("J1").status, queue.view("J1").result) == ("SUCCEEDED", "sent")
    assert told == [("leased", "J1"), ("done", "J1")]


class NamelessError(Exception):
    """An error that cannot say what it is."""

    def __str__(self):
        raise SystemExit


class SilentError(PermanentError):
    """An error whose text is none, and that lies about its class."""

    __class__ = property(lambda _self: 1 // 0)

    def __str__(self):
        return None  # noqa: PLE0307 - the case itself


class Unreadable(str):
    """A result that cannot be asked for its text."""

    __slots__ = ()

    def __str__(self):
        raise SystemExit


@pytest.mark.parametrize(
    ("error", "status", "last_error"),
    [
        (NamelessError(), "PENDING", "NamelessError: (its text could not be read)"),
        (SilentError(), "DEAD", "SilentError: (its text could not be read)"),
        (GeneratorExit(), "PENDING", "GeneratorExit"),
        (ValueError("no such mailbox"), "PENDING", "ValueError: no such mailbox"),
        (PermanentError("no address"), "DEAD", "PermanentError: no address"),
        (SystemExit(3), "PENDING", "SystemExit: 3"),
        (KeyboardInterrupt(), "PENDING", "KeyboardInterrupt"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_handler_raises_is_the_attempts_failure(  # noqa: PLR0917
    queue, make_worker, told, error, status, last_error
):
    """And never the worker's: it goes on."""
    queue.submit("mail")

    def handler(_context):
        raise error

    worker = make_worker(handler)
    assert worker.run_once() == 1
    assert (queue.view("J1").status, queue.view("J1").last_error) == (status, last_error)
    assert worker.run_once() == 0
    assert told == [("leased", "J1"), ("failed", "J1")]


def test_a_text_of_a_class_of_its_own_is_kept_as_plain_text(queue, make_worker):
    """What the handler returned runs no code in the worker."""
    queue.submit("mail")
    make_worker(lambda _context: Unreadable("sent")).run_once()
    assert (queue.view("J1").status, queue.view("J1").result) == ("SUCCEEDED", "sent")


@pytest.mark.parametrize(
    "error", [ValueError("closed"), BrokenPipeError(), SystemExit(), NamelessError()], ids=repr
)
def test_a_listener_that_raises_ends_nothing(queue, make_worker, error, caplog):
    """The jobs are done as if it had listened; what it raised is logged."""
    for _ in range(2):
        queue.submit("mail")
    queue.submit("pdf")

    def tell(*_):
        raise error

    def pdf(context):
        assert not context.checkpoint("a\0b")
        worker.stop()
        raise NamelessError

    worker = make_worker({"mail": lambda _context: None, "pdf": pdf}, tell=tell)
    worker.run()
    assert [queue.view(f"J{n}").status for n in (1, 2, 3)] == ["SUCCEEDED", "SUCCEEDED", "PENDING"]
    assert {record.message for record in caplog.records} == {
        "a listener of a worker raised; the worker goes on"
    }


@pytest.mark.parametrize("result", [7, "a\0b", b"bytes", "\ud800"], ids=repr)
def test_a_result_that_cannot_be_kept_is_a_failure(queue, make_worker, result):
    """It is said in the job's error, and the worker goes on."""
    queue.submit("mail")
    make_worker(lambda _context: result).run_once()
    assert queue.view("J1").status == "PENDING"
    assert "result" in queue.view("J1").last_error


def test_a_lease_is_renewed_at_each_third(queue, make_worker, clock, told):
    """A handler of 9 s on leases of 3 s: never a second between renewals, and nobody else ever gets the job."""
    queue.submit("mail")
    renewed_at, others = [0], []

    def handler(context):
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


def test_it_renews_only_what_it_holds_itself(queue, make_worker, clock):
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

    def __init__(self, queue, clock, millis):
        self.queue, self.clock, self.millis = queue, clock, millis

    def __getattr__(self, name):
        return getattr(self.queue, name)

    def renew(self, *_):
        self.clock.advance(self.millis)
        raise StoreError("no answer")


def test_a_handler_is_told_to_stop_before_its_lease_may_be_over(queue, make_worker, clock, told):
    """No renewal is answered: 300 ms before the last confirmed end it is cancelled, and nothing is reported."""
    queue.submit("mail")
    seen = {}

    def handler(context):
        for instant in (999, 2699, 2700, 2999):
            clock.advance_to(instant)
            seen[instant] = context.cancelled

    worker = make_worker(handler, Silent(queue, clock, 0), margin_millis=300)
    worker.run_once()
    assert seen == {999: False, 2699: False, 2700: True, 2999: True}
    assert told[-1] == ("abandoned", "J1")
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("RUNNING", 1)


def test_a_renewal_that_hangs_hides_nothing_from_the_handler(queue, make_worker, clock):
    """While one thread hangs in a renewal, the handler's flag still follows the clock."""
    queue.submit("mail")
    hanging, go_on = threading.Event(), threading.Event()
    seen = []

    class Hanging(Silent):
        def renew(self, *_):
            hanging.set()
            assert go_on.wait(20)
            raise StoreError("no answer")

    def handler(context):
        clock.advance_to(1000)
        assert hanging.wait(20)
        seen.append(context.cancelled)
        clock.advance_to(2700)
        seen.append(context.cancelled)
        go_on.set()

    make_worker(handler, Hanging(queue, clock, 0), margin_millis=300).run_once()
    assert seen == [False, True]
    assert queue.view("J1").status == "RUNNING"


def test_after_a_refusal_nothing_is_reported_and_nothing_tried_again(queue, make_worker, clock, told):
    """The lease ran out unnoticed and another has the job: one refusal, then silence."""
    queue.submit("mail")
    calls = []

    class Counting:
        def __getattr__(self, name):
            return lambda *args, **named: calls.append(name) or getattr(queue, name)(*args, **named)

    def handler(context):
        clock.advance_to(4000)
        assert queue.poll("other", 10_000).generation == 2
        # The worker's own clock stood still meanwhile, as a frozen process's does.
        assert not context.cancelled

    class Still:
        def now(self):
            return 0

    worker = make_worker(handler, Counting(), time=Still())
    worker.run_once()
    worker.beat()
    assert calls == ["poll_many", "complete"]
    assert told[-1] == ("refused", "J1")
    assert queue.view("J1").worker_id == "other"


def test_a_refused_renewal_cancels_and_is_the_last_word(queue, make_worker, clock, told):
    """The handler is told, its result is dropped, and no further renewal is tried."""
    queue.submit("mail")

    def handler(context):
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


def test_a_report_without_an_answer_is_made_again(queue, make_worker):
    """No answer is no refusal: while the lease is sure, the same report is sent again."""
    queue.submit("mail")
    answers = [StoreError("lost"), StoreError("lost"), None]

    class Lossy:
        def __getattr__(self, name):
            return getattr(queue, name)

        def complete(self, *args):
            answer = answers.pop(0)
            if answer is not None:
                raise answer
            queue.complete(*args)

    make_worker(lambda _context: "sent", Lossy()).run_once()
    assert (queue.view("J1").result, answers) == ("sent", [])


def test_a_checkpoint_reaches_the_next_attempt(queue, make_worker, clock):
    """It is kept at once, and handed out with the next lease."""
    queue.submit("mail")
    seen = []

    def handler(context):
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


@pytest.mark.parametrize("text", ["a\0b", "\ud800", None, 7, b"half"], ids=repr)
@pytest.mark.parametrize("refuses", [False, True])
def test_a_checkpoint_that_cannot_be_kept_is_false_and_no_error(queue, make_worker, told, text, refuses):
    """Whatever is wrong with it, or with the queue: the handler goes on, and its lease is what it was."""
    queue.submit("mail")

    class Narrow(Silent):
        def renew(self, *_):
            raise RuntimeError("something else")

    def handler(context):
        assert context.checkpoint("half" if refuses else text) is False
        return "whole"

    make_worker(handler, Narrow(queue, None, 0) if refuses else queue).run_once()
    assert queue.view("J1").result == "whole"
    assert told == [("leased", "J1"), ("checkpoint not kept", "J1"), ("done", "J1")]


class Denying:
    """A board that does not know our token: it denies the methods of some names, so many times."""

    def __init__(self, queue, clock, names, times):
        self.queue, self.clock, self.names, self.times = queue, clock, names, times

    def __getattr__(self, name):
        def method(*args, **named):
            if name in self.names and self.times > 0:
                self.times -= 1
                self.clock.advance(100)
                raise PermissionError("send a good token")
            return getattr(self.queue, name)(*args, **named)

        return method


@pytest.mark.parametrize("verb", ["complete", "fail", "renew"])
def test_a_board_that_denies_our_token_once_is_asked_again(queue, make_worker, clock, verb):
    """Finished work is reported as soon as the token counts again; the worker goes on."""
    queue.submit("mail")

    def handler(context):
        if verb == "renew":
            assert not context.checkpoint("half")
            assert context.checkpoint("half")
        if verb == "fail":
            raise ValueError("no such mailbox")

    worker = make_worker(handler, Denying(queue, clock, {verb}, 1), wait=lambda _: worker.stop())
    worker.run()
    (attempt,) = queue.history("J1")
    assert attempt.outcome == ("failed" if verb == "fail" else "succeeded")


@pytest.mark.parametrize("verbs", [{"complete"}, {"complete", "renew"}])
def test_a_board_that_goes_on_denying_stops_the_worker_when_the_lease_is_over(
    queue, make_worker, clock, told, verbs
):
    """It tries until then, says that it gives the job up, and ends with the board's own words."""
    queue.submit("mail")
    worker = make_worker(lambda _context: "sent", Denying(queue, clock, verbs, 10_000))
    with pytest.raises(PermissionError, match="send a good token"):
        worker.run()
    assert told.count_of("unanswered") == 27  # each takes 100 ms, and 300 ms before the end it is lost
    assert told[-1] == ("abandoned", "J1")
    assert clock.now() == 2700


def test_it_asks_only_for_types_that_it_has_handlers_for(queue, make_worker, clock):
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
def test_a_type_without_a_handler_is_refused_at_once(make_worker, handlers, types):
    """Not when the first such job comes and is failed for nothing."""
    with pytest.raises(ValueError, match="types: there is no handler for"):
        make_worker(handlers, types=types)


def test_a_lost_batch_is_not_begun(queue, make_worker, clock, told):
    """The first job took so long that the second's lease may be over: it is left to whoever comes next."""
    for _ in range(2):
        queue.submit("mail")
    seen = []

    def handler(context):
        seen.append(context.lease.job_id)
        clock.advance(3000)

    make_worker(handler, Silent(queue, clock, 0), batch=2).run_once()
    assert seen == ["J1"]
    assert told[-2:] == [("abandoned", "J1"), ("abandoned", "J2")]


def test_nothing_but_the_lost_report_is_hidden(make_worker):
    """A queue that refuses the poll itself is no reason to spin: the error is the caller's."""
    broken = type("Broken", (), {"poll_many": lambda *_, **__: (_ for _ in ()).throw(JobQueueError("no"))})()
    with pytest.raises(JobQueueError):
        make_worker(lambda _context: None, broken).run_once()


def test_a_zombie_is_refused(queue, clock):
    """What all this is for: the old token is worth nothing once the lease is over."""
    queue.submit("mail")
    lease = queue.poll("w", 1000)
    clock.advance(1000)
    with pytest.raises(StaleTokenError):
        queue.complete("J1", lease.token)
