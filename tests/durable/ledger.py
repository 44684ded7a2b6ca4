"""What processes were told, compared with what the store says afterwards: lost, unexpected and so on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobqueue import UnknownJobError

if TYPE_CHECKING:
    from jobqueue import JobQueue
    from tests.databases import Place

ROOT = Path(__file__).parents[2]


def started(place: Place, do: str, **told: Any) -> subprocess.Popen[str]:
    """Start a child at work on a place."""
    what = json.dumps({"url": place.url, "options": place.options, "do": do, **told})
    command = [sys.executable, "-m", "tests.durable.child", what]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines_of(child: subprocess.Popen[str], timeout: float = 120) -> list[list[str]]:
    """Wait for the end of a child, and return what it told, in words."""
    out, err = child.communicate(timeout=timeout)
    assert "Traceback" not in err, err
    return [line.split() for line in out.splitlines()]


def rest_of(process: subprocess.Popen[str]) -> list[list[str]]:
    """Return what a process had told when it was killed, beyond the lines that were read already."""
    assert process.stdout is not None
    assert process.stderr is not None
    words = [line.split() for line in process.stdout]
    process.wait(60)
    process.stdout.close()
    process.stderr.close()
    return words


@dataclass(frozen=True)
class Balance:
    """What became of what was acknowledged, in jobs.

    Attributes:
        lost: acknowledged, and not there, or not as acknowledged.
        unexpected: there, and never acknowledged: the call had been made when the process was killed.
        duplicated: with two leases of one token, or with two successes.
        recovered: held by a process that was killed, and handed out again.
    """

    lost: int
    unexpected: int
    duplicated: int
    recovered: int


ENDS = {"completed": "SUCCEEDED", "cancelled": "CANCELLED"}


def balance(queue: JobQueue, told: list[list[str]]) -> Balance:
    """Compare what was told with the store, in which every job has come to its end."""
    submitted = {words[1] for words in told if words[0] == "submitted"}
    lost = set()
    for word, job_id, *_ in (words for words in told if words[0] in {"submitted", *ENDS}):
        try:
            if queue.view(job_id).status != ENDS.get(word, queue.view(job_id).status):
                lost.add(job_id)
        except UnknownJobError:
            lost.add(job_id)
    there: list[str] = []
    while page := queue.list_jobs(limit=1000, after=there[-1] if there else None):
        there += [view.id for view in page]
    tokens = Counter(words[2] for words in told if words[0] == "leased")
    duplicated = {token.partition(":")[0] for token, count in tokens.items() if count > 1}
    recovered = set()
    for job_id in there:
        rows = queue.history(job_id)
        assert [row.generation for row in rows] == list(range(1, len(rows) + 1))
        if [row.outcome for row in rows].count("succeeded") > 1:  # type: ignore[arg-type]
            duplicated.add(job_id)
        if any(row.outcome == "expired" for row in rows[:-1]):
            recovered.add(job_id)
    return Balance(len(lost), len(set(there) - submitted), len(duplicated), len(recovered))
