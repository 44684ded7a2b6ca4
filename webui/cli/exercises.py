"""The exercise commands of `jobkit`: they read the arguments, ask the grader, and print. No rule lives here."""

import json
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from exercises.grader.errors import ExerciseError
from exercises.grader.explaining import challenge, portable, report
from exercises.grader.explaining.hints import shown_hints
from exercises.grader.explaining.page import plain_text
from exercises.grader.explaining.progress import Progress, mark
from exercises.grader.judging import runner
from exercises.grader.judging.answers import AnswerFile
from exercises.grader.judging.catalogue import Exercise, catalogue, find
from exercises.grader.judging.records import Result
from webui.cli.board_link import watch_line
from webui.cli.terminal import beside, examples, say, say_lines, show

NO_SANDBOX = (
    "Answers run in their own process, with limits. This is no sandbox: check only code that you trust."
)

P = ParamSpec("P")
R = TypeVar("R")


class Plainly(click.ClickException):
    """A problem that one line explains. Exit code 2: 1 means that an answer is not right yet."""

    exit_code = 2


def explained(command: Callable[P, R]) -> Callable[P, R]:
    """Show the grader's own errors as one line instead of a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            raise  # `jobkit check | head` is no mistake; click ends quietly
        except (ExerciseError, OSError) as problem:
            raise Plainly(plain_text(str(problem))) from None

    return run


def keep(progress: Progress) -> None:
    """Write what was reached. That this fails must hide nothing of what was found."""
    try:
        progress.write()
    except (ExerciseError, OSError) as problem:
        warn(f"Your progress was not saved: {problem}")
    warn(progress.warning)


def warn(words: str | None) -> None:
    """Print a warning, if there is one."""
    if words:
        beside(f"Warning: {words}")


def chosen(name: str | None) -> Exercise:
    """The exercise of this name; without a name, the one that the learner touched last."""
    if name is not None:
        return find(name)
    last = Progress.read(Path()).last
    if last is None:
        raise ExerciseError("Which exercise? `jobkit list` shows all, `jobkit start ex03` begins one.")
    return find(last)


@click.command("list", epilog=examples("jobkit list"))
@explained
def list_() -> None:
    """List all exercises."""
    for exercise in catalogue():
        say(f"{exercise.short}  {exercise.title}, {exercise.points} points")
    say("Begin with: jobkit start NAME")


@click.command(
    epilog=examples(
        "jobkit start ex03",
        "jobkit start tokens          the topic will do",
        "jobkit start ex07 --clock    against the clock",
    )
)
@click.argument("name")
@click.option("--clock", is_flag=True, help="Start the clock of a timed challenge, anew if it ran already.")
@explained
def start(name: str, clock: bool) -> None:  # noqa: FBT001  click passes flags so
    """Begin an exercise. Writes answers/NAME.py, never over anything."""
    begin(find(name), clock=clock)


def begin(exercise: Exercise, *, clock: bool = False) -> AnswerFile:
    """Write the starter where no answer is, and say how to begin."""
    progress = Progress.read(Path())
    if clock:
        challenge.start(progress.of(exercise.id), exercise, int(time.time()))
    answer = AnswerFile.of(exercise, Path())
    fresh = answer.start(exercise)
    progress.note_started(exercise.id)
    keep(progress)
    show(report.opening(exercise, answer, fresh=fresh))
    tell_time(progress, exercise)
    return answer


def tell_time(progress: Progress, exercise: Exercise) -> None:
    """Say how the time of a challenge stands, if a clock was started."""
    if said := challenge.words(progress.of(exercise.id), exercise, int(time.time())):
        say(said)


@click.command(
    epilog=examples("jobkit check ex03", "jobkit check --json    the exercise touched last", note=NO_SANDBOX)
)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for machines.")
@click.option("--replay", metavar="ID", help="Only let threads meet once more in the way that a report showed.")
@click.pass_context
@explained
def check(context: click.Context, name: str | None, as_json: bool, replay: str | None) -> None:  # noqa: FBT001  click passes flags so
    """Check your answer.

    Without NAME, the exercise touched last. Exit code 0 only when all is right.
    """
    exercise = chosen(name)
    answer = AnswerFile.of(exercise, Path())
    text = answer.read(exercise)
    if replay is not None:
        told = runner.replay(exercise, text, answer.path, replay)
        show(report.replayed(told))
        context.exit(0 if told.passed else 1)
    result, progress = graded(exercise, answer, text, tell=not as_json)
    if as_json:
        say_lines(json.dumps(result.as_json(), indent=2))
    elif result.passed:
        following = progress.next_open(catalogue(), exercise)
        say(f"Next: jobkit start {following.short}" if following else "All exercises are done.")
    context.exit(0 if result.passed else 1)


def graded(
    exercise: Exercise, answer: AnswerFile, text: bytes, *, tell: bool = True
) -> tuple[Result, Progress]:
    """Check an answer and tell the report. What was reached is kept before anything is printed.

    A reader who closes the pipe early, as `head` does, ends the printing and nothing else.
    """
    progress = Progress.read(Path())
    result = runner.run(exercise, text, answer.path)
    progress.note_result(result, text)
    challenge.note(progress.of(exercise.id), exercise, result, int(time.time()))
    keep(progress)
    if tell:
        show(report.lines(result, exercise, watch_line(exercise, result)))
        tell_time(progress, exercise)
    return result, progress


@click.command(epilog=examples("jobkit hint", "jobkit hint ex03"))
@click.argument("name", required=False)
@explained
def hint(name: str | None) -> None:
    """Show one more hint for what the last check found."""
    exercise = chosen(name)
    text = AnswerFile.of(exercise, Path()).read(exercise)
    progress = Progress.read(Path())
    state = progress.next_hint(exercise)
    show(shown_hints(exercise, state, changed=mark(text) != state.answer))
    if state.misconception:
        keep(progress)
    else:
        warn(progress.warning)


@click.command(epilog=examples("jobkit reset ex03"))
@click.argument("name", required=False)
@explained
def reset(name: str | None) -> None:
    """Begin an exercise anew. The old answer is kept under another name."""
    exercise = chosen(name)
    answer = AnswerFile.of(exercise, Path())
    progress = Progress.read(Path())
    backup = answer.reset(exercise)
    progress.note_reset(exercise.id)
    say(f"{answer.path} is the starter again.")
    if backup is not None:
        say(f"Your old answer: {backup}")
    keep(progress)


@click.command(
    epilog=examples(
        "jobkit progress",
        "jobkit progress --export mine.json    to take along",
        "jobkit progress --import mine.json    on another machine: the best of both counts",
    )
)
@click.option("--export", "to", type=click.Path(path_type=Path), help="Write it to a new file as well.")
@click.option("--import", "source", type=click.Path(path_type=Path), help="Take a file in: the best of both.")
@explained
def progress(to: Path | None, source: Path | None) -> None:
    """Show how far you are."""
    reached = Progress.read(Path())
    if source is not None:
        merged = portable.take_in(reached, source)
        reached.write()
        counts = f"{len(merged.new)} new, {len(merged.better)} better, {len(merged.same)} as before"
        say(f"Taken from {source}: {counts}.")
    if to is not None:
        portable.export(reached, to)
        say(f"Written: {to}")
    show(report.table(catalogue(), reached))
    warn(reached.warning)


COMMANDS: tuple[click.Command, ...] = (list_, start, check, hint, reset, progress)
