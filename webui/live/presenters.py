"""What the live pages show: views and figures turned into plain records for the templates. No Flask in here."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jobqueue import Attempt, JobStatus, JobView, Stats
from jobqueue.scheduling.bands import BANDS, band_of
from jobqueue.wire import reference_of
from webui.live.instants import span
from webui.live.snapshots import Seen, Snapshot

MOST_COUNTED = 100_000
MOST_ROWS = 20
ATTEMPTS_ON_PAGE = 50
SHOWN_PAYLOAD = 64 * 1024
SHOWN_ERROR = 160
SHOWN_TEXT = 4096
SILENT_MILLIS = 30_000
"""Six of the longest rests of a worker that finds nothing to do."""

_LOOKS = {
    JobStatus.RUNNING: "run",
    JobStatus.SUCCEEDED: "ok",
    JobStatus.DEAD: "dead",
    JobStatus.CANCELLED: "wait",
}
_BAND_NAMES = {"H": "high", "N": "normal", "L": "low"}


def counted(number: int) -> str:
    """Return a count as pages show it; past a bound nobody reads the digits.

    >>> counted(12345), counted(250_000)
    ('12,345', '100,000+')
    """
    return f"{number:,}" if number <= MOST_COUNTED else f"{MOST_COUNTED:,}+"


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job in a list."""

    id: str
    type: str
    tenant: str
    priority: int
    status: str
    look: str
    attempts: int
    words: str
    at: int
    error: str
    is_past: bool
    can_cancel: bool
    can_redrive: bool


def row_of(job: JobView, now: int) -> JobRow:
    """Return a job as a row at the instant `now`."""
    words, at = _standing(job, now)
    ready = job.status is JobStatus.PENDING and job.next_run_at <= now
    return JobRow(
        id=job.id,
        type=job.type,
        tenant=job.tenant,
        priority=job.priority,
        status=job.status,
        look="ready" if ready else _LOOKS.get(job.status, "wait"),
        attempts=job.attempts,
        words=words,
        at=at,
        error=cut(job.last_error or "", SHOWN_ERROR),
        is_past=job.status is JobStatus.SUCCEEDED,
        can_cancel=job.status is JobStatus.PENDING,
        can_redrive=job.status is JobStatus.DEAD,
    )


def _standing(job: JobView, now: int) -> tuple[str, int]:
    """Return how it stands with a job, and the instant that this is about."""
    match job.status:
        case JobStatus.RUNNING:
            left = (job.lease_until or now) - now
            return f"held by {job.worker_id}, {span(left)} of lease left", job.lease_until or now
        case JobStatus.DEAD:
            died = job.failed_at or 0
            return f"{(job.dead_reason or '').replace('_', ' ')}, {span(now - died)} ago", died
        case JobStatus.SUCCEEDED | JobStatus.CANCELLED:
            ended = job.finished_at or 0
            return f"{span(now - ended)} ago", ended
    if job.next_run_at > now:
        return f"due in {span(job.next_run_at - now)}", job.next_run_at
    held = ", held by the retry budget" if job.hold else ""
    return f"ready for {span(now - max(job.next_run_at, job.submitted_at))}{held}", job.next_run_at


@dataclass(frozen=True, slots=True)
class LeaseBar:
    """One lease of a worker."""

    job_id: str
    type: str
    attempt: int
    left_millis: int
    length_millis: int
    words: str


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker, and what it holds."""

    name: str
    state: str
    look: str
    words: str
    leases: list[LeaseBar]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of figures: a band, a tenant or a type."""

    name: str
    live: str
    oldest: str
    promised: str = ""
    actual: str = ""
    is_paused: bool = False


@dataclass(frozen=True, slots=True)
class Overview:
    """The queue at one look."""

    at: int
    tiles: list[tuple[str, str, str]]
    bands: list[Figure]
    tenants: list[Figure]
    more_tenants: int
    types: list[Figure]
    more_types: int
    workers: list[WorkerRow]
    standing: str
    has_shares: bool
    attempts: list[tuple[str, str]]
    next_up: tuple[str, ...]
    is_empty: bool


