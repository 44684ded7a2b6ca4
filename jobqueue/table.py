"""Where the jobs of a queue in memory are: by id, and each in the one place where its state belongs.

It decides nothing and knows no clock, policy or lock; the queue calls it inside its own lock.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from jobqueue import lifecycle
from jobqueue.lifecycle import DEAD, PENDING, RUNNING
from jobqueue.model import FINISHED, Attempt, Job
from jobqueue.scheduling import StrictPriority
from jobqueue.scheduling.line import Line


class JobTable:
    """The jobs, the ended attempts of each, and the places where jobs wait to be found.

    A job that is ready waits in the scheduler, one that time will move (a lease by its end, a delayed job by
    its run_at) among the timers. Each job is in one place at most, so nothing outlives its reason.
    """

    def __init__(self) -> None:
        self.last_number = 0
        self._jobs: dict[str, Job] = {}
        self._ended: dict[str, list[Attempt]] = {}
        self._ready = StrictPriority()
        self._timers: Line[int] = Line()
        self._dead: set[int] = set()
        self._finished: deque[str] = deque()  # oldest first

    def get(self, job_id: str) -> Job | None:
        """Return the job's present version."""
        return self._jobs.get(job_id)

    def put(self, job: Job, now: int) -> None:
        """Put a version of a job in the place of the one before it."""
        before = self._jobs.get(job.id)
        self.last_number = max(self.last_number, job.number)
        self._jobs[job.id] = job
        if before is not None and before.status is RUNNING and job.status is not RUNNING:
            self._ended.setdefault(job.id, []).append(lifecycle.attempt_of(job))
        if job.status in FINISHED:
            self._finished.append(job.id)
        self._place(job, now)

    def settle(self, now: int) -> Iterator[Job]:
        """Yield each running job whose lease is over, by instant, then submission order.

        The caller must end its attempt before asking for the next. Delayed jobs that are due become ready
        on the way, in the same order.
        """
        while (due := self._timers.first()) and due[0][0] <= now:
            job = self._jobs[f"J{due[1]}"]
            if job.status is RUNNING:
                yield job
            else:
                self._place(job, now)

    def pick(self, types: Iterable[str] | None) -> Job | None:
        """Return the best ready job of these types, left in place."""
        number = self._ready.pick(types)
        return None if number is None else self._jobs[f"J{number}"]

    def attempts(self, job: Job) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        running = [lifecycle.attempt_of(job)] if job.status is RUNNING else []
        return self._ended.get(job.id, []) + running

    def dead(self) -> list[Job]:
        """Return the DEAD jobs in submission order."""
        return [self._jobs[f"J{number}"] for number in sorted(self._dead)]

    def retire(self, keep: int) -> Iterator[Job]:
        """Forget the oldest finished jobs beyond the newest `keep`, yielding each."""
        while len(self._finished) > keep:
            job = self._jobs.pop(self._finished.popleft())
            self._ended.pop(job.id, None)
            yield job

    def _place(self, job: Job, now: int) -> None:
        """Let a job wait where its state says and nowhere else; what it left behind would pile up."""
        self._ready.remove(job)
        self._timers.drop(job.number)
        self._dead.discard(job.number)
        if job.status is RUNNING:
            self._timers.put(job.number, (job.lease_until, job.number))
        elif job.status is PENDING and job.run_at > now:
            self._timers.put(job.number, (job.run_at, job.number))
        elif job.status is PENDING:
            self._ready.add(job)
        elif job.status is DEAD:
            self._dead.add(job.number)
