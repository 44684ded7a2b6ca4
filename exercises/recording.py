"""A learner's answer plays a story, and every step is kept.

Two kinds of story: a scenario of the gallery with simulated workers, or the conversation of one check up to the
step at which it fails. The answer runs in a process of its own, with limits, and is gone when this returns.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from exercises.answer_events import Teller
from exercises.answer_queue import AnswerEndedError, AnswerQueue, Stage
from exercises.grader.case import Broken, Case, Hole, Stop
from exercises.grader.catalogue import Exercise
from exercises.grader.lodging import working_folder
from exercises.grader.process import AnswerProcess, Limits, Serve, Stopped
from exercises.grader.wire import Record, unpack
from jobqueue import Event, RetryPolicy
from jobqueue.simulation import World, find_scenario
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.watch import Violation, Watch

STAGES: Mapping[str, Stage] = {"ex03": Stage("TokenQueue", "StaleTokenError")}
"""The exercises whose queues can be shown, by their short names."""

STORIES: Mapping[str, tuple[str, ...]] = {
    "ex03": ("zombie", "late_poll", "effect_then_crash", "lost_acknowledgement")
}
"""The scenarios that need no more of a queue than the exercise asks for."""

MOST_FRAMES = 300
LIMITS = Limits(call_seconds=1.0, total_seconds=4.0)
AT_ONCE = RetryPolicy(max_attempts=1_000_000, base_backoff_millis=0, max_backoff_millis=0)
"""What such a queue promises of retries: ready again at once, as often as it takes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: what was done, how much had happened by then, and the states of all jobs as far as known."""

    at: int
    words: str
    entries: int
    violations: int
    statuses: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole story. `ending` says why it broke off, if it did; `entries` are in order of arrival."""

    exercise: str
    title: str
    question: str
    promises: Promises
    workers: tuple[str, ...]
    frames: tuple[Frame, ...]
    entries: tuple[Entry, ...]
    violations: tuple[Violation, ...]
    ending: str = ""
    printed: str = ""


@dataclass(slots=True)
class _Tape:
    """What is recorded while the story runs."""

    watch: Watch
    entries: list[Entry] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    workers: dict[str, None] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Keep an entry in the order of arrival."""
        self.entries.append(entry)
        if isinstance(entry, Event) and entry.worker_id:
            self.workers[entry.worker_id] = None

    def frame(self, at: int, words: str, statuses: Mapping[str, str]) -> None:
        """Close a step."""
        if len(self.frames) < MOST_FRAMES:
            seen = len(self.watch.violations)
            self.frames.append(Frame(at, words, len(self.entries), seen, dict(statuses)))


class _AnswerWorld(World):
    """A world whose queue is the answer's; the rest is as in any story."""

    def __init__(self, scenario: Any, make: Callable[[Any], AnswerQueue]) -> None:
        self._make = make
        super().__init__(scenario)

    def _open_queue(self) -> Any:
        return self._make(self.clock)


