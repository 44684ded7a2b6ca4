"""Grades the grader: tests every exercise with right answers, wrong ones and the starter.

The learner's trust rests on this. A check that lets a misconception pass, or a hint that names the wrong one,
is worse than none.
"""

import ast
import difflib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from exercises.grader.errors import BadExerciseError
from exercises.grader.explaining import report
from exercises.grader.judging.catalogue import TABLE, Exercise, check_files, folders
from exercises.grader.judging.diagnosis import diagnose
from exercises.grader.judging.misconceptions import Form, Misconception
from exercises.grader.judging.records import Result, Verdict
from exercises.grader.judging.syntax import parse
from exercises.grader.judging.verdicts import FILE, Written, as_text
from exercises.grader.proving import verify_flaws
from exercises.grader.proving.grading import graded, refuted
from exercises.grader.proving.mechanical import mechanical_mutants
from exercises.grader.running import postgres_server
from jobqueue.simulation import SCENARIOS

FILES = {"task.md", "starter.py", "checks.py", "solution.py", "exercise.toml", "mutants.toml", "alternatives"}
IGNORED = {"__pycache__"}
SHORTEST_QUOTE = 12
FEWEST_ALTERNATIVES = 2
FEWEST_MISCONCEPTIONS = 8
MOST_SHOWN = 40  # lines of a difference
KINDLY = {Verdict.NOT_ATTEMPTED, Verdict.SKIPPED}

Tell = Callable[[str], None]


def verify(exercise: Exercise, tell: Tell = lambda _: None, *, write: bool = False) -> list[str]:
    """Put one exercise to the test and return what is wrong with it, one sentence each; empty means sound.

    Args:
        exercise: The exercise.
        tell: Called with each part's name as it begins.
        write: Whether to write down what each mistake fails, instead of comparing it with what is written. What
            breaks a promise of the exercise is not written.
    """
    if exercise.server and (problem := postgres_server.missing()):
        return [f"{exercise.id}: {problem}"]
    found: list[str] = []
    for name, part in PARTS.items():
        if write and part is _written:
            continue
        tell(name)
        found += [f"{exercise.id}, {name}: {problem}" for problem in part(exercise)]
    if write and found:
        found.append(f"{exercise.id}: {FILE} is not written, as long as something else is wrong")
    elif write:
        (exercise.folder / FILE).write_text(found_verdicts(exercise), encoding="utf-8")
    return found


def skipped(exercise: Exercise) -> str:
    """Say why an exercise cannot be put to the test here; empty if it can, or if `CI` demands that it is."""
    return "" if os.environ.get("CI") or not exercise.server else postgres_server.missing()


def _files(exercise: Exercise) -> Iterator[str]:
    present = {path.name for path in exercise.folder.iterdir()} - IGNORED
    wanted = FILES | (verify_flaws.FILES if exercise.kind == "tests" else set())
    yield from (f"{name} is missing" for name in sorted(wanted - present))
    checks = {path.name for path in check_files(exercise.folder)} | {TABLE}
    yield from (f"{name} does not belong here" for name in sorted(present - wanted - checks - {FILE}))
    if len(exercise.alternatives()) < FEWEST_ALTERNATIVES:
        yield f"there are fewer than {FEWEST_ALTERNATIVES} right answers that are built otherwise"
    if len(exercise.misconceptions) < FEWEST_MISCONCEPTIONS:
        yield f"there are fewer than {FEWEST_MISCONCEPTIONS} misconceptions"
    shown = {"exercise.toml": exercise.scenario, **exercise.scenarios}
    shown |= {one.id: one.scenario for one in exercise.misconceptions}
    yield from (
        f"{where}: no scenario is named {s!r}" for where, s in shown.items() if s and s not in SCENARIOS
    )
    there = {folder.name.partition("_")[0] for folder in folders(exercise.folder.parent)}
    for name in exercise.prerequisites:
        if name not in there or name >= exercise.short:
            yield f"prerequisite {name!r} is no earlier exercise"
    for path in sorted(exercise.folder.glob("*.*")):
        named = set(re.findall(r"\bex\d\d", path.read_text(encoding="utf-8")))
        yield from (f"{path.name} names {name}, which does not exist" for name in sorted(named - there))


