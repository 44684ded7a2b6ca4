"""The branches of a board: one is played, and another may stand beside it, at the same clock, to be compared.

Those that nobody looks at are kept as recipes alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import MOST_INTERVENTIONS, Recipe
from jobqueue.simulation.rule_settings import RuleSettings
from jobqueue.simulation.units import seconds

MOST_BRANCHES = 6


class RefusedError(Exception):
    """The board cannot do what was asked; the message is for the page."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One way that a story went: its number, what made it, and its recipe as it was last looked at."""

    number: int
    origin: str
    recipe: Recipe


class Branches:
    """All branches of one board; there is always at least one.

    Args:
        recipes: the story to play, and if there is a second one, that to compare it with.
    """

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._made = len(recipes)
        origins = ["as it was opened", "what it was compared with"]
        self._all = {n: Branch(n, origins[n - 1], recipe) for n, recipe in enumerate(recipes, 1)}
        self.number = 1
        self.beside_number: int | None = None
        self.playback = Playback(recipes[0])
        self.beside: Playback | None = None
        if len(recipes) > 1:
            self.compare(2)

    def all(self) -> list[Branch]:
        """Return the branches, oldest first, as they are now."""
        self._write_down()
        return list(self._all.values())

    def recipes(self) -> tuple[Recipe, ...]:
        """Return what a link has to hold: the story that is played, and the one beside it."""
        shown = [self.playback.recipe, *([self.beside.recipe] if self.beside else [])]
        # Of two, one may have come to its limit before the other; a link has one clock.
        return tuple(recipe for recipe in shown if recipe.at == shown[0].at)

    # -- time --------------------------------------------------------------------------------------------

    def next_at(self) -> int | None:
        """Return the next instant at which something happens in what is shown; None if nothing ever will."""
        shown = [self.playback, *([self.beside] if self.beside else [])]
        return min((at for playback in shown if (at := playback.next_at()) is not None), default=None)

    def step(self) -> None:
        """Go on to the next thing that happens in what is shown."""
        at = self.next_at()
        if at is None or at == self.playback.next_at():
            self.playback.step()
        else:
            self.playback.advance_to(at)
        self._together()

    def seek(self, instant: int) -> None:
        """Go to an instant."""
        self.playback.seek(instant)
        self._together()

    def back(self) -> bool:
        """Go one thing back; False at the beginning."""
        moved = self.playback.back()
        self._together()
        return moved

    def go_to(self, recipe: Recipe) -> None:
        """Go to a position of the story that is played."""
        self.playback.go_to(recipe)
        self._together()

    def _together(self) -> None:
        if self.beside is not None and self.beside.world.now() != self.playback.world.now():
            self.beside.seek(self.playback.world.now())

    # -- interfering -------------------------------------------------------------------------------------

    def do(self, verb: str, **arguments: Any) -> tuple[Any, bool]:
        """Do something now, and return what came of it, and whether a branch was made of it.

        While interventions lie ahead, it happens in a new branch, and they are kept in the old one.

        Raises:
            RefusedError: there is no room for one more.
            Exception: what the world's operation raises.
        """
        if len(self.playback.recipe.interventions) - len(self.playback.ahead) >= MOST_INTERVENTIONS:
            raise RefusedError(f"You have interfered {MOST_INTERVENTIONS} times, which is the limit.")
        if not self.playback.ahead:
            return self.playback.do(verb, **arguments), False
        self._check_room()
        trial = Playback(self.playback.recipe.without_ahead())
        before = len(trial.recipe.interventions)
        try:
            return trial.do(verb, **arguments), True
        finally:
            if len(trial.recipe.interventions) > before:
                target = next(iter(arguments.values()), "")
                verb = verb.replace("_", " ")
                self._adopt(trial, f"{verb} {str(target)[:20]} at {seconds(trial.world.now())}")

    # -- branches ----------------------------------------------------------------------------------------

    def fork(self) -> None:
        """Make a branch that is the same up to now, and show the old one beside it."""
        self._check_room()
        recipe = self.playback.recipe.without_ahead()
        self._adopt(Playback(recipe), f"forked at {seconds(recipe.at)}")

    def fork_with_rules(self, rules: RuleSettings) -> None:
        """Make a branch in which the queue keeps other rules from the beginning, and play it up to now."""
        recipe = self.playback.recipe
        if rules == RuleSettings.of(recipe.scenario()):
            raise RefusedError("These are the rules that this branch has already.")
        self._check_room()
        other = replace(recipe, rules=rules, at=0, applied=0)
        self._adopt(Playback(other.at_instant(recipe.at)), "with other rules, from the beginning")

    def switch(self, number: int) -> None:
        """Play another branch, at the present instant, and show the one that was played beside it."""
        recipe, old = self._recipe_of(number), self.number
        if number != old:
            self._play(Playback(recipe.at_instant(self.playback.world.now())), number)
            self.compare(old)

    def compare(self, number: int) -> None:
        """Show another branch beside the one that is played, at its clock."""
        recipe = self._recipe_of(number)
        if number == self.number:
            raise RefusedError("A branch is the same as itself; choose another one to compare it with.")
        self._write_down()
        self.beside, self.beside_number = Playback(recipe.at_instant(self.playback.world.now())), number

    def show_alone(self) -> None:
        """Show nothing beside the branch that is played."""
        self._write_down()
        self.beside = self.beside_number = None

    def drop(self, number: int) -> None:
        """Forget a branch."""
        self._recipe_of(number)
        if number == self.number:
            raise RefusedError("This branch is the one that you play; play another one first.")
        if number == self.beside_number:
            self.show_alone()
        del self._all[number]

    def _adopt(self, playback: Playback, origin: str) -> None:
        """Play a new branch, and show the one that was played beside it."""
        old, self._made = self.number, self._made + 1
        self._all[self._made] = Branch(self._made, origin, playback.recipe)
        self._play(playback, self._made)
        self.compare(old)

    def _play(self, playback: Playback, number: int) -> None:
        self._write_down()
        self.beside = self.beside_number = None
        self.playback, self.number = playback, number

    def _recipe_of(self, number: int) -> Recipe:
        if number not in self._all:
            known = ", ".join(map(str, self._all))
            raise RefusedError(f"There is no such branch; there are {known}.")
        return self._all[number].recipe

    def _write_down(self) -> None:
        shown = [(self.number, self.playback)]
        if self.beside is not None and self.beside_number is not None:
            shown.append((self.beside_number, self.beside))
        for number, playback in shown:
            self._all[number] = replace(self._all[number], recipe=playback.recipe)

    def _check_room(self) -> None:
        if len(self._all) >= MOST_BRANCHES:
            raise RefusedError(f"A board keeps {MOST_BRANCHES} branches. Forget one, then fork.")
