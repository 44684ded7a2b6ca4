"""The free lab's form: every row and field of it, and what was typed read into a recipe. No Flask."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobqueue.simulation.free_lab import (
    DURATIONS,
    FREE,
    MISHAPS,
    MOST_ROWS,
    OUTAGES,
    TASKS,
    WORKERS,
    FreeLab,
    unpacked_worker,
)
from jobqueue.simulation.parameters import SOME_SEED, Parameter, Unit
from jobqueue.simulation.recipe import Recipe
from jobqueue.simulation.rule_settings import RETRIES, RULES, TURNS, RuleSettings
from jobqueue.simulation.scenario import Outage, Task
from webui.board.forms import Field, fields, read, typed_of

SEED = (Parameter("seed", "Seed", "Where working times are drawn from.", Unit.NUMBER, 1, 0, SOME_SEED),)


@dataclass(frozen=True, slots=True)
class Table:
    """One sort of rows. A row whose first field is empty is not used.

    Args:
        name: what its fields' names begin with.
        title: what stands above it.
        one: what one row is called.
        empty: what an empty first field means.
        parameters: the fields of a row.
        rows: how many rows the form has.
    """

    name: str
    title: str
    one: str
    empty: str
    parameters: tuple[Parameter, ...]
    rows: int


TABLES = (
    Table("task", "Jobs", "Jobs", "A row without a type submits nothing.", TASKS, MOST_ROWS),
    Table("worker", "Workers", "Worker", "A row without a name is no worker.", (*WORKERS, *MISHAPS), MOST_ROWS),
    Table(
        "duration",
        "How long jobs take",
        "Duration",
        "Jobs of other types take what their worker takes.",
        DURATIONS,
        3,
    ),
    Table("outage", "Outages", "Outage", "A row without a type is no outage.", OUTAGES, 3),
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the form: its title, what its rows mean, and the fields of each row."""

    name: str
    title: str
    empty: str
    rows: list[tuple[str, list[Field]]]

    @property
    def used(self) -> int:
        """How many rows are filled in, or have something wrong: those after them may be folded away."""
        filled = [n for n, (_, row) in enumerate(self.rows, 1) if row[0].value or any(f.error for f in row)]
        return max(filled, default=1)


class BadFormError(ValueError):
    """Something was typed that cannot be; `errors` says what, by field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(f"{len(errors)} fields need another look")
        self.errors = dict(errors)


def typed_recipe(recipe: Recipe | None) -> dict[str, str]:
    """Return the settings of a free lab as they would be typed; of none, the ones to begin with."""
    free = (recipe and recipe.free) or FreeLab()
    rules = (recipe and recipe.rules) or RuleSettings()
    seed = 1 if recipe is None or recipe.seed is None else recipe.seed
    typed = {"seed": str(seed), **typed_of(rules, RULES)}
    rows: dict[str, Sequence[Any]] = {
        "task": free.tasks,
        "worker": [_worker_values(habits) for habits in free.workers],
        "duration": [{"type": type, "millis": millis} for type, millis in free.durations],
        "outage": free.outages,
    }
    for table in TABLES:
        usual = {p.name: p.default for p in table.parameters}
        for number in range(1, table.rows + 1):
            prefix, used = f"{table.name}{number}_", number <= len(rows[table.name])
            record = rows[table.name][number - 1] if used else usual | {table.parameters[0].name: ""}
            typed |= typed_of(record, table.parameters, prefix)
    return typed


def sections(typed: Mapping[str, str], errors: Mapping[str, str]) -> list[Section]:
    """Return the whole form, as it was typed."""
    return [
        *(_section(table, typed, errors) for table in TABLES),
        Section("retries", "Failures and retries", "", [("", fields(RETRIES, typed, errors))]),
        Section("turns", "Who is next", "", [("", fields(TURNS, typed, errors))]),
        Section("dice", "Dice", "", [("", fields(SEED, typed, errors))]),
    ]


def _section(table: Table, typed: Mapping[str, str], errors: Mapping[str, str]) -> Section:
    numbers = range(1, table.rows + 1)
    prefixes = [(f"{table.one} {n}", f"{table.name}{n}_") for n in numbers]
    rows = [(title, fields(table.parameters, typed, errors, prefix)) for title, prefix in prefixes]
    return Section(table.name, table.title, table.empty, rows)


def read_recipe(typed: Mapping[str, str]) -> Recipe:
    """Return the recipe that was typed.

    Raises:
        BadFormError: something cannot be.
    """
    errors: dict[str, str] = {}
    rows = {table.name: list(_read_rows(table, typed, errors)) for table in TABLES}
    seed = read(SEED, typed, errors)
    rules = read_rules(typed, errors)
    if errors or rules is None:
        raise BadFormError(errors)
    try:
        free = FreeLab(
            tuple(Task(**row) for _, row in rows["task"]),
            tuple(unpacked_worker(row) for _, row in rows["worker"]),
            tuple(Outage(**row) for _, row in rows["outage"]),
            tuple((row["type"], row["millis"]) for _, row in rows["duration"]),
        )
    except ValueError as wrong:
        raise BadFormError({_where(wrong, rows): str(wrong).partition(": ")[2] or str(wrong)}) from wrong
    return Recipe(FREE, seed["seed"], rules, free)


def read_rules(typed: Mapping[str, str], errors: dict[str, str]) -> RuleSettings | None:
    """Return the rules that were typed; None, and words in `errors`, where something cannot be."""
    before = len(errors)
    values = read(RULES, typed, errors)
    if len(errors) > before:
        return None
    try:
        return RuleSettings(**values)
    except ValueError as wrong:
        field = _RULE_OF.get(str(wrong).partition(":")[0], "max_attempts")
        errors[field] = str(wrong).partition(": ")[2]
        return None


_RULE_OF = {"base_backoff_millis": "max_backoff_millis", "cycle": "cycle", "ceiling": "dispatch_floor"}
"""At which field a rule that contradicts another is shown, by the name with which the refusal begins."""


def _read_rows(
    table: Table, typed: Mapping[str, str], errors: dict[str, str]
) -> Iterable[tuple[str, dict[str, Any]]]:
    for number in range(1, table.rows + 1):
        prefix = f"{table.name}{number}_"
        if typed.get(prefix + table.parameters[0].name, "").strip():
            yield prefix, read(table.parameters, typed, errors, prefix)


def _where(wrong: ValueError, rows: Mapping[str, list[tuple[str, dict[str, Any]]]]) -> str:
    """Return the field at which to show what is wrong with all rows together: that of the last row."""
    name = str(wrong).partition(":")[0]
    table = {"times": "task", "name": "worker", "ends_at": "outage"}.get(name, "task")
    prefix = rows[table][-1][0] if rows[table] else f"{table}1_"
    return f"{prefix}{name}"


def _worker_values(habits: Any) -> dict[str, Any]:
    values = {p.name: getattr(habits, p.name) for p in WORKERS} | {p.name: p.default for p in MISHAPS}
    if habits.mishap is not None:
        mishap = habits.mishap
        values |= {"kind": mishap.kind.value, "after_millis": mishap.after_millis}
        values |= {"lasts_millis": mishap.lasts_millis, "mishaps": mishap.times}
    return values
