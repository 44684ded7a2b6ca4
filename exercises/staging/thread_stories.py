"""The stage for a queue that many threads share: stories in which they meet, and what may come of them.

What an outcome must be is said once for all stories: as if the calls had come one after the other, in some
order. The named ways to break that come first: a report should say more than "no order gives this".
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from itertools import permutations
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import SLIPS_WHERE_ALL_IS_WELL
from exercises.grader.judging.records import How
from exercises.grader.judging.together import holds
from exercises.grader.running.threads.story import Call, Got, Seen, Story, Take, Wrong
from exercises.grader.running.threads.story import told as plainly
from exercises.grader.running.wire import Record
from exercises.staging.driver import broken_as
from exercises.staging.oracle import Oracle
from exercises.staging.queue_driver import GETS_NOTHING, MADE_UP, TOKEN_AGAIN, Hold, QueueDriver
from exercises.staging.queue_words import lease_words

KIND = "SharedQueue"
ERROR = "StaleTokenError"

# The ways in which threads break a promise.
TWO_WORKERS = "one job, two workers"
ONE_ID = "one id twice"
BOTH_ACCEPTED = "both accepted"
NO_SUM = "no sum"
HALF_A_CHANGE = "half a change"
NO_ORDER = "no order gives this"


class SharedQueue(QueueDriver):
    """One queue of the answer and a single thread. There is no clock: nothing here depends on time.

    How a report is not refused depends on the job's state and on whose token it was; how a token comes again,
    on whose it was before.
    """

    def __init__(self, case: Case, called: str = "") -> None:
        """Create the queue; a second one needs a name."""
        super().__init__(case, KIND, ERROR, clock=False, called=called)

    def counts(self, pending: int, running: int, succeeded: int) -> None:
        """Look at the counts; they must be these."""
        wanted = {"pending": pending, "running": running, "succeeded": succeeded}
        expected = ", ".join(f"{name} {number}" for name, number in wanted.items())
        self.has(self.call("counts", "counts", expected=expected, tell=tell_value), wanted)

    def complete(self, hold: str | Hold, job: str = "", by: str = "", *, gives: Any = "accepted") -> None:
        """Let the holder complete its job, or somebody else another one."""
        with self._while("complete", hold, gives):
            super().complete(hold, job, by, gives=gives)

    def fail(self, hold: str | Hold, *args: str, gives: Any = "accepted", **more: Any) -> None:
        """Let the holder report a failure, or somebody else."""
        with self._while("fail", hold, gives):
            super().fail(hold, *args, gives=gives, **more)

    def _while(self, method: str, hold: str | Hold, gives: Any) -> AbstractContextManager[None]:
        if gives == "accepted":
            return nullcontext()
        token = self.find(hold).token
        given = {one.token for one in self.holds.values()} - {MADE_UP}
        whose = "a made-up token" if token == MADE_UP else "a token of a hand-out"
        whose = whose if token in given | {MADE_UP} else "a token like one of a hand-out"
        return broken_as(f"{method} with {whose} while {gives[1]}")

    def differ(self, *holds: str | Hold) -> None:
        """Require that no token appears twice."""
        *others, last = map(self.find, holds)
        before = next((one for one in others if one.token == last.token), last)
        same_job, same_worker = before.job_id == last.job_id, before.worker_id == last.worker_id
        with broken_as(
            f"{'same' if same_job else 'another'} job, {'same' if same_worker else 'another'} worker"
        ):
            super().differ(*holds)


# -- what threads do ---------------------------------------------------------------------------------------


def submit(type: str = "mail", payload: str = "") -> Call:
    """Submit one job."""
    return Call(f"submit {type}", "submit", (type, payload))


def poll(worker_id: str) -> Call:
    """Ask for a job."""
    return Call(f"{worker_id} polls", "poll", (worker_id,))


def complete(thread: str, number: int) -> Call:
    """Complete the job that the call `number` of this thread got."""
    taken = (Take(thread, number, "job_id"), Take(thread, number, "token"))
    return Call("complete, with the token from above", "complete", taken)


def fail(thread: str, number: int) -> Call:
    """Report that this job failed."""
    taken = (Take(thread, number, "job_id"), Take(thread, number, "token"), "disk full")
    return Call("fail, with the token from above", "fail", taken)


def complete_with(job_id: str, token: str) -> Call:
    """Complete a job with a token that is good for nothing."""
    return Call(f"complete {job_id} with token {token}", "complete", (job_id, token))


def view(job_id: str) -> Call:
    """Look at a job."""
    return Call(f"view {job_id}", "view", (job_id,))


def counts() -> Call:
    """Count all jobs by state."""
    return Call("counts", "counts")


def meet(
    case: Case, *, before: tuple[Call, ...] = (), after: tuple[Call, ...] = (), **threads: tuple[Call, ...]
) -> None:
    """Let threads meet in every way that is tried; each outcome must be one that the rules allow."""
    story = Story(KIND, threads, before, after, tell)
    holds(case, story, lambda seen: judge(story, seen))


def tell(got: Got) -> str:
    """Say in words what a call gave."""
    if got.kind == "value":
        return tell_value(got.value)
    return f"refused with {ERROR}" if ERROR in got.ancestors else plainly(got)


def tell_value(value: Any) -> str:
    """Say in words what a call returned.

    >>> tell_value(Record("Counts", {"pending": 1, "running": 0}))
    'pending 1, running 0'
    """
    if not isinstance(value, Record):
        return "nothing" if value is None else str(value)
    if "token" in value.fields:
        return lease_words(value)
    return ", ".join(f"{name} {got}" for name, got in value.fields.items())


# -- what may come of it -----------------------------------------------------------------------------------


def judge(story: Story, seen: Seen) -> Wrong | None:
    """Say what is wrong with an outcome: a named way if one fits, else that no order gives it."""
    calls = [
        ((name, number), call, got)
        for name, made in story.all.items()
        for number, (call, got) in enumerate(zip(made, seen.of(name), strict=True))
    ]
    for look in (_raised, _two_workers, _one_id, _both_accepted, _no_sum, _half_a_change):
        wrong = look(calls)
        if wrong is not None:
            return wrong
    if any(_agrees(story, seen, order) for order in _orders(story)):
        return None
    return _no_order(story, seen, calls)


Place = tuple[str, int]  # whose call it is, and the how-manieth of theirs
Made = list[tuple[Place, Call, Got]]


def _raised(calls: Made) -> Wrong | None:
    for place, call, got in calls:
        if got.kind == "raised" and (ERROR not in got.ancestors or call.method not in {"complete", "fail"}):
            how = How.CRASHED if SLIPS_WHERE_ALL_IS_WELL & set(got.ancestors) else How.RAISED
            told = f"{got.error}: {got.message}".rstrip(": ")
            return Wrong(f"{call.words}: no error", told, how, calls=(place,))
    return None


def _two_workers(calls: Made) -> Wrong | None:
    """One job in two hands: handed out again though nobody has failed it."""
    held: dict[Any, tuple[Place, str]] = {}
    tokens: dict[Any, tuple[Place, str]] = {}
    failed = any(call.method == "fail" and got.kind == "value" for _, call, got in calls)
    for place, call, got in calls:
        job_id = got.field("job_id")
        if call.method != "poll" or job_id is None:
            continue
        worker, token = str(call.args[0]), got.field("token")
        if job_id in held and not failed:
            first, other = held[job_id]
            told = f"{job_id} goes to {other} and to {worker}"
            return Wrong("each job goes to one worker", told, TWO_WORKERS, calls=(first, place))
        if token in tokens:
            first, other = tokens[token]
            told = f"token {token!r} for {other} and {worker}"
            return Wrong("a token for each hand-out", told, TOKEN_AGAIN, calls=(first, place))
        held[job_id] = tokens[token] = place, worker
    return None


def _one_id(calls: Made) -> Wrong | None:
    given: dict[Any, Place] = {}
    for place, call, got in calls:
        if call.method != "submit" or got.kind != "value":
            continue
        if got.value in given:
            told = f"two jobs are called {got.value}"
            return Wrong("an id for each job", told, ONE_ID, calls=(given[got.value], place))
        given[got.value] = place
    return None


def _both_accepted(calls: Made) -> Wrong | None:
    """Reports with one and the same token, and more than one of them accepted."""
    heard: dict[tuple[Any, ...], Place] = {}
    for place, call, got in calls:
        if call.method not in {"complete", "fail"} or got.kind != "value":
            continue
        first = heard.setdefault(call.args[:2], place)
        if first != place:
            told = f"both accepted, from {first[0]} and from {place[0]}"
            wanted = "one report is accepted, the other one refused"
            return Wrong(wanted, told, BOTH_ACCEPTED, calls=(first, place))
    return None


def _no_sum(calls: Made) -> Wrong | None:
    """Counts that lack a job or have one too many. Only in stories where nothing is submitted meanwhile."""
    jobs = sum(call.method == "submit" for (name, _), call, _ in calls if name == "before")
    if any(call.method == "submit" for (name, _), call, _ in calls if name != "before"):
        return None
    for place, call, got in calls:
        if call.method == "counts" and isinstance(got.value, Record):
            numbers = [number for number in got.value.fields.values() if isinstance(number, int)]
            if sum(numbers) != jobs:
                return Wrong(f"counts that add up to {jobs}", tell(got), NO_SUM, calls=(place,))
    return None


def _half_a_change(calls: Made) -> Wrong | None:
    """A job that is PENDING and yet has begun its first attempt, or the other way round."""
    if any(call.method == "fail" for _, call, _ in calls):
        return None
    for place, call, got in calls:
        if call.method == "view" and isinstance(got.value, Record):
            begun = got.field("attempts") == 1
            if begun != (got.field("status") in {"RUNNING", "SUCCEEDED"}):
                wanted = "the job before the poll, or after it"
                return Wrong(wanted, tell(got), HALF_A_CHANGE, calls=(place,))
    return None


def _no_order(story: Story, seen: Seen, calls: Made) -> Wrong:
    nothing = [place for place, call, got in calls if call.method == "poll" and got.value is None]
    nothing = [place for place in nothing if place[0] in story.threads]  # the others are alone
    wanted = "what the calls give one after the other, in some order"
    names = [name for name in seen.calls if seen.of(name)]
    told = "; ".join(f"{name}: {', '.join(tell(got) for got in seen.of(name))}" for name in names)
    if nothing and _would_agree_if_fed(story, seen):
        waiting, name = "a worker gets a job while one is ready", nothing[0][0]
        return Wrong(waiting, f"{name} gets nothing", GETS_NOTHING, by=name, calls=(nothing[0],))
    return Wrong(wanted, told, NO_ORDER)


def _would_agree_if_fed(story: Story, seen: Seen) -> bool:
    """Whether all would be well, but for polls of the threads that gave nothing."""
    return any(_agrees(story, seen, order, forgiving=True) for order in _orders(story))


def _orders(story: Story) -> Iterator[tuple[str, ...]]:
    """Every order in which the threads' calls can come one after the other, between before and after."""
    threads = [name for name, calls in story.threads.items() for _ in calls]
    for middle in sorted(set(permutations(threads))):
        yield ("before",) * len(story.before) + middle + ("after",) * len(story.after)


