"""`jobkit verify` puts the exercises themselves to the test, several at a time, each in its own process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass

import click

from exercises.grader.explaining.page import Line
from exercises.grader.judging.catalogue import Exercise, catalogue, find
from exercises.grader.proving.verify import skipped, verify
from webui.cli.exercises import explained
from webui.cli.terminal import examples, say, show
from webui.server import stop_politely


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found out about one exercise: why it was skipped, or its problems, one sentence each."""

    skipped: str
    problems: tuple[str, ...]


@click.command(
    "verify",
    epilog=examples(
        "jobkit verify                 all exercises",
        "jobkit verify ex03            one of them",
        "jobkit verify ex03 --write    write down what its known mistakes fail",
    ),
)
@click.argument("name", required=False)
@click.option("--write", is_flag=True, help="Write down what each known mistake fails, if all else is sound.")
@click.option("--json", "as_json", is_flag=True, help="Print what is found as JSON, for machines.")
@click.pass_context
@explained
def verify_(context: click.Context, name: str | None, write: bool, as_json: bool) -> None:  # noqa: FBT001  click passes flags so
    """Check the exercises themselves.

    Right answers must pass; each known mistake must be found and named. What each mistake fails is written in
    the exercise's verdicts.toml and must be so.
    """
    tell = not as_json
    exercises = [find(name)] if name else catalogue()
    one_by_one = [_alone(exercises[0], tell=tell, write=write)] if name else None
    found = dict(one_by_one or _side_by_side(exercises, tell=tell, write=write))
    problems = [problem for one in found.values() for problem in one.problems]
    if as_json:
        say(json.dumps({key: asdict(one) for key, one in found.items()}))
    else:
        done = sum(not one.skipped for one in found.values())
        show(
            [Line(f"Verified: {done}. Problems: {len(problems)}.", "bad" if problems or not found else "good")]
        )
    context.exit(1 if problems or not found else 0)


def _alone(exercise: Exercise, *, tell: bool, write: bool) -> tuple[str, Verified]:
    """Verify one exercise in this process and tell each part as it begins."""
    if reason := skipped(exercise):
        found = Verified(reason, ())
    else:
        words = say if tell else lambda _: None
        words(_size(exercise))
        found = Verified("", tuple(verify(exercise, lambda part: words(f"  {part}"), write=write)))
    if tell:
        _tell(exercise, found)
    return exercise.id, found


def _side_by_side(exercises: Sequence[Exercise], *, tell: bool, write: bool) -> Iterator[tuple[str, Verified]]:
    """Verify all, as many at a time as there are processors; those that take longest begin first."""
    longest_first = sorted(exercises, key=_weight, reverse=True)
    stop_politely()
    running: set[subprocess.Popen[str]] = set()
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    try:
        waiting = {pool.submit(_elsewhere, exercise, running, write): exercise for exercise in longest_first}
        for number, future in enumerate(as_completed(waiting), 1):
            exercise, found = waiting[future], future.result()
            if tell:
                say(f"{number} of {len(exercises)}  {_size(exercise)}")
                _tell(exercise, found)
            yield exercise.id, found
    finally:  # also after Ctrl-C: nothing more is begun, and what runs is told to end
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running):
            process.terminate()
        pool.shutdown()


def _elsewhere(exercise: Exercise, running: set[subprocess.Popen[str]], write: bool) -> Verified:  # noqa: FBT001
    """Verify in a process of its own: what an exercise needs and leaves does not touch the others."""
    command = [
        sys.executable,
        "-m",
        "webui.cli",
        "verify",
        exercise.id,
        "--json",
        *(["--write"] if write else []),
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, encoding="utf-8") as process:  # noqa: S603  our own command
        running.add(process)
        out, err = process.communicate()
        running.discard(process)
    try:
        told = json.loads(out)[exercise.id]
        return Verified(told["skipped"], tuple(told["problems"]))
    except (ValueError, LookupError):
        last = (err.strip() or "it said nothing").splitlines()[-1]
        return Verified("", (f"{exercise.id}: the verification broke off: {last}",))


def _weight(exercise: Exercise) -> int:
    texts = sum(len(wrong.forms) for wrong in exercise.misconceptions)
    return texts * (2 if exercise.threads else 1) + (texts * 10 if exercise.kind == "tests" else 0)


def _size(exercise: Exercise) -> str:
    return f"{exercise.id}: {len(exercise.checks)} checks, {len(exercise.misconceptions)} misconceptions"


def _tell(exercise: Exercise, found: Verified) -> None:
    if found.skipped:
        say(f"{exercise.id}: skipped. {found.skipped}")
    show(Line(f"  {line}", "bad") for problem in found.problems for line in problem.splitlines())


COMMANDS: tuple[click.Command, ...] = (verify_,)
