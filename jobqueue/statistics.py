"""Figures of a queue at one instant, counted from its jobs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jobqueue.events import EventKind
from jobqueue.model import DEAD, PENDING, RUNNING, Job
from jobqueue.scheduling.bands import BANDS, band_of
from jobqueue.scheduling.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Stats:
    """One consistent snapshot. Counts are of jobs that are remembered; totals are of the queue object's life.

    Attributes:
        at: the instant.
        by_status: jobs by status, each status named.
        by_band: PENDING and RUNNING jobs by the band of their priority.
        by_tenant: PENDING and RUNNING jobs by tenant.
        by_type: PENDING and RUNNING jobs by type.
        oldest_ready_millis_by_band: for how long the oldest ready job has been ready, by band.
        oldest_ready_millis_by_tenant: the same by tenant.
        running: live leases.
        attempts_started: hand-outs.
        attempts_succeeded: those that completed.
        attempts_failed: those that were reported as failed.
        attempts_expired: those whose lease ran out.
        attempt_amplification: attempts started for each success; None before the first.
        dead_ages_millis: for how long each DEAD job has been dead, longest first.
        refused_tokens: reports with a stale token.
        promised_share: each band's part of the slots; empty where the scheduler promises none.
        actual_share: each band's part of the hand-outs.
        redrives: how often a dead letter was brought back.
    """

    at: int
    by_status: Mapping[str, int]
    by_band: Mapping[str, int]
    by_tenant: Mapping[str, int]
    by_type: Mapping[str, int]
    oldest_ready_millis_by_band: Mapping[str, int]
    oldest_ready_millis_by_tenant: Mapping[str, int]
    running: int
    attempts_started: int
    attempts_succeeded: int
    attempts_failed: int
    attempts_expired: int
    attempt_amplification: float | None
    dead_ages_millis: tuple[int, ...]
    refused_tokens: int
    promised_share: Mapping[str, float]
    actual_share: Mapping[str, float]
    redrives: int = 0


def stats_of(jobs: Iterable[Job], counts: Mapping[str, int], schedule: Schedule, now: int) -> Stats:
    """Return the figures of these jobs at the instant `now`; `counts` are the totals by kind of event."""
    every = list(jobs)
    live = [job for job in every if job.status in {PENDING, RUNNING}]
    ready = [job for job in live if job.status is PENDING and job.run_at <= now]
    started, succeeded = counts.get(EventKind.LEASED, 0), counts.get(EventKind.COMPLETED, 0)
    dead_ages = sorted((now - (job.failed_at or 0) for job in every if job.status is DEAD), reverse=True)
    by_status: dict[str, int] = {str(status): 0 for status in type(PENDING)}
    by_status.update(Counter(str(job.status) for job in every))
    return Stats(
        at=now,
        by_status=by_status,
        by_band=_counted(live, lambda job: band_of(job.priority), BANDS),
        by_tenant=_counted(live, lambda job: job.tenant),
        by_type=_counted(live, lambda job: job.type),
        oldest_ready_millis_by_band=_oldest(ready, lambda job: band_of(job.priority), now),
        oldest_ready_millis_by_tenant=_oldest(ready, lambda job: job.tenant, now),
        running=sum(job.status is RUNNING for job in live),
        attempts_started=started,
        attempts_succeeded=succeeded,
        attempts_failed=counts.get(EventKind.FAILED, 0),
        attempts_expired=counts.get(EventKind.LEASE_EXPIRED, 0),
        attempt_amplification=started / succeeded if succeeded else None,
        dead_ages_millis=tuple(dead_ages),
        refused_tokens=counts.get("refused_tokens", 0),
        promised_share=dict(schedule.promised_share()),
        actual_share=schedule.actual_share(),
        redrives=counts.get(EventKind.REDRIVEN, 0),
    )


def _counted(jobs: Iterable[Job], key: Any, names: Iterable[str] = ()) -> dict[str, int]:
    return {**dict.fromkeys(names, 0), **Counter(key(job) for job in jobs)}


def _oldest(jobs: Iterable[Job], key: Any, now: int) -> dict[str, int]:
    ages: dict[str, int] = {}
    for job in jobs:
        ages[key(job)] = max(ages.get(key(job), 0), now - job.ready_since)
    return ages
