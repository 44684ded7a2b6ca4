"""The figures of a snapshot as Prometheus reads them: bounded labels, nothing counted here."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST as CONTENT_TYPE

from webui.live.snapshots import Snapshot

__all__ = ["CONTENT_TYPE", "exposition"]

MOST_TENANTS = 20
OTHERS = "(others)"
"""The label of all tenants beyond the first so many: each label value is a series that is kept for months."""


def exposition(snapshot: Snapshot) -> bytes:
    """Return the page that is scraped."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures(snapshot))
    return generate_latest(registry)


class _Figures:
    """What the library wants to be asked: it collects one snapshot's figures."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._stats = snapshot.stats
        self._paused = snapshot.paused

    def collect(self) -> Iterator[Metric]:
        """Yield every family of figures."""
        stats = self._stats
        yield _gauge("jobs", "Jobs that are remembered, by status", "status", stats.by_status)
        yield _gauge("waiting_or_running", "PENDING and RUNNING jobs, by band", "band", stats.by_band)
        ages = {band: stats.oldest_ready_millis_by_band.get(band, 0) / 1000 for band in stats.by_band}
        yield _gauge("ready_age_seconds", "Age of the oldest ready job, by band", "band", ages)
        oldest = {name: millis / 1000 for name, millis in stats.oldest_ready_millis_by_tenant.items()}
        words = f"Age of the oldest ready job, the {MOST_TENANTS} longest waiting tenants by name"
        yield _gauge("tenant_ready_age_seconds", words, "tenant", bounded(oldest))
        yield _gauge("share_promised", "Part of the hand-outs promised to a band", "band", stats.promised_share)
        yield _gauge("share_actual", "Part of the hand-outs that a band had", "band", stats.actual_share)
        yield _one("running", "Live leases", stats.running)
        yield _one("paused_types", "Types that are paused", len(self._paused))
        amplification = stats.attempt_amplification
        yield _one("attempts_per_success", "Attempts started for each job that succeeded", amplification or 0)
        dead_age = max(stats.dead_ages_millis, default=0) / 1000
        yield _one("dead_letter_age_seconds", "Age of the oldest dead letter", dead_age)
        yield _total("attempts_started", "Hand-outs", stats.attempts_started)
        ended = {
            "succeeded": stats.attempts_succeeded,
            "failed": stats.attempts_failed,
            "expired": stats.attempts_expired,
        }
        family = CounterMetricFamily("jobkit_attempts_ended", "Attempts that ended, by how", labels=["outcome"])
        for outcome, count in ended.items():
            family.add_metric([outcome], count)
        yield family
        yield _total("redrives", "Dead letters that were brought back", stats.redrives)
        yield _total("refused_tokens", "Reports that came with a stale token", stats.refused_tokens)


def bounded(by_name: Mapping[str, float], most: int = MOST_TENANTS) -> dict[str, float]:
    """Return the largest values by name, and the largest of all others under one name.

    >>> bounded({"a": 1.0, "b": 3.0, "c": 2.0}, most=1)
    {'b': 3.0, '(others)': 2.0}
    """
    ranked = sorted(by_name.items(), key=lambda item: (-item[1], item[0]))
    kept = dict(ranked[:most])
    return kept | {OTHERS: ranked[most][1]} if len(ranked) > most else kept


def _gauge(name: str, says: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"jobkit_{name}", says, labels=[label])
    for value in values:
        family.add_metric([value], values[value])
    return family


def _one(name: str, says: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"jobkit_{name}", says, value=value)


def _total(name: str, says: str, value: int) -> CounterMetricFamily:
    return CounterMetricFamily(f"jobkit_{name}", says, value=value)
