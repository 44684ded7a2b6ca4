"""From failures to the idea behind them, and the honesty to say nothing."""

from exercises.grader.catalogue import Misconception
from exercises.grader.diagnosis import diagnose
from exercises.grader.records import CheckResult, Verdict


def result(name: str, verdict: Verdict) -> CheckResult:
    return CheckResult(name, 1, 1, "promise", verdict)


def results(**verdicts: Verdict) -> list[CheckResult]:
    return [result(name, verdict) for name, verdict in verdicts.items()]


def misconception(name: str, *fails: str) -> Misconception:
    return Misconception(name, name, "old", "new", fails[0], fails, "sentence", ("1", "2", "3"))


PASS, FAIL = Verdict.PASS, Verdict.FAIL
ONE, TWO = misconception("one", "a", "b"), misconception("two", "b", "c")


def test_a_pattern_that_fits_in_every_check_is_an_exact_diagnosis() -> None:
    """The misconception whose failures are these, and no others."""
    found = diagnose(results(a=FAIL, b=FAIL, c=PASS), [ONE, TWO])
    assert found is not None
    assert (found.misconception, found.check, found.exact) == ("one", "a", True)


def test_no_failure_means_no_diagnosis() -> None:
    """Holes and stops are no misconceptions."""
    assert diagnose(results(a=PASS, b=Verdict.NOT_ATTEMPTED, c=Verdict.STOPPED), [ONE, TWO]) is None


def test_a_near_pattern_is_named_as_near() -> None:
    """Three of four failures in common: it looks most like this one."""
    wide = misconception("wide", "a", "b", "c", "d")
    found = diagnose(results(a=FAIL, b=FAIL, c=FAIL, d=PASS, e=PASS), [wide, misconception("far", "e")])
    assert found is not None
    assert (found.misconception, found.exact) == ("wide", False)


def test_a_hole_leaves_the_diagnosis_uncertain() -> None:
    """What was not seen could have spoken against it."""
    found = diagnose(results(a=FAIL, b=FAIL, c=Verdict.NOT_ATTEMPTED), [ONE])
    assert found is not None
    assert not found.exact


def test_of_several_mistakes_the_one_behind_the_first_failure_comes_first() -> None:
    """What else failed is another mistake's, and its turn comes later."""
    early, late = misconception("early", "a", "b"), misconception("late", "c")
    found = diagnose(results(a=FAIL, b=FAIL, c=FAIL, d=PASS), [late, early])
    assert found is not None
    assert (found.misconception, found.exact) == ("early", False)


def test_a_misconception_that_a_passed_check_speaks_against_gives_way() -> None:
    """Near is not enough where another one fits without contradiction."""
    near, fitting = misconception("near", "a", "b", "c"), misconception("fitting", "a")
    found = diagnose(results(a=FAIL, b=FAIL, c=PASS), [near, fitting])
    assert found is not None
    assert found.misconception == "fitting"


def test_two_that_fit_equally_well_are_not_guessed_between() -> None:
    """What would tell them apart is not written yet."""
    one, two = misconception("one", "a", "b"), misconception("two", "a", "c")
    hole = Verdict.NOT_ATTEMPTED
    assert diagnose(results(a=FAIL, b=hole, c=hole, d=PASS), [one, two]) is None


def test_two_that_are_equally_near_are_not_guessed_between() -> None:
    """Half of each: neither is named."""
    assert diagnose(results(a=PASS, b=FAIL, c=PASS), [ONE, TWO]) is None


def test_a_far_pattern_is_not_named() -> None:
    """One failure of four in common is no likeness."""
    assert (
        diagnose(results(a=FAIL, b=PASS, c=PASS, d=PASS), [misconception("wide", "a", "b", "c", "d")]) is None
    )


def test_the_trace_shown_is_of_a_check_that_failed() -> None:
    """If the best check for it passed, another failed one stands in."""
    wide = misconception("wide", "a", "b", "c", "d")
    found = diagnose(results(a=PASS, b=FAIL, c=FAIL, d=FAIL), [wide])
    assert found is not None
    assert found.check == "b"
