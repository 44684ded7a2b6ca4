"""The board in time: back, anywhere, forks, two branches beside each other, jumps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation.recipe import MOST_INTERVENTIONS, Recipe
from jobqueue.simulation.rule_settings import RULES, RuleSettings
from tests.sampling import one_in
from tests.simulation.walks import a_poke, state
from tests.webui.asking import BoardClient, Parsed, dump, is_refusal, notice_of, over_of, words
from webui.board.branches import MOST_BRANCHES
from webui.board.forms import typed_of

if TYPE_CHECKING:
    import random

    from flask import Flask


def instant(board: BoardClient) -> int:
    return board.lab.world.now()


def test_back_goes_back_over_what_happened_last(board: BoardClient) -> None:
    """0.0 -> 1.0 -> 30.0, and back the same way; at the beginning there is nothing to go back to."""
    seen = [state(board.lab.world)]
    for _ in range(2):
        board.do("step")
        seen.append(state(board.lab.world))
    for expected in (seen[1], seen[0]):
        assert notice_of(board.do("back")) == ""
        assert state(board.lab.world) == expected
    html = board.do("back")
    assert is_refusal(html)
    assert "nothing to go back to" in notice_of(html)


@pytest.mark.parametrize(
    ("typed", "now"),
    [("30", 30_000), ("7.5", 7500), ("0", 0), ("", 0), (" 31.0 ", 31_000), ("7200", 7_200_000)],
)
def test_seek_goes_to_any_instant(board: BoardClient, typed: str, now: int) -> None:
    """Earlier or later, typed in seconds; the board is what a replay to that instant gives."""
    board.do("second")
    board.do("play", speed="1")
    html = board.do("seek", at=typed)
    assert (instant(board), is_refusal(html)) == (now, False)
    assert not board.lab.playing
    assert state(board.lab.world) == state(Recipe("zombie").at_instant(now).replay())


@pytest.mark.parametrize("typed", ["-1", "NaN", "inf", "7200.001", "1e3", "soon", "9" * 400, "½", "1,5"])
def test_seek_refuses_what_is_no_instant(board: BoardClient, typed: str) -> None:
    """With what it expects, and time stands still."""
    board.do("step")
    html = board.do("seek", at=typed)
    assert is_refusal(html)
    assert notice_of(html).startswith("Time: expected seconds from 0 to 7200")
    assert instant(board) == 1000


def test_jumps_go_to_the_next_of_their_kind(app: Flask) -> None:
    """crash_loop: expiries at 1.0, 6.0, 11.0 s; then none, which is said."""
    board = BoardClient(app, "crash_loop")
    for now in (1000, 6000, 11_000):
        assert not is_refusal(board.do("jump", target="expiry"))
        assert instant(board) == now
    assert notice_of(board.do("jump", target="expiry")) == "No lease runs out ahead."
    assert notice_of(board.do("jump", target="refusal")) == "Nothing is refused ahead."
    assert "there are expiry" in notice_of(board.do("jump", target="moon"))
    assert instant(board) == 11_000


def test_interventions_ahead_are_kept_and_said(board: BoardClient) -> None:
    """Back before the crash, it lies ahead; stepping on, it happens again, and so it does when playing."""
    board.do("seek", at="7.5")
    board.do("crash", target="B")
    assert "ahead" not in words(board.do("step"))
    html = board.do("seek", at="2")
    assert "1 intervention ahead" in words(html)
    assert board.lab.world.workers["B"].state == "idle"
    assert 'data-next="7500"' in board.do("play", speed="50")
    board.tick()
    assert (instant(board), board.lab.world.workers["B"].state) == (7500, "crashed")
    board.do("seek", at="2")
    board.do("step")
    assert (instant(board), board.lab.world.workers["B"].state) == (7500, "crashed")


def test_doing_something_else_earlier_makes_a_branch(board: BoardClient) -> None:
    """The old one is kept with what lay ahead, stands beside, and can be played again."""
    board.do("seek", at="7.5")
    board.do("crash", target="B")
    board.do("seek", at="2")
    html = board.do("freeze", target="B")
    assert notice_of(html) == "B stands still. What lay ahead is kept, in the branch beside this one."
    branches = board.lab.branches
    assert [[made.verb for made in b.recipe.interventions] for b in branches.all()] == [["crash"], ["freeze"]]
    assert (branches.number, branches.beside_number) == (2, 1)
    board.do("seek", at="8")
    assert branches.beside is not None
    assert branches.beside.world.workers["B"].state == "crashed"
    board.do("switch", target="1")
    assert (branches.number, branches.beside_number, instant(board)) == (1, 2, 8000)
    assert board.lab.world.workers["B"].state == "crashed"


@pytest.mark.parametrize(("verb", "target"), [("thaw", "B"), ("crash", "Z"), ("redrive", "J9")])
def test_what_changes_nothing_makes_no_branch(board: BoardClient, verb: str, target: str) -> None:
    """A refusal that leaves no trace leaves the branch and what lies ahead as they were."""
    board.do("seek", at="7.5")
    board.do("crash", target="B")
    board.do("seek", at="2")
    assert is_refusal(board.do(verb, target=target))
    assert len(board.lab.branches.all()) == 1
    assert len(board.lab.branches.playback.ahead) == 1


def test_a_fork_is_the_same_up_to_now(board: BoardClient) -> None:
    """Both at one clock; then a crash here parts them, and the page says when and how."""
    board.do("seek", at="33")
    html = words(board.do("fork"))
    assert "Up to now, the same has happened in both." in html
    board.do("crash", target="B")
    html = words(board.do("seek", at="45"))
    assert "The same up to 33.0 s, and from there on not." in html
    assert "here, branch 2: 33.0 s: B crashes" in html
    assert "J1: here running at B, attempt 2; there succeeded at 41.0 s, attempt 2" in html


def test_a_step_of_two_branches_goes_to_what_is_next_in_either(board: BoardClient) -> None:
    """The clocks are one: B crashed here, so what it would have done is a step all the same."""
    board.do("seek", at="33")
    board.do("fork")
    board.do("crash", target="B")
    instants = []
    for _ in range(12):
        board.do("step")
        beside = board.lab.branches.beside
        assert beside is not None
        assert beside.world.now() == instant(board)
        instants.append(instant(board))
    alone = BoardClient(board.client.application, "zombie")
    alone.do("seek", at="33")
    for _ in range(3):
        alone.do("step")
        assert instant(alone) in instants


def test_a_branch_with_other_rules_is_played_from_the_beginning(app: Flask) -> None:
    """Backoff of 5 s instead of 1 s: compared at 6.0 s, they part at the first rest."""
    board = BoardClient(app, "backoff")
    board.do("seek", at="6")
    form = typed_of(RuleSettings.of(SCENARIOS["backoff"]), RULES) | {"base_backoff_millis": "5"}
    html = words(board.do("fork_rules", **form))
    assert "with other rules, from the beginning" in html
    assert "The same up to 0.5 s" in html
    assert board.lab.scenario.policy.base_backoff_millis == 5000
    assert "5.0 s, doubling up to 8.0 s" in words(board.page())
    html = board.do("fork_rules", **form)
    assert "the rules that this branch has already" in notice_of(html)


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("max_attempts", "0", "not between 1 and 1000"),
        ("max_attempts", "", "expected a whole number"),
        ("base_backoff_millis", "100", "more than the cap"),
        ("cycle", "HHX", "is no band"),
        ("jitter", "wild", "expected one of"),
        ("aging_millis", "soon", "expected seconds"),
    ],
)
def test_a_rule_that_cannot_be_is_said_at_its_field(app: Flask, field: str, typed: str, says: str) -> None:
    """422, the words beside the field, and nothing of what was typed is lost."""
    board = BoardClient(app, "backoff")
    form = typed_of(RuleSettings.of(SCENARIOS["backoff"]), RULES) | {"quantum": "77", field: typed}
    answer = board.client.post(f"{board.url}/fork_rules", data=form)
    assert answer.status_code == 422
    page = Parsed(answer.text)
    assert says in " ".join(page.text.split())
    shown = {i["name"]: i["value"] for i in page.all("input") if i.get("id", "").startswith("rule-")}
    assert shown == {name: value for name, value in form.items() if name != "jitter"}
    assert len(board.lab.branches.all()) == 1


def test_branches_are_bounded_and_can_be_forgotten(board: BoardClient) -> None:
    """One too many is refused with a way on; the one that is played stays."""
    for _ in range(MOST_BRANCHES - 1):
        assert not is_refusal(board.do("fork"))
    html = board.do("fork")
    assert notice_of(html) == f"A board keeps {MOST_BRANCHES} branches. Forget one, then fork."
    played = board.lab.branches.number
    assert "play another one first" in notice_of(board.do("forget", target=str(played)))
    assert notice_of(board.do("forget", target="1")) == "Branch 1 is forgotten."
    assert not is_refusal(board.do("fork"))
    for verb in ("switch", "compare", "forget"):
        for target in ("1", "99", "-1", "", "two", "9" * 50):
            assert "There is no such branch" in notice_of(board.do(verb, target=target))
    assert "same as itself" in notice_of(board.do("compare", target=str(board.lab.branches.number)))


def test_the_branch_beside_can_be_put_away(board: BoardClient) -> None:
    """And brought back."""
    board.do("fork")
    assert "Branch 2, played" in words(board.page())
    assert "Branch 2, played" not in words(board.do("alone"))
    assert "Branch 2, played" in words(board.do("compare", target="1"))


def test_a_reset_forgets_the_branches(board: BoardClient) -> None:
    """It is the story as it was opened."""
    board.do("seek", at="5")
    board.do("fork")
    board.do("crash", target="B")
    board.do("reset")
    assert board.lab.branches.recipes() == (Recipe("zombie"),)
    assert len(board.lab.branches.all()) == 1


def test_interventions_are_bounded(board: BoardClient) -> None:
    """Whoever goes on and on is told."""
    for number in range(MOST_INTERVENTIONS):
        board.lab.branches.do("freeze" if number % 2 == 0 else "thaw", worker="B")
    before = state(board.lab.world)
    html = board.do("crash", target="B")
    assert notice_of(html) == f"You have interfered {MOST_INTERVENTIONS} times, which is the limit."
    assert state(board.lab.world) == before


def test_time_is_bounded(board: BoardClient) -> None:
    """Two hours; then steps and seconds are refused, and the way back is open."""
    board.do("seek", at="7200")
    assert "at most 2 hours" in over_of(board.page()) or "Every job has ended" in over_of(board.page())
    assert is_refusal(board.do("second"))
    board.do("submit", type="mail")
    assert not is_refusal(board.do("back"))
    assert not is_refusal(board.do("seek", at="5"))


@pytest.mark.parametrize(
    ("verb", "target", "again"),
    [
        ("take_down", "mail", "What mail needs is down already."),
        ("fail", "J1", "No worker is at work on J1, so nobody can report a failure of it."),
    ],
)
def test_a_downstream_goes_down_and_a_job_fails(board: BoardClient, verb: str, target: str, again: str) -> None:
    """It is done once; done again it is said to change nothing."""
    assert not is_refusal(board.do(verb, target=target))
    assert notice_of(board.do(verb, target=target)) == again


@pytest.mark.parametrize("name", one_in(5, SCENARIOS))
def test_whatever_is_offered_can_be_done(app: Flask, name: str) -> None:
    """At every event, each button of each card does what it says: no refusal, and time has not moved."""
    board = BoardClient(app, name)
    offered = re.compile(r'action="[^"]*/(\w+)"[^>]*>\s*<input type="hidden" name="target" value="(\w+)">')
    done = set()
    for instant_of in (0, 2, 7, 14):
        board.do("seek", at=str(instant_of))
        code, now = board.lab.code(), instant(board)
        assert code is not None
        buttons = dict(offered.findall(board.page()))  # one of each sort
        buttons.pop("jump")
        for verb, target in buttons.items():
            # Each on a board of its own, opened from the link: it changes neither this one nor the link.
            answer = board.client.post(f"/labs/{code}/{verb}", data={"target": target})
            html = board.client.get(answer.headers["Location"]).text
            assert not is_refusal(html), (verb, target, notice_of(html))
            assert notice_of(html).startswith(f"{target} ")
            assert f'data-now="{now}"' in html
            done.add(verb)
    assert {"freeze", "crash", "fail", "pause_type"} <= done
    assert {"take_down", "bring_up"} & done


def test_two_tabs_on_one_board_agree(app: Flask) -> None:
    """What one does, the other sees at its next answer, forks and travels too; nothing is done twice."""
    board, other = BoardClient(app, "zombie"), app.test_client()
    board.do("seek", at="33")
    other.post(f"{board.url}/fork")
    other.post(f"{board.url}/crash", data={"target": "B"})
    html = board.do("seek", at="40")
    assert "Branch 2, played" in words(html)
    assert "Branch 2, played" in words(other.get(board.url).text)
    before = dump(board.lab)
    assert other.get(board.url).text == board.page()
    assert dump(board.lab) == before


@pytest.mark.parametrize("seed", range(12))
def test_a_walk_by_buttons_equals_a_replay(app: Flask, seed: int, dice: random.Random) -> None:
    """Steps, seconds, ways back, leaps, pokes, forks and switches by forms: the board is what its code says."""
    dice.seed(seed)
    board = BoardClient(app, dice.choice(list(SCENARIOS)))
    for _ in range(15):
        verb = dice.choice(["step", "second", "back", "seek", "poke", "poke", "fork", "switch", "play"])
        if verb == "seek":
            board.do("seek", at=str(dice.randrange(0, 40)))
        elif verb == "play":
            board.do("play", speed=dice.choice(["1", "50"]))
            board.tick()
        elif verb == "switch":
            board.do("switch", target=str(dice.randint(1, 3)))
        elif verb == "poke":
            name, arguments = a_poke(dice, board.lab.world)
            form = (
                {"type": arguments["type"]} if name == "submit" else {"target": next(iter(arguments.values()))}
            )
            board.do(name, **form)
        else:
            board.do(verb)
        playback = board.lab.branches.playback
        assert state(playback.world) == state(playback.recipe.replay())
        beside = board.lab.branches.beside
        assert beside is None or state(beside.world) == state(beside.recipe.replay())
