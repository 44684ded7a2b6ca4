"""Running boards: a lab is one learner's branches with their play control; the shelf keeps a bounded number.

Time in a lab moves only when somebody asks: nothing runs in the background, so a board that nobody looks at
costs nothing but its memory. What a lab is, its recipes say: dropped, it can be built again from its link.
"""

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobqueue.simulation import Scenario, World
from jobqueue.simulation.free_lab import MOST_JOBS
from jobqueue.simulation.link import LONGEST_CODE, decode, encode, is_code
from jobqueue.simulation.parameters import HOUR
from jobqueue.simulation.playback import REFUSALS
from jobqueue.simulation.recipe import (
    LONGEST_STORY_MILLIS,
    MOST_ENTRIES,
    MOST_PAYLOAD,
    VERBS,
    Recipe,
    has_room,
)
from jobqueue.simulation.rule_settings import RuleSettings
from jobqueue.simulation.units import in_seconds
from webui.board.branches import Branches, RefusedError
from webui.board.jumps import JUMPS
from webui.board.numbers import millis, whole
from webui.board.predictions import Predictions

__all__ = ["MOST_ENTRIES", "MOST_JOBS", "SPEEDS", "Lab", "Notice", "RefusedError", "Shelf"]

SPEEDS = {"quarter": 0.25, "1": 1.0, "5": 5.0, "20": 20.0, "50": 50.0}
"""How many seconds of the world pass in one second, by the name that forms use."""

LONGEST_DELAY_MILLIS = HOUR
SHORTEST_TICK_MILLIS = 80
"""At high speed several events are shown at once rather than asked for faster than this."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What the page says about the last action."""

    text: str
    is_refusal: bool = False


