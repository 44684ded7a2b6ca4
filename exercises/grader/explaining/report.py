"""Puts one result into words. The same lines serve every terminal; a line's tone is only a wish for colour."""

from collections.abc import Iterator

from exercises.grader.explaining.hints import hint_line
from exercises.grader.explaining.page import Line, wrapped
from exercises.grader.explaining.progress import ExerciseProgress, Progress
from exercises.grader.judging.answers import AnswerFile
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import CheckResult, Diagnosis, How, Result, SourceLine, Verdict

PRINTED_LINES = 10
HERE = "   <-- here"
EXPLAINED = {
    Verdict.NOT_ATTEMPTED: "this part is still to write",
    Verdict.SKIPPED: "a check that it builds on has to pass first",
}


def opening(exercise: Exercise, answer: AnswerFile, *, fresh: bool) -> list[Line]:
    """What a learner needs to begin: the task in short, where the files are, what to do next."""
    kept = "" if fresh else "  (was there already and stays as it is; `jobkit reset` begins anew)"
    tasks = [Line(f"  Task {task.number}: {task.title} ({task.points} points)") for task in exercise.tasks]
    return [
        Line(f"{exercise.short}: {exercise.title}, {exercise.points} points", "strong"),
        *_indented(exercise.summary),
        Line(),
        *tasks,
        Line(),
        Line(f"The whole task:  {answer.task}"),
        Line(f"Your answer:     {answer.path}{kept}"),
        Line(),
        Line(f"{'Read the task, write task 1' if fresh else 'Go on'}, then: jobkit check {exercise.short}"),
    ]


def lines(result: Result, exercise: Exercise, watch: str | None = None) -> list[Line]:
    """Write the whole report: what matters first, then all checks, then what to do next.

    `watch` is a line that says where the failure can be watched; it comes below the story.
    """
    story = list(_passed(exercise) if result.passed else _not_passed(result, exercise))
    if watch:
        story += [Line(), Line(watch)]
    return [*story, Line(), *_overview(result, exercise), Line(), *_next(result, exercise)]


def replayed(result: Result) -> list[Line]:
    """Write down one run of threads that was told again."""
    check = result.checks[0]
    kept = Line("In this run the promise is kept.", "good")
    head = {Verdict.PASS: kept, Verdict.FAIL: Line(check.promise, "bad")}
    where = "" if check.verdict is Verdict.PASS else HERE
    return [head.get(check.verdict, Line(check.reason, "bad")), *_story(check, result, where)]


def plain(result: Result, exercise: Exercise, watch: str | None = None) -> str:
    """The report as text without colour."""
    return "\n".join(line.text for line in lines(result, exercise, watch)) + "\n"


def head(result: Result) -> str:
    """The report of a failure as text, up to the diagnosis."""
    check = result.told_first
    return "" if check is None else "\n".join(line.text for line in _head(check, result)) + "\n"


def table(exercises: list[Exercise], progress: Progress) -> list[Line]:
    """All exercises with the points reached, and their sum."""
    names = {exercise.id: f"{exercise.short} {exercise.title}" for exercise in exercises}
    width = max(map(len, ["exercise", *names.values()])) + 1
    rows = [Line(f"{'exercise':<{width}}{'now':>5}{'best':>6}{'of':>5}  state", "strong")]
    total = possible = 0
    for exercise in exercises:
        begun = progress.exercises.get(exercise.id)
        reached = begun or ExerciseProgress()
        state = "done" if reached.best == exercise.points else "begun" if begun else "-"
        name = names[exercise.id]
        rows.append(Line(f"{name:<{width}}{reached.points:>5}{reached.best:>6}{exercise.points:>5}  {state}"))
        total, possible = total + reached.best, possible + exercise.points
    return [*rows, Line(f"{total} of {possible} points.", "strong")]


def _passed(exercise: Exercise) -> Iterator[Line]:
    yield Line(f"All {len(exercise.checks)} checks pass. {exercise.title}: done.", "good")
    yield Line()
    yield Line("Why it works", "strong")
    yield from _indented(exercise.why)


def _not_passed(result: Result, exercise: Exercise) -> Iterator[Line]:
    check = result.told_first
    if check is None:
        yield Line("There is nothing to check here.")
        return
    if check.verdict is Verdict.NOT_ATTEMPTED:
        yield from _not_attempted(check, result, exercise)
        return
    yield from _head(check, result)
    if _breaks_its_promise(check):
        yield from _diagnosis(result, check)


def _breaks_its_promise(check: CheckResult) -> bool:
    """Whether it failed with something to show; a file that cannot be read fails without."""
    return check.verdict is Verdict.FAIL and bool(check.trace or check.expected)


def _head(check: CheckResult, result: Result) -> Iterator[Line]:
    """What went wrong, and the story of it."""
    yield Line(check.promise if _breaks_its_promise(check) else check.reason, "bad")
    yield from _story(check, result)


