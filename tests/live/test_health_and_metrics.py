"""What scrapers read: true figures, bounded labels, and what is wrong when something is."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from jobqueue import JobQueue, ManualClock, RetryPolicy, StoreError
from tests.http.asking import Api
from webui.api.metrics import MOST_TENANTS, OTHERS
from webui.live.health import LONGEST_WITHOUT_SWEEP
from webui.live.service import Service


def scraped(api: Api) -> dict[tuple[str, ...], float]:
    answer = api.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name.removeprefix("jobkit_"), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_expiries_are_counted(clock: ManualClock) -> None:
    """Two jobs expire for good and one completes at its third attempt; a second scrape says the same."""
    api = Api(JobQueue(clock, RetryPolicy(2, 0, 0)), clock)
    for _ in range(3):
        api.submit()
    for _ in range(2):
        assert len(api.claim(limit=3, leaseMillis=1000)) == 3
        clock.advance(1000)
    api.post("/dlq/redrive", "operator", {"ids": ["J1"], "note": "x"})
    api.claim()
    api.post("/jobs/J1/complete", "worker", {"generation": 3})
    assert api.post("/jobs/J1/complete", "worker", {"generation": 2}).status_code == 409
    found = scraped(api)
    assert found["attempts_ended_total", "expired"] == 6
    assert found["attempts_ended_total", "succeeded"] == 1
    assert found["attempts_started_total",] == 7
    assert found["attempts_per_success",] == 7
    assert (found["redrives_total",], found["refused_tokens_total",]) == (1, 1)
    assert (found["jobs", "DEAD"], found["jobs", "SUCCEEDED"]) == (2, 1)
    assert [a.outcome for a in api.store.history("J2")] == ["expired", "expired"]
    assert scraped(api) == found


def test_attempts_and_jobs_are_told_apart(clock: ManualClock) -> None:
    """Two succeed at once, one at its third attempt: 5 started, 3 succeeded, 2 failed, none dead."""
    api = Api(JobQueue(clock, RetryPolicy(3, 0, 0)), clock)
    for fails in (0, 0, 2):
        job_id = api.submit()
        for generation in range(1, fails + 2):
            api.claim()
            verb = "fail" if generation <= fails else "complete"
            api.post(f"/jobs/{job_id}/{verb}", "worker", {"generation": generation})
    found = scraped(api)
    assert found["attempts_started_total",] == 5
    assert (found["attempts_ended_total", "succeeded"], found["attempts_ended_total", "failed"]) == (3, 2)
    assert (found["jobs", "SUCCEEDED"], found["jobs", "DEAD"], found["dead_letter_age_seconds",]) == (3, 0, 0)


def test_ages_and_shares_are_by_band(api: Api, clock: ManualClock) -> None:
    """Seconds, of the oldest ready job, and what a band was promised and had."""
    api.submit(priority=5)
    clock.advance(2000)
    api.submit(priority=-1)
    clock.advance(1500)
    found = scraped(api)
    assert [found["ready_age_seconds", band] for band in "HNL"] == [3.5, 0, 1.5]
    assert found["share_promised", "H"] == 0.5
    api.claim()
    assert scraped(api)["share_actual", "H"] == 1


def test_labels_are_bounded(api: Api, clock: ManualClock) -> None:
    """A thousand tenants are so many series and one for the others; hostile names stay names."""
    for number in range(1000):
        api.store.submit("mail", tenant=f"t{number}")
        clock.advance(1)
    api.store.submit("mail", tenant='x"}\n# HELP y')
    names = {labels[0] for name, *labels in scraped(api) if name == "tenant_ready_age_seconds"}
    assert len(names) == MOST_TENANTS + 1
    assert {"t0", "t19", OTHERS} <= names


def test_the_root_has_them_too(api: Api) -> None:
    """For whoever does not know our prefix; the same rights count."""
    assert api.client.get("/healthz").json == {"ok": True, "problems": []}
    assert api.client.get("/metrics").status_code == 401
    good = api.client.get("/metrics", headers={"Authorization": "Bearer operator"})
    assert good.status_code == 200
    assert good.content_type.startswith("text/plain")


@pytest.fixture
def watched(store: JobQueue, clock: ManualClock) -> Any:
    """Return an API whose monotonic clock is a manual one, too."""
    monotonic = ManualClock()
    api = Api(store, clock)
    api.service = Service(store, api.service.access, wall=clock, monotonic=monotonic)
    api.app.extensions["service"] = api.service
    return api, monotonic


def test_a_sweep_that_does_not_come_is_told(watched: Any) -> None:
    """After 30 s without one, not a moment earlier; the next one mends it."""
    api, monotonic = watched
    monotonic.advance(LONGEST_WITHOUT_SWEEP - 1)
    assert api.client.get("/healthz").status_code == 200
    monotonic.advance(1)
    answer = api.client.get("/healthz")
    assert (answer.status_code, answer.json["problems"]) == (503, ["no sweep for 30 s"])
    api.service.health.sweep()
    assert api.client.get("/healthz").json["ok"]


def test_a_store_that_fails_is_told(watched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweeper lives on, and says why."""
    api, monotonic = watched

    def broken() -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(api.store, "sweep", broken)
    monkeypatch.setattr(api.store, "stats", broken)
    api.service.health.sweep()
    monotonic.advance(40_000)
    answer = api.client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json["problems"] == [
        "no sweep for 40 s: the disk is full",
        "the store does not answer: the disk is full",
    ]


def test_a_clock_that_went_back_is_told() -> None:
    """The queue's time stands still until the clock has caught up, so nothing expires."""

    class Wall:
        at = 100_000

        def now(self) -> Any:
            return self.at

    wall = Wall()
    api = Api(JobQueue(wall, RetryPolicy(1, 0, 0)), wall)
    assert api.client.get("/healthz").json["ok"]  # type: ignore[index]
    wall.at = 40_000
    answer = api.client.get("/healthz")
    assert answer.status_code == 503
    assert "the clock went back: the queue's time is 60000 ms ahead" in answer.json["problems"][0]  # type: ignore[index]
    wall.at = 96_000
    assert api.client.get("/healthz").json["ok"]  # type: ignore[index]


def test_an_open_transaction_is_told_where_it_is_known(api: Api) -> None:
    """Some stores can tell how old their oldest transaction is."""
    for age, status in ((None, 200), (1000, 200), (61_000, 503)):
        api.store.oldest_transaction_millis = lambda age=age: age
        assert api.client.get("/healthz").status_code == status


def test_the_sweeper_sweeps_and_ends(store: Any, clock: Any) -> None:
    """A lease that is over is settled although nobody calls; after the end there is no thread."""
    api = Api(store, clock)
    store.submit("mail")
    store.poll("w", 1000)
    clock.advance(1000)
    health = api.service.health
    health.sweep()
    assert [event.outcome for event in store.history("J1")] == ["expired"]
    health.start()
    health.stop()
    assert health.wait(0)
    assert not health._thread.is_alive()  # type: ignore[union-attr]