class Lab:
    """The branches of one story, the speed at which it plays, and what was last said about it.

    `revision` counts the changes: a tick names the one it was meant for, so that two tabs that play the
    same lab do not make time pass twice.

    Args:
        lab_id: its name in addresses; for a board that only shows a link, the link's code.
        story: a scenario, to begin with, or the recipes of a link.
    """

    def __init__(self, lab_id: str, story: Scenario | Sequence[Recipe]) -> None:
        self.id = lab_id
        self.lock = threading.RLock()
        self.revision = 0
        self.speed = "1"
        self.draft: dict[str, str] = {}
        self.predictions = Predictions()
        recipes = [Recipe(story.name)] if isinstance(story, Scenario) else story
        self._origin = recipes[0].at_the_start()
        self._begin(recipes)

    @property
    def is_shared(self) -> bool:
        """Whether it only shows a link: then nothing changes it, and what is done to it opens another one."""
        return is_code(self.id)

    @property
    def world(self) -> World:
        """The world of the branch that is played."""
        return self.branches.playback.world

    @property
    def scenario(self) -> Scenario:
        """The story of the branch that is played, with the rules that it has there."""
        return self.world.scenario

    def code(self) -> str | None:
        """Return the whole state as a code for an address; None if it is too long for one."""
        code = encode(self.branches.recipes())
        return code if len(code) <= LONGEST_CODE else None

    def reset(self) -> None:
        """Begin again at the first instant, with nothing done yet, and without other branches."""
        self._begin([Recipe(self._origin.name, self._origin.seed, self._origin.rules, self._origin.free)])

    def _begin(self, recipes: Sequence[Recipe]) -> None:
        self.branches = Branches(recipes)
        self.playing = False
        self.draft = {}
        self.notice: Notice | None = None
        self.revision += 1

    # -- time --------------------------------------------------------------------------------------------

    def next_at(self) -> int | None:
        """Return the next instant at which something happens; None if nothing ever will."""
        return self.branches.next_at()

    def step(self) -> None:
        """Go to the next instant at which something happens."""
        self._check_room()
        self.branches.step()

    def second(self) -> None:
        """Let one second pass."""
        self._check_room()
        self.branches.seek(self.world.now() + 1000)

    def back(self) -> None:
        """Go back over what happened last."""
        if not self.branches.back():
            raise RefusedError("This is the beginning: there is nothing to go back to.")

    def seek(self, typed: str) -> None:
        """Go to an instant, typed in seconds."""
        try:
            instant = millis(typed, 0, LONGEST_STORY_MILLIS)
        except ValueError as wrong:
            raise RefusedError(f"Time: {wrong}.") from wrong
        self.branches.seek(instant)

    def jump(self, name: str) -> None:
        """Go to the next thing of a kind."""
        if name not in JUMPS:
            raise RefusedError(f"There is no such jump; there are {', '.join(JUMPS)}.")
        jump = JUMPS[name]
        recipe = self.branches.playback.find_next(jump.begin())
        if recipe is None:
            raise RefusedError(f"{jump.none} ahead.")
        self.branches.go_to(recipe)

    def play(self, speed: str) -> None:
        """Let time pass by itself, at a speed."""
        if speed not in SPEEDS:
            raise RefusedError(f"There is no such speed; there are {', '.join(SPEEDS)}.")
        self.speed, self.playing = speed, True
        self._stop_if_over()

    def pause(self) -> None:
        """Let time stand still."""
        self.playing = False

    def tick(self, revision: int) -> None:
        """Go on to what is due next, if the lab plays and nothing has changed since the tick was planned."""
        if not self.playing or revision != self.revision:
            return
        self.revision += 1
        until = self.world.now() + int(SHORTEST_TICK_MILLIS * SPEEDS[self.speed])
        self.branches.step()
        # At high speed as many events as fit into one tick; the clock then stands at the last of them.
        while (due := self.next_at()) is not None and due <= until and self._has_room():
            self.branches.step()
        self._stop_if_over()

    def catch_up(self, shown: int) -> None:
        """Let time go on to the instant that a playing page shows, though never past what is due next.

        Between two events the page moves its clock by itself; what the learner does then, happens then.
        """
        due = self.next_at()
        if self.playing and due is not None and shown > self.world.now():
            self.branches.seek(min(shown, due))

    def tick_millis(self) -> int | None:
        """Return after how many real milliseconds a playing page should ask again; None if it need not."""
        due = self.next_at()
        if not self.playing or due is None:
            return None
        return max(SHORTEST_TICK_MILLIS, round((due - self.world.now()) / SPEEDS[self.speed]))

    def why_over(self) -> str | None:
        """Return why nothing more happens by itself; None while something does."""
        if not has_room(self.world):
            return f"This board has seen {MOST_ENTRIES} events, which is its limit. Reset it to go on."
        if self.next_at() is not None:
            return None
        if self.world.next_at() is not None or self.world.now() >= LONGEST_STORY_MILLIS:
            return f"A story is at most {LONGEST_STORY_MILLIS // HOUR} hours long. Reset it to go on."
        ready = [job.id for job in self.world.jobs() if job.status == "PENDING"]
        if ready:
            first = next(iter(self.world.queue.next_up(1)), None)
            if first is None:
                return f"{ready[0]} is ready, but kept back: {in_seconds(self.world.queue.why_not(ready[0]))}."
            return f"{first} is next, but no worker is awake to ask for it. Wake or restart one."
        return "Every job has ended, so nothing more happens by itself. Submit a job, or reset the board."

    def _stop_if_over(self) -> None:
        if self.why_over() is not None:
            self.playing = False

    def _has_room(self) -> bool:
        return has_room(self.world) and self.world.now() < LONGEST_STORY_MILLIS

    def _check_room(self) -> None:
        if not self._has_room():
            raise RefusedError(str(self.why_over()))

    # -- interfering -------------------------------------------------------------------------------------

    def poke(self, verb: str, target: str) -> bool:
        """Do something to a job, a worker or a type by the name of the world's operation.

        Returns:
            Whether that made a new branch.
        """
        self._check_room()
        try:
            changed, is_fork = self.branches.do(verb, **{VERBS[verb][0].name: target})
        except REFUSALS as refusal:
            raise RefusedError(f"Refused: {refusal}.") from refusal
        if changed is False:
            raise RefusedError(self._why_unchanged(verb, target))
        return is_fork

    def _why_unchanged(self, verb: str, target: str) -> str:
        if target in self.world.workers:
            return f"{target} is {self.world.workers[target].state}, so nothing changes."
        if verb == "fail":
            return f"No worker is at work on {target}, so nobody can report a failure of it."
        state = "down" if self.world.is_down(target) else "up"
        return f"What {target} needs is {state} already."

    def submit(self, form: dict[str, str]) -> str:
        """Submit a job from what was typed; what is refused stays in `draft`."""
        self.draft = form
        self._check_room()
        if len(self.world.jobs()) >= MOST_JOBS:
            raise RefusedError(f"This board holds {MOST_JOBS} jobs, which is its limit. Reset it to go on.")
        payload = form.get("payload", "")
        if len(payload) > MOST_PAYLOAD:
            raise RefusedError(f"Payload: at most {MOST_PAYLOAD} characters, these are {len(payload)}.")
        priority = _read("Priority", whole, form.get("priority", ""))
        delay = _read("Delay", lambda typed: millis(typed, 0, LONGEST_DELAY_MILLIS), form.get("delay", ""))
        job = {"type": form.get("type", "").strip(), "payload": payload, "priority": priority}
        tenant = form.get("tenant", "").strip() or "default"
        try:
            job_id, _ = self.branches.do("submit", **job, delay_millis=delay, tenant=tenant)
        except (TypeError, *REFUSALS) as wrong:
            raise RefusedError(f"Not submitted. {str(wrong)[:1].upper()}{str(wrong)[1:]}.") from wrong
        self.draft = {}
        return str(job_id)

    def fork_with_rules(self, rules: RuleSettings) -> None:
        """Make a branch in which the queue keeps other rules."""
        self.branches.fork_with_rules(rules)


