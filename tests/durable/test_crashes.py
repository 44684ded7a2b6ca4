"""Processes that are killed at any moment: nothing acknowledged is lost, nothing completes twice."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import ManualClock
from tests.databases import PLACES, Place
from tests.durable import child
from tests.durable.conftest import POLICY
from tests.durable.ledger import balance, lines_of, rest_of, started

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


def calls_of_the_story(place: Any) -> Any:
    """Return how many calls to the database the story makes, and which of them end a transaction."""
    queue, kinds = place.open(ManualClock(), POLICY), []  # type: ignore[var-annotated]

    class Counting:
        def __getattr__(self, name: Any) -> Any:
            found = getattr(queue_database, name)
            if name not in {"begin", "commit", "read", "write"}:
                return found
            return lambda *args: (kinds.append(name), found(*args))[1]  # type: ignore[func-returns-value]

    queue_database = queue._database
    queue._database = queue._session.database = Counting()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "tell", lambda *_words: None)
        child.story(queue, {})
    return kinds


def killed_at(place: Place, at: Any, when: Any) -> Any:
    """Run the story on an empty place, killed at one call, then let everything come to its end."""
    told = lines_of(process := started(place, "story", kill_at=at, when=when))
    assert process.returncode == -signal.SIGKILL, "it was to be killed"
    clock = ManualClock(100_000)
    queue = place.open(clock, POLICY)
    after = {view.id: view.status for view in queue.list_jobs()}
    while (lease := queue.poll("w", 1000)) is not None:
        queue.complete(lease.job_id, lease.token)
    return balance(queue, told), after, told


def sweep(kind: Any, folder: Any, points: Any) -> Any:
    """Kill the story at each of these calls, and return what was wrong, and how often jobs were recovered."""
    faults, recovered, unexpected = [], 0, 0
    for at, when in points:
        place = PLACES[kind](folder)
        found, after, told = killed_at(place, at, when)
        place.close()
        recovered += found.recovered
        unexpected += found.unexpected
        acknowledged = {words[1] for words in told if words[0] == "submitted"}
        if found.lost or found.duplicated or found.unexpected > 1 or not acknowledged <= set(after):
            faults.append((at, when, found))
    return faults, recovered, unexpected


def commit_points(place: Place) -> Any:
    """Return the moments just before and just after each commit, but for those in which nothing was written."""
    kinds = calls_of_the_story(place)
    return [(at, when) for at, kind in enumerate(kinds, 1) if kind == "commit" for when in ("before", "after")]


def test_a_process_that_is_killed_at_a_commit_loses_nothing(
    place: Place, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Just before a commit nothing has happened, just after it everything; no call is ever half done."""
    points = commit_points(place)
    assert len(points) == 24
    faults, recovered, unexpected = sweep(request.node.callspec.params["place"], tmp_path, points)
    assert faults == []
    assert recovered > 0, "a lease of a process that was killed"
    assert unexpected == 4, "each submit that was committed, and whose answer nobody heard"


@pytest.mark.long
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_that_is_killed_at_any_statement_loses_nothing(
    place: Place, request: pytest.FixtureRequest, tmp_path: Path, when: Any
) -> None:
    """The same at every call to the database."""
    points = [(at, when) for at in range(1, len(calls_of_the_story(place)) + 1)]
    assert len(points) > 40
    faults, recovered, _ = sweep(request.node.callspec.params["place"], tmp_path, points)
    assert (faults, recovered > 0) == ([], True)


def test_an_attempt_is_counted_although_its_worker_is_killed(place: Any, clock: Any) -> None:
    """Killed while it works: the attempt has been counted, and the lease goes on to its end and not longer."""
    queue = place.open(clock, POLICY)
    queue.submit("mail")
    process = started(place, "hold", lease_millis=1000)
    while process.stdout.readline().split()[0] != "leased":  # type: ignore[union-attr]
        pass
    assert queue.view("J1").attempts == 1
    process.kill()
    process.communicate(timeout=30)
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("RUNNING", 1)
    clock.advance_to(1000)
    assert (queue.poll("w", 60_000), queue.view("J1").next_run_at) == (None, 2000)
    clock.advance_to(2000)
    assert queue.poll("w", 60_000).attempt == 2


def work_together(place: Place, processes: Any, cycles: Any) -> Any:
    """Let so many processes work at once, then one more drain what they left; return the balance."""
    place.open(ManualClock(), POLICY).close()
    running = [started(place, "cycles", cycles=cycles, name=f"w{n}") for n in range(processes)]
    told = [words for process in running for words in lines_of(process, 600)]
    told += lines_of(started(place, "drain", name="last"), 600)
    assert sum(words[0] == "end" for words in told) == processes + 1, "each came to its end without an error"
    queue = place.open(ManualClock(), POLICY)
    return balance(queue, told), queue.stats(), told


def test_processes_on_one_store_do_not_get_into_each_others_way(place: Place) -> None:
    """4 processes, 25 cycles of submit, claim and complete each: no error, every job once."""
    found, stats, told = work_together(place, 4, 25)
    assert (found.lost, found.unexpected, found.duplicated) == (0, 0, 0)
    assert (stats.by_status["SUCCEEDED"], stats.attempts_started) == (100, 100)
    assert sum(words[0] == "leased" for words in told) == 100, "each claim in the ledger is one attempt"


@pytest.mark.long
def test_eight_processes_make_four_thousand_cycles(place: Place) -> None:
    """8 x 500: no error reaches a caller, 4,000 SUCCEEDED, each once."""
    found, stats, _ = work_together(place, 8, 500)
    assert (found.lost, found.unexpected, found.duplicated) == (0, 0, 0)
    assert (stats.by_status["SUCCEEDED"], stats.attempts_started) == (4000, 4000)


def test_processes_that_are_killed_at_random_lose_nothing(place: Any) -> None:
    """3 workers are killed in the middle of their work; what they held comes to its end all the same."""
    place.open(ManualClock(), POLICY).close()
    running = [started(place, "cycles", cycles=10_000, name=f"w{n}") for n in range(3)]
    told = []
    for number, process in enumerate(running):
        told += [process.stdout.readline().split() for _ in range(20 + 11 * number)]  # type: ignore[union-attr]
        process.kill()
        told += rest_of(process)
    clock = ManualClock(10**7)
    queue = place.open(clock, POLICY)
    while (lease := queue.poll("w", 1000)) is not None:
        queue.complete(lease.job_id, lease.token)
    found = balance(queue, told)
    assert (found.lost, found.duplicated, found.unexpected <= 3) == (0, 0, True)
    assert queue.stats().by_status["PENDING"] == queue.stats().running == 0