class _Conversation:
    """The answer's process for one story, with the time that is left for all of it."""

    def __init__(self, process: AnswerProcess, limits: Limits) -> None:
        self._process = process
        self._call_seconds = limits.call_seconds
        self._until = time.monotonic() + limits.total_seconds

    def ask(self, command: dict[str, Any], serve: Serve | None = None, /) -> dict[str, Any]:
        """Send a command and wait for the reply, no longer than there is time."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise Stopped("The time for the whole story is used up.")
        return self._process.ask(command, min(left, self._call_seconds), serve)


def play_scenario(exercise: Exercise, source: str, name: str) -> Recording:
    """Let an answer play a scenario.

    Raises:
        LookupError: the exercise's queue cannot play it.
    """
    if name not in STORIES.get(exercise.short, ()):
        raise LookupError(f"{exercise.short} cannot play {name[:40]!a}")
    scenario = replace(find_scenario(name), policy=AT_ONCE)
    tape = _Tape(Watch(Promises.of(scenario)), workers=dict.fromkeys(h.name for h in scenario.workers))

    def play(conversation: _Conversation) -> str:
        stage = STAGES[exercise.short]
        world = _AnswerWorld(scenario, lambda clock: AnswerQueue(conversation.ask, clock, stage, source))
        tape.watch = world.watch
        heard = world.chronicle.add

        def hear(entry: Entry) -> None:
            tape.add(entry)
            heard(entry)

        world.chronicle.add = hear  # type: ignore[method-assign]
        world.queue.subscribe(tape.add)
        while len(tape.frames) < MOST_FRAMES:
            statuses = {job.id: str(job.status) for job in world.jobs()}
            tape.frame(world.now(), "", statuses)
            if not world.step():
                return ""
        return f"The story is longer than {MOST_FRAMES} steps; the rest is not shown."

    ending, printed = _run(exercise, source, play)
    return _recording(exercise, (scenario.title, scenario.question), tape, ending, printed)


def play_check(exercise: Exercise, source: str, name: str) -> Recording:
    """Let an answer have the conversation of one check again, and keep each step.

    Raises:
        LookupError: there is no such check, or the exercise's queue cannot be shown.
    """
    check = next((one for one in exercise.checks if one.name == name), None)
    if check is None or exercise.short not in STAGES:
        raise LookupError(f"{exercise.short} has no check {name[:40]!a} that can be shown")
    listener = _Listener(STAGES[exercise.short])

    def play(conversation: _Conversation) -> str:
        def ask(command: dict[str, Any], serve: Serve | None = None, /) -> dict[str, Any]:
            return listener.heard(command, conversation.ask(command, serve), case)

        case = Case(ask, source)
        try:
            check.run(case)
        except Broken as broken:
            listener.settle(case)
            return f"{check.promise} Expected: {broken.expected}. Got: {broken.got}."
        except (Hole, Stop) as problem:
            listener.settle(case)
            return problem.reason
        listener.settle(case)
        return ""

    ending, printed = _run(exercise, source, play)
    return _recording(exercise, (check.promise, check.about), listener.tape, ending, printed)


class _Listener:
    """Hears the commands of a check and the answer's replies, and tells them as events."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._tapes: list[tuple[_Tape, list[int]]] = []
        self._begin()

    @property
    def tape(self) -> _Tape:
        """The telling that is shown."""
        return self._shown

    def heard(self, command: dict[str, Any], reply: dict[str, Any], case: Case) -> dict[str, Any]:
        """Note one command and its reply; return the reply."""
        if command["do"] == "make" and command["from_library"]:
            self._begin()  # of several tellings each has a queue of its own
        elif command["do"] == "call" and case.trace and len(case.trace) > len(self._steps):
            self._steps.append(len(case.trace))
            if command["method"] == "advance_to":
                self._now = command["args"][0]
            else:
                self._told(command["method"], command["args"], reply)
            self._shown.frame(self._now, "", self._statuses)
        return reply

    def settle(self, case: Case) -> None:
        """Choose the telling that the check has shown in the end, and give its frames their words."""
        fitting = [tape for tape, steps in self._tapes if len(steps) == len(case.trace)]
        self._shown = fitting[-1] if fitting else self._tapes[-1][0]
        words = case.trace
        frames = self._shown.frames
        self._shown.frames = [
            replace(frame, words=words[place] if place < len(words) else "")
            for place, frame in enumerate(frames)
        ]

    def _begin(self) -> None:
        self._now = 0
        self._statuses: dict[str, str] = {}
        self._steps: list[int] = []
        self._shown = _Tape(Watch(Promises(policy=AT_ONCE)))
        self._tapes.append((self._shown, self._steps))
        self._teller = Teller(self._hear)

    def _hear(self, event: Event) -> None:
        self._shown.add(event)
        self._shown.watch.see(event)

    def _told(self, method: str, args: list[Any], reply: dict[str, Any]) -> None:
        if (
            reply["kind"] == "raised"
            and self._stage.error in reply["ancestors"]
            and method in {"complete", "fail"}
        ):
            self._teller.refused(self._now, method, args[0], args[1], reply["message"])
        if reply["kind"] != "value":
            return
        got = unpack(reply["value"])
        match method:
            case "submit" if isinstance(got, str):
                self._teller.submitted(self._now, got, args[0], args[1] if len(args) > 1 else "")
                self._statuses[got] = "PENDING"
            case "poll" if isinstance(got, Record):
                self._leased(args[0], got.fields)
            case "complete":
                self._teller.completed(self._now, args[0], args[1])
                self._statuses[args[0]] = "SUCCEEDED"
            case "fail":
                self._teller.failed(self._now, args[0], args[1], str(args[2]))
                self._statuses[args[0]] = "PENDING"
            case "view" if isinstance(got, Record):
                self._seen(args[0], str(got.fields.get("status")))

    def _leased(self, worker: str, fields: dict[str, Any]) -> None:
        job_id, token = str(fields.get("job_id")), str(fields.get("token"))
        until, attempt = (fields.get(name) for name in ("lease_until", "attempt"))
        until = until if type(until) is int else self._now
        attempt = attempt if type(attempt) is int else 0
        self._teller.leased(self._now, job_id, worker, token, until=until, attempt=attempt)
        self._statuses[job_id] = "RUNNING"

    def _seen(self, job_id: str, status: str) -> None:
        self._teller.seen(self._now, job_id, status)
        self._statuses[job_id] = status
        # Only this one is known now; of the others, the last that was heard of them.
        self._shown.watch.glance(self._now, job_id, status)


def _run(exercise: Exercise, source: str, play: Callable[[_Conversation], str]) -> tuple[str, str]:
    """Start the answer, let it play, end it; return why it broke off, if it did, and what was printed."""
    with working_folder() as folder:
        try:
            process = AnswerProcess(exercise.folder, LIMITS, folder)
        except Stopped as stopped:
            return stopped.reason, ""
        with closing(process):
            try:
                conversation = _Conversation(process, LIMITS)
                process.begin_output()
                load = {"do": "load", "source": source, "path": f"{exercise.id}.py", "threads": False}
                reply = conversation.ask(load)
                if reply["kind"] != "value":
                    said = f"{reply.get('error', 'An error')}: {reply.get('message', '')}"
                    return f"Your file cannot be executed. {said}", ""
                return play(conversation), process.printed()
            except AnswerEndedError as ended:
                return str(ended), ""
            except Stopped as stopped:
                return stopped.reason, ""


def _recording(
    exercise: Exercise, titles: tuple[str, str], tape: _Tape, ending: str, printed: str
) -> Recording:
    last = tape.frames[-1] if tape.frames else Frame(0, "", 0, 0, {})
    if not tape.frames or len(tape.entries) > last.entries:
        # The step at which it broke off.
        tape.frame(tape.entries[-1].at if tape.entries else 0, "", last.statuses)
    return Recording(
        exercise.id,
        *titles,
        tape.watch.promises,
        tuple(tape.workers),
        tuple(tape.frames),
        tuple(tape.entries),
        tape.watch.violations,
        ending,
        printed,
    )
