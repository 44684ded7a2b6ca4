"""The checkers behind the board's lamps are silent on the right queue, whatever is called when."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, run_state_machine_as_test

from jobqueue import UnknownJobError
from jobqueue.scheduling import DeficitRoundRobin, WeightedBands
from jobqueue.simulation import SCENARIOS, run
from jobqueue.simulation.invariants import INVARIANTS
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.watch import Watch
from tests.properties.naive_rules import Rules
from tests.properties.operators_walk import OperatorsWalk
from tests.properties.test_against_model import STEADY

LONGEST_LEASE = 2500  # of the walk's own leases
RIGHT = [name for name, scenario in SCENARIOS.items() if scenario.flaw is None]


class UnderWatch(OperatorsWalk):
    """A random walk that is watched as a board is."""

    met: ClassVar[Counter[Any]] = Counter()
    watch: Watch | None = None
    # The watch judges by the policy that the queue began with.
    lower_the_maximum = None  # type: ignore[assignment]

    def begin_watch(self) -> Watch:
        """Watch by what this walk's queue promises."""
        rules, options = self.model.rules, self.model.rules.options()
        limiting = (
            rules.budget,
            rules.dispatch,
            rules.max_running_per_tenant,
            rules.max_running_per_band or None,
        )
        promises = Promises(
            self.queue._options.policy,
            options.get("jitter"),
            options["scheduler"],
            self.queue._options.limits,
            any(limit is not None for limit in limiting),
            LONGEST_LEASE,
        )
        self.met.update(one.name for one in INVARIANTS if one.promised(promises))
        if promises.bands is not None:
            self.met[type(promises.bands.tenants).__name__] += 1
        return Watch(promises)

    @invariant()
    def no_lamp_goes_red(self) -> None:
        """Each event and each look is judged, and nothing is found."""
        if not hasattr(self, "queue"):
            return
        self.watch = self.watch or self.begin_watch()
        statuses = {}
        for number in range(1, self.model.submitted + 1):
            try:
                statuses[f"J{number}"] = self.queue.view(f"J{number}").status
            except UnknownJobError:
                continue
        for event in self.log.since(self.watch.ledger.last_seq):
            self.watch.see(event)
        self.watch.look(self.clock.now(), statuses)
        assert [found.sentence for found in self.watch.violations] == []


class TurnsUnderWatch(UnderWatch):
    """The same walk over queues that keep nothing back, so that everybody's turn is certain."""

    @initialize(
        cycle=st.sampled_from(["HHHNNL", "HN", "NL", "LNH", "N"]), quantum=st.sampled_from([None, None, 1, 10])
    )
    def begin(self, cycle: Any, quantum: Any) -> None:
        """Start with bands and many jobs."""
        rules, backoff = Rules(cycle=cycle, quantum=quantum), (500, 500)
        super().begin(rules=rules, is_plain=False, backoff=backoff, jobs=24)


def test_the_right_queue_breaks_no_invariant() -> None:
    """100 walks of 60 calls each, in which every invariant was promised at least once."""
    UnderWatch.met.clear()
    run_state_machine_as_test(UnderWatch, settings=settings(STEADY, max_examples=60))
    run_state_machine_as_test(TurnsUnderWatch, settings=settings(STEADY, max_examples=40))
    needed = [*(one.name for one in INVARIANTS), "RoundRobin", "DeficitRoundRobin"]
    assert [name for name in needed if not UnderWatch.met[name]] == [], "no walk promised these"


@pytest.mark.parametrize("name", RIGHT)
def test_no_lamp_goes_red_in_a_scenario(name: str) -> None:
    """Played to its end, the right queue gives the checkers nothing to say."""
    world = run(SCENARIOS[name])
    assert [found.sentence for found in world.watch.violations] == []
    assert world.watch.ledger.last_seq == len(world.log)


def test_what_is_not_promised_has_no_lamp_to_break() -> None:
    """Strict priority promises no turns; aging moves jobs between bands, so their slots are not certain."""

    def unpromised(name: str) -> set[str]:
        return {lamp.invariant.name for lamp in run(SCENARIOS[name]).watch.lamps() if not lamp.is_promised}

    turns = {"bands_get_slots", "tenants_take_turns"}
    assert unpromised("starvation") == {*turns, "limits_hold"}
    assert unpromised("aging") == {*turns, "limits_hold"}
    assert unpromised("borrowing") == {"limits_hold"}
    assert unpromised("band_limit") == turns


def test_a_long_backlog_of_dear_jobs_keeps_the_turns() -> None:
    """With a cost of a hundred quanta, the bound on the others' share is wide enough, and it is a bound."""
    from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy  # noqa: PLC0415

    scheduler = WeightedBands("N", tenants=DeficitRoundRobin(quantum=10))
    log, policy = EventLog(), RetryPolicy(3, 1000, 60_000)
    queue = JobQueue(ManualClock(), policy, scheduler=scheduler, log=log)
    for _ in range(300):
        queue.submit("mail", tenant="a", cost=10)
    for _ in range(2):
        queue.submit("film", tenant="b", cost=1000)
    order = [queue.poll("w", 1000).tenant for _ in range(250)]  # type: ignore[union-attr]
    assert order.index("b") == 100
    watch = Watch(Promises(policy, scheduler=scheduler))
    for event in log:
        watch.see(event)
    assert watch.violations == ()