def overview_of(snapshot: Snapshot, seen: Mapping[str, Seen]) -> Overview:
    """Return what the first page shows.

    Args:
        snapshot: the queue.
        seen: the last sign of each worker.
    """
    stats = snapshot.stats
    tiles = [(str(s), counted(stats.by_status.get(s, 0)), _LOOKS.get(s, "ready")) for s in JobStatus]
    tenants = _figures(stats.by_tenant, stats.oldest_ready_millis_by_tenant)
    types = _types(snapshot)
    return Overview(
        at=stats.at,
        tiles=tiles,
        bands=[_band(stats, band) for band in BANDS],
        tenants=tenants[:MOST_ROWS],
        more_tenants=max(0, len(tenants) - MOST_ROWS),
        types=types[:MOST_ROWS],
        more_types=max(0, len(types) - MOST_ROWS),
        workers=(workers := _workers(snapshot, seen)),
        standing=_counts(workers),
        has_shares=bool(stats.actual_share),
        attempts=_attempts(stats),
        next_up=snapshot.next_up,
        is_empty=not any(stats.by_status.values()),
    )


def _band(stats: Stats, band: str) -> Figure:
    return Figure(
        name=f"{band} {_BAND_NAMES[band]}",
        live=counted(stats.by_band.get(band, 0)),
        oldest=_age(stats.oldest_ready_millis_by_band.get(band)),
        promised=_percent(stats.promised_share.get(band)),
        actual=_percent(stats.actual_share.get(band)),
    )


def _figures(live: Mapping[str, int], oldest: Mapping[str, int]) -> list[Figure]:
    """Return a line for each name, who waits longest first."""
    names = sorted(live, key=lambda name: (-oldest.get(name, -1), name))
    return [Figure(name, counted(live[name]), _age(oldest.get(name))) for name in names]


def _types(snapshot: Snapshot) -> list[Figure]:
    live = snapshot.stats.by_type
    names = sorted({*live, *snapshot.paused}, key=lambda name: (name not in snapshot.paused, name))
    return [Figure(name, counted(live.get(name, 0)), "", is_paused=name in snapshot.paused) for name in names]


def _workers(snapshot: Snapshot, seen: Mapping[str, Seen]) -> list[WorkerRow]:
    held: dict[str, list[LeaseBar]] = {}
    for job in snapshot.running:
        left = (job.lease_until or 0) - snapshot.stats.at
        words, length = f"{span(left)} of lease left", snapshot.lease_lengths[job.id]
        bar = LeaseBar(job.id, job.type, job.attempts, max(0, left), length, words)
        held.setdefault(job.worker_id or "", []).append(bar)
    rows = [WorkerRow(name, "working", "run", "", held[name]) for name in sorted(held)]
    rows += [_without_lease(name, sign) for name, sign in seen.items() if name not in held]
    return rows[:MOST_ROWS]


def _without_lease(name: str, sign: Seen) -> WorkerRow:
    """Return a worker that holds no lease, with no more than its last sign tells."""
    ago = f"{span(sign.millis)} ago"
    if sign.lost_job is not None:
        return WorkerRow(name, "lost", "dead", f"Its lease on {sign.lost_job} expired without a report.", [])
    if sign.polls and sign.millis < SILENT_MILLIS:
        return WorkerRow(name, "idle", "ok", f"Last poll {ago}.", [])
    if sign.polls:
        return WorkerRow(name, "silent", "wait", f"Last seen {ago}. A worker that runs polls more often.", [])
    return WorkerRow(name, "no lease", "wait", f"Last seen {ago}. Idle or stopped: the store can't tell.", [])


def _counts(workers: list[WorkerRow]) -> str:
    """Return how many workers are in each state, those at work first."""
    counts = Counter(worker.state for worker in workers)
    return ", ".join(f"{count} {state}" for state, count in counts.items())


