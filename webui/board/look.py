"""What a page looks at beside the board itself: one job, and a window of time. It is part of its address.

Looking changes nothing, so none of it is kept with the lab: each page and each fragment says it anew.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

_JOB = re.compile(r"J[1-9][0-9]{0,8}")
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at: `job` is an id, the window lies between two instants; None for nothing special."""

    job: str | None = None
    begin: int | None = None
    end: int | None = None

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Look":
        """Read it from the fields of an address; what cannot be read counts as not said.

        >>> Look.of({"job": "J3", "from": "1.5", "to": "x"})
        Look(job='J3', begin=1500, end=None)
        """
        job = query.get("job", "")
        begin, end = _millis(query.get("from", "")), _millis(query.get("to", ""))
        if begin is not None and end is not None and end <= begin:
            begin = end = None
        return cls(job if _JOB.fullmatch(job) else None, begin, end)

    @classmethod
    def of_address(cls, address: str) -> "Look":
        """Read it from a whole address, or from a query alone."""
        try:
            query = parse_qs(urlsplit(address).query if "?" in address else address)
        except ValueError:
            return cls()
        return cls.of({name: values[0] for name, values in query.items()})

    @property
    def query(self) -> dict[str, str]:
        """The fields that say it in an address."""
        told = {"job": self.job, "from": _seconds(self.begin), "to": _seconds(self.end)}
        return {name: value for name, value in told.items() if value is not None}

    def __str__(self) -> str:
        return urlencode(self.query)


def _millis(typed: str) -> int | None:
    return round(float(typed) * 1000) if _SECONDS.fullmatch(typed.strip()) else None


def _seconds(millis: int | None) -> str | None:
    return None if millis is None else f"{millis / 1000:.3f}".rstrip("0").rstrip(".")
