"""Grades an exercise of the kind `tests`: its flaws do what they promise, and the solution finds them all."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from exercises.grader.errors import BadExerciseError
from exercises.grader.judging import runner
from exercises.grader.judging.case import Case
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.checking import Check
from exercises.grader.judging.records import Verdict
from exercises.grader.judging.subjects import FLAWS, OTHERS, RIGHT, Flaw, Maker, Subjects, maker, subjects
from exercises.grader.judging.trials import End, Trials
from exercises.grader.proving.cache import GradingCache
from exercises.grader.proving.grading import shown_path
from exercises.grader.proving.mechanical import Mechanical, mechanical_mutants

FILES = {RIGHT, OTHERS, FLAWS}
FEWEST_HIDDEN = 12
FEWEST_OTHERS = 2
PATIENCE_SECONDS = 60.0


def flaws(exercise: Exercise) -> Iterator[str]:
    """Look at each flaw: one edit, unseen in the worked example; if hidden, told by its family alone.

    Which of the hidden ones a learner meets is drawn. So here all of them are tried, not those of one draw.
    """
    if exercise.kind != "tests":
        return
    known = subjects(exercise.folder)
    hidden = known.hidden()
    if len(hidden) < FEWEST_HIDDEN:
        yield f"there are {len(hidden)} hidden flaws, not {FEWEST_HIDDEN} or more"
    if len(known.rights) <= FEWEST_OTHERS:
        yield f"there are fewer than {FEWEST_OTHERS} right queues that are built otherwise"
    yield from _texts(exercise, known)
    broken = dict(_unfit(known))
    yield from broken.values()
    whole = [flaw for flaw in known.flaws if flaw.id not in broken]

    def look(trials: Trials) -> list[str]:
        ends = {flaw.id: trials.end(exercise.worked_example, known.flawed(flaw)) for flaw in whole}
        return [name for name, end in ends.items() if end is not End.PASSED]

    seen, problems = _seen(exercise, "worked example", exercise.text("solution.py"), look)
    yield from problems
    yield from (f"{name} does not even pass the worked example" for name in seen)
    yield from _draws(exercise, known, whole)


def _draws(exercise: Exercise, known: Subjects, whole: list[Flaw]) -> Iterator[str]:
    """Whatever is drawn: the right answers catch it, and a misconception is told by it as by any other draw."""
    for path in [exercise.folder / "solution.py", *exercise.alternatives()]:
        caught, problems = _caught(exercise, path.read_text(encoding="utf-8"), whole)
        yield from problems
        yield from (f"{path.name} does not catch {flaw.id}" for flaw in whole if flaw.id not in caught)
    drawn = [flaw for variants in known.hidden() for flaw in variants if flaw in whole and len(variants) > 1]
    solution = exercise.text("solution.py")
    for wrong, form in [(one, form) for one in exercise.misconceptions for form in one.forms]:
        caught, problems = _caught(exercise, form.applied_to(solution), drawn)
        yield from problems
        for flaw in drawn:
            first = flaw.variant_of or flaw.id
            if (flaw.id in caught) != (first in caught):
                yield f"{wrong.id} shows at only one of {first} and {flaw.id}"


def _caught(exercise: Exercise, tests: str, flaws: Sequence[Flaw]) -> tuple[set[str], list[str]]:
    """Name the flaws that these tests catch; and what went wrong on the way."""
    what = f"caught of {' '.join(flaw.id for flaw in flaws)}"
    caught, problems = _seen(
        exercise, what, tests, lambda trials: [flaw.id for flaw in flaws if trials.catches(flaw)]
    )
    return set(caught), problems


def mechanical(exercise: Exercise) -> Iterator[str]:
    """Look at each small change to the right queue: a test of the solution notices, or it breaks no promise."""
    known = subjects(exercise.folder)
    mutants = mechanical_mutants(known.text)
    names = {mutant.change for mutant in mutants}
    yield from (
        f"equivalent {name!r} is no change that is made" for name in exercise.equivalents if name not in names
    )

    def look(trials: Trials) -> list[str]:
        return [mutant.change for mutant in mutants if _is_noticed(trials, mutant)]

    noticed, problems = _seen(exercise, "noticed changes", exercise.text("solution.py"), look)
    yield from problems
    for change in [] if problems else [mutant.change for mutant in mutants]:
        listed = change in exercise.equivalents
        if change in noticed and listed:
            yield f"{change!r} is listed as equivalent, but a test of the solution fails on it"
        elif change not in noticed and not listed:
            yield f"no test of the solution fails on {change!r}: add one, or list it as equivalent"


def _is_noticed(trials: Trials, mutant: Mechanical) -> bool:
    try:
        made = _tried(maker(mutant.text, "mechanical"))
    except Exception:  # it does not even come to life
        return True
    return next(iter(trials.catching(made)), None) is not None


def _tried(made: Maker) -> Maker:
    made()
    return made


def _texts(exercise: Exercise, known: Subjects) -> Iterator[str]:
    task = exercise.text("task.md")
    names = {name for methods in known.methods.values() for name in methods}
    yield from (f"task.md does not mention {name}" for name in sorted(names) if name not in task)
    firsts = {(flaw.id, flaw.family) for flaw in known.flaws if flaw.hidden and not flaw.variant_of}
    for flaw in known.flaws:
        if flaw.variant_of and (flaw.variant_of, flaw.family) not in firsts:
            yield f"{flaw.id} is a variant of no hidden flaw of its family"
        if flaw.family not in known.families:
            yield f"{flaw.id} is of no family that {FLAWS} knows"
        told = [text for text in (check.name for check in exercise.checks) if text == flaw.id]
        if flaw.hidden and (told or flaw.id in task):
            yield f"{flaw.id} is hidden, and yet its name is told"


def _unfit(known: Subjects) -> Iterator[tuple[str, str]]:
    """Flaws whose edit cannot be made, or makes the same queue as another one."""
    made: list[tuple[str, Flaw]] = []
    for flaw in known.flaws:
        try:
            made.append((flaw.applied_to(known.text), flaw))
        except BadExerciseError as problem:
            yield flaw.id, str(problem)
    made.sort(key=lambda one: one[0])
    for (text, flaw), (other_text, other) in pairwise(made):
        if text == other_text:
            yield other.id, f"{other.id} is the same queue as {flaw.id}"


def _seen(
    exercise: Exercise, what: str, tests: str, look: Callable[[Trials], list[str]]
) -> tuple[list[str], list[str]]:
    """Look at something with these tests at hand, unless it is known; also return what went wrong."""
    cache = GradingCache(exercise)
    known = cache.get(what, tests)
    if isinstance(known, list):
        return known, []
    found: list[str] = []

    def story(case: Case) -> None:
        trials = Trials(case, subjects(exercise.folder))
        found.extend(look(trials))
        trials.demand_tried()  # a test for which there was no time has not let a flaw pass

    check = Check("tests", "The tests can be run.", 1, 1, (), "", story)
    patient = replace(exercise.limits, total_seconds=PATIENCE_SECONDS)
    alone = replace(exercise, checks=(check,), misconceptions=(), limits=patient)
    result = runner.run(alone, tests.encode(), shown_path(exercise), copies=False)
    problems = [one.reason for one in result.checks if one.verdict is not Verdict.PASS]
    if not problems:
        cache.put(what, tests, found)
    return found, problems