def _attempts(stats: Stats) -> list[tuple[str, str]]:
    """Return how it went so far, each number with what it is a number of."""
    finished = stats.by_status.get(JobStatus.SUCCEEDED, 0) + stats.by_status.get(JobStatus.DEAD, 0)
    done = stats.by_status.get(JobStatus.SUCCEEDED, 0)
    amplification = stats.attempt_amplification
    return [
        ("attempts that succeeded", f"{stats.attempts_succeeded:,} of {stats.attempts_started:,} attempts"),
        ("jobs that succeeded", f"{done:,} of {finished:,} finished jobs"),
        ("attempts that failed", f"{stats.attempts_failed:,}"),
        ("leases that expired", f"{stats.attempts_expired:,}"),
        ("attempts for each success", "-" if amplification is None else f"{amplification:.2f}"),
        ("reports with a stale token", f"{stats.refused_tokens:,}"),
        ("redrives", f"{stats.redrives:,}"),
        ("oldest dead letter", _age(max(stats.dead_ages_millis, default=None))),
    ]


@dataclass(frozen=True, slots=True)
class Attempts:
    """One page of a job's attempts: the newest unless asked otherwise, and always the first of all."""

    first: list[Attempt]
    rows: list[Attempt]
    total: int
    page: int
    pages: int


def attempts_page(history: list[Attempt], asked: int | None) -> Attempts:
    """Return a page of attempts; pages count from 1, the oldest, and the last is shown first."""
    pages = max(1, -(-len(history) // ATTEMPTS_ON_PAGE))
    page = pages if asked is None else min(max(asked, 1), pages)
    # From the end, so that the last page is a full one.
    end = len(history) - (pages - page) * ATTEMPTS_ON_PAGE
    begin = max(0, end - ATTEMPTS_ON_PAGE)
    return Attempts(history[:1] if begin > 0 else [], history[begin:end], len(history), page, pages)


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload as far as a page shows it."""

    text: str
    length: int
    is_cut: bool
    is_elsewhere: bool


def payload_of(text: str) -> Payload:
    """Return the beginning of a payload, or where it is."""
    where = reference_of(text)
    if where is not None:
        return Payload(where, len(where), is_cut=False, is_elsewhere=True)
    return Payload(text[:SHOWN_PAYLOAD], len(text), is_cut=len(text) > SHOWN_PAYLOAD, is_elsewhere=False)


def facts_of(job: JobView) -> list[tuple[str, str, int | None]]:
    """Return what there is to know of a job as (what, words, instant); one of words and instant is there."""
    rows: list[tuple[str, str, int | None]] = [
        ("type", job.type, None),
        ("tenant", job.tenant, None),
        ("priority", f"{job.priority}, band {band_of(job.priority)}", None),
        ("cost", str(job.cost), None),
        ("attempts", str(job.attempts), None),
        ("hand-outs in all", str(job.generation), None),
        ("submitted", "", job.submitted_at),
        ("run at", "", job.next_run_at),
        ("deadline", "", job.deadline),
        ("request key", job.request_key or "", None),
        ("held by", job.worker_id or "", None),
        ("lease until", "", job.lease_until),
        ("finished", "", job.finished_at),
        ("died", "", job.failed_at),
        ("cause", (job.dead_reason or "").replace("_", " "), None),
        ("redriven", f"{job.redrive_generation} times" if job.redrive_generation else "", None),
    ]
    return [row for row in rows if row[1] or row[2] is not None]


def cut(text: str, most: int = SHOWN_TEXT) -> str:
    """Return the beginning of a text, and how long it is in all if that is not all of it."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters in all)"


def rows_of(jobs: Iterable[JobView], now: int) -> list[JobRow]:
    """Return jobs as rows."""
    return [row_of(job, now) for job in jobs]


def _age(millis: int | None) -> str:
    return "-" if millis is None else span(millis)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
