"""The stage for queues in a database: several connections, power cuts, others that act between two statements.

A check says `stage.claims("A", 10_000, gives="J1")`; the trace then reads "t=0.0 s  A claims, lease 10 s -> J1,
generation 1". Knows the queue's method names; which database it is, the lab knows.
"""

from collections.abc import Callable, Sequence
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.grader.running.wire import Handle
from exercises.staging.database_words import (
    LOCKED,
    ONE_ID,
    Action,
    Hold,
    accepted,
    complete_words,
    lease_words,
    view_words,
)
from exercises.staging.queue_driver import GETS_A_JOB, GETS_NOTHING, seconds


class ClaimStage:
    """One database, and a queue for each who uses it, over a connection of its own."""

    def __init__(self, case: Case, lab: str, kind: str, error: str) -> None:
        """Set up an empty database at t=0.

        Args:
            case: The check's.
            lab: The module with the database's lab, which runs beside the answer.
            kind: The answer's class.
            error: The name of the error that refusals raise.
        """
        self._case, self._module, self._kind, self._error = case, lab, kind, error
        self._now = 0
        self._lab = case.make(f"{lab}.Lab", library=True, called="lab")
        self._clock = case.make("ManualClock", library=True)
        self._queues: dict[str, Handle] = {}

    @property
    def case(self) -> Case:
        """The check's conversation."""
        return self._case

    # -- time, processes and power ------------------------------------------------------------------------

    def at(self, instant: int) -> None:
        """Let time pass until `instant`. Nobody calls the queue meanwhile."""
        self._case.call("time passes", self._clock, "advance_to", instant)
        self._now = instant
        self._case.replace_last(self._words("time passes"))

    def restarts(self) -> None:
        """Close all connections in order; whoever comes next opens a new one."""
        self._tell("all connections are closed, and opened anew", "close")

    def power_fails(self) -> None:
        """Let the power fail: what was not committed is gone."""
        self._tell("the power fails, and comes back", "close")

    def _tell(self, words: str, method: str) -> None:
        self._case.call(self._words(words), self._lab, method, tell=lambda _: "what was committed is there")
        self._queues.clear()

    def queue(self, name: str) -> Handle:
        """The queue of this caller, over a connection of its own."""
        if name not in self._queues:
            opened = {"library": True, "called": f"connection of {name}"}
            connection = self._case.make(f"{self._module}.open_connection", self._lab, name, **opened)
            made = self._case.make(self._kind, connection, self._clock, called=f"queue of {name}")
            self._queues[name] = made
        return self._queues[name]

    # -- one call ---------------------------------------------------------------------------------------

    def submits(self, type: str = "mail", payload: str = "", *, gives: str, by: str = "A") -> None:
        """Submit one job; the queue must call it `gives`."""
        got = self._call(by, f"{by} submits {type}", "submit", type, payload, expected=f"the id {gives}")
        if (
            got != gives
            and isinstance(got, str)
            and int("0" + "".join(filter(str.isdigit, got))) < int(gives[1:])
        ):
            self._case.broken(f"the id {gives}", f"{got}, which was given before", ONE_ID)
        self._case.same("job id", gives, got)

    def claims(self, worker_id: str, lease_millis: int, *, gives: str | None, again: bool = False) -> Hold:
        """Let a worker claim over its own connection; it must get the job `gives`, or nothing."""
        wanted = f"{worker_id} gets {gives or 'nothing'}"
        words = f"{worker_id} claims{' again' if again else ''}, lease {lease_millis / 1_000:g} s"
        got = self._call(worker_id, words, "claim", worker_id, lease_millis, expected=wanted, tell=lease_words)
        if gives is None:
            if got is not None:
                self._case.broken(wanted, f"{worker_id} gets {lease_words(got)}", GETS_A_JOB)
            return Hold("", 0, worker_id, None)
        if got is None:
            self._case.broken(wanted, f"{worker_id} gets nothing (None)", GETS_NOTHING)
        self._case.same("job id", gives, self._case.field(got, "job_id"))
        return self.hold(worker_id, got)

    def claimed(self, worker_id: str, lease_millis: int = 10_000, *, again: bool = False) -> Any:
        """Let a worker claim; what it gets is judged later."""
        words = f"{worker_id} claims{' again' if again else ''}, lease {lease_millis / 1_000:g} s"
        told: dict[str, Any] = {"expected": "a lease, or nothing", "tell": lease_words}
        return self._call(worker_id, words, "claim", worker_id, lease_millis, **told)

    def submitted(self, by: str) -> Any:
        """Submit a job; the id is judged later."""
        return self._call(by, f"{by} submits mail", "submit", "mail", "", expected="an id")

    def swept(self, by: str) -> Any:
        """Let somebody sweep; the number is judged later."""
        got = self._call(by, f"{by} sweeps", "sweep", expected="a number")
        if not isinstance(got, int):
            self._case.broken("a number", repr(got), How.WRONG + " ended leases")
        return got

    def reports(self, hold: Hold) -> bool:
        """Let the holder complete; return whether it was heard."""
        args = (hold.job_id, hold.generation)
        try:
            self._call(
                hold.worker_id, complete_words(hold), "complete", *args, expected="accepted", tell=accepted
            )
        except Broken as broken:
            if not broken.got.startswith(self._error):
                raise
            return False
        return True

    def hold(self, worker_id: str, lease: Any) -> Hold:
        """Take a lease apart."""
        job_id, generation = self._case.field(lease, "job_id"), self._case.field(lease, "generation")
        return Hold(job_id, generation, worker_id, lease)

    def completes(self, hold: Hold) -> None:
        """Let the holder complete its job; the queue must accept."""
        args = (hold.job_id, hold.generation)
        self._call(hold.worker_id, complete_words(hold), "complete", *args, expected="accepted", tell=accepted)

    def fails(self, hold: Hold, error: str = "disk full") -> None:
        """Let the holder report a failure; the queue must accept."""
        words = f"{hold.worker_id} fails {hold.job_id}, generation {hold.generation}, error {error!r}"
        args = (hold.job_id, hold.generation, error)
        self._call(hold.worker_id, words, "fail", *args, expected="accepted", tell=accepted)

    def refuses_complete(self, job_id: str, generation: Any, by: str, *, stays: str = "RUNNING") -> None:
        """Let somebody complete a job with a generation that is not good for it; the queue must refuse.

        `stays` is the job's status, before and after.
        """
        hold = Hold(job_id, generation, by, None)
        becomes = "SUCCEEDED" if stays != "SUCCEEDED" else ""
        self._refuses(by, complete_words(hold), "complete", (job_id, generation), becomes)

    def refuses_fail(self, job_id: str, generation: Any, by: str) -> None:
        """Let somebody fail a job with a generation that is not good for it; the queue must refuse."""
        words = f"{by} fails {job_id}, generation {generation}, error 'too late'"
        self._refuses(by, words, "fail", (job_id, generation, "too late"), "PENDING")

    def _refuses(self, by: str, words: str, method: str, args: tuple[Any, ...], becomes: str) -> None:
        queue = self.queue(by)

        def effect() -> How:
            seen = self._glance(args[0], by)
            changed = seen.get("status") == becomes and (
                becomes != "PENDING" or seen.get("last_error") == "too late"
            )
            return How.ACCEPTED if changed else How.SILENT

        how: dict[str, Any] = {"error": self._error, "effect": effect}
        guard = self._without_lock(f"refused with {self._error}")
        guard(lambda: self._case.refuses(self._words(words), queue, method, *args, **how))

    def _glance(self, job_id: str, by: str) -> dict[str, Any]:
        """Look at a job behind a failure."""
        return getattr(self._case.glance(self.queue(by), "view", job_id), "fields", {})

    def sweeps(self, by: str = "A", *, gives: int) -> None:
        """Let somebody sweep; so many leases must have ended by it."""
        got = self._call(by, f"{by} sweeps", "sweep", expected=f"{gives} ended")
        self._case.same("ended leases", gives, got)

    def shows(self, job_id: str, by: str = "A", **wanted: object) -> None:
        """Look at a job; each named field of the view must have this value."""
        expected = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        view = self._call(by, f"view {job_id}", "view", job_id, expected=expected, tell=view_words(wanted))
        for name, value in wanted.items():
            self._case.same(name, value, self._case.field(view, name))

    def looks(self, job_id: str, by: str = "A") -> dict[str, Any]:
        """Look at a job; what should be there is judged later."""
        told = view_words({"status": 0, "attempts": 0})
        view = self._call(by, f"view {job_id}", "view", job_id, expected="a view", tell=told)
        self._case.field(view, "status")
        return dict(view.fields)

    def lease_has(self, hold: Hold, **wanted: object) -> None:
        """Compare fields of the lease that a claim gave."""
        for name, value in wanted.items():
            self._case.same(name, value, self._case.field(hold.record, name))

    def _call(self, by: str, words: str, method: str, *args: Any, **how: Any) -> Any:
        queue = self.queue(by)
        guard = self._without_lock(how.get("expected", "an answer"))
        return guard(lambda: self._case.call(self._words(words), queue, method, *args, **how))

    def _without_lock(self, expected: str) -> Callable[[Callable[[], Any]], Any]:
        """Run a call; that the database was locked is a way to fail of its own."""

        def run(call: Callable[[], Any]) -> Any:
            try:
                return call()
            except Broken as broken:
                if "database is locked" not in broken.got and "LockNotAvailable" not in broken.got:
                    raise
                raise Broken(expected, broken.got, broken.line, LOCKED) from None

        return run

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
        return Action(complete_words(hold), self.queue(hold.worker_id), "complete", args, accepted)

    def passing(self, instant: int) -> Action:
        """Time passes in between."""
        return Action(f"it is t={seconds(instant)} s", self._clock, "advance_to", (instant,), lambda _: "")

    def cutting(self) -> Action:
        """The power fails in between."""
        return Action("the power fails", self._lab, "keep_what_is_written", (), lambda _: "")

    def meets(self, by: str, place: int, call: Callable[[], Any], *actions: Action) -> tuple[bool, list[Any]]:
        """Make a call of `by`; before its statement number `place` the others act.

        Returns:
            Whether the call came to that statement, and what each action gave: a value, or WAITS.
        """
        self.queue(by)
        begin = len(self._case.trace)
        self._case.glance(self._lab, "arm", by, place)
        for action in actions:
            self._case.glance(self._lab, "then", action.target, action.method, *action.args)
        try:
            call()
        except Broken:
            self._list(by, begin, actions)
            raise
        reached = self._list(by, begin, actions)
        return reached, [self._outcome(number, action) for number, action in enumerate(actions) if reached]

    def _list(self, by: str, begin: int, actions: Sequence[Action]) -> bool:
        """Put the call's statements in front of it, with what the others did among them."""
        reached, before, after = self._case.glance(self._lab, "disarm") or (False, [], [])
        listing = [f"{by}: {text}" for text in before]
        if reached:
            for number, action in enumerate(actions):
                told = action.tell(self._case.glance(self._lab, "outcome", number))
                listing.append(f"  {action.words}{f' -> {told}' if told else ''}")
            listing += [f"{by}: {text}" for text in after]
        trace = self._case.trace
        self._case.retell((*trace[:begin], *(f"              {text}" for text in listing), *trace[begin:]))
        return bool(reached)

    def _outcome(self, number: int, action: Action) -> Any:
        """What an action gave; if it raised what it should not, that ends the check."""
        line, trace = self._case.line, self._case.trace
        got = self._case.call(self._words(action.words), self._lab, "outcome", number)
        self._case.line = line
        self._case.retell(trace)
        return got

    def power_comes_back(self) -> None:
        """Go on from what the file held when the power failed in between."""
        self._tell("the power comes back", "go_on_with_what_was_kept")
