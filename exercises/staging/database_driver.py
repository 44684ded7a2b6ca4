"""Drives queues in a database: several connections, power cuts, others that act between two statements.

A story says `claim A 10_000 -> J1`; the trace then reads "t=0.0 s  A claims, lease 10 s -> J1, generation 1".
Knows the queue's methods; which database it is, its own module knows.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.grader.running.wire import Handle
from exercises.staging.database_steps import Action, Hold, complete_words, lease_words
from exercises.staging.driver import field_words, same_fields, seconds
from exercises.staging.queue_driver import ACCEPTED, GETS_A_JOB, GETS_NOTHING, TOO_LATE, several

# The ways in which a queue in a database can fail, beside those that every exercise knows.
LOCKED = "locked"
TWO_WORKERS = "one job, two workers"
ONE_ID = "one id twice"
LOST = "lost"
HALF = "half a change"
BOTH = "both"
CARELESS = "careless"


class DatabaseDriver:
    """One database, and a queue for each who uses it, over a connection of its own.

    A report that must be refused gives "refused", and SUCCEEDED if that is the job's status before and after.
    """

    def __init__(self, case: Case, module: str, kind: str, error: str, *place: str, clock: bool = True) -> None:
        """Set up an empty database at t=0.

        Its `module` runs beside the answer; refusals of the answer's class `kind` raise the error `error`.
        """
        self.case, self._module, self._kind, self._error = case, module, kind, error
        self._now = 0
        self._database = case.make(f"{module}.Database", *place, library=True, called="database")
        self._clock = (case.make("ManualClock", library=True),) if clock else ()
        self._queues: dict[str, Handle] = {}
        self.holds: dict[str, Hold] = {}
        self._submitted: dict[str, dict[str, str]] = {}  # what a lease must say of its job
        self.after: list[str] = []  # the statements of a call that came after the others had acted

    # -- time, processes and power ------------------------------------------------------------------------

    def at(self, instant: int) -> None:
        """Let time pass until `instant`. Nobody calls the queue meanwhile."""
        self.case.call("time passes", *self._clock, "advance_to", instant)
        self._now = instant
        self.case.replace_last(self._words("time passes"))

    def restart(self) -> None:
        """Close all connections in order; whoever comes next opens a new one."""
        self._tell("all connections are closed, and opened anew", "close")

    def cut_power(self) -> None:
        """Let the power fail: what was not committed is gone."""
        self._tell("the power fails, and comes back", "close")

    def _tell(self, words: str, method: str) -> None:
        self.case.call(self._words(words), self._database, method, tell=lambda _: "what was committed is there")
        self._queues.clear()

    def queue(self, name: str) -> Handle:
        """The queue of this caller, over a connection of its own."""
        if name not in self._queues:
            opened = {"library": True, "called": f"connection of {name}"}
            with self._still_open():
                connection = self.case.make(f"{self._module}.open_connection", self._database, name, **opened)
            made = (self._kind, connection, *self._clock)
            self._queues[name] = self.case.make(*made, called=f"queue of {name}")
        return self._queues[name]

    # -- one call ---------------------------------------------------------------------------------------

    def submit(self, type: str = "mail", payload: str = "", *, gives: Any, by: str = "A") -> None:
        """Submit a job, or one after the other; the queue must call them so."""
        for name in several(gives):
            got = self._call(by, f"{by} submits {type}", "submit", type, payload, expected=f"the id {name}")
            number = int("0" + "".join(filter(str.isdigit, got))) if isinstance(got, str) else None
            if got != name and number is not None and number < int(name[1:]):
                self.case.broken(f"the id {name}", f"{got}, which was given before", ONE_ID)
            self.case.same("job id", name, got)
            self._submitted[name] = {"type": type, "payload": payload}

    def claim(
        self, worker_id: str, lease_millis: int = 10_000, /, *, gives: Any, again: bool = False, **fields: Any
    ) -> Hold:
        """Let a worker claim over its own connection, or again and again: these jobs, or nothing."""
        for name in several(gives):
            hold = self._claimed(worker_id, lease_millis, name, again=again)
            if name is not None:
                self.holds[worker_id] = hold
                self.lease(hold, **{**fields, **self._submitted.get(name, {}), "worker_id": worker_id})
        return hold

    def _claimed(self, worker_id: str, lease_millis: int, gives: str | None, *, again: bool) -> Hold:
        wanted = f"{worker_id} gets {gives or 'nothing'}"
        got = self.claimed(worker_id, lease_millis, again=again, expected=wanted)
        if gives is None:
            if got is not None:
                self.case.broken(wanted, f"{worker_id} gets {lease_words(got)}", GETS_A_JOB)
            return Hold("", 0, worker_id)
        if got is None:
            self.case.broken(wanted, f"{worker_id} gets nothing (None)", GETS_NOTHING)
        self.case.same("job id", gives, self.case.field(got, "job_id"))
        return self.hold(worker_id, got)

    def claimed(
        self,
        worker_id: str,
        lease_millis: int = 10_000,
        *,
        again: bool = False,
        expected: str = "a lease, or nothing",
    ) -> Any:
        """Let a worker claim; what it gets is judged later."""
        args, more = (worker_id, lease_millis), " again" if again else ""
        words = f"{worker_id} claims{more}, lease {lease_millis / 1_000:g} s"
        return self._call(worker_id, words, "claim", *args, expected=expected, tell=lease_words)

    def submitted(self, by: str) -> Any:
        """Submit a job; the id is judged later."""
        return self._call(by, f"{by} submits mail", "submit", "mail", "", expected="an id")

    def swept(self, by: str) -> Any:
        """Let somebody sweep; the number is judged later."""
        got = self._call(by, f"{by} sweeps", "sweep", expected="a number")
        if not isinstance(got, int):
            self.case.broken("a number", repr(got), How.WRONG + " ended leases")
        return got

    def reports(self, hold: Hold) -> bool:
        """Let the holder complete; return whether it was heard."""
        args = (hold.job_id, hold.generation)
        try:
            self._call(hold.worker_id, complete_words(hold), "complete", *args, **ACCEPTED)
        except Broken as broken:
            if not broken.got.startswith(self._error):
                raise
            return False
        return True

    def hold(self, worker_id: str, lease: Any) -> Hold:
        """Take a lease apart."""
        job_id, generation = self.case.field(lease, "job_id"), self.case.field(lease, "generation")
        return Hold(job_id, generation, worker_id, lease)

    def complete(self, hold: str | Hold, *, gives: Any = "accepted") -> None:
        """Let the holder complete its job."""
        hold = self.holds[hold] if isinstance(hold, str) else hold
        args = ("complete", hold.job_id, hold.generation)
        if gives == "accepted":
            self._call(hold.worker_id, complete_words(hold), *args, **ACCEPTED)
        else:
            becomes = "SUCCEEDED" if "SUCCEEDED" not in gives else ""
            self._refuses(hold.worker_id, complete_words(hold), args[0], args[1:], becomes)

    def fail(self, hold: str | Hold, error: str = "disk full", *, gives: Any = "accepted") -> None:
        """Let the holder report a failure."""
        hold = self.holds[hold] if isinstance(hold, str) else hold
        error = error if gives == "accepted" else TOO_LATE
        words = f"{hold.worker_id} fails {hold.job_id}, generation {hold.generation}, error {error!r}"
        args = (hold.job_id, hold.generation, error)
        if gives == "accepted":
            self._call(hold.worker_id, words, "fail", *args, **ACCEPTED)
        else:
            self._refuses(hold.worker_id, words, "fail", args, "PENDING")

    def _refuses(self, by: str, words: str, method: str, args: tuple[Any, ...], becomes: str) -> None:
        queue = self.queue(by)

        def effect() -> How:
            seen = self._glance(args[0], by)
            changed = seen.get("status") == becomes and (
                becomes != "PENDING" or seen.get("last_error") == TOO_LATE
            )
            return How.ACCEPTED if changed else How.SILENT

        words = self._words(words)
        with self._without_lock(f"refused with {self._error}"):
            self.case.refuses(words, queue, method, *args, error=self._error, effect=effect)

    def _glance(self, job_id: str, by: str) -> dict[str, Any]:
        """Look at a job behind a failure."""
        return getattr(self.case.glance(self.queue(by), "view", job_id), "fields", {})

    def sweep(self, by: str = "A", *, gives: int) -> None:
        """Let somebody sweep; so many leases must have ended by it."""
        got = self._call(by, f"{by} sweeps", "sweep", expected=f"{gives} ended")
        self.case.same("ended leases", gives, got)

    def view(self, job_id: str, by: str = "A", **wanted: Any) -> None:
        """Look at a job; each named field of the view must have this value."""
        expected = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        view = self._call(by, f"view {job_id}", "view", job_id, expected=expected, tell=field_words(*wanted))
        same_fields(self.case, view, {**wanted, "id": job_id})

    def look(self, job_id: str, by: str = "A") -> dict[str, Any]:
        """Look at a job; what should be there is judged later."""
        told = field_words("status", "attempts")
        view = self._call(by, f"view {job_id}", "view", job_id, expected="a view", tell=told)
        self.case.field(view, "status")
        return dict(view.fields)

    def lease(self, hold: Hold, **wanted: Any) -> None:
        """Compare fields of the lease that a claim gave."""
        same_fields(self.case, hold.record, wanted)

    def _call(self, by: str, words: str, method: str, *args: Any, **how: Any) -> Any:
        queue = self.queue(by)
        with self._without_lock(how.get("expected", "an answer")):
            return self.case.call(self._words(words), queue, method, *args, **how)

    @contextmanager
    def _without_lock(self, expected: str) -> Iterator[None]:
        """That the database was locked is a way to fail of its own."""
        try:
            yield
        except Broken as broken:
            if "database is locked" not in broken.got and "LockNotAvailable" not in broken.got:
                raise
            raise Broken(expected, broken.got, broken.line, LOCKED) from None

    @contextmanager
    def _still_open(self) -> Iterator[None]:
        """That nobody else can open the database is the doing of those who have it open."""
        try:
            yield
        except RuntimeError as problem:
            if "is locked" not in str(problem):
                raise
            self.case.broken("anybody else can open the database", "it is locked", LOCKED)

    def safe(self) -> None:
        """Require that the queue has not asked the database to be careless with what is committed."""
        careless = self.case.glance(self._database, "careless")
        if careless:
            self.case.broken("what is committed is on the disk", f"{careless[0]}: it may not be", CARELESS)

    def _words(self, words: str) -> str:
        return f"{f't={seconds(self._now)} s':<11} {words}"

    # -- others, between two statements -------------------------------------------------------------------

    def claiming(self, worker_id: str, lease_millis: int = 10_000) -> Action:
        """Somebody claims in between."""
        words = f"{worker_id} claims, lease {lease_millis / 1_000:g} s"
        return Action(words, self.queue(worker_id), "claim", (worker_id, lease_millis), lease_words)

    def submitting(self, by: str, type: str = "mail") -> Action:
        """Somebody submits in between."""
        return Action(f"{by} submits {type}", self.queue(by), "submit", (type, ""), str)

    def sweeping(self, by: str) -> Action:
        """Somebody sweeps in between."""
        return Action(f"{by} sweeps", self.queue(by), "sweep", (), str)

    def completing(self, hold: Hold) -> Action:
        """Somebody completes in between."""
        args = (hold.job_id, hold.generation)
        return Action(complete_words(hold), self.queue(hold.worker_id), "complete", args, ACCEPTED["tell"])

    def passing(self, instant: int) -> Action:
        """Time passes in between."""
        return Action(f"it is t={seconds(instant)} s", *self._clock, "advance_to", (instant,), lambda _: "")

    def cutting(self) -> Action:
        """The power fails in between."""
        return Action("the power fails", self._database, "keep_what_is_written", (), lambda _: "")

    def meets(self, by: str, place: int, call: Callable[[], Any], *actions: Action) -> tuple[bool, list[Any]]:
        """Make a call of `by`; before its statement number `place` the others act.

        Returns:
            Whether the call came to that statement, and what each action gave: a value, or WAITS.
        """
        self.queue(by)
        begin, self.after = len(self.case.trace), []
        self.case.glance(self._database, "arm", by, place)
        for action in actions:
            self.case.glance(self._database, "then", action.target, action.method, *action.args)
        try:
            call()
        except Broken:
            self._list(by, begin, actions)
            raise
        reached = self._list(by, begin, actions)
        return reached, [self._outcome(number, action) for number, action in enumerate(actions) if reached]

    def _list(self, by: str, begin: int, actions: Sequence[Action]) -> bool:
        """Put the call's statements in front of it, with what the others did among them."""
        reached, before, after = self.case.glance(self._database, "disarm") or (False, [], [])
        self.after = after
        listing = [f"{by}: {text}" for text in before]
        if reached:
            for number, action in enumerate(actions):
                told = action.tell(self.case.glance(self._database, "outcome", number))
                listing.append(f"  {action.words}{f' -> {told}' if told else ''}")
            listing += [f"{by}: {text}" for text in after]
        trace = self.case.trace
        self.case.retell((*trace[:begin], *(f"              {text}" for text in listing), *trace[begin:]))
        return bool(reached)

    def _outcome(self, number: int, action: Action) -> Any:
        """What an action gave; if it raised what it should not, that ends the check."""
        line, trace = self.case.line, self.case.trace
        got = self.case.call(self._words(action.words), self._database, "outcome", number)
        self.case.line = line
        self.case.retell(trace)
        return got

    def power_comes_back(self) -> None:
        """Go on from what the file held when the power failed in between."""
        self._tell("the power comes back", "go_on_with_what_was_kept")
