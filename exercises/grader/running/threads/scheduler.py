"""Schedules some threads: exactly one of them runs at any time, and a schedule says when it changes.

The thread whose turn it is does everything, even turn the tracing of a thread on and off. Meanwhile the thread
that started them all sleeps.
"""

from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable, Mapping, Sequence
from sys import _getframe  # bound now: an answer may patch modules
from types import CodeType, FrameType
from typing import Any

from exercises.grader.running.threads.patched_primitives import CONTROL, NO_LIMIT, Lock
from exercises.grader.running.threads.points import Points
from exercises.grader.running.threads.tracing import TRACING

FAIR_WAY = 3_000  # so long may one thread go on alone: others may have to move before its loop can end
LONGEST_WAY = 60_000
FIRST_STEPS = 2  # whoever waits at the first step has not touched anything yet
STUCK_SECONDS = 0.6  # without a step; only a wait that no patched primitive sees takes so long
LOOKS = 6
MADE_CODE = "your code makes code out of a text while it runs, and the checker cannot see inside it"
OWN_THREADS = "your code starts threads of its own, which the checker does not steer"
Step = tuple[str, int]  # a thread, and the how-manieth of its steps


class Abort(BaseException):
    """The run is over; the thread that meets this is to end."""


class Undecided(Exception):  # noqa: N818  a verdict, not a fault
    """A bound was reached, or a thread waits in something that the scheduler does not know.

    `loop` tells the first from the second: another schedule may have no loop.
    """

    def __init__(self, why: str, *, loop: bool = False) -> None:
        super().__init__(why)
        self.loop = loop


class Deadlock(Exception):  # noqa: N818  a verdict, not a fault
    """Every thread that is left waits, and for each of them: where, for whose lock, taken where."""

    def __init__(self, waits: list[dict[str, Any]]) -> None:
        super().__init__("nobody can go on")
        self.waits = waits


class Thread:
    """One thread of a run. Its steps are the switch points that it came to, as a list of their lines.

    They are looked for as long as `looking`: behind the last planned switch there is nothing to find. How far
    it went is counted to the end, for the sake of loops.
    """

    def __init__(self, run: "Run", name: str, body: Callable[[], None]) -> None:
        self.run, self.name, self.body = run, name, body
        self.gate = allocate_lock()
        self.gate.acquire()
        self.steps: list[int] = []
        self.sections: list[int] = []  # for each step, in which locked section it is; 0 for none
        self.section = self.holds = 0
        self.plan: list[int] = []
        self.looking = True
        self.line = 0
        self.way, self.rest = 0, FAIR_WAY
        self.ticks = 0  # as many instructions were seen; a loop of one line has no other trace
        self.muted = False  # the scheduler's own work is no step
        self.done = self.expired = False
        self.waits: Lock | None = None
        self.wakes_at: float | None = None
        self.blocked = False

    def wait(self, lock: Lock | None, seconds: float) -> bool:
        """Give the turn away until the lock is free or the time is over."""
        return self.run.wait(self, lock, seconds)

    def took(self, lock: Lock) -> None:
        """Tell that the thread has a lock now."""
        self.holds += 1
        self.section += 1
        if not lock.wakes:
            self.run.tell("takes", self, lock.since)

    def freed(self, lock: Lock) -> None:
        """Let those try again that wait for this lock."""
        self.holds -= 1
        self.section += 1
        self.run.freed(lock)
        if not lock.wakes:
            self.run.tell("frees", self, 0)

    def give_way(self) -> None:
        """Let the next thread go on, if there is one that can."""
        self.line = self.here()
        self.run.interrupt(self)

    def here(self) -> int:
        """The line of the watched text in which the calling thread is; 0 if it is in none."""
        frame: FrameType | None = _getframe(1)
        while frame is not None and frame.f_code.co_filename not in self.run.paths:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0


