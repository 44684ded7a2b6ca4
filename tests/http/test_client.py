"""The client: the same errors as at home, and bounded in time whatever the other end does."""

from __future__ import annotations

import socket
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    AdmissionError,
    IllegalStateError,
    JobQueue,
    Limits,
    ManualClock,
    RequestKeyConflictError,
    RetryPolicy,
    StaleTokenError,
    StoreError,
    UnknownJobError,
)
from jobqueue.client import QueueClient
from jobqueue.worker import Worker
from tests.http.asking import Api
from webui.server import listen, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


def error_of(call: Any) -> Any:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is compared
        call()
    return caught.value


def test_errors_are_the_same_as_at_home(clock: ManualClock) -> None:
    """Kind, words and what they know: of the queue itself, and of the one at a distance."""
    api = Api(JobQueue(clock, RetryPolicy(1, 0, 0), limits=Limits(max_queued=3)), clock)
    home = JobQueue(clock, RetryPolicy(1, 0, 0), limits=Limits(max_queued=3))
    producer, worker, operator = (api.client_of(token) for token in ("producer:default", "worker", "operator"))
    for queue in (home, producer):
        queue.submit_once("k", "mail")
        queue.submit("mail")
        queue.submit("mail")
    for queue in (home, worker):
        queue.poll("w", 1000)
    home.submit("mail"), producer.submit("mail")
    far = {**dict.fromkeys(("submit", "submit_once"), producer), "cancel": operator, "view": operator}
    calls = [
        ("complete", ("J1", "J1:7")),
        ("complete", ("J1", "J2:1")),
        ("fail", ("J2", "J2:1")),
        ("renew", ("J9", "J9:1", 1000)),
        ("cancel", ("J1",)),
        ("view", ("J9",)),
        ("submit_once", ("k", "mail", "other")),
        ("submit", ("mail",)),
        ("submit", ("",)),
        ("submit", ("mail", "a\0b")),
        ("submit", ("mail", "", 2**60)),
        ("renew", ("J1", "J1:1", 0)),
    ]
    kinds = set()
    for name, arguments in calls:
        one = error_of(lambda n=name, a=arguments: getattr(home, n)(*a))
        other = error_of(lambda n=name, a=arguments: getattr(far.get(n, worker), n)(*a))
        assert type(one) is type(other)
        kept = ("job_id", "operation", "status", "token", "reason", "retry_after_millis")
        assert [getattr(one, key, None) for key in kept] == [getattr(other, key, None) for key in kept]
        kinds.add(type(one))
    assert {
        StaleTokenError,
        UnknownJobError,
        IllegalStateError,
        RequestKeyConflictError,
        AdmissionError,
    } <= kinds


def test_what_one_sees_is_what_is_there(api: Api) -> None:
    """Views, payloads, attempts, redrives, figures: the same records."""
    client, store = api.client_of("operator"), api.store
    api.submit(payload={"a": 1.50})
    api.submit(payloadRef="s3://x")
    leases = api.client_of("worker").poll_many("w", 1000, 2, types=["mail"])
    assert {lease.job_id: lease.payload for lease in leases} == {n: store.payload(n) for n in ("J1", "J2")}
    api.client_of("worker").fail("J1", "J1:1", ValueError("no"), permanent=True)
    client.redrive("J1", note="again", payload="new")
    api.client_of("worker").fail("J2", "J2:1", "x" * 70_000, permanent=True)
    for job_id in ("J1", "J2"):
        for look in ("view", "payload", "history", "redrives"):
            assert getattr(client, look)(job_id) == getattr(store, look)(job_id)
    assert client.list_jobs(status="DEAD") == store.list_jobs(status="DEAD")
    assert client.dead_letters() == store.dead_letters()
    client.pause("mail")
    assert (client.paused(), client.stats()) == (store.paused(), store.stats())


def test_dead_letters_come_from_all_pages(api: Api) -> None:
    """In submission order, however many."""
    for _ in range(450):
        api.store.submit("mail")
    for lease in api.store.poll_many("w", 1000, 450):
        api.store.fail(lease.job_id, lease.token, permanent=True)
    found = api.client_of("operator").dead_letters()
    assert [job.id for job in found] == [f"J{n}" for n in range(1, 451)]


def test_a_report_always_fits(api: Api) -> None:
    """The longest error there is, of characters that all need an escape, is recorded."""
    api.submit()
    (lease,) = api.client_of("worker").poll_many("w", 1000, 1)
    api.client_of("worker").fail(lease.job_id, lease.token, "\x01" * 100_000)
    assert "cut: 65536 characters in all" in api.store.view("J1").last_error


@pytest.mark.parametrize(("token", "verb"), [("nobody", "poll"), ("producer:a", "poll")])
def test_a_token_that_may_not_is_a_permission_error(api: Api, token: Any, verb: Any) -> None:
    """Trying again would not help, so it is none of the queue's own errors."""
    with pytest.raises(PermissionError):
        getattr(api.client_of(token), verb)("w", 1000)


