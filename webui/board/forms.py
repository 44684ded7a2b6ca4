"""Forms made of tables of parameters: fields to show, and what was typed, each mistake at its field."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jobqueue.simulation.parameters import Parameter, Unit
from webui.board.numbers import as_seconds, millis, whole

_WIDEST = 40


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form: what it is for, what stands in it, and what is wrong with that."""

    name: str
    label: str
    help: str
    value: str
    error: str
    unit: str
    most: int
    choices: tuple[tuple[str, str], ...]


def fields(
    parameters: Iterable[Parameter], typed: Mapping[str, str], errors: Mapping[str, str], prefix: str = ""
) -> list[Field]:
    """Return the fields of some parameters, with what was typed and what is wrong with it."""
    return [
        Field(
            prefix + p.name,
            p.label,
            p.help,
            typed.get(prefix + p.name, ""),
            errors.get(prefix + p.name, ""),
            p.unit.value,
            p.high if p.unit is Unit.TEXT else _WIDEST,
            p.choices,
        )
        for p in parameters
    ]


def typed_of(record: Any, parameters: Iterable[Parameter], prefix: str = "") -> dict[str, str]:
    """Return a record as it would be typed; `record` has the parameters as attributes or as keys."""
    found = {}
    for p in parameters:
        value = record[p.name] if isinstance(record, Mapping) else getattr(record, p.name)
        found[prefix + p.name] = _shown(p, value)
    return found


def _shown(parameter: Parameter, value: Any) -> str:
    if value is None:
        return ""
    return as_seconds(value) if parameter.unit is Unit.SECONDS else str(value)


def read(
    parameters: Iterable[Parameter], typed: Mapping[str, str], errors: dict[str, str], prefix: str = ""
) -> dict[str, Any]:
    """Return what was typed as values by parameter; what is wrong goes into `errors`, by field."""
    values = {}
    for p in parameters:
        try:
            values[p.name] = _value(p, typed.get(prefix + p.name, ""))
        except ValueError as wrong:
            errors[prefix + p.name] = str(wrong).removeprefix(f"{p.name}: ")
    return values


def _value(parameter: Parameter, typed: str) -> Any:
    if parameter.unit in {Unit.TEXT, Unit.CHOICE}:
        return parameter.check(typed.strip())
    if not typed.strip() and parameter.default is None:
        return None
    if parameter.unit is Unit.SECONDS:
        if not typed.strip():
            raise ValueError("expected seconds, such as 5 or 1.5, found nothing")
        return parameter.check(millis(typed, parameter.low, parameter.high))
    if not typed.strip():
        raise ValueError("expected a whole number, such as 5, found nothing")
    return parameter.check(whole(typed))