def _read(name: str, read: Callable[[str], int], typed: str) -> int:
    try:
        return read(typed)
    except ValueError as wrong:
        raise RefusedError(f"{name}: {wrong}.") from wrong


_LAB_ID = re.compile(r"[a-z_]{1,40}-[A-Za-z0-9_-]{12}")


class Shelf:
    """A bounded number of labs; where there is no room, the one that was idle longest goes.

    Args:
        most: how many labs there may be at once.
        new_id: makes an id that nobody can guess.
    """

    def __init__(self, most: int, new_id: Callable[[], str] = lambda: secrets.token_urlsafe(9)) -> None:
        self._most = most
        self._new_id = new_id
        self._labs: OrderedDict[str, Lab] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._labs)

    def open(self, story: Scenario | Sequence[Recipe]) -> Lab:
        """Return a new lab: of a scenario at its first instant, or of recipes where they stand."""
        name = story.name if isinstance(story, Scenario) else story[0].name
        return self._keep(Lab(f"{name}-{self._new_id()}", story))

    def restore(self, lab_id: str, code: str) -> Lab | None:
        """Return a lab that was dropped, built anew from its code; None for what cannot be the id of a lab.

        Raises:
            BadLinkError: the code is none.
        """
        if not _LAB_ID.fullmatch(lab_id):
            return None
        return self._keep(Lab(lab_id, decode(code)))

    def _keep(self, lab: Lab) -> Lab:
        with self._lock:
            while len(self._labs) >= self._most:
                self._labs.popitem(last=False)
            # If two requests restore one lab at once, both go on with the same.
            return self._labs.setdefault(lab.id, lab)

    def find(self, lab_id: str) -> Lab | None:
        """Return a lab, which is then the least idle one; None if it was dropped or never was.

        A link's code is the id of a lab too: of one that shows what the link says, and is kept nowhere.

        Raises:
            BadLinkError: it looks like a code, and is none.
        """
        if is_code(lab_id):
            return Lab(lab_id, decode(lab_id))
        with self._lock:
            if lab_id in self._labs:
                self._labs.move_to_end(lab_id)
            return self._labs.get(lab_id)
