"""What an answer to ex10 must promise when two connections meet: B acts between two statements of A."""

from typing import Any

from exercises.grader import Case, check
from exercises.staging.database_driver import BOTH, HALF, ONE_ID, TWO_WORKERS, DatabaseDriver
from exercises.staging.database_steps import Hold, each_place, lease_words
from exercises.staging.interleaving import WAITS

WRITES = ("UPDATE", "INSERT", "DELETE", "REPLACE", "WITH")


def queue_for(case: Case) -> DatabaseDriver:
    """Set up an empty file at t=0."""
    return DatabaseDriver(case, "exercises.staging.sqlite_database", "DurableQueue", "StaleLeaseError")


def leased(case: Case) -> tuple[DatabaseDriver, Hold]:
    """J1 is submitted and A has it until 10.0 s."""
    queue = queue_for(case)
    queue.submit(gives="J1")
    return queue, queue.claim("A", gives="J1")


def claim(queue: DatabaseDriver, place: int, *actions: Any) -> tuple[bool, Any, list[Any]]:
    """Let A claim while others act; return whether they did, what A got, and what they got."""
    got: list[Any] = []
    call = lambda: got.append(queue.claimed("A"))  # noqa: E731  it is told where it happens
    reached, others = queue.meets("A", place, call, *actions)
    return reached, got[0], others


@check(
    task=4, points=3, promise="Two workers claim at the same time: one gets the job.", needs=("others_go_on",)
)
def one_job_two_claims(case: Case) -> None:
    """One job. B's whole claim comes between two statements of A's."""

    def story(place: int) -> bool:
        queue = queue_for(case)
        queue.submit(gives="J1")
        reached, mine, others = claim(queue, place, *([queue.claiming("B")]))
        if reached:
            theirs = queue.claimed("B", again=True) if others[0] == WAITS else others[0]
            _one_each(queue, mine, theirs, jobs=1)
        return reached

    each_place(case, story)


@check(
    task=4,
    points=2,
    promise="Two workers claim at the same time: each gets a job of its own.",
    needs=("others_go_on",),
)
def two_jobs_two_claims(case: Case) -> None:
    """Two jobs, and the same meeting."""

    def story(place: int) -> bool:
        queue = queue_for(case)
        queue.submit(gives="J1")
        queue.submit(gives="J2")
        reached, mine, others = claim(queue, place, queue.claiming("B"))
        if reached:
            theirs = queue.claimed("B", again=True) if others[0] == WAITS else others[0]
            _one_each(queue, mine, theirs, jobs=2)
        return reached

    each_place(case, story)


def _one_each(queue: DatabaseDriver, mine: Any, theirs: Any, jobs: int) -> None:
    got = [queue.hold("", lease).job_id for lease in (mine, theirs) if lease is not None]
    told = f"A gets {lease_words(mine)}, B gets {lease_words(theirs)}"
    if len(got) > len(set(got)):
        queue.case.broken("each job goes to one worker", told, TWO_WORKERS)
    if len(got) < jobs:
        queue.case.broken("a worker gets a job while one is ready", told, "gets nothing")


@check(task=4, points=1, promise="Two submit at the same time: two jobs, two ids.", needs=("others_go_on",))
def two_submits_meet(case: Case) -> None:
    """B's whole submit comes between two statements of A's."""

    def story(place: int) -> bool:
        queue = queue_for(case)
        got: list[Any] = []
        reached, others = queue.meets(
            "A", place, lambda: got.append(queue.submitted("A")), queue.submitting("B")
        )
        if reached:
            got.append(queue.submitted("B") if others[0] == WAITS else others[0])
            if sorted(got) != ["J1", "J2"]:
                case.broken("the ids J1 and J2", f"A gets {got[0]}, B gets {got[1]}", ONE_ID)
        return reached

    each_place(case, story)


@check(
    task=4,
    points=3,
    promise="A completes while its lease ends: either A is heard or the job is somebody else's.",
    needs=("too_late", "others_go_on"),
)
def complete_meets_the_end(case: Case) -> None:
    """A begins to complete in time. Between two of its statements time passes, and B claims."""

    def story(place: int) -> bool:
        queue, hold = leased(case)
        queue.at(9_999)
        heard: list[bool] = []
        act = (queue.passing(11_000), queue.claiming("B"))
        reached, others = queue.meets("A", place, lambda: heard.append(queue.reports(hold)), *act)
        if reached:
            theirs = queue.claimed("B", again=True) if others[1] == WAITS else others[1]
            if heard[0] and theirs is not None:
                case.broken("A is accepted, or B gets the job", "both", BOTH)
            queue.view("J1", status="SUCCEEDED" if heard[0] else "RUNNING")
        return reached

    each_place(case, story)


