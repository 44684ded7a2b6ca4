"""Lists of jobs: pages, newest first, of those that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, store
from tests.contract.observing import polled, submit_as

if TYPE_CHECKING:
    from collections.abc import Callable


def ids(views: Any) -> Any:
    """Return the ids of the jobs of a page."""
    return [view.id for view in views]


@pytest.fixture
def mixed(one_try: JobQueue) -> Any:
    """Return a queue with a job in each state, and some more with names of their own."""
    for status in ("SUCCEEDED", "DEAD", "CANCELLED", "RUNNING"):
        submit_as(one_try, status)
    one_try.submit_once("Order-7", "Fax", tenant="acme", priority=3)
    one_try.submit("mail", "a secret", tenant="acme")
    return one_try


def test_a_page_is_newest_first_and_shows_views(mixed: Any) -> None:
    """The same records that `view` returns."""
    page = mixed.list_jobs()
    assert ids(page) == ["J6", "J5", "J4", "J3", "J2", "J1"]
    assert page == [mixed.view(view.id) for view in page]


def test_pages_go_on_after_a_job(one_try: JobQueue) -> None:
    """Each job is on one page, also if jobs are added meanwhile, and the last page's end is empty."""
    for _ in range(23):
        one_try.submit("mail")
    found, after = [], None
    while page := one_try.list_jobs(limit=5, after=after):
        found += ids(page)
        after = page[-1].id
        one_try.submit("mail")
    assert found == [f"J{number}" for number in range(23, 0, -1)]


def test_a_page_goes_on_after_a_job_that_is_no_more(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """A job may be dropped between two pages."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), keep_finished=0)
    for _ in range(3):
        queue.submit("mail")
    queue.cancel("J2")
    assert ids(queue.list_jobs(after="J2")) == ["J1"]


@pytest.mark.parametrize(
    ("fits", "expected"),
    [
        ({"status": "PENDING"}, ["J6", "J5"]),
        ({"status": "DEAD"}, ["J2"]),
        ({"type": "mail", "tenant": "acme"}, ["J6"]),
        ({"type": "MAIL"}, []),
        ({"tenant": "acme", "after": "J6"}, ["J5"]),
        ({"q": "J3"}, ["J3"]),
        ({"q": "j"}, ["J6", "J5", "J4", "J3", "J2", "J1"]),
        ({"q": "FAX"}, ["J5"]),
        ({"q": "acm"}, ["J6", "J5"]),
        ({"q": "order-"}, ["J5"]),
        ({"q": "boom"}, ["J2"]),
        ({"q": "secret"}, []),
        ({"q": "%"}, []),
        ({"q": "acm", "status": "RUNNING"}, []),
    ],
)
def test_a_list_is_of_the_jobs_that_fit(mixed: Any, fits: Any, expected: Any) -> None:
    """By state, type, tenant, and text in id, names and error; payloads are never looked at."""
    assert ids(mixed.list_jobs(**fits)) == expected


def test_an_id_finds_that_job_alone(one_try: JobQueue) -> None:
    """Not those whose ids begin with it."""
    for _ in range(12):
        one_try.submit("mail")
    assert ids(one_try.list_jobs(q="J1")) == ["J1"]


def test_a_text_is_looked_for_in_the_newest_jobs(one_try: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many of those that fit otherwise; an id is found however old it is."""
    monkeypatch.setattr(store, "SEARCHED_JOBS", 3)
    for type_ in ("fax", "mail", "fax", "mail", "fax", "mail"):
        one_try.submit(type_)
    assert ids(one_try.list_jobs(q="fax")) == ["J5"]
    assert ids(one_try.list_jobs(q="fax", after="J4")) == ["J3", "J1"]
    assert ids(one_try.list_jobs(q="fax", type="fax")) == ["J5", "J3", "J1"]
    assert ids(one_try.list_jobs(q="J1")) == ["J1"]


def test_only_the_beginning_of_an_error_is_searched(one_try: JobQueue) -> None:
    """The first 1,000 characters."""
    for text in ("x" * 994 + "needle", "x" * 995 + "needle"):
        one_try.submit("mail")
        lease = polled(one_try)
        one_try.fail(lease.job_id, lease.token, text)
    assert ids(one_try.list_jobs(q="needle")) == ["J1"]


def test_only_ascii_letters_are_the_same_large_and_small(one_try: JobQueue) -> None:
    """In every store alike, whatever its language."""
    for name in ("\xc4pfel", "\xe4pfel"):
        one_try.submit(name)
    assert ids(one_try.list_jobs(q="\xe4PFEL")) == ["J2"]


def test_a_list_settles_what_is_due(one_try: JobQueue, clock: ManualClock) -> None:
    """Like every other look: nobody sees a RUNNING job whose lease is over."""
    one_try.submit("mail")
    polled(one_try, lease_millis=1000)
    clock.advance_to(1000)
    assert [view.status for view in one_try.list_jobs()] == ["DEAD"]


@pytest.mark.parametrize(
    ("argument", "error"),
    [
        ({"status": "GONE"}, ValueError),
        ({"status": 3}, TypeError),
        ({"type": ""}, ValueError),
        ({"tenant": " "}, ValueError),
        ({"q": "a\0"}, ValueError),
        ({"q": 5}, TypeError),
        ({"after": "J0"}, ValueError),
        ({"after": "1"}, ValueError),
        ({"limit": 0}, ValueError),
        ({"limit": 1001}, ValueError),
        ({"limit": True}, TypeError),
    ],
)
def test_what_makes_no_sense_is_refused(queue: JobQueue, argument: Any, error: Any) -> None:
    """The message names the argument."""
    with pytest.raises(error, match=next(iter(argument))):
        queue.list_jobs(**argument)
