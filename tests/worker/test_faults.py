"""What a worker bears: whatever a handler, a listener or the board does, it goes on, or ends with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue.worker import PermanentError
from tests.worker.test_working import Silent

if TYPE_CHECKING:
    from jobqueue import JobQueue, ManualClock


class NamelessError(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise SystemExit


class SilentError(PermanentError):
    """An error whose text is none, and that lies about its class."""

    __class__ = property(lambda _self: 1 // 0)

    def __str__(self) -> str:
        return None  # type: ignore[return-value]  # noqa: PLE0307 - the case itself


class Unreadable(str):
    """A result that cannot be asked for its text."""

    __slots__ = ()

    def __str__(self) -> str:
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
    queue: JobQueue, make_worker: Any, told: Any, error: Any, status: str, last_error: Any
) -> None:
    """And never the worker's: it goes on."""
    queue.submit("mail")

    def handler(_context: Any) -> None:
        raise error

    worker = make_worker(handler)
    assert worker.run_once() == 1
    assert (queue.view("J1").status, queue.view("J1").last_error) == (status, last_error)
    assert worker.run_once() == 0
    assert told == [("leased", "J1"), ("failed", "J1")]


def test_a_text_of_a_class_of_its_own_is_kept_as_plain_text(queue: JobQueue, make_worker: Any) -> None:
    """What the handler returned runs no code in the worker."""
    queue.submit("mail")
    make_worker(lambda _context: Unreadable("sent")).run_once()
    assert (queue.view("J1").status, queue.view("J1").result) == ("SUCCEEDED", "sent")


@pytest.mark.parametrize(
    "error", [ValueError("closed"), BrokenPipeError(), SystemExit(), NamelessError()], ids=repr
)
def test_a_listener_that_raises_ends_nothing(
    queue: JobQueue, make_worker: Any, error: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The jobs are done as if it had listened; what it raised is logged."""
    for _ in range(2):
        queue.submit("mail")
    queue.submit("pdf")

    def tell(*_: Any) -> None:
        raise error

    def pdf(context: Any) -> None:
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
def test_a_result_that_cannot_be_kept_is_a_failure(queue: Any, make_worker: Any, result: Any) -> None:
    """It is said in the job's error, and the worker goes on."""
    queue.submit("mail")
    make_worker(lambda _context: result).run_once()
    assert queue.view("J1").status == "PENDING"
    assert "result" in queue.view("J1").last_error


@pytest.mark.parametrize("text", ["a\0b", "\ud800", None, 7, b"half"], ids=repr)
@pytest.mark.parametrize("refuses", [False, True])
def test_a_checkpoint_that_cannot_be_kept_is_false_and_no_error(
    queue: Any, make_worker: Any, told: Any, text: Any, refuses: Any
) -> None:
    """Whatever is wrong with it, or with the queue: the handler goes on, and its lease is what it was."""
    queue.submit("mail")

    class Narrow(Silent):
        def renew(self, *_: Any) -> None:
            raise RuntimeError("something else")

    def handler(context: Any) -> Any:
        assert context.checkpoint("half" if refuses else text) is False
        return "whole"

    make_worker(handler, Narrow(queue, None, 0) if refuses else queue).run_once()  # type: ignore[arg-type]
    assert queue.view("J1").result == "whole"
    assert told == [("leased", "J1"), ("checkpoint not kept", "J1"), ("done", "J1")]


class Denying:
    """A board that does not know our token: it denies the methods of some names, so many times."""

    def __init__(self, queue: JobQueue, clock: ManualClock, names: Any, times: Any) -> None:
        self.queue, self.clock, self.names, self.times = queue, clock, names, times

    def __getattr__(self, name: Any) -> Any:
        def method(*args: Any, **named: Any) -> Any:
            if name in self.names and self.times > 0:
                self.times -= 1
                self.clock.advance(100)
                raise PermissionError("send a good token")
            return getattr(self.queue, name)(*args, **named)

        return method


@pytest.mark.parametrize("verb", ["complete", "fail", "renew"])
def test_a_board_that_denies_our_token_once_is_asked_again(
    queue: Any, make_worker: Any, clock: Any, verb: Any
) -> None:
    """Finished work is reported as soon as the token counts again; the worker goes on."""
    queue.submit("mail")

    def handler(context: Any) -> None:
        if verb == "renew":
            assert not context.checkpoint("half")
            assert context.checkpoint("half")
        if verb == "fail":
            raise ValueError("no such mailbox")

    worker = make_worker(handler, Denying(queue, clock, {verb}, 1), wait=lambda _: worker.stop())  # type: ignore[has-type]
    worker.run()
    (attempt,) = queue.history("J1")
    assert attempt.outcome == ("failed" if verb == "fail" else "succeeded")


@pytest.mark.parametrize("verbs", [{"complete"}, {"complete", "renew"}])
def test_a_board_that_goes_on_denying_stops_the_worker_when_the_lease_is_over(
    queue: JobQueue, make_worker: Any, clock: ManualClock, told: Any, verbs: Any
) -> None:
    """It tries until then, says that it gives the job up, and ends with the board's own words."""
    queue.submit("mail")
    worker = make_worker(lambda _context: "sent", Denying(queue, clock, verbs, 10_000))
    with pytest.raises(PermissionError, match="send a good token"):
        worker.run()
    assert told.count_of("unanswered") == 27  # each takes 100 ms, and 300 ms before the end it is lost
    assert told[-1] == ("abandoned", "J1")
    assert clock.now() == 2700
