"""Grades the grader: does every exercise keep its word to right answers, to wrong ones, and to the starter?

The learner's trust rests on this. A check that lets a misconception pass, or a hint that names the wrong one,
is worse than none.
"""

import ast
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from exercises.grader import postgres_server, runner, verify_flaws
from exercises.grader.catalogue import Exercise, check_files, folders
from exercises.grader.errors import BadExerciseError
from exercises.grader.lodging import Host, host
from exercises.grader.mechanical import mechanical_mutants
from exercises.grader.misconceptions import Form, Misconception
from exercises.grader.records import Result, Verdict
from exercises.grader.syntax import parse
from jobqueue.simulation import SCENARIOS

FILES = {"task.md", "starter.py", "checks.py", "solution.py", "exercise.toml", "mutants.toml", "alternatives"}
IGNORED = {"__pycache__"}
SHORTEST_QUOTE = 12
FEWEST_ALTERNATIVES = 2
FEWEST_MISCONCEPTIONS = 8
MOST_HOSTS = 3
PATIENCE = 8
SECONDS_OF_A_PROCESS = 15.0  # the system ends a process that has computed for longer than one answer may
SEED = 1  # what is found about a mutant must be the same tomorrow
KINDLY = {Verdict.NOT_ATTEMPTED, Verdict.SKIPPED}

Tell = Callable[[str], None]
Found = TypeVar("Found")


def verify(exercise: Exercise, tell: Tell = lambda _: None) -> list[str]:
    """Put one exercise to the test and return what is wrong with it, one sentence each; empty means sound.

    Args:
        exercise: The exercise.
        tell: Called with each part's name as it begins.
    """
    if exercise.server and (problem := postgres_server.missing()):
        return [f"{exercise.id}: {problem}"]
    found: list[str] = []
    for name, part in PARTS.items():
        tell(name)
        found += [f"{exercise.id}, {name}: {problem}" for problem in part(exercise)]
    return found


def skipped(exercise: Exercise) -> str:
    """Say why an exercise cannot be put to the test here; empty if it can, or if `CI` demands that it is."""
    return "" if os.environ.get("CI") or not exercise.server else postgres_server.missing()


class Bench:
    """Where the kit's own texts are checked, several side by side, each on a host that has had others before.

    All of them are trusted, so they may share a process. A busy machine is nobody's fault: they get more time.
    """

    def __init__(self, exercise: Exercise, hosts: list[Host]) -> None:
        limits = exercise.limits
        patient = replace(limits, total_seconds=limits.total_seconds * PATIENCE)
        self._exercise = replace(exercise, limits=patient)
        self._path = shown_path(exercise)
        self._hosts: SimpleQueue[Host] = SimpleQueue()
        for one in hosts:
            self._hosts.put(one)
        self._threads = ThreadPoolExecutor(len(hosts))

    def grade(self, texts: Iterable[str]) -> Iterator[Result]:
        """Check texts as if a learner had written them; the results come in the order of the texts."""

        def one(text: str, at: Host) -> Result:
            return runner.run(self._exercise, text.encode(), self._path, copies=False, at=at, seed=SEED)

        return self._each(one, texts)

    def refuted(self, texts: Iterable[str]) -> Iterator[bool]:
        """Whether any check fails a text or stops it."""

        def one(text: str, at: Host) -> bool:
            return runner.refutes(self._exercise, text, self._path, at)

        return self._each(one, texts)

    def _each(self, check: Callable[[str, Host], Found], texts: Iterable[str]) -> Iterator[Found]:
        def on_a_host(text: str) -> Found:
            at = self._hosts.get()
            before = time.monotonic()
            try:
                return check(text, at)
            finally:
                at.used_seconds += time.monotonic() - before
                if at.used_seconds > SECONDS_OF_A_PROCESS:
                    at.end()
                self._hosts.put(at)

        return self._threads.map(on_a_host, texts)

    def close(self) -> None:
        """Wait for what still runs."""
        self._threads.shutdown()