@check(
    task=4,
    points=1,
    promise="Two sweep at the same time: each lease ends once.",
    needs=("swept", "others_go_on"),
)
def two_sweeps_meet(case: Case) -> None:
    """One lease is over. B sweeps and claims between two statements of A's sweep."""

    def story(place: int) -> bool:
        queue, _ = leased(case)
        queue.at(12_000)
        got: list[Any] = []
        act = (queue.sweeping("B"), queue.claiming("B"))
        reached, others = queue.meets("A", place, lambda: got.append(queue.swept("A")), *act)
        if reached:
            got += [one for one in others[:1] if one != WAITS]
            if sum(got) != 1:
                case.broken("1 lease that ended, in both sweeps together", " and ".join(map(str, got)), BOTH)
            theirs = queue.claimed("B", again=True) if others[1] == WAITS else others[1]
            queue.view("J1", status="RUNNING" if theirs is not None else "PENDING", attempts=2)
        return reached

    each_place(case, story)


@check(
    task=4,
    points=2,
    promise="A lease is as long as promised, however long the claim has waited.",
    needs=("handed_out",),
)
def waited_and_claimed(case: Case) -> None:
    """Before A has the database to itself, 9 s go by."""
    queue = queue_for(case)
    queue.submit(gives="J1")
    _, got, _ = claim(queue, 1, queue.passing(9_000))
    if got is None:
        case.broken("A gets J1", "nothing", "gets nothing")
    queue.lease(queue.hold("A", got), lease_until=19_000)


@check(
    task=4, points=2, promise="Whoever has waited until its lease was over comes too late.", needs=("too_late",)
)
def waited_and_late(case: Case) -> None:
    """A reports at 9.999 s. While the database is not A's, time passes until 10.5 s, and B submits."""

    def story(place: int) -> bool:
        queue, hold = leased(case)
        queue.at(9_999)
        heard: list[bool] = []
        act = (queue.passing(10_500), queue.submitting("B"))
        reached, others = queue.meets("A", place, lambda: heard.append(queue.reports(hold)), *act)
        to_write = any(text.lstrip().upper().startswith(WRITES) for text in queue.after)
        if reached and heard[0] and others[1] != WAITS and to_write:
            case.broken("refused with StaleLeaseError", "accepted", "accepted")
        return reached

    each_place(case, story)


@check(
    task=4,
    points=3,
    promise="Whenever the power fails in a claim: all of the claim is in the file, or nothing.",
    needs=("claimed_is_kept",),
)
def power_cut_in_a_claim(case: Case) -> None:
    """The power fails between two statements of A's claim, at each place."""

    def story(place: int) -> bool:
        queue = queue_for(case)
        queue.submit(gives="J1")
        reached, _, _ = claim(queue, place, queue.cutting())
        if reached:
            queue.power_comes_back()
            _whole(queue, {("PENDING", 0), ("RUNNING", 1)})
        return reached

    each_place(case, story)


@check(
    task=4,
    points=2,
    promise="Whenever the power fails in a report: all of it is in the file, or nothing.",
    needs=("failed", "claimed_is_kept"),
)
def power_cut_in_a_report(case: Case) -> None:
    """The power fails between two statements of A's fail, at each place."""

    def story(place: int) -> bool:
        queue, hold = leased(case)
        queue.at(4_000)
        reached, _ = queue.meets("A", place, lambda: queue.fail(hold), queue.cutting())
        if reached:
            queue.power_comes_back()
            view = queue.look("J1")
            found = (view["status"], view.get("run_at"), view.get("last_error"))
            if found not in {("RUNNING", 0, None), ("PENDING", 5_000, "disk full")}:
                case.broken(
                    "J1 as before the report, or as after it", f"J1 is {', '.join(map(str, found))}", HALF
                )
        return reached

    each_place(case, story)


def _whole(queue: DatabaseDriver, allowed: set[tuple[str, int]]) -> None:
    view = queue.look("J1")
    if (view["status"], view["attempts"]) not in allowed:
        queue.case.broken(
            "J1 as before the claim, or as after it",
            f"J1 is {view['status']}, attempts {view['attempts']}",
            HALF,
        )
