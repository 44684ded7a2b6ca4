"""Two workers at the same time: what ex06 asked, asked of the whole queue."""

from exercises.grader import Case, check
from exercises.grader.judging.records import How
from exercises.grader.judging.together import holds, none_waits, pairs_of
from exercises.grader.running.threads.play import AFTER
from exercises.grader.running.threads.story import Call, Got, Library, Seen, Story, Take, Wrong
from exercises.grader.running.wire import Record
from exercises.staging.queue_driver import GETS_NOTHING

SUBMIT = Call("submit mail", "submit", ("mail",))
TAKEN = (Take("before", 1, "job_id"), Take("before", 1, "token"))
COMPLETE = Call("complete, with the token from above", "complete", TAKEN)
FAIL = Call("fail, with the token from above", "fail", (*TAKEN, "disk full"))
RENEW = Call("renew, with the token from above", "renew", (*TAKEN, 20_000))
VIEW = Call("view J1", "view", ("J1",))
LIST = Call("dead letters", "dead_letters")
AGREED = ("StaleTokenError", "IllegalStateError", "UnknownJobError")
STALE, ILLEGAL = "refused with StaleTokenError", "refused with IllegalStateError"

Calls = tuple[Call, ...]
Ends = tuple[str, str]  # what A's last call gives, and what B's


def poll(worker_id: str) -> Call:
    """Ask for a job."""
    return Call(f"{worker_id} polls", "poll", (worker_id, 10_000))


def on(method: str) -> Call:
    """Cancel J1, or bring it back."""
    return Call(f"{method} J1", method, ("J1",))


def tell(got: Got) -> str:
    """Say in words what a call gave."""
    if got.kind == "raised":
        return f"refused with {got.error}" if got.error in AGREED else f"raised {got.error}"
    if got.kind != "value":
        return got.kind
    if isinstance(got.value, Record) and "token" in got.value.fields:
        return f"{got.field('job_id')}, attempt {got.field('attempt')}"
    if isinstance(got.value, Record):
        error = got.field("last_error")
        return f"{got.field('status')}, attempts {got.field('attempts')}" + (f", {error}" if error else "")
    return f"a list of {len(got.value)}" if isinstance(got.value, list) else str(got.value)


def crash(seen: Seen, how: str) -> Wrong | None:
    """What is no refusal, in Python's own words.

    Who comes into the middle of a change may read nonsense or stumble over it: one is as much a sign of it as
    the other. Only what raises without an interruption is an error in itself.
    """
    for name in ("A", "B"):
        for number, got in enumerate(seen.of(name)):
            if got.kind == "raised" and not {*AGREED} & {*got.ancestors}:
                told = f"{name}: {got.error}: {got.message}"
                broken = how if seen.switches else How.RAISED
                return Wrong(f"{name}: no error", told, broken, calls=((name, number),))
    return None


def meet(
    case: Case,
    how: str,
    before: Calls,
    threads: tuple[Calls, Calls],
    *allowed: Ends,
    most: int = 3,
    after: Calls = (),
) -> None:
    """Let A and B do their calls at the same time; what they get must be one of the pairs that are allowed."""

    def judge(seen: Seen) -> Wrong | None:
        ends = (tell(seen.of("A")[-1]), tell(seen.of("B")[-1]))
        if ends in allowed:
            return None
        wanted = "; or ".join(f"A: {a}, B: {b}" for a, b in allowed)
        told = f"A: {ends[0]}, B: {ends[1]}"
        last = [(name, len(calls) - 1) for name, calls in zip("AB", threads, strict=True)]
        for place, name in enumerate("AB"):
            fed = "None" not in {pair[place] for pair in allowed}
            if threads[place][-1].method == "poll" and fed and ends[place] == "None":
                return Wrong(wanted, told, GETS_NOTHING, by=name, calls=(last[place],))
        return crash(seen, how) or Wrong(wanted, told, how + _circumstance(seen), calls=tuple(last))

    make = (Library("ManualClock"), most, 0, 0)
    story = Story("JobQueue", {"A": threads[0], "B": threads[1]}, before, (*after, poll("C")), tell, make)
    holds(case, story, judge)


def _circumstance(seen: Seen) -> str:
    """Say what tells mistakes apart that end alike.

    A lease ended while the clock stood still: somebody swept in the middle of a hand-out. And where one
    interruption is not enough, the threads do keep each other out, but for a gap: who is in it does harm only
    if the other one is stopped inside. Fewer interruptions are tried first.
    """
    if any(got.field("last_error") == "lease expired" for got in seen.of(AFTER)):
        return ", after a sweep"
    return ", by a gap" if len(seen.switches) > 1 else ""


