"""Durable queues against the naive model, on the walks that the in-memory queue is led on."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import invariant, precondition, run_state_machine_as_test

from tests.databases import PLACES, need_postgres
from tests.properties.test_against_model import STEADY, AgainstModel

if TYPE_CHECKING:
    from jobqueue import JobQueue

# Fewer than in memory: each call goes to a database.
EXAMPLES = {"sqlite": 40, "postgres": 25}

# A walk that fails is shown as it was: making it shorter would take minutes.
WALKS = settings(STEADY, phases=[Phase.explicit, Phase.generate])


class StoreAgainstModel(AgainstModel):
    """Makes the same walks over a store."""

    met: ClassVar[Counter[Any]] = Counter()
    kind = "sqlite"
    steps = 0

    @precondition(lambda self: hasattr(self, "queue"))
    @invariant()
    def queue_and_model_show_the_same(self) -> None:
        """Compare all that can be seen, but only now and then: that is hundreds of turns."""
        self.steps += 1
        if self.steps % 6 == 0:
            super().queue_and_model_show_the_same()

    def made(self, *args: Any, **options: Any) -> JobQueue:
        """Return a queue over an empty store."""
        self.folder = tempfile.TemporaryDirectory()
        self.place = PLACES[self.kind](Path(self.folder.name))
        return self.place.open(*args, **options)

    def teardown(self) -> None:
        """Clear the store away."""
        if hasattr(self, "place"):
            self.place.close()
            self.folder.cleanup()


class PostgresAgainstModel(StoreAgainstModel):
    """The same over PostgreSQL."""

    met: ClassVar[Counter[Any]] = Counter()
    kind = "postgres"


@pytest.mark.parametrize("machine", [StoreAgainstModel, PostgresAgainstModel], ids=["sqlite", "postgres"])
def test_a_store_and_the_model_give_the_same_answers(machine: Any) -> None:
    """Whatever is called when and by whom, with whatever options, a store answers as a list would."""
    if machine.kind == "postgres":
        need_postgres()
    machine.met.clear()
    run_state_machine_as_test(machine, settings=settings(WALKS, max_examples=EXAMPLES[machine.kind]))
    assert machine.met["poll"] > EXAMPLES[machine.kind], "the walks handed hardly anything out"