class Run:
    """The threads of one schedule.

    Args:
        bodies: What each thread does, by name, in the order in which they get the turn.
        switches: The steps before which the turn goes to the next thread that can go on.
        points: Where steps are.
        trails: Whether all steps are wanted, not only those up to the last switch.
        watch: Called with what happens, for whoever wants to see it: (what, thread, detail).
    """

    def __init__(
        self,
        bodies: Mapping[str, Callable[[], None]],
        switches: Sequence[Step],
        points: Points,
        *,
        trails: bool = False,
        watch: Callable[[str, str, Any], None] | None = None,
    ) -> None:
        self.threads = [Thread(self, name, body) for name, body in bodies.items()]
        for thread in self.threads:
            thread.plan = sorted((step for name, step in switches if name == thread.name), reverse=True)
        self.interrupts: list[Step] = []
        self.barren = False
        self.failed: Exception | None = None
        self.paths = points.paths
        self._points, self._trails, self._watch = points, trails, watch
        self._over = allocate_lock()
        self._over.acquire()
        self._active = self.threads[0]

    def go(self) -> None:
        """Run all threads to their end.

        Raises:
            Deadlock: They all wait.
            Undecided: It cannot be known whether they would end.
        """
        TRACING.begin(self)
        for thread in self.threads:
            start_new_thread(self._live, (thread,))
        self.threads[0].gate.release()
        self._await_end()
        TRACING.end()
        if self.failed is not None:
            raise self.failed

    def alone(self) -> None:
        """Run the only thread in the calling one: nothing is traced, but a wait without end is seen."""
        thread = self.threads[0]
        CONTROL.threads[get_ident()] = thread
        try:
            thread.body()
        except Abort:
            pass
        finally:
            del CONTROL.threads[get_ident()]
        if self.failed is not None:
            raise self.failed

    def _await_end(self) -> None:
        seen, looks = -1, 0
        while not self._over.acquire(timeout=STUCK_SECONDS / LOOKS):
            moved = sum(thread.way for thread in self.threads)
            looks = looks + 1 if moved == seen else 0
            seen = moved
            if looks >= LOOKS:
                name, line = self._active.name, self._active.line
                waits = f"thread {name} waits, near line {line}, in something that no checker sees"
                self.failed = self.failed or Undecided(waits)
                return

    def _live(self, thread: Thread) -> None:
        """One thread's life, from its first turn to the end of its last."""
        thread.gate.acquire()
        CONTROL.threads[get_ident()] = thread
        try:
            if self.failed is None:
                TRACING.enter()
                try:
                    thread.body()
                finally:
                    TRACING.leave()
        except Abort:
            pass
        finally:
            del CONTROL.threads[get_ident()]
            self._finish(thread)

    @property
    def looking(self) -> bool:
        """Whether the thread that has the turn has still to come to a step that matters."""
        return self._active.looking

    def knows(self, code: CodeType) -> tuple[bytes, list[int]] | None:
        """What is known of a code; None for one that is not watched, or as long as the grader works itself."""
        return None if self._active.muted else self._points.of(code)

    def arrives(self, counts: int, line: int, place: int) -> bool:
        """Be before an instruction. Only whoever has the turn comes here; return whether it still looks."""
        thread = self._active
        thread.ticks += 1
        if thread.ticks > LONGEST_WAY:
            raise self._endless(line or thread.line)
        if counts:
            self._step(thread, line or thread.line)
        # Python's own lines are not shown, and the first place belongs to the head.
        if self._watch is not None and line and place and self.failed is None:
            self._watch("line", self._active.name, line)
        return self._active.looking

    def goes_on(self, weight: int, line: int) -> None:
        """Go on: whoever goes on for very long may wait, in a loop, for what another thread does."""
        thread = self._active
        thread.line = line or thread.line
        thread.way += weight
        if thread.way >= thread.rest:
            if thread.way >= LONGEST_WAY:
                raise self._endless(line)
            thread.rest += FAIR_WAY
            self.interrupt(thread)
        if self.failed is not None:
            raise Abort

    def _endless(self, line: int) -> Abort:
        why = f"thread {self._active.name} goes on and on near line {line}: does a loop never end?"
        return self._ended(Undecided(why, loop=True))

    def _step(self, thread: Thread, line: int) -> None:
        """Come to a switch point."""
        thread.line = line
        thread.steps.append(line)
        thread.sections.append(thread.section if thread.holds > 0 else 0)
        if thread.plan and len(thread.steps) == thread.plan[-1]:
            thread.plan.pop()
            self._switch(thread)
        thread.looking = self._trails or bool(thread.plan) or len(thread.steps) < FIRST_STEPS

    def _switch(self, thread: Thread) -> None:
        """Do what the schedule says, and see whether anybody came in at all."""
        if self._next(thread) is thread:
            return
        self.interrupts.append((thread.name, len(thread.steps)))
        others = [one for one in self.threads if one is not thread and not one.done]
        self.interrupt(thread)
        self.barren = all(one.blocked and len(one.steps) < FIRST_STEPS for one in others)

    def interrupt(self, thread: Thread) -> None:
        """Hand the turn to the next thread that can go on; if there is none, keep it."""
        other = self._next(thread)
        if other is not None and other is not thread:
            inside = len(thread.steps) > 1 and thread.steps[-2] == thread.line
            self.tell("interrupted", thread, (thread.line, inside))
            self._hand(thread, other)

    def wait(self, thread: Thread, lock: Lock | None, seconds: float) -> bool:
        """Hand the turn on until the lock may be free. False when the time was over before."""
        if self.failed is not None:
            raise Abort
        thread.blocked, thread.waits, thread.expired, thread.line = True, lock, False, thread.here()
        thread.wakes_at = None if seconds == NO_LIMIT else CONTROL.skipped + seconds
        self.tell("waits", thread, self._words_of(thread))
        other = self._next(thread) or self._wake()
        if other is None:
            raise self._ended(self._dead_end())
        if other is not thread:
            self._hand(thread, other)
        return not thread.expired

    def freed(self, lock: Lock) -> None:
        """Let those try again that wait for this lock."""
        for thread in self.threads:
            if thread.blocked and thread.waits is lock:
                thread.blocked = False

    def _next(self, thread: Thread) -> Thread | None:
        """Find the next thread in the order, after this one and around, that can go on."""
        place = self.threads.index(thread)
        around = self.threads[place + 1 :] + self.threads[: place + 1]
        return next((one for one in around if not one.done and not one.blocked), None)

    def _wake(self) -> Thread | None:
        """Nobody can go on, so time may pass until the first wait is over."""
        timed = [one for one in self.threads if one.blocked and one.wakes_at is not None]
        if not timed:
            return None
        first = min(timed, key=lambda one: one.wakes_at or 0.0)
        CONTROL.skipped = max(CONTROL.skipped, first.wakes_at or 0.0)
        first.blocked, first.expired = False, True
        return first

    def _hand(self, thread: Thread, other: Thread) -> None:
        self._active = other
        other.gate.release()
        thread.gate.acquire()
        if self.failed is not None:
            raise Abort

    def _ended(self, why: Exception) -> Abort:
        """The run is over before its time; whoever comes along meets this."""
        if self.failed is None:
            self.failed = why
        return Abort()

    def _finish(self, thread: Thread) -> None:
        """Hand on the last turn; when the run has failed, to let the others unwind."""
        thread.done, thread.blocked = True, False
        other = self._next(thread) or self._wake()
        if other is None and (left := [one for one in self.threads if not one.done]):
            if self.failed is None:
                self.failed = self._dead_end()
            other = left[0]
        if other is None:
            self._over.release()
        else:
            other.blocked = False
            self.tell("goes on", other, "")
            self._active = other
            other.gate.release()

    def _dead_end(self) -> Exception:
        if CONTROL.started:
            return Undecided(OWN_THREADS)
        return Deadlock([self._words_of(one) for one in self.threads if one.blocked])

    @staticmethod
    def _words_of(thread: Thread) -> dict[str, Any]:
        lock = thread.waits
        told = {"thread": thread.name, "line": thread.line, "holder": "", "since": 0, "for": "time"}
        if lock is not None:
            told |= {"holder": lock.holder, "since": lock.since, "for": "a notify" if lock.wakes else "a lock"}
        return told

    def tell(self, what: str, thread: Thread, detail: Any) -> None:
        """Tell whoever watches."""
        if self._watch is not None and self.failed is None:
            self._watch(what, thread.name, detail)