@contextmanager
def answering(*parts: Any) -> Iterator[Any]:
    """Answer every connection with some bytes, or with silence, in a thread."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    for part in parts:
                        connection.sendall(part)
                    if not parts:
                        over.wait(20)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        over.set()
        server.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b"nonsense\r\n\r\n"],
        [b"HTTP/1.0 200 OK\r\n\r\n"],
        [b"HTTP/1.0 200 OK\r\n\r\n<html>"],
        [b"HTTP/1.0 200 OK\r\n\r\n[1]"],
        [b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n{}"],
        [b"HTTP/1.0 502 Bad Gateway\r\n\r\n{}"],
        [b'HTTP/1.0 500 Internal Server Error\r\n\r\n{"detail": "x"}'],
    ],
    ids=["silence", "no HTTP", "empty", "no JSON", "no object", "cut off", "a gateway", "a fault"],
)
def test_whatever_the_other_end_does_is_a_store_error_in_time(parts: Any) -> None:
    """Nobody knows then whether the request arrived; the caller hears it within the bound."""
    with answering(*parts) as url, pytest.raises(StoreError):
        QueueClient(url, "token", timeout=0.3).complete("J1", "J1:1")


def test_nobody_there_is_a_store_error() -> None:
    """A port at which nobody listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    with pytest.raises(StoreError, match=r"no answer from 127\.0\.0\.1") as nobody:
        QueueClient(f"http://127.0.0.1:{port}/", "token").poll("w", 1000)
    assert "may have been done" not in str(nobody.value)


def test_an_answer_that_never_came_says_that_it_may_have_been_done() -> None:
    """The request was sent, and nobody knows what became of it; a look changes nothing in any case."""
    with answering() as url:
        client = QueueClient(url, "token", timeout=0.3)
        with pytest.raises(StoreError, match="may have been done"):
            client.submit("mail")
        with pytest.raises(StoreError) as look:
            client.view("J1")
    assert "may have been done" not in str(look.value)


@pytest.mark.parametrize("url", ["", "127.0.0.1:8000", "ftp://x/", "http://", "file:///etc/passwd"])
def test_an_address_that_is_none_is_refused_at_once(url: Any) -> None:
    """Before anything is asked."""
    with pytest.raises(ValueError, match="url"):
        QueueClient(url, "token")


def test_a_worker_works_over_a_real_connection(api: Api) -> None:
    """Through sockets: claim, renew, checkpoint, complete; the server below a prefix of its own."""
    for number in range(3):
        api.submit(payload=f"job {number}", requestKey=str(number))
    seen = []

    def handler(context: Any) -> Any:
        assert context.checkpoint("half")
        seen.append(context.lease.payload)
        return "done"

    with closing(listen("127.0.0.1", 0)) as sock, serving(api.app, sock):
        client = QueueClient(f"http://127.0.0.1:{sock.getsockname()[1]}", "worker")
        # One clock for both: what the queue's does not grow by, no lease does.
        worker = Worker(client, {"mail": handler}, worker_id="far", lease_millis=60_000, batch=2)
        assert [worker.run_once(), worker.run_once(), worker.run_once()] == [2, 1, 0]
    assert seen == ["job 0", "job 1", "job 2"]
    assert {api.store.view(f"J{n}").result for n in (1, 2, 3)} == {"done"}


FOREIGN = [
    "{}",
    '{"leases": [{}], "job": [], "jobs": 5, "stats": "fine", "paused": [1]}',
    '{"leases": [{"payloadRef": null}], "job": {"id": 7}, "paused": {}}',
    '{"leases": 5, "job": null, "jobId": 5, "jobs": ["J1"], "paused": null}',
]


@pytest.mark.parametrize("answer", FOREIGN)
def test_an_answer_of_somebody_else_is_a_store_error(answer: str) -> None:
    """A proxy that says 200 in its own words accepts no report and ends no worker: a StoreError is survived."""
    client = QueueClient("http://test/", "t", transport=lambda *_: (200, answer.encode()))
    calls = (
        lambda: client.submit("mail"),
        lambda: client.submit_once("k", "mail"),
        lambda: client.poll("w", 1000),
        lambda: client.renew("J1", "J1:1", 1000),
        lambda: client.complete("J1", "J1:1"),
        lambda: client.fail("J1", "J1:1"),
        lambda: client.release("J1", "J1:1"),
        lambda: client.cancel("J1"),
        lambda: client.pause("mail"),
        lambda: client.resume("mail"),
        lambda: client.view("J1"),
        client.stats,
        client.paused,
        client.list_jobs,
        client.dead_letters,
    )
    for call in calls:
        with pytest.raises(StoreError, match="is it from a board"):
            call()
