"""Figures and lists of the jobs in a database."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from jobqueue.arguments import number_of
from jobqueue.model import DEAD, PENDING, RUNNING, SUCCEEDED
from jobqueue.scheduling.bands import BANDS
from jobqueue.scheduling.plain import PlainSchedule
from jobqueue.scheduling.schedule import LaneSchedule
from jobqueue.statistics import Stats
from jobqueue.store import Search, lowered
from jobqueue.stores.database import Row


def search_values(search: Search) -> dict[str, Any]:
    """Return the parameters of a search by the name of what they are compared with."""
    number = None if search.text is None else number_of(search.text)
    values = {
        "status": None if search.status is None else search.status.value,
        "type": search.type,
        "tenant": search.tenant,
        "before": search.before,
        "number": number,
        "text": None if search.text is None or number is not None else lowered(search.text),
    }
    return {name: value for name, value in values.items() if value is not None}


def stats_from(
    rows: Iterable[Row],
    schedule: PlainSchedule | LaneSchedule,
    refused_tokens: int,
    now: int,
) -> Stats:
    """Return the figures that the rows of `job_counts.stats` tell."""
    by_status = dict.fromkeys(map(str, type(PENDING)), 0)
    by_band, by_tenant, by_type = Counter[str](dict.fromkeys(BANDS, 0)), Counter[str](), Counter[str]()
    attempts, since_by_band, since_by_tenant = Counter[str](), dict[str, int](), dict[str, int]()
    dead_ages: list[int] = []
    redrives = 0
    for what, name, kind, band, count, extra in rows:
        match what:
            case "SUCCEEDED" | "CANCELLED":
                by_status[what] = count
            case "DEAD":
                dead_ages.append(now - count)
            case "attempts":
                attempts[name] += count
            case "redrives":
                redrives = count
            case _:
                if what != "ready":  # whose figure is only since when
                    by_status[what] += count
                    for counter, key in ((by_band, band), (by_tenant, name), (by_type, kind)):
                        counter[key] += count
                for since, key in ((since_by_band, band), (since_by_tenant, name)):
                    if extra is not None:
                        since[key] = min(since.get(key, extra), extra)
    by_status[str(DEAD)] = len(dead_ages)
    attempts["succeeded"] += by_status[str(SUCCEEDED)]  # each has one attempt that did
    running = by_status[str(RUNNING)]
    started, succeeded = attempts.total() + running, attempts["succeeded"]
    return Stats(
        at=now,
        by_status=by_status,
        by_band=dict(by_band),
        by_tenant=dict(by_tenant),
        by_type=dict(by_type),
        oldest_ready_millis_by_band=_ages(since_by_band, now),
        oldest_ready_millis_by_tenant=_ages(since_by_tenant, now),
        running=running,
        attempts_started=started,
        attempts_succeeded=succeeded,
        attempts_failed=attempts["failed"],
        attempts_expired=attempts["expired"],
        attempt_amplification=started / succeeded if succeeded else None,
        dead_ages_millis=tuple(sorted(dead_ages, reverse=True)),
        refused_tokens=refused_tokens,
        promised_share=dict(schedule.promised_share()),
        actual_share=schedule.actual_share(),
        redrives=redrives,
    )


def _ages(since: Mapping[str, int], now: int) -> dict[str, int]:
    return {name: now - instant for name, instant in since.items()}
