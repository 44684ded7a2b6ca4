"""What the tests of ex13 must do to its queues: pass on the right ones, fail on each flawed one."""

from pathlib import Path

from exercises.grader import Case, Check, check
from exercises.grader.judging.subjects import Flaw, subjects
from exercises.grader.judging.trials import Trials

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


def known(flaw: Flaw) -> Check:
    """Make the check that some test fails on the queue with this flaw, of which the learner is told."""

    def story(case: Case) -> None:
        Trials(case, SUBJECTS).demands_caught(flaw, KNOWN_TASK)

    promise = f"One of your tests fails on a queue {flaw.told}."
    about = SUBJECTS.families[flaw.family]
    return Check(flaw.id, promise, KNOWN_TASK, 1, (one_sound_test.name,), about, story)


def hidden(family: str, place: int) -> Check:
    """Make the check that some test fails on a queue of this family; which one it is, is drawn."""

    def story(case: Case) -> None:
        drawn = SUBJECTS.drawn(family, case.hide(family, "queue"))
        Trials(case, SUBJECTS).demands_caught(drawn[place], TASKS[family])

    name = f"{family} {place + 1}".replace(" ", "_")
    promise = f"One of your tests fails on a queue that is wrong about {family}."
    about = SUBJECTS.families[family]
    return Check(name, promise, TASKS[family], 1, (one_sound_test.name,), about, story, hidden=family)


KNOWN = tuple(known(flaw) for flaw in SUBJECTS.flaws if not flaw.hidden)
HIDDEN = tuple(hidden(family, place) for family in TASKS for place in range(len(SUBJECTS.hidden(family))))