def _texts(exercise: Exercise) -> Iterator[str]:
    """Task, starter and right answers speak of the same things."""
    task, starter = exercise.text("task.md"), exercise.text("starter.py")
    wanted = public_methods(starter)
    names = {name for dotted in wanted for name in dotted.split(".")} - {"__init__"}
    yield from (f"task.md does not mention {name}" for name in sorted(names) if name not in task)
    titles = [f"Task {one.number}: {one.title}" for one in exercise.tasks]
    yield from (f"task.md does not say '{title}'" for title in titles if title not in task)
    yield from _holes(exercise, starter)
    for path in [exercise.folder / "solution.py", *exercise.alternatives()]:
        other = public_methods(path.read_text(encoding="utf-8"))
        yield from (f"{path.name}: {n} differs from the starter's" for n in wanted if other.get(n) != wanted[n])


def _holes(exercise: Exercise, starter: str) -> Iterator[str]:
    holes = re.findall(r'NotImplementedError\("(.*)"\)', starter)
    tasks = {task.number for task in exercise.tasks}
    for hole in holes:
        match = re.match(rf"{exercise.short}, task (\d+): ", hole)
        if match is None or int(match[1]) not in tasks:
            yield f"a hole in the starter does not name exercise and task: {hole!r}"
    if not holes:
        yield "the starter has no holes"


def _starter(exercise: Exercise) -> Iterator[str]:
    (result,) = graded(exercise, [exercise.text("starter.py")])
    unkind = [check.name for check in result.checks if check.verdict not in KINDLY]
    yield from (f"{name} is neither 'not attempted' nor 'skipped'" for name in unkind)


def _right_answers(exercise: Exercise) -> Iterator[str]:
    paths = [exercise.folder / "solution.py", *exercise.alternatives()]
    results = graded(exercise, [path.read_text(encoding="utf-8") for path in paths])
    for path, result in zip(paths, results, strict=True):
        for check in result.checks:
            if check.verdict is not Verdict.PASS:
                yield f"{path.name}: {check.name}: {check.verdict.value}: {check.reason or check.got}"


def _misconceptions(exercise: Exercise) -> Iterator[str]:
    """Each form of each is killed by its check, is diagnosed as itself, and looks like no other."""
    solution = exercise.text("solution.py")
    for wrong, form in _forms(exercise):
        try:
            form.applied_to(solution)
        except BadExerciseError as problem:
            yield f"{wrong.id}: {problem}"
            exercise = replace(
                exercise, misconceptions=tuple(one for one in exercise.misconceptions if one is not wrong)
            )
    forms = list(_forms(exercise))
    results = graded(exercise, [form.applied_to(solution) for _, form in forms])
    seen = [_failed(result) for result in results]
    known = _as_seen(exercise, seen)
    patterns: dict[frozenset[tuple[str, str]], str] = {}
    for (wrong, form), result, fails in zip(forms, results, seen, strict=True):
        if form is wrong.forms[0] and exercise.happy_path not in result.named(Verdict.PASS):
            yield f"{wrong.id} does not even pass the happy path"
        if form.killed_by not in fails:
            yield f"{wrong.id} survives {form.killed_by}"
        found = diagnose(result.checks, known)
        if found is None or found.misconception != wrong.id or not found.exact:
            yield f"{wrong.id} is diagnosed as {found.misconception if found else 'nothing'}"
        pattern = frozenset(fails.items())
        if pattern in patterns:
            yield f"{wrong.id} fails in the same way as {patterns[pattern]}: add a check that tells them apart"
        patterns[pattern] = wrong.id


def _forms(exercise: Exercise) -> Iterator[tuple[Misconception, Form]]:
    return ((wrong, form) for wrong in exercise.misconceptions for form in wrong.forms)


def _failed(result: Result) -> dict[str, str]:
    return {check.name: check.how for check in result.checks if check.verdict is Verdict.FAIL}


