"""What a board promises of what it shows: its order is that of the hand-outs, an error's text is text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation.free_lab import FREE, FreeLab
from jobqueue.simulation.link import encode
from jobqueue.simulation.recipe import Recipe
from jobqueue.simulation.rule_settings import RuleSettings
from jobqueue.simulation.scenario import Habits, Outage, Task
from tests.simulation.walks import RULES
from tests.webui.asking import Parsed, words
from webui.board.labs import Lab
from webui.board.view import board_of

if TYPE_CHECKING:
    from flask.testing import FlaskClient

CROWD = FreeLab(
    tuple(Task(n * 300, f"type{n % 2}", "", n % 3 - 1, 0, "abc"[n % 3], n + 1, times=8) for n in range(6)),
    (Habits("A", lease_millis=4000), Habits("B", work_millis=900)),
    (Outage("type1", 0, 4000, "no line"),),
)  # fmt: skip
TAKES_WHAT_IT_SAW = "flawed_check_then_act"
"""Its flaw is just this: a poll does not hand out what is next at that instant."""
STORIES = [
    *(
        Recipe(name).at_instant(at)
        for name in SCENARIOS
        if name != TAKES_WHAT_IT_SAW
        for at in (0, 4000, 11_500)
    ),
    *(Recipe(FREE, 1, rules, CROWD).at_instant(at) for rules in RULES for at in (1000, 6500, 15_000)),
]


@pytest.mark.parametrize("recipe", STORIES, ids=lambda recipe: f"{recipe.name}-{recipe.at}")
def test_the_order_that_is_shown_is_the_order_of_the_hand_outs(recipe: Recipe) -> None:
    """With limits, borrowing, aging and budgets: so many polls at this instant hand out just these."""
    lab = Lab("x-1", [recipe])
    board, queue = board_of(lab), lab.world.queue
    shown = board.next_up
    leases = [queue.poll("somebody", 60_000) for _ in range(len(shown) + 1)]
    handed_out = [lease.job_id for lease in leases if lease]
    assert handed_out[: len(shown)] == shown
    assert [card.id for card in board.ready][: len(shown)] == shown


def test_a_queue_that_takes_what_it_saw_hands_out_something_else() -> None:
    """Between two polls of that story J2 is shown as next, and the second poll gets J1."""
    lab = Lab("x-1", [Recipe(TAKES_WHAT_IT_SAW).at_instant(1000)])
    assert board_of(lab).next_up == ["J2"]
    assert lab.world.queue.poll("somebody", 60_000).job_id == "J1"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if scenario.flaw])
def test_no_line_cites_a_rule_that_its_queue_has_just_broken(name: str) -> None:
    """It says which invariant it breaks; the lines of the right queue beside it are untouched."""
    lab = Lab("x-1", [Recipe(name).at_instant(60_000)])
    violations = lab.world.watch.violations
    broken = {found.seq for found in violations if found.invariant.judge}
    for line in board_of(lab).log:
        assert bool(line.broken) == (line.seq in broken)
        assert not (line.broken and line.rule)


def test_the_log_of_a_board_says_what_is_broken(client: FlaskClient) -> None:
    """Two reports are believed although their tokens are stale: both lines say what they break."""
    code = encode((Recipe("flawed_by_id").at_instant(60_000),))
    html = words(client.get(f"/b/{code}").text)
    assert html.count("breaks: Only the current lease is heard") == 2


def test_a_worker_that_never_stood_still_is_not_back_from_the_dead() -> None:
    """A queue gave its job to another one as well; it works on, and believes that it still has it."""
    lab = Lab("x-1", [Recipe(TAKES_WHAT_IT_SAW).at_instant(1005)])
    first = board_of(lab).workers[0]
    assert (first.doing, first.ghost) == ("working", "believes that it still has J1, with token J1:1")


@pytest.mark.parametrize(
    "error", ["<script>window.__x=1</script>", "\"'><img src=x onerror=go()>", "{{ 7*7 }}"]
)
def test_the_text_of_an_error_is_text_wherever_it_is_shown(client: FlaskClient, error: str) -> None:
    """On the card, in the log, in the pictures, beside another branch: no element more."""

    def pages(error: str) -> list[str]:
        free = FreeLab((Task(0, "mail"),), (Habits("A", 500),), (Outage("mail", 0, 60_000, error),))
        recipe = Recipe(FREE, 1, RuleSettings(2), free)
        code = encode([recipe.at_instant(3000), Recipe(FREE, 1, RuleSettings(9), free).at_instant(3000)])
        return [client.get(f"/b/{code}").text, client.get(f"/free?s={code}").text]

    for hostile, plain in zip(pages(error), pages("x" * len(error)), strict=True):
        assert Parsed(hostile).shape == Parsed(plain).shape
    assert error in words(pages(error)[0])
