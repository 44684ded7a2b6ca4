"""The invariants of who is next: slots of bands, turns of tenants, limits; judged by hand-outs alone."""

from jobqueue.events import Event, EventKind
from jobqueue.model import JobStatus
from jobqueue.scheduling import DeficitRoundRobin, RoundRobin
from jobqueue.scheduling.aging import band_at
from jobqueue.simulation.ledger import Ledger
from jobqueue.simulation.promises import Promises


def bands_get_slots(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """A band with a ready job waits for longer than a cycle."""
    bands, job = promises.bands, ledger.job_of(event)
    if event.kind is not EventKind.LEASED or bands is None or job is None or not ledger.is_open_hand_out(event):
        return None
    for band in {other.band for other in ledger.ready(event.at)} & set(bands.cycle) - {job.band}:
        passed = ledger.passed[band] + 1
        if passed >= len(bands.cycle):
            return f"band {band} has ready jobs, and the last {passed} hand-outs went to others"
    return None


def tenants_take_turns(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """A tenant gets more than its turns while another one waits in the same band."""
    bands, job = promises.bands, ledger.job_of(event)
    if event.kind is not EventKind.LEASED or bands is None or job is None or not ledger.is_open_hand_out(event):
        return None
    waiting: dict[str, int] = {}
    for other in ledger.ready(event.at):
        if other.band == job.band and other.tenant != job.tenant:
            waiting[other.tenant] = max(waiting.get(other.tenant, 0), other.cost)
    for tenant, price in sorted(waiting.items()):
        jobs, cost = ledger.gained.get((job.band, tenant), {}).get(job.tenant, (0, 0))
        words = f"tenant {tenant} waits, and {job.tenant} has been handed out"
        if isinstance(bands.tenants, RoundRobin) and jobs >= 1:
            return f"{words} {jobs + 1} jobs meanwhile"
        if isinstance(bands.tenants, DeficitRoundRobin):
            quantum, dearest = bands.tenants.quantum, max(j.cost for j in ledger.jobs.values())
            most = (-(-price // quantum) + 1) * quantum + dearest - 1
            if cost + job.cost > most:
                return f"{words} work of cost {cost + job.cost} meanwhile; its turns pay for {most} at most"
    return None


def limits_hold(ledger: Ledger, event: Event, promises: Promises) -> str | None:
    """More jobs run than a limit allows."""
    job, limits = ledger.job_of(event), promises.limits
    if event.kind is not EventKind.LEASED or job is None:
        return None
    running = [j for j in ledger.jobs.values() if j.status is JobStatus.RUNNING and j is not job]
    most = limits.max_running_per_tenant
    of_tenant = sum(other.tenant == job.tenant for other in running) + 1
    if most is not None and of_tenant > most:
        return f"tenant {job.tenant} has {of_tenant} jobs running, and may have {most}"
    aging = promises.scheduler.aging_millis
    band = band_at(job.band, job.ready_since, event.at, aging)
    in_band = (limits.max_running_per_band or {}).get(band)
    if in_band is None or aging is not None:
        return None  # in which band an aged job was counted when it was handed out, no event tells
    of_band = sum(other.band == band for other in running) + 1
    return f"band {band} has {of_band} jobs running, and may have {in_band}" if of_band > in_band else None


def has_limits(promises: Promises) -> bool:
    """Return whether anything is limited while it runs."""
    return promises.limits.max_running_per_tenant is not None or bool(promises.limits.max_running_per_band)
