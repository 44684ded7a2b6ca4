"""From the pattern of passed and failed checks to the misconception behind it. Knows no exercise."""

from collections.abc import Mapping, Sequence

from exercises.grader.catalogue import Misconception
from exercises.grader.records import CheckResult, Diagnosis, Verdict

LIKE_ENOUGH = 0.6
EVIDENCE = (Verdict.PASS, Verdict.FAIL, Verdict.SKIPPED)


def diagnose(results: Sequence[CheckResult], known: Sequence[Misconception]) -> Diagnosis | None:
    """Name the misconception behind the first failure.

    Only checks that passed or failed are evidence; a skipped one follows from a failed one. When all of it
    fits, the diagnosis is exact. Otherwise there may be several mistakes at once, or a new one: see `suspect`.
    """
    failed = [result.name for result in results if result.verdict is Verdict.FAIL]
    seen = frozenset(result.name for result in results if result.verdict in {Verdict.PASS, Verdict.FAIL})
    wrong = suspect(failed, {one: frozenset(one.fails) & seen for one in known}) if failed else None
    if wrong is None:
        return None
    shown_by = wrong.killed_by if wrong.killed_by in failed else next(n for n in wrong.fails if n in failed)
    conclusive = all(result.verdict in EVIDENCE for result in results)
    exact = conclusive and set(failed) == set(wrong.fails)
    return Diagnosis(wrong.id, wrong.title, wrong.sentence, shown_by, wrong.hints, exact)


def suspect(failed: Sequence[str], patterns: Mapping[Misconception, frozenset[str]]) -> Misconception | None:
    """Choose the misconception to speak of; None rather than a guess between equals.

    First those that nothing speaks against: they explain the first failure, and all that they would fail has
    failed. The one that explains most is chosen; what remains is another mistake's, and its turn comes later.
    Without such a one, the nearest pattern, if it is near enough.
    """
    all_failed = frozenset(failed)
    fitting = {wrong: len(fails) for wrong, fails in patterns.items() if failed[0] in fails <= all_failed}
    if fitting:
        return _only_best(fitting)
    near = {wrong: likeness(all_failed, fails) for wrong, fails in patterns.items()}
    return _only_best({wrong: score for wrong, score in near.items() if score >= LIKE_ENOUGH})


def _only_best(scores: Mapping[Misconception, float]) -> Misconception | None:
    best = [wrong for wrong, score in scores.items() if score == max(scores.values())]
    return best[0] if len(best) == 1 else None


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """How much of two patterns is common to both: 0.0 nothing, 1.0 everything.

    >>> likeness(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    return len(one & other) / len(one | other) if one | other else 1.0
