"""Dead letters on the live pages: which can be redriven, how many, and that exactly those are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.conftest import BEGIN
from tests.webui.asking import Parsed, fields, is_refusal, notice_of, words
from webui.api.table import MOST_REDRIVEN


def test_one_dead_letter_is_brought_back(live: Any) -> None:
    """With the reason, a corrected payload and a new deadline in the audit."""
    live.dead(1)
    html = live.act("/jobs/J1/redrive", note="the address was wrong", payload="right", deadline="60")
    assert notice_of(html) == "J1 is redriven, with a new set of attempts."
    (audit,) = live.store.redrives("J1")
    assert (audit.actor, audit.note) == ("operator on this machine", "the address was wrong")
    assert (live.store.payload("J1"), live.store.view("J1").deadline) == ("right", BEGIN + 60_000)
    assert "the address was wrong" in words(live.page("/jobs/J1"))
    assert live.store.dead_letters() == []
    assert live.store.view("J1").failed_at is None


def test_a_failure_for_good_wants_a_tick_or_a_correction(live: Any) -> None:
    """Else it is refused; the page offers the tick only then."""
    live.store.submit("mail")
    live.store.fail("J1", live.store.poll("w", 1000).token, "no such address", permanent=True)
    assert 'name="unchanged"' in live.page("/jobs/J1")
    assert is_refusal(live.act("/jobs/J1/redrive", note="x"))
    assert not is_refusal(live.act("/jobs/J1/redrive", note="x", unchanged="yes"))
    live.dead(1)
    assert 'name="unchanged"' not in live.page("/jobs/J2")


def test_the_bulk_button_acts_on_what_was_confirmed(live: Any) -> None:
    """300 are dead, 120 of t1: the page says 120, and exactly those come back, whatever died since."""
    t1 = live.dead(120, tenant="t1")
    live.dead(180, tenant="t2")
    html = live.client.post("/live/dead/confirm", data={"which": "all", "tenant": "t1"}).text
    assert "Redrive 120 dead letters?" in words(html)
    assert len(live.store.dead_letters()) == 300, "nothing has happened yet"
    asked = fields(html)
    late = live.dead(5, tenant="t1")
    live.page("/dead?tenant=t2")
    done = live.act("/dead/redrive", **asked, note="the server is back")
    assert notice_of(done) == "120 of 120 dead letters redriven."
    assert [job.id for job in live.store.list_jobs(status="PENDING", limit=200)] == t1[::-1]
    assert len(live.store.dead_letters()) == 185
    assert {live.store.redrives(job_id)[0].batch for job_id in t1} == {1}
    assert live.store.redrives(late[0]) == []


def test_those_that_are_ticked_come_back(live: Any) -> None:
    """Two of three, spread out in time; one that is not dead any more is skipped and said."""
    live.dead(3)
    html = live.client.post("/live/dead/confirm", data={"which": "chosen", "ids": ["J3", "J1"]}).text
    asked = fields(html)
    live.store.redrive("J1", actor="ann", note="first")
    done = live.act("/dead/redrive", **asked, note="x", spread="5")
    assert notice_of(done) == "1 of 2 dead letters redriven. Skipped: 1 is no longer dead."
    assert [live.store.view(job_id).status for job_id in ("J1", "J2", "J3")] == ["PENDING", "DEAD", "PENDING"]
    assert len(live.store.redrives("J1")) == 1


def test_the_confirmation_counts_what_can_be_redriven(live: Any) -> None:
    """3 of 6: permanent failures and passed deadlines are not promised, and it says why."""
    live.dead(3)
    live.dead(2, deadline_millis=BEGIN + 60_000)
    live.store.submit("mail")
    live.store.fail("J6", live.store.poll("w", 1000).token, "no such address", permanent=True)
    live.clock.advance(60_000)
    html = live.client.post("/live/dead/confirm", data={"which": "all"}).text
    assert "Redrive 3 dead letters?" in words(html)
    assert "3 of the 6 can't be redriven here. 2 have passed their deadlines." in words(html)
    assert "1 failed permanently. Redrive it from its own page" in words(html)
    assert fields(html) == {"ids": "J1 J2 J3", "count": "3"}
    assert notice_of(live.act("/dead/redrive", **fields(html), note="x")) == "3 of 3 dead letters redriven."


def test_where_none_can_be_redriven_nothing_is_offered(live: Any) -> None:
    """The page says why, and has no button."""
    live.store.submit("mail")
    live.store.fail("J1", live.store.poll("w", 1000).token, "no such address", permanent=True)
    html = live.client.post("/live/dead/confirm", data={"ids": "J1"}).text
    assert "This dead letter can't be redriven here 1 failed permanently." in words(html)
    assert not [f for f in Parsed(html).all("form") if "/dead/redrive" in f["action"]]


def test_each_comes_back_once_however_fast_it_dies(live: Any) -> None:
    """51 are brought back while a worker fails each at once: 51 redrives, and 51 dead again."""
    ids = live.dead(51)
    asked = fields(live.client.post("/live/dead/confirm", data={"which": "all"}).text)
    live.act("/dead/redrive", **asked, note="x")
    for lease in live.store.poll_many("w", 1000, 99):
        live.store.fail(lease.job_id, lease.token)
    assert len(live.store.dead_letters()) == 51
    assert [len(live.store.redrives(job_id)) for job_id in ids] == [1] * 51


def test_nothing_ticked_is_no_fault(live: Any) -> None:
    """And more than may be brought back at once are the newest, which is said."""
    assert "Nothing is selected" in words(live.client.post("/live/dead/confirm", data={}).text)
    live.dead(MOST_REDRIVEN + 1)
    html = live.client.post("/live/dead/confirm", data={"which": "all"}).text
    assert f"Redrive {MOST_REDRIVEN} dead letters?" in words(html)
    assert "More match than can be redriven at once" in words(html)
    assert notice_of(live.act("/dead/redrive", **fields(html), note="x")).startswith(f"{MOST_REDRIVEN} of")


@pytest.mark.parametrize(
    "form",
    [
        {"ids": "J1 J2", "count": "1"},
        {"ids": "J1"},
        {"ids": "", "count": "0"},
        {"ids": "J1 x", "count": "2"},
        {"ids": " ".join(f"J{n}" for n in range(1, MOST_REDRIVEN + 2)), "count": str(MOST_REDRIVEN + 1)},
    ],
    ids=lambda form: str(form)[:30],
)
def test_what_was_not_confirmed_is_not_done(live: Any, form: Any) -> None:
    """A count that does not fit, or ids that are none: 400, and nothing has happened."""
    live.dead(2)
    answer = live.client.post("/live/dead/redrive", data=form | {"note": "x"})
    assert answer.status_code == 400
    assert len(live.store.dead_letters()) == 2