@check(
    task=3,
    points=1,
    promise="Whatever two threads do at the same time, neither waits for the other for ever.",
    needs=("happy_path",),
)
def no_deadlock(case: Case) -> None:
    """Every two of the methods meet, twice: nobody waits for a lock of somebody who waits, too.

    Once two jobs run and one waits, so most calls find what they look for; and once the only job is dead.
    """
    busy = (SUBMIT, SUBMIT, SUBMIT, poll("W"), poll("V"))
    dead = (SUBMIT, poll("W"), FAIL)
    clock = Library("ManualClock")
    stories = pairs_of(
        "JobQueue", _each("J1", 3), _each("J2", 4), "busy", before=busy, tell=tell, make=(clock, 3, 0, 0)
    )
    stories |= pairs_of(
        "JobQueue", _each("J1", 1), _each("J1", 1), "dead", before=dead, tell=tell, make=(clock, 1, 0, 0)
    )
    none_waits(case, stories)


def _each(job_id: str, lease: int) -> dict[str, Call]:
    """One call of each method about this job; the reports are about what the call number `lease` got before."""
    taken = (Take("before", lease, "job_id"), Take("before", lease, "token"))
    more = {"complete": (), "fail": ("disk full",), "renew": (20_000,)}
    reports = {
        name: Call(f"{name}, with the token from above", name, (*taken, *args)) for name, args in more.items()
    }
    others = {name: Call(f"{name} {job_id}", name, (job_id,)) for name in ("cancel", "retry_dead", "view")}
    return reports | others | {"submit": SUBMIT, "poll": poll("B"), "dead_letters": LIST}


@check(
    task=3,
    points=3,
    promise="Of two workers that poll for one job at the same time, exactly one gets it.",
    needs=("happy_path",),
)
def one_job_two_workers(case: Case) -> None:
    """Both look, both see it ready; only one may have it."""
    ends = ("J1, attempt 1", "None")
    meet(case, "one job, two workers", (SUBMIT,), ((poll("A"),), (poll("B"),)), ends, ends[::-1], after=(VIEW,))


@check(
    task=3,
    points=2,
    promise="Of two reports with one token, only the first is accepted.",
    needs=("happy_path",),
)
def one_report(case: Case) -> None:
    """One completes, the other one fails the job, at the same time."""
    ends = ("None", STALE)
    meet(case, "both accepted", (SUBMIT, poll("W")), ((COMPLETE,), (FAIL,)), ends, ends[::-1])


@check(
    task=3,
    points=1,
    promise="Two jobs that are submitted at the same time have two ids.",
    needs=("happy_path",),
)
def two_submits(case: Case) -> None:
    """J1 and J2, whichever comes first."""
    meet(case, "one id twice", (), ((SUBMIT,), (SUBMIT,)), ("J1", "J2"), ("J2", "J1"))


@check(task=3, points=1, promise="A job is cancelled or handed out, never both.", needs=("happy_path",))
def cancel_or_poll(case: Case) -> None:
    """The poll comes first and the cancel is refused, or the poll finds nothing."""
    ends = (("None", "None"), (ILLEGAL, "J1, attempt 1"))
    meet(case, "both accepted", (SUBMIT,), ((on("cancel"),), (poll("B"),)), *ends)


@check(task=3, points=1, promise="A dead job is brought back once.", needs=("happy_path",))
def back_once(case: Case) -> None:
    """Two operators press the button at the same time."""
    ends = ("None", ILLEGAL)
    back = (on("retry_dead"),)
    meet(case, "both accepted", (SUBMIT, poll("W"), FAIL), (back, back), ends, ends[::-1], most=1)


@check(
    task=3,
    points=1,
    promise="Who renews gets the own lease or none, never that of somebody else.",
    needs=("happy_path",),
)
def own_lease(case: Case) -> None:
    """The worker renews while another thread of it fails the job, and B gets it anew."""
    ends = (("J1, attempt 1", "J1, attempt 2"), (STALE, "J1, attempt 2"))
    meet(case, "another's lease", (SUBMIT, poll("W")), ((RENEW,), (FAIL, poll("B"))), *ends)


@check(
    task=3,
    points=1,
    promise="A look shows a job before a change or after it, never in the middle.",
    needs=("happy_path",),
)
def whole_view(case: Case) -> None:
    """PENDING with no attempt, or RUNNING with one."""
    got = "J1, attempt 1"
    ends = ((got, "PENDING, attempts 0"), (got, "RUNNING, attempts 1"))
    meet(case, "half a change", (SUBMIT,), ((poll("A"),), (VIEW,)), *ends)


@check(task=3, points=1, promise="The dead letters can be listed while jobs come in.", needs=("happy_path",))
def list_and_submit(case: Case) -> None:
    """The list is empty, and nothing breaks."""
    meet(case, "broken off", (SUBMIT,), ((SUBMIT,), (LIST,)), ("J2", "a list of 0"))
