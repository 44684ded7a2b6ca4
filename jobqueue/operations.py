"""What operators and careful producers call: request keys, redrives, pauses, pruning, and looking ahead.

Each is off until somebody asks for it, and made of the same steps as everything else.
"""

from collections.abc import Iterable
from functools import partial
from math import inf

from jobqueue import lifecycle
from jobqueue.arguments import (
    LARGEST_INTEGER,
    check_flag,
    check_integer,
    check_job_id,
    check_name,
    check_string,
    check_text,
)
from jobqueue.bulk_redrive import by_place, each_once, partly_done, planned
from jobqueue.errors import StoreError
from jobqueue.events import EventKind
from jobqueue.lifecycle import DEAD, PENDING
from jobqueue.model import FINISHED, Job, JobStatus, JobView, Lease, Redrivable, Redrive, RedriveRow, Submission
from jobqueue.orders import check_deadline, order
from jobqueue.requests import check_same
from jobqueue.statistics import Stats
from jobqueue.storage import LOOKING, Aim, Search, to_poll
from jobqueue.turn import Turns


class Operations(Turns):
    """The operations beyond the core of the queue."""

    # -- producers ---------------------------------------------------------------------------------------

    def submit_once(
        self,
        request_key: str,
        type: str,
        payload: str | None = "",
        priority: int = 0,
        run_at_millis: int | None = None,
        *,
        tenant: str = "default",
        deadline_millis: int | None = None,
        cost: int = 1,
    ) -> Submission:
        """Submit, or find the job that the same request made before.

        The key belongs to the tenant and is bound to the content. It lives as long as its job is remembered.

        Raises:
            RequestKeyConflictError: the key stands for other content.
        """
        request_key = check_name("request_key", request_key)
        asked = order(
            type,
            payload,
            priority,
            run_at_millis,
            tenant=tenant,
            deadline_millis=deadline_millis,
            cost=cost,
            request_key=request_key,
        )
        with self._turn(Aim(submits=True, request_key=(asked.tenant, request_key))) as now:
            known = self._table.find_key(asked.tenant, request_key)
            if known is None:
                return Submission(self._accept(asked, now), replayed=False)
            check_same(self._find(known), asked.content_hash())
            return Submission(known, replayed=True)

    # -- workers -----------------------------------------------------------------------------------------

    def poll_many(
        self,
        worker_id: str,
        lease_millis: int,
        limit: int,
        *,
        types: Iterable[str] | None = None,
        tenants: Iterable[str] | None = None,
        enough_characters: int | None = None,
    ) -> list[Lease]:
        """Poll up to `limit` times at one instant; each poll sees what the ones before took.

        With `enough_characters` it stops once payloads and checkpoints together have so many; the last job can
        be of any length.
        """
        worker_id = check_name("worker_id", worker_id)
        lease_millis = check_integer("lease_millis", lease_millis, low=1)
        limit = check_integer("limit", limit, low=1)
        aim = to_poll(types, tenants)
        leases: list[Lease] = []
        room = inf if enough_characters is None else enough_characters
        with self._turn(aim) as now:
            poll = partial(self._hand_out, worker_id, lease_millis, aim, now)
            while room > 0 and len(leases) < limit and (lease := poll()):
                leases.append(lease)
                room -= len(lease.payload) + len(lease.checkpoint or "")
        return leases

    # -- dead letters ------------------------------------------------------------------------------------

    def retry_dead(self, job_id: str) -> None:
        """Bring a DEAD job back: PENDING and ready now, with a new set of attempts; its history stays."""
        job_id = check_string("job_id", job_id)
        with self._turn(Aim(job_id)) as now:
            job = self._find(job_id)
            lifecycle.check_redrive(job, now, is_corrected=False, deadline=None, operation="retry_dead")
            self._bring_back(job, now)

    def redrive(
        self,
        job_id: str,
        *,
        actor: str,
        note: str,
        payload: str | None = None,
        deadline_millis: int | None = None,
        unchanged: bool = False,
    ) -> Redrive:
        """Bring a DEAD job back, with a record of who did it and why.

        Args:
            job_id: which job; it keeps its id and its request key.
            actor: who brings it back.
            note: why.
            payload: a corrected payload; None keeps the old one.
            deadline_millis: a new deadline; one that has passed must be replaced.
            unchanged: bring back a job whose failure was permanent although nothing was corrected.
        """
        job_id = check_string("job_id", job_id)
        actor = check_name("actor", actor)
        note = check_text("note", note)
        check_flag("unchanged", unchanged)
        if payload is not None:
            payload = check_text("payload", payload)
        if deadline_millis is not None:
            deadline_millis = check_integer("deadline_millis", deadline_millis)
        with self._turn(Aim(job_id)) as now:
            job = self._find(job_id)
            if deadline_millis is not None and job.status is DEAD:
                check_deadline(deadline_millis, now, now)
            corrected = unchanged or payload is not None
            lifecycle.check_redrive(job, now, is_corrected=corrected, deadline=deadline_millis)
            return self._bring_back(job, now, actor, note, payload=payload, deadline=deadline_millis)

    def redrive_many(
        self, ids: Iterable[str], *, actor: str, note: str, spread_millis: int = 0
    ) -> list[RedriveRow]:
        """Redrive the given jobs, each once, in submission order; one row for each id tells the outcome.

        Args:
            ids: which jobs. Those that others have locked in a database come last, once they are free.
            actor: who brings them back.
            note: why.
            spread_millis: how much later each starts than the one before, so that they don't storm.
        """
        asked = each_once(ids)
        actor = check_name("actor", actor)
        note = check_text("note", note)
        spread_millis = check_integer("spread_millis", spread_millis, low=0)
        rows, held = self._redrive_several(asked, actor, note, spread_millis, after=None)
        if held:  # by others: what is free need not wait for them
            done = [row.redrive for row in rows if row.redrive is not None]
            try:
                rows += self._redrive_several(held, actor, note, spread_millis, after=done)[0]
            except StoreError as error:
                raise partly_done(len(done), len(asked), held, error) from error
        return sorted(rows, key=by_place)

    def _redrive_several(
        self, ids: Iterable[str], actor: str, note: str, spread_millis: int, *, after: list[Redrive] | None
    ) -> tuple[list[RedriveRow], list[str]]:
        """Redrive jobs in one step; return rows, and the ids that others hold: it waits for them if `after`."""
        rows = []
        with self._turn() as start:
            jobs = self._table.hold(ids, waits=after is not None)
            others = [] if after is not None else self._table.find(set(ids).difference(job.id for job in jobs))
            held = dict.fromkeys(job.id for job in others)
            asked = [job_id for job_id in ids if job_id not in held]
            batch = after[0].batch if after else self._table.last_batch + 1
            first = max(start, min(after[-1].run_at + spread_millis, LARGEST_INTEGER)) if after else start
            redrive = partial(self._bring_back, now=start, actor=actor, note=note, batch=batch)
            for job_id, job, run_at, reason in planned(asked, jobs, first, spread_millis):
                done = None if job is None or reason is not None else redrive(job, run_at=run_at)
                rows.append(RedriveRow(job_id, "done" if done else "skipped", reason, done))
        return rows, list(held)

    def redrivable(self, ids: Iterable[str], *, spread_millis: int = 0) -> list[Redrivable]:
        """Say which of these jobs `redrive_many` would redrive at this instant; it changes nothing.

        Returns:
            One row for each id, as `redrive_many` orders them: `(job_id, reason)`. The reason is None if the
            job can be redriven, else the one for which it would be skipped.
        """
        asked = each_once(ids)
        spread_millis = check_integer("spread_millis", spread_millis, low=0)
        with self._turn(LOOKING) as now:
            plan = planned(asked, self._table.find(asked), now, spread_millis)
            return [Redrivable(job_id, reason) for job_id, _, _, reason in plan]

    def redrives(self, job_id: str) -> list[Redrive]:
        """Return each time that the job was brought back, oldest first."""
        job_id = check_string("job_id", job_id)
        with self._turn(Aim(job_id, reads=True)):
            return self._table.redrives(self._find(job_id))

    def _bring_back(
        self,
        job: Job,
        now: int,
        actor: str | None = None,
        note: str | None = None,
        *,
        payload: str | None = None,
        deadline: int | None = None,
        run_at: int | None = None,
        batch: int | None = None,
    ) -> Redrive:
        after = lifecycle.brought_back(job, now, payload=payload, deadline=deadline, run_at=run_at)
        has_new = payload is not None
        done = Redrive(job.id, after.era, now, after.run_at, actor, note, has_new, after.deadline, batch)
        self._table.record(done)
        self._commit(
            job, after, now, lambda: {"actor": actor, "note": note, "payload": payload, "batch": batch}
        )
        return done

    # -- pauses ------------------------------------------------------------------------------------------

    def pause(self, type: str) -> None:
        """Hand out no jobs of a type until it is resumed; everything else about them goes on."""
        self._set_paused(type, paused=True)

    def resume(self, type: str) -> None:
        """Hand out jobs of a type again."""
        self._set_paused(type, paused=False)

    def paused(self) -> list[str]:
        """Return the paused types by name."""
        with self._turn(LOOKING):
            return self._table.paused()

    def _set_paused(self, type_: str, *, paused: bool) -> None:
        type_ = check_name("type", type_)
        with self._turn() as now:
            if self._table.set_paused(type_, paused=paused) and self._outbox.listening:
                kind = EventKind.PAUSED if paused else EventKind.RESUMED
                self._outbox.post(now, kind, None, None, 0, 0, {"type": type_})

    # -- looking -----------------------------------------------------------------------------------------

    def next_up(self, n: int) -> list[str]:
        """Return the ids that n polls of all types at this instant would hand out; it changes nothing."""
        n = check_integer("n", n, low=0)
        with self._turn(LOOKING):
            return [f"J{number}" for number in self._table.next_up(n, self._rule.policy.max_attempts)]

    def why_not(self, job_id: str) -> str:
        """Return in one sentence why a job is not being handed out, or that it is next."""
        job_id = check_string("job_id", job_id)
        with self._turn(LOOKING) as now:
            job = self._find(job_id)
            if job.status is not PENDING:
                return f"it is {job.status}: {_STORIES[job.status](job)}"
            if job.run_at > now:
                return f"due in {job.run_at - now} ms"
            most = self._rule.policy.max_attempts
            if self._table.next_up(1, most) == [job.number]:
                return "it is next"
            if job.attempts >= most:
                return f"it has had {job.attempts} of {most} attempts, and will die instead of being handed out"
            return self._table.why_not(job, now, most) or "it is next"

    def stats(self) -> Stats:
        """Return the figures of one instant, all of the same one. In memory it looks at every job."""
        with self._turn(LOOKING) as now:
            return self._table.stats(self._counts, now)

    def list_jobs(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        tenant: str | None = None,
        q: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> list[JobView]:
        """Return one page of the jobs that fit, newest first; payloads are not even read.

        Args:
            status: only those in this state.
            type: only those of this type.
            tenant: only those of this tenant.
            q: only those with this text in their id, type, tenant, request key, or the first 1,000 characters
                of their last error; large and small ASCII letters are the same. Only the newest 10,000 of the
                jobs that fit otherwise are searched. A whole id finds that job alone, however old it is.
            after: go on after this job, the last one of the page before; it need not exist any more.
            limit: how many at most, 1 to 1,000.
        """
        wanted = Search(
            status=None if status is None else check_status(status),
            type=None if type is None else check_name("type", type),
            tenant=None if tenant is None else check_name("tenant", tenant),
            text=None if q is None else check_text("q", q),
            before=None if after is None else check_job_id("after", after),
            limit=check_integer("limit", limit, low=1, high=1000),
        )
        with self._turn(LOOKING):
            return [self._seen(job) for job in self._table.search(wanted)]

    def prune(self, *, keep: int, dead: bool = False) -> int:
        """Forget finished jobs beyond the newest `keep`, oldest first; return how many.

        Args:
            keep: how many to remember.
            dead: forget DEAD jobs beyond the newest `keep` of them, too.
        """
        keep = check_integer("keep", keep, low=0)
        check_flag("dead", dead)
        with self._turn() as now:
            removed = 0
            for job in self._table.prunable(keep, now, dead=dead):
                self._drop(job, self._now)  # a store lets others in between: by then time may have gone on
                removed += 1
            return removed


def check_status(status: str) -> JobStatus:
    """Return the state of this name."""
    if check_string("status", status) not in set(JobStatus):
        raise ValueError(f"status: {status[:40]!a} is no state, expected one of {', '.join(JobStatus)}")
    return JobStatus(status)


_STORIES = {
    lifecycle.RUNNING: lambda job: f"held by {job.worker_id} until {job.lease_until}",
    lifecycle.SUCCEEDED: lambda job: f"done at {job.finished_at}",
    lifecycle.CANCELLED: lambda job: f"cancelled at {job.finished_at}",
    DEAD: lambda job: f"given up at {job.failed_at}, {job.dead_reason}",
}
assert set(_STORIES) == {lifecycle.RUNNING, DEAD, *FINISHED}  # noqa: S101 - each state but PENDING
