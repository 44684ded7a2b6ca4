"""Two workers at the same time: what ex06 asked, asked of the whole queue."""

from exercises.grader import Case, check
from exercises.grader.interleavings.story import Call, Got, Library, Seen, Story, Take, Wrong
from exercises.grader.together import holds

MAKE = (Library("ManualClock"), 3, 1_000, 60_000)
SUBMIT = Call("submit mail", "submit", ("mail",))


def poll(worker_id: str) -> Call:
    """Ask for a job."""
    return Call(f"{worker_id} polls", "poll", (worker_id, 10_000))


def tell(got: Got) -> str:
    """Say in words what a call gave."""
    if got.kind == "raised":
        return f"refused with {got.error}"
    return "nothing" if got.value is None else f"{got.field('job_id')}, token {got.field('token')}"


@check(
    task=3,
    points=3,
    promise="Of two workers that poll for one job at the same time, exactly one gets it.",
    needs=("happy_path",),
)
def one_job_two_workers(case: Case) -> None:
    """Both look, both see it ready; only one may have it."""

    def judge(seen: Seen) -> Wrong | None:
        polls = [seen.of(name)[0] for name in "AB"]
        got = [one.field("job_id") for one in polls if one.field("job_id")]
        if got != ["J1"] or any(one.kind != "value" for one in polls):
            told = "; ".join(f"{name} gets {tell(one)}" for name, one in zip("AB", polls, strict=True))
            return Wrong("one of them gets J1, the other nothing", told, "one job, two workers")
        return None

    story = Story("JobQueue", {"A": (poll("A"),), "B": (poll("B"),)}, (SUBMIT,), (poll("C"),), tell, MAKE)
    holds(case, story, judge)


@check(
    task=3,
    points=2,
    promise="Of two reports with one token, only the first is accepted.",
    needs=("happy_path",),
)
def one_report(case: Case) -> None:
    """One completes, the other one fails the job, at the same time."""
    taken = (Take("before", 1, "job_id"), Take("before", 1, "token"))
    reports = {
        "A": (Call("complete, with the token from above", "complete", taken),),
        "B": (Call("fail, with the token from above", "fail", (*taken, "disk full")),),
    }

    def judge(seen: Seen) -> Wrong | None:
        ends = [seen.of(name)[0] for name in "AB"]
        accepted = [one for one in ends if one.kind == "value"]
        refused = [one for one in ends if "StaleTokenError" in one.ancestors]
        if (len(accepted), len(refused)) != (1, 1):
            return Wrong("one accepted, one refused", ", ".join(map(_end, ends)), "both accepted")
        return None

    holds(case, Story("JobQueue", reports, (SUBMIT, poll("W")), (poll("C"),), tell, MAKE), judge)


def _end(got: Got) -> str:
    return "accepted" if got.kind == "value" else tell(got)
