"""What an answer to ex04 must promise in tasks 1 and 2.

A jitter is judged by what it may do (its range), by what it must do (use the range, and differ between jobs),
and by what it depends on. Which number it draws is its own affair.
"""

from exercises.grader import Case, check
from exercises.grader.judging.case import Broken, source_line
from exercises.grader.judging.records import SourceLine
from exercises.grader.running.process import NoAnswer
from exercises.staging import backoff_stage
from exercises.staging.backoff_stage import CAP, Rests


@check(task=1, points=1, promise="After a failure a job rests, and not for longer than the cap.")
def happy_path(case: Case) -> None:
    """One failure: what every tutorial shows."""
    rest = Rests(case).asks("Backoff(1_000, 60_000).rest(1)", "rest", 1, what="a rest")
    if not isinstance(rest, int | float) or not 0 < rest <= CAP:
        case.broken("a rest of more than 0 ms and at most 60000 ms", repr(rest), "no rest")


@check(
    task=1, points=1, promise="After the first failure a job rests for the base, an int.", needs=(happy_path,)
)
def first_rest(case: Case) -> None:
    """Nothing is doubled yet."""
    Rests(case).rests(1, 1_000)


@check(task=1, points=1, promise="The second rest is twice the first.", needs=(first_rest,))
def second_rest(case: Case) -> None:
    """One doubling for each further attempt."""
    Rests(case).rests(2, 2_000)


@check(task=1, points=1, promise="Each rest is twice the one before.", needs=(second_rest,))
def doubled_each_time(case: Case) -> None:
    """1, 2, 4, 8, 16 and 32 seconds."""
    rests = Rests(case)
    for attempt, millis in enumerate((1_000, 2_000, 4_000, 8_000, 16_000, 32_000), start=1):
        rests.rests(attempt, millis)


@check(task=1, points=2, promise="No rest is longer than the cap.", needs=(doubled_each_time,))
def capped(case: Case) -> None:
    """The seventh doubling would be 64 s; the cap is 60 s."""
    rests = Rests(case)
    for attempt in (7, 8, 30):
        rests.rests(attempt, 60_000)


@check(
    task=1,
    points=1,
    promise="A base of 0 is never any rest, and a base at the cap is always the cap.",
    needs=(first_rest,),
)
def at_the_edges(case: Case) -> None:
    """Whoever wants no rest, and whoever wants always the same."""
    for base, cap in ((0, 0), (0, 500), (500, 500), (1, 1)):
        rests = Rests(case, base, cap)
        for attempt in (1, 2, 9):
            rests.rests(attempt, base)


@check(
    task=1,
    points=2,
    promise="After very many failures the answer is the cap, as ever, and it comes at once.",
    needs=(capped,),
)
def very_many(case: Case) -> None:
    """A job that fails every minute has failed half a million times after a year."""
    rests = Rests(case)
    try:
        for attempt in (63, 64, 65, 1_000, 1_100, 100_000, 1_000_000_000):
            rests.rests(attempt, 60_000)
    except NoAnswer as late:
        case.line = _line_in_rest(case, late)
        case.broken("rest 60000, at once", "no answer within a second", "too slow")
    except Broken as broken:
        # Only a float overflows, and only calls within calls go too deep. There are other ways to break off.
        tells = {"OverflowError": "overflow", "RecursionError": "too deep"}
        broken.how = tells.get(broken.got.partition(":")[0], broken.how)
        raise
    Rests(case, 0, 60_000).rests(1_000_000_000, 0)


def _line_in_rest(case: Case, late: NoAnswer) -> SourceLine | None:
    """Where in the answer's rest it was still computing."""
    place = next(((frame.line, frame.function) for frame in late.frames if frame.function == "rest"), None)
    return source_line(place, case.source)


@check(
    task=1,
    points=1,
    promise="However far apart base and cap are, the rest is doubled all the way.",
    needs=(capped,),
)
def far_apart(case: Case) -> None:
    """From one millisecond to some hundred thousand years, in whole numbers."""
    rests = Rests(case, 1, 2**53 - 1)
    for attempt in (20, 31, 32, 40, 53):
        rests.rests(attempt, 2 ** (attempt - 1))
    rests.rests(60, 2**53 - 1)


@check(
    task=2,
    points=1,
    promise="Full jitter rests for at most the capped rest, and for nothing at the least.",
    needs=(capped,),
)
def full_jitter_in_its_range(case: Case) -> None:
    """Forty jobs after their third failure, and after their twentieth."""
    rests = Rests(case)
    rests.within("full", 3, 0, 4_000)
    rests.within("full", 20, 0, 60_000)


@check(
    task=2,
    points=1,
    promise="Full jitter uses the whole range, both ends included.",
    needs=(full_jitter_in_its_range,),
)
def full_jitter_uses_its_range(case: Case) -> None:
    """A range of five values, and a hundred jobs."""
    Rests(case, 1, 4).uses("full", 3, 0, 4)
    Rests(case, 0, 4).within("full", 3, 0, 0)


@check(
    task=2,
    points=2,
    promise="Jobs that failed together do not come back together.",
    needs=(full_jitter_in_its_range,),
)
def full_jitter_spreads(case: Case) -> None:
    """Forty jobs, each after its third failure, in its first hand-out."""
    Rests(case).spreads("full", 3, 0, 4_000)


@check(
    task=2,
    points=2,
    promise="At the cap, too, jobs that failed together do not come back together.",
    needs=(full_jitter_spreads,),
)
def full_jitter_spreads_at_the_cap(case: Case) -> None:
    """Forty jobs after their twentieth failure: the outage is long, and all of them are at the cap."""
    Rests(case).spreads("full", 20, 0, 60_000)


@check(
    task=2,
    points=2,
    promise="The same seed, job and generation give the same rest, whatever was drawn before.",
    needs=(full_jitter_in_its_range,),
)
def same_again(case: Case) -> None:
    """Once more, after other draws, and from another object: a replay must find the same rests."""
    backoff_stage.same_again(case, "full", 3)


@check(
    task=2,
    points=1,
    promise="Another seed gives other rests.",
    needs=(full_jitter_in_its_range,),
)
def seed_counts(case: Case) -> None:
    """Two systems with two seeds do not move in step."""
    backoff_stage.seed_counts(case, "full", 3)


@check(
    task=2,
    points=1,
    promise="Another hand-out of the same job gives another rest.",
    needs=(full_jitter_in_its_range,),
)
def generation_counts(case: Case) -> None:
    """Whoever had bad luck once must not have it each time."""
    backoff_stage.generation_counts(case, "full", 3)
