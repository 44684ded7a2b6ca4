"""Aging: a job that was ready for long enough counts as one of a higher band.

Pure functions of instants; the queue asks again at the instant that `next_age_at` names.
"""

from jobqueue.scheduling.bands import BANDS


def band_at(band: str, ready_since: int, now: int, aging_millis: int | None) -> str:
    """Return the band in which a job counts: one higher for each full time of being ready.

    >>> [band_at("L", 0, now, 60_000) for now in (59_999, 60_000, 120_000, 900_000)]
    ['L', 'N', 'H', 'H']
    """
    if aging_millis is None:
        return band
    gained = max(0, now - ready_since) // aging_millis
    return BANDS[max(0, BANDS.index(band) - gained)]


def next_age_at(band: str, ready_since: int, now: int, aging_millis: int | None) -> int | None:
    """Return the next instant at which the job gains a band; None if it gains none any more.

    >>> next_age_at("L", 0, 61_000, 60_000), next_age_at("L", 0, 120_000, 60_000)
    (120000, None)
    """
    if aging_millis is None or band_at(band, ready_since, now, aging_millis) == BANDS[0]:
        return None
    return ready_since + (max(0, now - ready_since) // aging_millis + 1) * aging_millis
