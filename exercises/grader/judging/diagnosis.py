"""Finds the misconception behind some failures: by what failed, and how. It knows no exercise.

A diagnosis may never say what the learner's own trace disproves. So a misconception is matched by pairs: a
check, and how it failed. Where no known one did what was seen, nothing is claimed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from exercises.grader.judging.misconceptions import Form, Misconception
from exercises.grader.judging.records import CheckResult, Diagnosis, Verdict

LIKE_ENOUGH = 0.6
EVIDENCE = (Verdict.PASS, Verdict.FAIL, Verdict.SKIPPED)

Pattern = frozenset[tuple[str, str]]  # pairs of a check and how it failed


@dataclass(frozen=True, slots=True)
class Suspect:
    """A misconception in one of its forms; `fails` is what it does to the checks that were seen."""

    wrong: Misconception
    form: Form
    fails: Pattern


def diagnose(results: Sequence[CheckResult], known: Sequence[Misconception]) -> Diagnosis | None:
    """Name the misconception behind the first failure.

    Only checks that passed or failed are evidence. What is not written yet speaks neither for nor against a
    misconception; a skipped check follows from another one. Where inputs are drawn a mistake may pass by luck:
    that helps to choose between suspects, and is no doubt of the one that was chosen.
    """
    failed = [(result.name, result.how) for result in results if result.verdict is Verdict.FAIL]
    if not failed:
        return None
    seen = {result.name for result in results if result.verdict in {Verdict.PASS, Verdict.FAIL}}
    found = choose(failed, [_suspect(wrong, form, seen) for wrong in known for form in wrong.forms])
    if not found:
        return None
    conclusive = all(result.verdict in EVIDENCE for result in results)
    lucky = {result.name for result in results if result.hidden and result.verdict is Verdict.PASS}
    return _diagnosis(failed, found, lucky, conclusive=conclusive)


def choose(failed: Sequence[tuple[str, str]], suspects: Sequence[Suspect]) -> list[Suspect]:
    """Choose whom to speak of; empty rather than a guess.

    First those that nothing speaks against: they explain the first failure, and all that they would fail has
    failed in just that way. The one that explains most is chosen; what remains is another mistake's, and its
    turn comes later. Several of them remain only if nothing that was seen could tell them apart. Without such
    a one, the nearest is chosen, if it is near enough and clashes with nothing that failed.
    """
    observed = frozenset(failed)
    fitting = [one for one in suspects if failed[0] in one.fails <= observed]
    if fitting:
        most = max(len(one.fails) for one in fitting)
        best = _one_form_each([one for one in fitting if len(one.fails) == most])
        return best if len({one.fails for one in best}) == 1 else []
    near = [(likeness(observed, one.fails), one) for one in suspects if _is_shown(one, observed)]
    near = [(score, one) for score, one in near if score >= LIKE_ENOUGH]
    best = _one_form_each([one for score, one in near if score == max(score for score, _ in near)])
    return best if len(best) == 1 else []


def _suspect(wrong: Misconception, form: Form, seen: set[str]) -> Suspect:
    return Suspect(wrong, form, frozenset(pair for pair in form.fails.items() if pair[0] in seen))


def _is_shown(one: Suspect, observed: Pattern) -> bool:
    """Whether the check that shows it best failed just so, and no check failed in another way than it would."""
    shown = (one.form.killed_by, one.form.fails.get(one.form.killed_by, "")) in observed
    return shown and not any(one.form.fails.get(name, how) != how for name, how in observed)


def _one_form_each(suspects: Sequence[Suspect]) -> list[Suspect]:
    return list({one.wrong.id: one for one in reversed(suspects)}.values())[::-1]


def _diagnosis(
    failed: Sequence[tuple[str, str]], found: Sequence[Suspect], lucky: set[str], *, conclusive: bool
) -> Diagnosis:
    first = found[0]
    fails = {pair for pair in first.fails if pair[0] not in lucky}
    names = [name for name, _ in failed]
    shown_by = first.form.killed_by
    if shown_by not in names:
        shown_by = next(name for name, how in failed if (name, how) in first.fails)
    return Diagnosis(
        misconception=first.wrong.id,
        title=first.wrong.title,
        sentence=first.wrong.sentence,
        check=shown_by,
        hints=first.wrong.hints,
        exact=conclusive and len(found) == 1 and fails == set(failed),
        against=tuple(sorted(name for name, _ in fails if name not in names)),
        rivals=tuple(f"{one.wrong.title}. {one.wrong.sentence}" for one in found[1:]),
        scenario=first.wrong.scenario if len(found) == 1 else "",
    )


def likeness(one: Pattern, other: Pattern) -> float:
    """How much of two patterns is common to both: 0.0 nothing, 1.0 everything.

    >>> likeness(frozenset({("a", "accepted")}), frozenset({("a", "accepted"), ("b", "accepted")}))
    0.5
    """
    return len(one & other) / len(one | other) if one | other else 1.0
