"""The commands around a learner's loop: watch, copy, open, solution. They read arguments, ask, and print."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from exercises.grader.errors import ExerciseError
from exercises.grader.explaining.exercise_progress import ExerciseProgress
from exercises.grader.explaining.page import Line, wrapped
from exercises.grader.explaining.progress import Progress
from exercises.grader.judging.answers import LARGEST_ANSWER_BYTES, AnswerFile
from exercises.grader.judging.catalogue import Exercise, catalogue
from webui.cli.exercises import NO_SANDBOX, begin, chosen, explained, graded, warn
from webui.cli.terminal import beside, examples, say, say_lines, show
from webui.cli.watch import Looks, changed, way
from webui.server import stop_politely

SIDE_BY_SIDE = {"vim": "-O", "nvim": "-O", "gvim": "-O", "vi": "-O", "view": "-O"}


@click.command(
    epilog=examples(
        "jobkit watch ex03    in one window, while you edit answers/ex03_tokens.py in another",
        "jobkit watch         the exercise touched last",
        note=NO_SANDBOX,
    )
)
@click.argument("name", required=False)
@click.option("--once", is_flag=True, help="Check once and end, with the exit code of `jobkit check`.")
@click.option(
    "--poll", is_flag=True, help="Look at the file a few times a second, also where the system could tell."
)
@click.pass_context
@explained
def watch(context: click.Context, name: str | None, once: bool, poll: bool) -> None:  # noqa: FBT001  click passes flags so
    """Check again on each save, and go on when all is right.

    Ctrl-C ends it. Without NAME, the exercise touched last.
    """
    first = chosen(name)
    answer = AnswerFile.of(first, Path())
    text = answer.read(first)
    if once:
        context.exit(0 if graded(first, answer, text)[0].passed else 1)
    looks, words = way(poll=poll)
    stop_politely()
    say(f"Watching {answer.path} ({words}). Ctrl-C ends it.")
    exercise: Exercise | None = first
    try:
        while exercise is not None:
            _until_right(exercise, looks)
            exercise = _go_on(exercise)
    except KeyboardInterrupt:
        say("Stopped.")


def _until_right(exercise: Exercise, looks: Looks) -> None:
    """Check each new text of an answer, up to the first that is right."""
    answer = AnswerFile.of(exercise, Path())
    seen: bytes | None = None
    absences = 0
    for _ in looks(answer.path):
        try:
            text = changed(answer.path, seen, LARGEST_ANSWER_BYTES)
        except OSError as problem:
            text = None
            if absences == 0:
                warn(f"{answer.path} cannot be read: {problem.strerror}")
        if text is None:  # an editor that replaces a file takes it away for a moment
            absences += 1
            if absences == 2:  # noqa: PLR2004
                say(f"{answer.path} is gone. It is checked when it comes back.")
            continue
        absences = 0
        if text == seen:
            continue
        seen = text
        say()
        if graded(exercise, answer, text)[0].passed:
            return
        say(f"Waiting for the next save of {answer.path}.")


def _go_on(done: Exercise) -> Exercise | None:
    """Begin the next exercise that is not done; None if all are."""
    following = Progress.read(Path()).next_open(catalogue(), done)
    say()
    if following is None:
        show([Line("All exercises are done.", "good")])
        return None
    say(f"Watching {begin(following).path} now.")
    return following


@click.command(
    epilog=examples(
        "jobkit copy ex03               into the folder ex03_tokens here",
        'jobkit copy ex03 "my notes"    into a folder of yours',
    )
)
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--replace", is_flag=True, help="Write over files of the same names; each is named.")
@explained
def copy(name: str, folder: Path | None, replace: bool) -> None:  # noqa: FBT001  click passes flags so
    """Copy an exercise and your answer to a folder.

    The task, the starter and, if there is one, your answer; it overwrites nothing unless told to.
    """
    exercise = chosen(name)
    to = folder if folder is not None else Path(exercise.id)
    texts = {
        to / f"{exercise.id}.md": exercise.text("task.md").encode(),
        to / f"{exercise.id}_starter.py": exercise.text("starter.py").encode(),
    }
    answer = AnswerFile.of(exercise, Path())
    if answer.path.exists():
        texts[to / answer.path.name] = answer.read(exercise)
    others = [path for path, text in texts.items() if path.exists() and not _holds(path, text)]
    if others and not replace:
        names = ", ".join(str(path) for path in others)
        raise ExerciseError(f"Nothing copied: {names} would be overwritten. Another folder, or --replace?")
    to.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        was = "  (replaced)" if path in others else "  (was there already, the same)" if path.exists() else ""
        path.write_bytes(text)
        say(f"{path}{was}")
    if not answer.path.exists():
        say(f"Of you there is no answer yet. Begin with: jobkit start {exercise.short}")


def _holds(path: Path, text: bytes) -> bool:
    return path.is_file() and path.read_bytes() == text


@click.command(
    "open",
    epilog=examples(
        "jobkit open ex03",
        'EDITOR="code --wait" jobkit open ex03',
    ),
)
@click.argument("name", required=False)
@explained
def open_(name: str | None) -> None:
    """Open the task and your answer in your editor.

    The editor is that of $VISUAL or $EDITOR. Without one, or where the output is no terminal, the two paths are
    printed.
    """
    exercise = chosen(name)
    answer = AnswerFile.of(exercise, Path())
    answer.read(exercise)
    say(f"The task:     {answer.task}")
    say(f"Your answer:  {answer.path}")
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not wanted.strip():
        say("To open both at once, set $VISUAL or $EDITOR to your editor.")
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _edit(editor_command(wanted, [answer.task, answer.path], windows=os.name == "nt"))


def editor_command(wanted: str, paths: Sequence[Path], *, windows: bool = False) -> list[str]:
    r"""Build the editor's command; an editor that has windows side by side is asked for them.

    Raises:
        ExerciseError: The wish cannot be read as a command.

    >>> editor_command("vim -n", [Path("a b.md"), Path("a.py")])
    ['vim', '-n', '-O', 'a b.md', 'a.py']
    >>> editor_command(r'"C:\Program Files\Ed\ed.exe" -w', [Path("a.md")], windows=True)
    ['C:\\Program Files\\Ed\\ed.exe', '-w', 'a.md']
    """
    try:
        words = [word.strip('"') if windows else word for word in shlex.split(wanted, posix=not windows)]
    except ValueError as problem:
        raise ExerciseError(f"$VISUAL or $EDITOR is no command: {wanted!r} ({problem})") from None
    program = words[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    beside = [SIDE_BY_SIDE[program]] if program in SIDE_BY_SIDE else []
    return [*words, *beside, *map(str, paths)]


def _edit(command: list[str]) -> None:
    program = shutil.which(command[0])  # Windows finds code.cmd only so
    if program is None:
        raise ExerciseError(
            f"There is no editor {command[0]!r}. Set $VISUAL or $EDITOR to one, or open the files."
        )
    ended = subprocess.run([program, *command[1:]], check=False)  # noqa: S603  the learner's own choice
    if ended.returncode != 0:
        raise ExerciseError(f"{command[0]} ended with code {ended.returncode}.")


@click.command(
    epilog=examples(
        "jobkit solution ex03",
        "jobkit solution ex03 --other 1    a right answer that is built differently",
    )
)
@click.argument("name", required=False)
@click.option("--other", type=click.IntRange(min=1), help="Another right answer, by its number.")
@click.pass_context
@explained
def solution(context: click.Context, name: str | None, other: int | None) -> None:
    """Show the kit's own answer, once yours has passed."""
    exercise = chosen(name)
    progress = Progress.read(Path())
    state = progress.exercises.get(exercise.id, ExerciseProgress())
    warn(progress.warning)
    if state.best < exercise.points:
        show(_what_is_missing(exercise, state))
        context.exit(1)
    others = exercise.alternatives()
    if other is not None and other > len(others):
        raise ExerciseError(f"There is no other answer {other}; {exercise.short} has {len(others)}.")
    path = others[other - 1] if other else exercise.folder / "solution.py"
    say_lines(path.read_text(encoding="utf-8").rstrip("\n"))
    if other is None and others:
        count = f"--other {'1' if len(others) == 1 else f'1 to {len(others)}'}"
        beside(f"Others, built differently: jobkit solution {exercise.short} {count}")


def _what_is_missing(exercise: Exercise, state: ExerciseProgress) -> list[Line]:
    head = f"The solution is shown once all checks pass: {state.best} of {exercise.points} points so far."
    if state.check is None:
        advice = f"First: jobkit check {exercise.short}"
        return [Line(head, "strong"), Line(advice)]
    found = (line for words in state.finding for line in wrapped(words, indent="  "))
    advice = f"The next hint: jobkit hint {exercise.short}"
    return [Line(head, "strong"), Line("What the last check found:"), *found, Line(advice)]


COMMANDS: tuple[click.Command, ...] = (watch, copy, open_, solution)
