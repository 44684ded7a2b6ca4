"""What the tests of ex13 must do to its queues: pass on the right ones, fail on each flawed one."""

from collections import Counter
from pathlib import Path

from exercises.grader import Case, Check, check
from exercises.grader.subjects import Flaw, subjects
from exercises.grader.trials import Trials

SUBJECTS = subjects(Path(__file__).parent)
FIRST, *OTHERS = SUBJECTS.rights
TASKS = {"order": 3, "leases": 3, "tokens": 4, "retries": 5, "dead letters": 5}
KNOWN_TASK = 2


@check(task=1, points=1, promise="At least one test asks a queue something, and passes on every right queue.")
def one_sound_test(case: Case) -> None:
    """A test that fails on a right queue, or asks it nothing, says nothing about any queue."""
    Trials(case, SUBJECTS).demands_a_sound_test()


@check(task=1, points=2, promise="None of your tests fails on the right queue.")
def right_queue(case: Case) -> None:
    """This queue keeps every rule of the task. A test that fails on it demands something else."""
    Trials(case, SUBJECTS).demands_passing(FIRST)


@check(task=1, points=2, promise="None of your tests fails on a right queue that is built in another way.")
def built_otherwise(case: Case) -> None:
    """Two more queues keep every rule, with other insides. Tests may demand only what the rules promise."""
    Trials(case, SUBJECTS).demands_passing(*OTHERS)


def catches(flaw: Flaw, name: str) -> Check:
    """Make the check that some test fails on the queue with this flaw; a hidden one is told by its family."""
    task = TASKS[flaw.family] if flaw.hidden else KNOWN_TASK
    told = f"that is wrong about {flaw.family}" if flaw.hidden else flaw.told
    promise = f"One of your tests fails on a queue {told}."

    def story(case: Case) -> None:
        Trials(case, SUBJECTS).demands_caught(flaw, task)

    about = SUBJECTS.families[flaw.family]
    return Check(name, promise, task, 1, (one_sound_test.name,), about, story)


def hidden_checks() -> tuple[Check, ...]:
    """Number the hidden flaws inside their families; task by task."""
    numbers: Counter[str] = Counter()
    made = []
    for flaw in sorted((one for one in SUBJECTS.flaws if one.hidden), key=lambda one: TASKS[one.family]):
        numbers[flaw.family] += 1
        made.append(catches(flaw, f"{flaw.family} {numbers[flaw.family]}".replace(" ", "_")))
    return tuple(made)


KNOWN = tuple(catches(flaw, flaw.id) for flaw in SUBJECTS.flaws if not flaw.hidden)
HIDDEN = hidden_checks()