def _agrees(story: Story, seen: Seen, order: tuple[str, ...], *, forgiving: bool = False) -> bool:
    """Whether the model, asked in this order, gives what was seen."""
    model = _Told(forgiving=forgiving)
    place = dict.fromkeys(story.all, 0)
    for name in order:
        number = place[name]
        place[name] += 1
        if not model.gives((name, number), story.all[name][number], seen.of(name)[number]):
            return False
    return True


class _Told:
    """The model, told calls one after the other."""

    def __init__(self, *, forgiving: bool) -> None:
        self._model = Oracle(leases=False, keeps_place=True)
        self._hand_outs: dict[
            tuple[str, int], tuple[int, int]
        ] = {}  # by call: the job and the hand-out's number
        self._forgiving = forgiving

    def gives(self, place: tuple[str, int], call: Call, got: Got) -> bool:
        """Make the same call to the model; whether it gives the same."""
        match call.method:
            case "submit":
                return bool(got.value == self._model.submit(0).id)
            case "poll":
                return self._poll(place, call, got)
            case "complete" | "fail":
                return self._report(call, got)
            case "view":
                job = self._model.jobs[int(call.args[0][1:])]
                return _has(got, {"status": job.status, "attempts": job.attempts, "last_error": job.last_error})
        states = [job.status for job in self._model.jobs.values()]
        names = {"pending": "PENDING", "running": "RUNNING", "succeeded": "SUCCEEDED"}
        return _has(got, {name: states.count(state) for name, state in names.items()})

    def _poll(self, place: tuple[str, int], call: Call, got: Got) -> bool:
        if self._forgiving and got.value is None and place[0] not in {"before", "after"}:
            return True
        hand_out = len(self._hand_outs) + 1
        job = self._model.poll(0, hand_out=hand_out)
        if job is None:
            return got.kind == "value" and got.value is None
        self._hand_outs[place] = (job.number, hand_out)
        return _has(got, {"job_id": job.id, "attempt": job.attempts, "worker_id": call.args[0]})

    def _report(self, call: Call, got: Got) -> bool:
        shown, number = None, 1
        if isinstance(call.args[0], Take):
            took = call.args[0]
            if (took.thread, took.number) not in self._hand_outs:
                return got.kind == "passed over"
            number, shown = self._hand_outs[took.thread, took.number]
        accepted = (
            self._model.complete(0, number, shown)
            if call.method == "complete"
            else self._model.fail(0, number, shown, "disk full")
        )
        return got.kind == ("value" if accepted else "raised")


def _has(got: Got, wanted: Mapping[str, Any]) -> bool:
    return isinstance(got.value, Record) and all(got.field(name) == value for name, value in wanted.items())