def _story(check: CheckResult, result: Result, where: str = HERE) -> Iterator[Line]:
    if check.trace:
        yield Line()
        broken = len(check.trace) - 1 if check.here is None else check.here
        for place, step in enumerate(check.trace):
            shown = where if place == broken else ""
            yield Line(f"  {step}{shown}", "strong" if shown else "plain")
    if check.expected:
        yield Line()
        yield Line(f"  expected   {check.expected}")
        yield Line(f"  got        {check.got}")
    yield from _own_line(check.line, result.path)
    if check.schedule:
        short = result.exercise.partition("_")[0]
        yield Line(f"  again      jobkit check {short} --replay {check.name}/{check.schedule}")
    if check.printed.strip():
        yield Line("  printed")
        yield from (Line(f"    {text}", "quiet") for text in check.printed.strip().splitlines()[:PRINTED_LINES])


def _own_line(line: SourceLine | None, path: str) -> Iterator[Line]:
    if line is not None:
        inside = f", in {line.function}" if line.function not in {"", "<module>"} else ""
        yield Line(f"  your line  {path}:{line.number}{inside}")
        yield Line(f"               {line.text}", "quiet")


def _diagnosis(result: Result, check: CheckResult) -> Iterator[Line]:
    found = result.diagnosis
    yield Line()
    if found is None:
        yield from _undiagnosed(check)
    elif found.rivals:
        yield Line("It is one of these. What is written so far cannot tell which:", "strong")
        for words in (f"{found.title}. {found.sentence}", *found.rivals):
            yield from _indented(f"- {words}")
    else:
        yield Line(f"{'What is behind it' if found.exact else 'It looks like this'}: {found.title}.", "strong")
        yield from _indented(found.sentence)
        yield from _misfit(found)
        yield from _indented(hint_line(1, found.hints))


def _undiagnosed(check: CheckResult) -> Iterator[Line]:
    if check.how == How.CRASHED:
        yield Line("Your code broke off here by an error. Begin with that line of yours.", "strong")
    else:
        yield Line("This fits no single mistake that is known here. What the story is about:", "strong")
        yield from _indented(check.about)


def _misfit(found: Diagnosis) -> Iterator[Line]:
    if found.against:
        names = ", ".join(name.replace("_", " ") for name in found.against)
        yield from _indented(
            f"What speaks against it: this mistake would also break what passes here: {names}."
        )


def _not_attempted(check: CheckResult, result: Result, exercise: Exercise) -> Iterator[Line]:
    task = next(task for task in exercise.tasks if task.number == check.task)
    yield Line(f"Next: task {task.number}, {task.title}.", "strong")
    yield Line()
    yield from _indented(check.reason)
    yield from _own_line(check.line, result.path)
    yield Line()
    yield from _indented(f"A first step: {task.first_step}")


def _overview(result: Result, exercise: Exercise) -> Iterator[Line]:
    tones = {Verdict.PASS: "good", Verdict.FAIL: "bad", Verdict.STOPPED: "bad", Verdict.GRADER_FAULT: "bad"}
    is_unread = len({check.reason for check in result.checks}) == 1 and bool(result.checks[0].reason)
    for task in exercise.tasks:
        mine = [check for check in result.checks if check.task == task.number]
        earned = sum(check.points for check in mine if check.verdict is Verdict.PASS)
        yield Line(f"Task {task.number}, {task.title}: {earned} of {task.points} points", "strong")
        if is_unread:
            yield Line(
                f"  {mine[0].verdict.value:<13}  all of its {len(mine)} checks",
                tones.get(mine[0].verdict, "quiet"),
            )
            continue
        for check in mine:
            words = check.name.replace("_", " ")
            yield Line(f"  {check.verdict.value:<13}  {words}", tones.get(check.verdict, "quiet"))
            if result.passed or check.verdict is not Verdict.PASS:
                yield from wrapped(check.note, "quiet", indent=" " * 17)
    present = {check.verdict for check in result.checks}
    said = [f"{verdict.value} = {words}" for verdict, words in EXPLAINED.items() if verdict in present]
    if not result.passed and any(check.note for check in result.checks if check.verdict is Verdict.PASS):
        said.append("where threads meet, pass = kept in every way to meet that was tried (--json: how many)")
    if said:
        yield from wrapped(f"({'; '.join(said)})", "quiet")


def _next(result: Result, exercise: Exercise) -> Iterator[Line]:
    yield Line(f"{result.points} of {result.possible} points.", "strong")
    if result.passed:
        yield Line("See how far you are: jobkit progress")
        return
    if result.diagnosis and not result.diagnosis.rivals:
        yield Line(f"Another hint: jobkit hint {exercise.short}")
    yield Line(f"Change {result.path}, then: jobkit check {exercise.short}")


def _indented(text: str) -> Iterator[Line]:
    return wrapped(text, indent="  ")