def _as_seen(exercise: Exercise, seen: Sequence[dict[str, str]]) -> list[Misconception]:
    """Return the mistakes with what each form was seen to fail, whatever is written."""
    left = iter(seen)
    return [
        replace(wrong, forms=tuple(replace(form, written=Written(next(left))) for form in wrong.forms))
        for wrong in exercise.misconceptions
    ]


def found_verdicts(exercise: Exercise) -> str:
    """Return the file of verdicts as it should be: what each form of each mistake was seen to fail."""
    solution = exercise.text("solution.py")
    results = graded(exercise, [form.applied_to(solution) for _, form in _forms(exercise)])
    known = _as_seen(exercise, [_failed(result) for result in results])
    left = iter(results)
    verdicts: dict[str, list[Written]] = {}
    for wrong in known:
        for form in wrong.forms:
            result = next(left)
            seen = replace(result, diagnosis=diagnose(result.checks, known))
            head = report.head(seen) if form is wrong.forms[0] else ""
            verdicts.setdefault(wrong.id, []).append(Written(form.fails, head))
    return as_text(exercise.short, verdicts)


def _written(exercise: Exercise) -> Iterator[str]:
    """What is written of each mistake is what it does."""
    try:
        found = found_verdicts(exercise)
    except BadExerciseError:
        return  # the mistakes' own part says so
    path = exercise.folder / FILE
    written = path.read_text(encoding="utf-8") if path.is_file() else ""
    if found == written:
        return
    changes = difflib.unified_diff(
        written.splitlines(), found.splitlines(), f"{FILE}, as written", f"{FILE}, as found", n=2, lineterm=""
    )
    shown = list(islice(changes, MOST_SHOWN))
    yield "\n".join(
        [f"{FILE} says something else; if that is wanted: jobkit verify {exercise.short} --write", *shown]
    )


def _mechanical(exercise: Exercise) -> Iterator[str]:
    """Every small change to the solution is noticed, except those that change nothing that is promised."""
    if exercise.kind == "tests":  # there the queue is changed, and the solution has to notice
        yield from verify_flaws.mechanical(exercise)
        return
    mutants = mechanical_mutants(exercise.text("solution.py"))
    names = {mutant.change for mutant in mutants}
    yield from (
        f"equivalent {name!r} is no change that is made" for name in exercise.equivalents if name not in names
    )

    killed = refuted(exercise, [mutant.text for mutant in mutants])
    for mutant, is_killed in zip(mutants, killed, strict=True):
        listed = mutant.change in exercise.equivalents
        if is_killed and listed:
            yield f"{mutant.change!r} is listed as equivalent, but a check fails it"
        elif not is_killed and not listed:
            yield f"no check fails {mutant.change!r}: add one, or list it as equivalent with the reason"


def _hints(exercise: Exercise) -> Iterator[str]:
    """A hint that quotes the solution ends the learning."""
    lines = {line.strip() for line in exercise.text("solution.py").splitlines()}
    quotes = sorted(line for line in lines if len(line) >= SHORTEST_QUOTE)
    for wrong in exercise.misconceptions:
        for text in (wrong.sentence, *wrong.hints):
            yield from (f"{wrong.id} quotes the solution: {quote}" for quote in quotes if quote in text)


def public_methods(source: str) -> dict[str, str]:
    r"""Find the public methods of a text's classes, each with its parameters.

    >>> public_methods("class Q:\n    def poll(self, worker_id, lease_millis): ...")
    {'Q.poll': 'self, worker_id, lease_millis'}
    """
    found: dict[str, str] = {}
    classes = [node for node in parse(source).body if isinstance(node, ast.ClassDef)]
    for kind in classes:
        for node in kind.body:
            if isinstance(node, ast.FunctionDef) and (node.name == "__init__" or node.name[0] != "_"):
                found[f"{kind.name}.{node.name}"] = ", ".join(arg.arg for arg in node.args.args)
    return found


PARTS: dict[str, Callable[[Exercise], Iterator[str]]] = {
    "files": _files,
    "texts": _texts,
    "starter": _starter,
    "right answers": _right_answers,
    "misconceptions": _misconceptions,
    "flaws": verify_flaws.flaws,
    "mechanical mutants": _mechanical,
    "hints": _hints,
    "written verdicts": _written,
}
