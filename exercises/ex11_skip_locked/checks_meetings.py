"""What an answer to ex11 must promise when workers meet: B acts amid a call of A, or Z holds a row."""

from typing import Any

from exercises.grader import Case, check
from exercises.staging.database_driver import HALF, TWO_WORKERS
from exercises.staging.database_steps import each_place
from exercises.staging.interleaving import WAITS
from exercises.staging.queue_driver import GETS_NOTHING
from exercises.staging.server_driver import WAITS_FOR_A_ROW, ServerDriver, got_words

DEADLOCK = "deadlock"
NOT_TAKEN = "not all cancelled"
SHORT = "short lease"


@check(task=2, points=2, promise="Two workers claim at the same time: one gets the job.", needs=("handed_out",))
def one_job_two_claims(case: Case) -> None:
    """One job. B's whole claim comes between two statements of A's."""

    def story(place: int) -> bool:
        queue = ServerDriver(case)
        queue.submit(gives="J1")
        mine: list[Any] = []
        call = lambda: mine.append(queue.claimed("A"))  # noqa: E731  it is told where it happens
        reached, others = queue.meets("A", place, call, queue.claiming("B"))
        if reached:
            theirs = queue.claimed("B", again=True) if others[0] == WAITS else others[0]
            _one_each(queue, mine[0], theirs, jobs=1)
        return reached

    each_place(case, story)


@check(
    task=2,
    points=3,
    promise="Two workers claim at the same time: each gets a job at once.",
    needs=("handed_out",),
)
def two_jobs_two_claims(case: Case) -> None:
    """Two jobs, and the same meeting. B waits for nobody."""

    def story(place: int) -> bool:
        queue = ServerDriver(case)
        queue.submit(gives="J1")
        queue.submit(gives="J2")
        mine: list[Any] = []
        call = lambda: mine.append(queue.claimed("A"))  # noqa: E731  it is told where it happens
        reached, others = queue.meets("A", place, call, queue.claiming("B"))
        if reached and others[0] == WAITS:
            case.broken("B gets a job at once", "B waits until A has claimed", WAITS_FOR_A_ROW)
        if reached:
            _one_each(queue, mine[0], others[0], jobs=2)
        return reached

    each_place(case, story)


def _one_each(queue: ServerDriver, mine: Any, theirs: Any, jobs: int) -> None:
    got = [queue.hold("", lease).job_id for lease in (mine, theirs) if lease is not None]
    if len(got) > len(set(got)):
        queue.case.broken("each job goes to one worker", got_words(mine, theirs), TWO_WORKERS)
    if len(got) < jobs:
        queue.case.broken("a worker gets a job while one is ready", got_words(mine, theirs), GETS_NOTHING)


@check(
    task=2,
    points=2,
    promise="A claim passes over a row that somebody else is just taking.",
    needs=("handed_out",),
)
def passed_over(case: Case) -> None:
    """Z has locked J1 and not yet decided. A gets J2 at once; when Z gives up, J1 is there again."""
    queue = ServerDriver(case)
    queue.submit(gives="J1")
    queue.submit(gives="J2")
    queue.somebody_holds("J1")
    queue.claim("A", gives="J2")
    queue.claim("A", gives=None, again=True)
    queue.lets_go()
    queue.claim("A", gives="J1", again=True)


@check(
    task=2,
    points=1,
    promise="A lease that is over is passed over, too, while somebody else takes it.",
    needs=("handed_out_again", "passed_over"),
)
def passed_over_when_over(case: Case) -> None:
    """J1's lease has ended, and Z is just taking it."""
    queue = ServerDriver(case)
    queue.submit(gives="J1")
    queue.claim("A", gives="J1")
    queue.at(11_000)
    queue.submit(gives="J2")
    queue.somebody_holds("J1")
    queue.claim("B", gives="J2")
    queue.claim("B", gives=None, again=True)


@check(
    task=2,
    points=3,
    promise="A lease is as long as promised, however long the claim has taken until then.",
    needs=("handed_out",),
)
def whole_lease(case: Case) -> None:
    """A moment passes before a statement of A's claim, at each place up to the one that writes."""

    def story(place: int) -> bool:
        queue = ServerDriver(case)
        queue.submit(gives="J1")
        reached, others = queue.meets("A", place, lambda: queue.claim("A", gives="J1"), queue.lingering())
        if reached and queue.writes_after():
            until = queue.row("J1", ("status",))["lease_until"]
            if until is None or until < others[0] + 10_000:
                short = "no end" if until is None else "less: it counts from before that moment"
                case.broken("10 s from the moment that has passed", short, SHORT)
        return reached

    each_place(case, story)


@check(
    task=4, points=1, promise="What is PENDING is cancelled, and the rest is left alone.", needs=("handed_out",)
)
def cancelled(case: Case) -> None:
    """J1 is A's; J2 and J3 are cancelled and never handed out."""
    queue = ServerDriver(case)
    for number in (1, 2, 3):
        queue.submit(gives=f"J{number}")
    queue.claim("A", gives="J1")
    got = queue.cancelled("B", ["J3", "J1", "J2"])
    case.same("cancelled ids", ["J2", "J3"], got)
    queue.is_closed("B")
    queue.claim("A", gives=None, again=True)
    queue.view("J1", status="RUNNING")
    queue.view("J2", status="CANCELLED")


@check(task=4, points=1, promise="All that is cancelled is cancelled at once.", needs=(cancelled,))
def all_at_once(case: Case) -> None:
    """Somebody looks between two statements of A's cancel, at each place."""

    def story(place: int) -> bool:
        queue = ServerDriver(case)
        queue.submit(gives="J1")
        queue.submit(gives="J2")
        reached, others = queue.meets("A", place, lambda: queue.cancelled("A", ["J1", "J2"]), queue.counting())
        if reached and len(set(others[0])) != 1:
            case.broken("both as before, or both CANCELLED", ", ".join(others[0]), HALF)
        return reached

    each_place(case, story)


@check(
    task=4,
    points=3,
    promise="Two who cancel the same jobs never wait for each other in a circle.",
    needs=(cancelled,),
)
def no_circle(case: Case) -> None:
    """A names J1 and J2, B names J2 and J1. B may wait for A, but not with a row in hand that A needs."""

    def story(place: int) -> bool:
        queue = ServerDriver(case)
        queue.submit(gives="J1")
        queue.submit(gives="J2")
        got: list[Any] = []
        call = lambda: got.append(queue.cancelled("A", ["J1", "J2"]))  # noqa: E731  it is told where it happens
        reached, others = queue.meets("A", place, call, queue.cancelling("B", ["J2", "J1"]))
        if reached and others[0] == WAITS and (held := queue.held_while_waiting()):
            told = f"B holds {', '.join(held)} and waits for a row of A's, and A needs {', '.join(held)}"
            case.broken("B waits with nothing in hand, or not at all", told, DEADLOCK)
        if reached:
            both = [*(got[0] or []), *(others[0] if others[0] != WAITS else [])]
            if sorted(both) != ["J1", "J2"]:
                case.broken("J1 and J2, each cancelled once", ", ".join(map(str, both)) or "none", NOT_TAKEN)
        return reached

    each_place(case, story)