@contextmanager
def bench(exercise: Exercise, number: int | None = None) -> Iterator[Bench]:
    """Set up a bench with so many hosts.

    By default there is one more than there are processors, within reason: hosts wait now and then.
    """
    number = number or min(os.cpu_count() or 1, MOST_HOSTS) + 1
    with ExitStack() as stack:
        hosts = [stack.enter_context(host()) for _ in range(number)]
        found = Bench(exercise, hosts)
        stack.callback(found.close)
        yield found


def shown_path(exercise: Exercise) -> Path:
    """Where a learner's answer would lie."""
    return Path("answers") / f"{exercise.id}.py"


def _files(exercise: Exercise) -> Iterator[str]:
    present = {path.name for path in exercise.folder.iterdir()} - IGNORED
    wanted = FILES | (verify_flaws.FILES if exercise.kind == "tests" else set())
    yield from (f"{name} is missing" for name in sorted(wanted - present))
    checks = {path.name for path in check_files(exercise.folder)}
    yield from (f"{name} does not belong here" for name in sorted(present - wanted - checks))
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
    with bench(exercise) as at:
        (result,) = at.grade([exercise.text("starter.py")])
    unkind = [check.name for check in result.checks if check.verdict not in KINDLY]
    yield from (f"{name} is neither 'not attempted' nor 'skipped'" for name in unkind)


def _right_answers(exercise: Exercise) -> Iterator[str]:
    paths = [exercise.folder / "solution.py", *exercise.alternatives()]
    with bench(exercise) as at:
        results = list(at.grade(path.read_text(encoding="utf-8") for path in paths))
    for path, result in zip(paths, results, strict=True):
        for check in result.checks:
            if check.verdict is not Verdict.PASS:
                yield f"{path.name}: {check.name}: {check.verdict.value}: {check.reason or check.got}"


def _misconceptions(exercise: Exercise) -> Iterator[str]:
    solution = exercise.text("solution.py")
    built: list[tuple[Misconception, Form, str]] = []
    for wrong, form in [(one, form) for one in exercise.misconceptions for form in one.forms]:
        try:
            built.append((wrong, form, form.applied_to(solution)))
        except BadExerciseError as problem:
            yield f"{wrong.id}: {problem}"
    with bench(exercise) as at:
        results = list(at.grade(text for _, _, text in built))
    patterns: dict[frozenset[tuple[str, str]], str] = {}
    for (wrong, form, _), result in zip(built, results, strict=True):
        yield from _form(exercise, wrong, form, result)
        pattern = frozenset(form.fails.items())
        if pattern in patterns:
            yield f"{wrong.id} fails in the same way as {patterns[pattern]}: add a check that tells them apart"
        patterns[pattern] = wrong.id


def _form(exercise: Exercise, wrong: Misconception, form: Form, result: Result) -> Iterator[str]:
    if form is wrong.forms[0] and exercise.happy_path not in result.named(Verdict.PASS):
        yield f"{wrong.id} does not even pass the happy path"
    failed = {check.name: check.how for check in result.checks if check.verdict is Verdict.FAIL}
    if form.killed_by not in failed:
        yield f"{wrong.id} survives {form.killed_by}"
    if failed != form.fails:
        yield f"{wrong.id} fails {failed}, not {dict(form.fails)}"
    found = result.diagnosis
    if found is None or found.misconception != wrong.id or not found.exact:
        yield f"{wrong.id} is diagnosed as {found.misconception if found else 'nothing'}"


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

    with bench(exercise) as at:
        for mutant, killed in zip(mutants, at.refuted(one.text for one in mutants), strict=True):
            listed = mutant.change in exercise.equivalents
            if killed and listed:
                yield f"{mutant.change!r} is listed as equivalent, but a check fails it"
            elif not killed and not listed:
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
}
