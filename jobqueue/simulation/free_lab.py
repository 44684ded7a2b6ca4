"""The free lab: a story without a teller, in which jobs, workers and outages are set by hand."""

# ruff: noqa: E501 - a table reads best with one row a line

from dataclasses import dataclass
from typing import Any

from jobqueue.simulation.parameters import Parameter, Unit, packed, unpacked
from jobqueue.simulation.rule_settings import RuleSettings
from jobqueue.simulation.scenario import Habits, Mishap, MishapKind, Outage, Scenario, Task

FREE = "free_lab"
"""The free lab's name, where others have that of their scenario."""

MOST_JOBS = 60
MOST_ROWS = 6
_LONGEST_NAME = 40
_LEAST_WORK, _LEAST_POLL = 10, 250  # a story in which endlessly much happens at one instant has no second one

TASKS = (
    Parameter("type", "Type", "What kind of work: pausing, outages, durations and the retry budget go by it.", Unit.TEXT, "mail", 1, _LONGEST_NAME),
    Parameter("times", "Number", "So many jobs like this.", Unit.NUMBER, 1, 1, MOST_JOBS),
    Parameter("at", "From", "When the first of them is submitted.", Unit.SECONDS, 0),
    Parameter("every_millis", "One each", "How long after one the next is submitted; 0 for all at once.", Unit.SECONDS, 0),
    Parameter("priority", "Priority", "Higher goes first. Above 0 is band H, 0 is N, below is L.", Unit.NUMBER, 0, -1000, 1000),
    Parameter("tenant", "Tenant", "On whose behalf.", Unit.TEXT, "default", 1, _LONGEST_NAME),
    Parameter("cost", "Cost", "What it costs its tenant where turns are paid by cost.", Unit.NUMBER, 1, 1, 1_000_000),
    Parameter("delay_millis", "Delay", "How long after its submit it is due.", Unit.SECONDS, 0),
    Parameter("deadline_millis", "Deadline", "How long after its submit it is given up if it has not begun. Empty: never.", Unit.SECONDS, None, 1),
    Parameter("payload", "Payload", "The text for the worker.", Unit.TEXT, "", 0, 200),
)  # fmt: skip

WORKERS = (
    Parameter("name", "Name", "Who it is.", Unit.TEXT, "A", 1, 20),
    Parameter("work_millis", "Works", "How long one job takes it, where the type does not say.", Unit.SECONDS, 3000, _LEAST_WORK),
    Parameter("spread_millis", "Works longer by", "A job may take up to so much more, drawn from the seed.", Unit.SECONDS, 0),
    Parameter("lease_millis", "Lease", "The lease that it asks for.", Unit.SECONDS, 10_000, 100),
    Parameter("renew_millis", "Renews each", "How long after taking or renewing a lease it renews it. Empty: never.", Unit.SECONDS, None, 50),
    Parameter("poll_millis", "Polls each", "How long it waits after a poll that gave nothing.", Unit.SECONDS, 1000, _LEAST_POLL),
    Parameter("first_poll_at", "Starts at", "When it polls first.", Unit.SECONDS, 0),
)  # fmt: skip

_MISHAPS = (("", "nothing"), *((kind.value, kind.value) for kind in MishapKind))

MISHAPS = (
    Parameter("kind", "Mishap", "What befalls it on the first jobs that it takes.", Unit.CHOICE, "", choices=_MISHAPS),
    Parameter("after_millis", "after", "How far into the job a crash or freeze happens.", Unit.SECONDS, 1000),
    Parameter("lasts_millis", "for", "How long until it is restarted, or wakes up. Empty: for ever.", Unit.SECONDS, None, 1),
    Parameter("mishaps", "on so many jobs", "How many jobs it happens on.", Unit.NUMBER, 1, 1, 1000),
)  # fmt: skip

OUTAGES = (
    Parameter("type", "Type", "All work of this type fails while what it needs is down.", Unit.TEXT, "mail", 1, _LONGEST_NAME),
    Parameter("begins_at", "Down from", "When the outage begins.", Unit.SECONDS, 0),
    Parameter("ends_at", "until", "When it ends.", Unit.SECONDS, 10_000),
    Parameter("error", "Error", "What a failed worker reports.", Unit.TEXT, "it does not answer", 1, 80),
)  # fmt: skip

