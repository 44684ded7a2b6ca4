"""What an answer to ex05 must promise in task 4. Goes on from checks_back.py."""

from exercises.grader import Case, check
from exercises.grader.judging.case import Broken
from exercises.staging.dead_stage import DeadStage, graveyard


@check(task=4, points=1, promise="A redrive brings a job back and keeps its note.", needs=("brought_back",))
def note_is_kept(case: Case) -> None:
    """It dies twice and is redriven twice."""
    stage = DeadStage(case, 1)
    stage.submits(gives="J1")
    stage.notes_are("J1")
    for note in ("the bank is back", "once more"):
        stage.fails(stage.polls("A", 10_000, gives="J1"), "disk full")
        stage.redrives("J1", note)
        stage.shows("J1", status="PENDING", attempts=0, run_at=0)
    stage.notes_are("J1", "the bank is back", "once more")


@check(
    task=4,
    points=1,
    promise="A redrive that is refused leaves nothing behind, no note either.",
    needs=(note_is_kept, "only_the_dead"),
)
def refused_without_a_trace(case: Case) -> None:
    """J1 was never dead."""
    stage = DeadStage(case, 1)
    stage.submits(gives="J1")
    stage.refuses_return("redrive", "J1", "why not", stays="PENDING", attempts=0)
    stage.notes_are("J1")


@check(task=4, points=1, promise="All that were given are redriven, each with the note.", needs=(note_is_kept,))
def many(case: Case) -> None:
    """Two dead jobs."""
    stage = graveyard(case, 2)
    stage.redrives_many(["J1", "J2"], 0, [("J1", "done"), ("J2", "done")])
    stage.dead_are()
    for name in ("J1", "J2"):
        stage.shows(name, status="PENDING", attempts=0, run_at=0)
        stage.notes_are(name, "mended")


@check(task=4, points=1, promise="Only the jobs that were given are redriven.", needs=(many,))
def nobody_else(case: Case) -> None:
    """Three are dead; the list was of two when a person looked at it."""
    stage = graveyard(case, 3)
    stage.redrives_many(["J1", "J2"], 0, [("J1", "done"), ("J2", "done")])
    stage.shows("J3", status="DEAD")


@check(task=4, points=1, promise="A job is redriven once, however often it is in the list.", needs=(many,))
def each_once(case: Case) -> None:
    """Somebody clicked twice. One row for each job, one note."""
    stage = graveyard(case, 2)
    stage.redrives_many(["J1", "J1", "J2", "J1"], 0, [("J1", "done"), ("J2", "done")])
    stage.notes_are("J1", "mended")


@check(
    task=4,
    points=1,
    promise="One job that cannot be redriven does not stop the others.",
    needs=(many,),
)
def none_stops_the_others(case: Case) -> None:
    """J2 runs; J3 comes after it."""
    stage = DeadStage(case, 2)
    for name in ("J1", "J2", "J3"):
        stage.submits(gives=name)
    stage.buries("J1")
    stage.polls("B", 10_000, gives="J2")
    stage.buries("J3")
    rows = [("J1", "done"), ("J2", "wrong_state"), ("J3", "done")]
    stage.redrives_many(["J1", "J2", "J3"], 0, rows)
    stage.shows("J3", status="PENDING")
    stage.shows("J2", status="RUNNING")
    stage.notes_are("J2")


@check(
    task=4,
    points=1,
    promise="Jobs are redriven in the order of submission, not in that of the list.",
    needs=(many,),
)
def in_the_order_of_submission(case: Case) -> None:
    """Three are dead, and the list begins with the last."""
    stage = graveyard(case, 3)
    stage.redrives_many(["J3", "J1", "J2"], 0, [("J1", "done"), ("J2", "done"), ("J3", "done")])


@check(task=4, points=1, promise="J2 is redriven before J10.", needs=(many,))
def redriven_two_before_ten(case: Case) -> None:
    """Ten are dead, and two of them are on the list."""
    stage = graveyard(case, 10)
    stage.redrives_many(["J2", "J10"], 0, [("J2", "done"), ("J10", "done")])


@check(
    task=4,
    points=1,
    promise="A job that does not exist stops nobody; its row comes at the end.",
    needs=(many,),
)
def unknown_comes_last(case: Case) -> None:
    """The list begins with J404."""
    stage = graveyard(case, 2)
    rows = [("J1", "done"), ("J2", "done"), ("J404", "unknown")]
    stage.redrives_many(["J404", "J1", "J2"], 0, rows)
    stage.shows("J2", status="PENDING")


@check(
    task=4,
    points=1,
    promise="Jobs that do not exist have one row each, in the order given.",
    needs=(unknown_comes_last, each_once),
)
def unknown_as_given(case: Case) -> None:
    """J9 is given twice, J404 and J7 once."""
    stage = graveyard(case, 1)
    rows = [("J1", "done"), ("J9", "unknown"), ("J404", "unknown"), ("J7", "unknown")]
    stage.redrives_many(["J9", "J404", "J1", "J9", "J7"], 0, rows)


@check(
    task=4,
    points=1,
    promise="The first of the jobs that are redriven is ready now.",
    needs=(many,),
)
def first_is_now(case: Case) -> None:
    """One dead job at 7.0 s, and a spread that is for those who come after it."""
    stage = graveyard(case, 1)
    stage.at(7_000)
    stage.redrives_many(["J1"], 2_000, [("J1", "done")])
    stage.shows("J1", run_at=7_000)


@check(
    task=4,
    points=1,
    promise="Redriven jobs are spread: each one that is done comes later than the one before.",
    needs=(first_is_now,),
)
def spread_out(case: Case) -> None:
    """Three dead jobs at 7.0 s, two seconds apart."""
    stage = graveyard(case, 3)
    stage.at(7_000)
    names = ["J1", "J2", "J3"]
    stage.redrives_many(names, 2_000, [(name, "done") for name in names])
    try:
        for name, run_at in zip(names, (7_000, 9_000, 11_000), strict=True):
            stage.shows(name, run_at=run_at)
    except Broken as broken:
        broken.how = "at once" if broken.got == "run_at 7000" else broken.how
        raise


@check(
    task=4,
    points=1,
    promise="A job that is not redriven takes no time of the spread.",
    needs=(spread_out, none_stops_the_others),
)
def no_gap(case: Case) -> None:
    """J2 is alive already, so J3 comes right after J1."""
    stage = graveyard(case, 3)
    stage.retries("J2")
    rows = [("J1", "done"), ("J2", "wrong_state"), ("J3", "done")]
    stage.redrives_many(["J1", "J2", "J3"], 2_000, rows)
    stage.shows("J3", run_at=2_000)
    stage.shows("J2", run_at=0)
