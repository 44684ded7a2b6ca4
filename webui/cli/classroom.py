"""The commands for a class: grade a folder, make notebooks. They read arguments, ask the grader, and print."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from exercises.grader.classroom.grading import Run
from exercises.grader.classroom.notebook import write_notebook
from exercises.grader.classroom.results import FORMATS, Results, file_names
from exercises.grader.classroom.submissions import Sorted, files_below, keep, sort_out
from exercises.grader.classroom.worker_pool import WorkerPool
from exercises.grader.errors import ExerciseError
from exercises.grader.explaining.page import Line
from exercises.grader.judging.catalogue import catalogue, find
from exercises.grader.running.workspace import working_folder
from webui.cli.exercises import NO_SANDBOX, explained, warn
from webui.cli.terminal import examples, say, show

MOST_SHOWN = 20
STOPPED = 130  # what a shell gives for Ctrl-C


@click.command(
    epilog=examples(
        "jobkit grade submissions                   ada/ex03_tokens.py, or ada_ex03.py",
        "jobkit grade submissions --only ex03 --format csv --out marks",
        "jobkit grade handed_in --learner ada       the folder is one learner's",
        note=NO_SANDBOX,
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where results go; by default FOLDER-grades, beside it."
)
@click.option("--only", multiple=True, metavar="NAME", help="Only this exercise; may be repeated.")
@click.option("--learner", help="The whole folder is this learner's.")
@click.option("--format", "formats", multiple=True, type=click.Choice(FORMATS), help="By default all of them.")
@click.option("--jobs", type=click.IntRange(1, 64), help="How many at once; by default one for each processor.")
@click.option("--dry-run", is_flag=True, help="Only say what is recognised.")
@click.pass_context
@explained
def grade(  # noqa: PLR0917  click passes options by name
    context: click.Context,
    folder: Path,
    out: Path | None,
    only: tuple[str, ...],
    learner: str | None,
    formats: tuple[str, ...],
    jobs: int | None,
    dry_run: bool,  # noqa: FBT001  click passes flags so
) -> None:
    """Grade a folder of submissions.

    One file or folder for each learner. Everything is graded anew in each run. Exit code 0 when everything that
    was recognised has a grade, 1 when something has none or could not be decided in full.
    """
    exercises = {one.id: one for one in (map(find, only) if only else catalogue())}
    found = sort_out(files_below(folder), sorted(exercises), learner)
    show(_recognised(found))
    if not found.submissions:
        names = "ada/ex03_tokens.py or ada_ex03.py"
        raise ExerciseError(f"No submission in {folder} was recognised. Name them like {names}.")
    if dry_run:
        return
    to = out if out is not None else folder.resolve().with_name(f"{folder.resolve().name}-grades")
    run = Run(found, exercises, Results(to, file_names(found.learners), formats or FORMATS))
    run.results.prepare()
    with working_folder() as read, _progress(len(found.submissions)) as bar:
        keep(folder, found, read)
        run.go(WorkerPool(read, exercises), jobs or os.cpu_count() or 1, lambda _: bar.update(1))
    show(_summary(run, to))
    left_over = run.results.left_over()
    if left_over:
        are = "is of an earlier run and stays" if len(left_over) == 1 else "are of an earlier run and stay"
        warn(f"{_count(len(left_over), 'file')} in {to} {are}, like {left_over[0]}.")
    context.exit(STOPPED if run.stopped else 1 if run.ungraded or run.undecided else 0)


@contextmanager
def _progress(count: int) -> Iterator["click._termui_impl.ProgressBar[int]"]:
    """Show a bar on a terminal; elsewhere a single line. On standard error: what is piped is the result."""
    with click.progressbar(length=count, label=f"Grading {count}", file=sys.stderr, show_pos=True) as bar:
        yield bar


def _recognised(found: Sorted) -> Iterator[Line]:
    submissions, learners = _count(len(found.submissions), "submission"), _count(len(found.learners), "learner")
    yield Line(f"Recognised: {submissions} of {learners}.", "strong")
    yield from (Line(f"  not graded: {path}: {why}", "bad") for path, why in found.others[:MOST_SHOWN])
    if len(found.others) > MOST_SHOWN:
        yield Line(f"  and {len(found.others) - MOST_SHOWN} more files")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _summary(run: Run, to: Path) -> Iterator[Line]:
    width = max((len(record.learner) for record in run.records), default=0)
    for record in run.records:
        grades = "  ".join(
            f"{one.short} {'-' if one.problem else one.points}{'?' if one.undecided else ''}/{one.possible}"
            for one in record.grades
        )
        yield Line(f"{record.learner:<{width}}  {record.points:>4} of {record.possible:<4}  {grades}")
    yield from (Line(f"No grade: {one.file}: {one.problem}", "bad") for _, one in run.ungraded[:MOST_SHOWN])
    yield from (Line(f"Undecided: {one.file}: {one.undecided}", "bad") for one in run.undecided[:MOST_SHOWN])
    done = len(run.found.submissions) - len(run.ungraded)
    words = "Stopped. " if run.stopped else ""
    yield Line(f"{words}{done} of {len(run.found.submissions)} graded. Results: {to}", "strong")


@click.command(
    epilog=examples(
        "jobkit notebook ex03 ex03.ipynb            to hand out",
        "jobkit notebook --all FOLDER               every exercise",
        "jobkit notebook ex03 source/ex03.ipynb --source    for `nbgrader generate_assignment`",
    )
)
@click.argument("names", nargs=-1, required=True, metavar="[NAME] FILE")
@click.option("--all", "everything", is_flag=True, help="Every exercise, into the folder FILE.")
@click.option("--source", is_flag=True, help="With nbgrader's marks around what the learner writes.")
@click.option("--replace", is_flag=True, help="Write over a file that is there.")
@explained
def notebook(names: tuple[str, ...], everything: bool, source: bool, replace: bool) -> None:  # noqa: FBT001  click passes flags so
    """Write an exercise as a notebook for nbgrader.

    A cell for the answer, and a locked one that checks it in a fresh process and gives the points. The kernel
    that runs it (yours, each learner's, nbgrader's) needs jobkit installed; without it that cell says so.
    """
    if len(names) != (1 if everything else 2):
        raise ExerciseError("Give a name and a file (jobkit notebook ex03 ex03.ipynb), or --all and a folder.")
    to = Path(names[-1])
    every = [(one, to / f"{one.id}.ipynb") for one in catalogue()]
    pairs = every if everything else [(find(names[0]), to)]
    for exercise, path in pairs:
        write_notebook(exercise, path, source=source, replace=replace)
        say(f"{path}: {exercise.short} {exercise.title}, {exercise.points} points")


COMMANDS: tuple[click.Command, ...] = (grade, notebook)