DURATIONS = (
    Parameter("type", "Type", "Jobs of this type take the same time, whoever does them.", Unit.TEXT, "film", 1, _LONGEST_NAME),
    Parameter("millis", "takes", "How long.", Unit.SECONDS, 3000, _LEAST_WORK),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FreeLab:
    """What is set by hand, apart from the queue's rules and the seed.

    Args:
        tasks: which jobs are submitted when.
        workers: who works how.
        outages: what is down when.
        durations: how long jobs of a type take, as (type, milliseconds).
    """

    tasks: tuple[Task, ...] = (Task(0, "mail", times=4),)
    workers: tuple[Habits, ...] = (Habits("A"), Habits("B"))
    outages: tuple[Outage, ...] = ()
    durations: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        """Refuse more than a board can show, and what contradicts itself."""
        if max(map(len, (self.tasks, self.workers, self.outages, self.durations))) > MOST_ROWS:
            raise ValueError(f"rows: at most {MOST_ROWS} of each sort")
        jobs = sum(task.times for task in self.tasks)
        if jobs > MOST_JOBS:
            raise ValueError(f"times: {jobs} jobs in all, and a board holds {MOST_JOBS}")
        names = [habits.name for habits in self.workers]
        if len(set(names)) < len(names):
            raise ValueError("name: two workers have the same name")
        for outage in self.outages:
            if outage.ends_at <= outage.begins_at:
                raise ValueError("ends_at: an outage ends after it has begun")

    def scenario(self, rules: RuleSettings) -> Scenario:
        """Return it as a story."""
        return Scenario(
            FREE,
            "Free lab",
            "What would happen if ...?",
            "Everything here is set by hand: jobs, workers, outages, and the rules of the queue.",
            (),
            rules.policy(),
            self.workers,
            self.tasks,
            outages=self.outages,
            rules=rules.rules(),
            work_millis=dict(self.durations),
        )

    def packed(self) -> dict[str, Any]:
        """Return it as plain values, for a link."""
        tables = {
            "tasks": [packed(task, TASKS) for task in self.tasks],
            "workers": [_packed_worker(habits) for habits in self.workers],
            "outages": [packed(outage, OUTAGES) for outage in self.outages],
            "durations": [list(pair) for pair in self.durations],
        }
        return {name: rows for name, rows in tables.items() if rows}

    @classmethod
    def unpacked(cls, values: object) -> "FreeLab":
        """Return what `packed` was made of.

        Raises:
            ValueError: it was not made by `packed`.
        """
        if not isinstance(values, dict) or not values.keys() <= {"tasks", "workers", "outages", "durations"}:
            raise ValueError("a free lab has tasks, workers, outages and durations")
        rows = {name: _rows(values.get(name, [])) for name in ("tasks", "workers", "outages", "durations")}
        return cls(
            tuple(Task(**unpacked(row, TASKS)) for row in rows["tasks"]),
            tuple(unpacked_worker(row) for row in rows["workers"]),
            tuple(Outage(**unpacked(row, OUTAGES)) for row in rows["outages"]),
            tuple(_duration(row) for row in rows["durations"]),
        )


def _rows(found: object) -> list[Any]:
    if not isinstance(found, list) or len(found) > MOST_ROWS:
        raise ValueError(f"expected a list of at most {MOST_ROWS}")
    return found


def _duration(row: object) -> tuple[str, int]:
    if not isinstance(row, list) or len(row) != len(DURATIONS):
        raise ValueError("a duration is a type and a number of milliseconds")
    type_, millis = (parameter.check(value) for parameter, value in zip(DURATIONS, row, strict=True))
    return type_, millis


def _packed_worker(habits: Habits) -> dict[str, Any]:
    row, mishap = packed(habits, WORKERS), habits.mishap
    if mishap is None:
        return row
    befalls = (mishap.kind.value, mishap.after_millis, mishap.lasts_millis, mishap.times)
    values = zip(MISHAPS, befalls, strict=True)
    return row | {parameter.name: value for parameter, value in values if value != parameter.default}


def unpacked_worker(row: object) -> Habits:
    """Return a worker from the values of `WORKERS` and `MISHAPS`.

    Raises:
        ValueError: a value may not be set.
    """
    values = unpacked(row, (*WORKERS, *MISHAPS))
    kind, after, lasts, times = (values.pop(parameter.name) for parameter in MISHAPS)
    return Habits(**values, mishap=Mishap(MishapKind(kind), after, lasts, times) if kind else None)
