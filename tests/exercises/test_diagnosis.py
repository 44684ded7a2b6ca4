"""From failures to the idea behind them, and the honesty to say nothing."""

from exercises.grader.judging.diagnosis import diagnose
from exercises.grader.judging.misconceptions import Form, Misconception
from exercises.grader.judging.records import CheckResult, Verdict
from exercises.grader.judging.verdicts import Written

PASS, FAIL, HOLE = Verdict.PASS, Verdict.FAIL, Verdict.NOT_ATTEMPTED


def results(**ends: Verdict | str) -> list[CheckResult]:
    """One result per check: a verdict, or the way in which it failed."""
    return [
        CheckResult(name, 1, 1, "promise", end)
        if isinstance(end, Verdict)
        else CheckResult(name, 1, 1, "promise", FAIL, how=end)
        for name, end in ends.items()
    ]


def form(**fails: str) -> Form:
    return Form((("old", "new"),), next(iter(fails)), Written(fails))


def misconception(name: str, *forms: Form) -> Misconception:
    return Misconception(name, name, f"sentence of {name}", ("1", "2", "3"), forms)


ONE, TWO = misconception("one", form(a="x", b="x")), misconception("two", form(b="x", c="x"))


def test_a_pattern_that_fits_in_every_check_is_an_exact_diagnosis() -> None:
    """The misconception whose failures are these, and no others."""
    found = diagnose(results(a="x", b="x", c=PASS), [ONE, TWO])
    assert found is not None
    assert (found.misconception, found.check, found.exact) == ("one", "a", True)


def test_the_same_checks_failed_in_another_way_are_another_mistake() -> None:
    """Accepted is not refused with the wrong error: which of the two was seen decides."""
    accepted, other = misconception("takes", form(a="accepted")), misconception("errs", form(a="other error"))
    found = diagnose(results(a="other error", b=PASS), [accepted, other])
    assert found is not None
    assert (found.misconception, found.exact) == ("errs", True)


def test_a_way_of_failing_that_nobody_knows_is_not_explained() -> None:
    """All checks of a pattern failed, but none of them so: nothing is claimed."""
    assert diagnose(results(a="y", b="y", c=PASS), [ONE, TWO]) is None


def test_one_check_that_failed_in_another_way_speaks_against_a_near_pattern() -> None:
    """Three of four alike are not enough when the fourth shows that it is something else."""
    wide = misconception("wide", form(a="x", b="x", c="x", d="x"))
    assert diagnose(results(a="x", b="x", c="x", d="y"), [wide]) is None


def test_any_form_of_a_misconception_will_do() -> None:
    """The same idea in one method only fails fewer checks, and is still named without doubt."""
    found = diagnose(results(a="x", b=PASS), [misconception("one", form(a="x", b="x"), form(a="x"))])
    assert found is not None
    assert (found.misconception, found.exact, found.against) == ("one", True, ())


def test_no_failure_means_no_diagnosis() -> None:
    """Holes and stops are no misconceptions."""
    assert diagnose(results(a=PASS, b=HOLE, c=Verdict.STOPPED), [ONE, TWO]) is None


def test_a_near_pattern_is_named_as_near_with_what_speaks_against_it() -> None:
    """Three of four failures in common: it looks most like this one, but the fourth passed."""
    wide = misconception("wide", form(a="x", b="x", c="x", d="x"))
    found = diagnose(results(a="x", b="x", c="x", d=PASS, e=PASS), [wide, misconception("far", form(e="x"))])
    assert found is not None
    assert (found.misconception, found.exact, found.against) == ("wide", False, ("d",))


def test_a_near_pattern_whose_own_check_passed_is_not_named() -> None:
    """The check that shows it best does not show it."""
    wide = misconception("wide", form(a="x", b="x", c="x", d="x"))
    assert diagnose(results(a=PASS, b="x", c="x", d="x"), [wide]) is None


def test_what_is_not_written_yet_is_left_out_of_the_comparison() -> None:
    """A hole speaks neither for nor against; what explains the rest is named, but not as certain."""
    found = diagnose(results(a="x", b=HOLE, c=HOLE), [ONE, TWO])
    assert found is not None
    assert (found.misconception, found.exact, found.against) == ("one", False, ())


def test_several_that_nothing_written_so_far_tells_apart_are_all_named() -> None:
    """What would tell them apart is a hole."""
    one, two = misconception("one", form(a="x", b="x")), misconception("two", form(a="x", c="x"))
    found = diagnose(results(a="x", b=HOLE, c=HOLE, d=PASS), [one, two])
    assert found is not None
    assert (found.misconception, found.exact, found.rivals) == ("one", False, ("two. sentence of two",))


def test_of_several_mistakes_the_one_behind_the_first_failure_comes_first() -> None:
    """What else failed is another mistake's, and its turn comes later."""
    early, late = misconception("early", form(a="x", b="x")), misconception("late", form(c="x"))
    found = diagnose(results(a="x", b="x", c="x", d=PASS), [late, early])
    assert found is not None
    assert (found.misconception, found.exact) == ("early", False)


def test_a_misconception_that_a_passed_check_speaks_against_gives_way() -> None:
    """Near is not enough where another one fits without contradiction."""
    near, fitting = misconception("near", form(a="x", b="x", c="x")), misconception("fitting", form(a="x"))
    found = diagnose(results(a="x", b="x", c=PASS), [near, fitting])
    assert found is not None
    assert found.misconception == "fitting"


def test_no_guess_is_made_between_two_that_explain_different_things() -> None:
    """Each explains two of three failures: it would be arbitrary to name one."""
    one, two = misconception("one", form(a="x", b="x")), misconception("two", form(a="x", c="x"))
    assert diagnose(results(a="x", b="x", c="x"), [one, two]) is None


def test_no_guess_is_made_between_two_that_are_equally_near() -> None:
    """Three of four in common with each: neither is named."""
    one = misconception("one", form(a="x", b="x", c="x", d="x"))
    two = misconception("two", form(a="x", b="x", c="x", e="x"))
    assert diagnose(results(a="x", b="x", c="x", d=PASS, e=PASS), [one]) is not None
    assert diagnose(results(a="x", b="x", c="x", d=PASS, e=PASS), [one, two]) is None


def test_a_far_pattern_is_not_named() -> None:
    """One failure of four in common is no likeness."""
    wide = misconception("wide", form(a="x", b="x", c="x", d="x"))
    assert diagnose(results(a="x", b=PASS, c=PASS, d=PASS), [wide]) is None


def test_the_trace_shown_is_of_a_check_that_failed() -> None:
    """If the best check for it is a hole, another failed one stands in."""
    found = diagnose(results(a=HOLE, b="x"), [ONE])
    assert found is not None
    assert found.check == "b"
