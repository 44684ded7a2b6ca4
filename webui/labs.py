"""Running boards: a lab is one learner's world with its play control; the shelf keeps a bounded number of them.

Time in a lab moves only when somebody asks: nothing runs in the background, so a board that nobody looks at
costs nothing but its memory.
"""

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from jobqueue import JobQueueError
from jobqueue.simulation import Scenario, World
from webui.predictions import Predictions

SPEEDS = {"quarter": 0.25, "1": 1.0, "5": 5.0, "20": 20.0, "50": 50.0}
"""How many seconds of the world pass in one second, by the name that forms use."""

MOST_JOBS = 60
MOST_ENTRIES = 2000
MOST_PAYLOAD = 1000
LONGEST_DELAY_MILLIS = 3_600_000
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_LONGEST_NUMBER = 20  # a number of a million digits takes its time to read
SHORTEST_TICK_MILLIS = 80
"""At high speed several events are shown at once rather than asked for faster than this."""


class RefusedError(Exception):
    """The board cannot do what was asked; the message is for the page."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What the page says about the last action."""

    text: str
    is_refusal: bool = False


class Lab:
    """One world, the speed at which it plays, and what was last said about it.

    `revision` counts the changes: a tick names the one it was meant for, so that two tabs that play the
    same lab do not make time pass twice.
    """

    def __init__(self, lab_id: str, scenario: Scenario) -> None:
        self.id = lab_id
        self.scenario = scenario
        self.lock = threading.RLock()
        self.revision = 0
        self.speed = "1"
        self.draft: dict[str, str] = {}
        self.predictions = Predictions()
        self.reset()

    def reset(self) -> None:
        """Begin again at the first instant."""
        self.world = World(self.scenario)
        self.world.advance_to(0)
        self.playing = False
        self.draft = {}
        self.notice: Notice | None = None
        self.revision += 1

    # -- time --------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Go to the next instant at which something happens."""
        self._check_room()
        self.world.step()

    def second(self) -> None:
        """Let one second pass."""
        self._check_room()
        self.world.advance_to(self.world.now() + 1000)

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
        self.world.step()
        # At high speed as many events as fit into one tick; the clock then stands at the last of them.
        while (due := self.world.next_at()) is not None and due <= until:
            self.world.step()
        self._stop_if_over()

    def catch_up(self, shown: int) -> None:
        """Let time go on to the instant that a playing page shows, though never past what is due next.

        Between two events the page moves its clock by itself; what the learner does then, happens then.
        """
        due = self.world.next_at()
        if self.playing and due is not None and shown > self.world.now():
            self.world.advance_to(min(shown, due))

    def tick_millis(self) -> int | None:
        """Return after how many real milliseconds a playing page should ask again; None if it need not."""
        due = self.world.next_at()
        if not self.playing or due is None:
            return None
        return max(SHORTEST_TICK_MILLIS, round((due - self.world.now()) / SPEEDS[self.speed]))

    def why_over(self) -> str | None:
        """Return why nothing more happens by itself; None while something does."""
        if len(self.world.chronicle) >= MOST_ENTRIES:
            return f"This board has seen {MOST_ENTRIES} events, which is its limit. Reset it to go on."
        if self.world.next_at() is not None:
            return None
        ready = [job.id for job in self.world.jobs() if job.status == "PENDING"]
        if ready:
            first = next(iter(self.world.queue.next_up(1)), None)
            if first is None:
                return f"{ready[0]} is ready, but kept back: {self.world.queue.why_not(ready[0])}."
            return f"{first} is next, but no worker is awake to ask for it. Wake or restart one."
        return "Every job has ended, so nothing more happens by itself. Submit a job, or reset the board."

    def _stop_if_over(self) -> None:
        if self.why_over() is not None:
            self.playing = False

    def _check_room(self) -> None:
        if len(self.world.chronicle) >= MOST_ENTRIES:
            raise RefusedError(str(self.why_over()))

    # -- interfering -------------------------------------------------------------------------------------

    def poke(self, verb: str, target: str) -> None:
        """Do something to a job or a worker by the name of the world's operation."""
        self._check_room()
        try:
            changed = getattr(self.world, verb)(target)
        except (JobQueueError, LookupError, ValueError) as refusal:
            raise RefusedError(f"Refused: {refusal}.") from refusal
        if changed is False:
            raise RefusedError(f"{target} is {self.world.workers[target].state}, so nothing changes.")

    def submit(self, form: dict[str, str]) -> str:
        """Submit a job from what was typed; what is refused stays in `draft`."""
        self.draft = form
        self._check_room()
        if len(self.world.jobs()) >= MOST_JOBS:
            raise RefusedError(f"This board holds {MOST_JOBS} jobs, which is its limit. Reset it to go on.")
        payload = form.get("payload", "")
        if len(payload) > MOST_PAYLOAD:
            raise RefusedError(f"Payload: at most {MOST_PAYLOAD} characters, these are {len(payload)}.")
        priority = _whole("Priority", form.get("priority", ""))
        delay = _delay_millis(form.get("delay", ""))
        try:
            tenant = form.get("tenant", "").strip() or "default"
            job_id = self.world.submit(form.get("type", "").strip(), payload, priority, delay, tenant=tenant)
        except (TypeError, ValueError) as wrong:
            raise RefusedError(f"Not submitted. {str(wrong)[:1].upper()}{str(wrong)[1:]}.") from wrong
        self.draft = {}
        return job_id


def _whole(name: str, typed: str) -> int:
    if not typed.strip():
        return 0
    try:
        return int(_number_sized(typed))
    except ValueError:
        raise RefusedError(f"{name}: expected a whole number, such as 5 or -1, found {typed[:30]!r}.") from None


def _number_sized(typed: str) -> str:
    if len(typed) > _LONGEST_NUMBER or not _NUMBER.fullmatch(typed.strip()):
        raise ValueError
    return typed


def _delay_millis(typed: str) -> int:
    """Return a delay typed in seconds as milliseconds; digits after the point as far as they go."""
    message = f"Delay: expected seconds from 0 to {LONGEST_DELAY_MILLIS // 1000}, such as 5 or 1.5, found "
    if not typed.strip():
        return 0
    try:
        millis = round(float(_number_sized(typed)) * 1000)
    except (ValueError, OverflowError):
        millis = -1
    if not 0 <= millis <= LONGEST_DELAY_MILLIS:
        raise RefusedError(f"{message}{typed[:30]!r}.")
    return millis


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

    def open(self, scenario: Scenario) -> Lab:
        """Return a new lab at its first instant."""
        lab = Lab(f"{scenario.name}-{self._new_id()}", scenario)
        with self._lock:
            while len(self._labs) >= self._most:
                self._labs.popitem(last=False)
            self._labs[lab.id] = lab
        return lab

    def find(self, lab_id: str) -> Lab | None:
        """Return a lab, which is then the least idle one; None if it was dropped or never was."""
        with self._lock:
            if lab_id in self._labs:
                self._labs.move_to_end(lab_id)
            return self._labs.get(lab_id)
