"""A learner's answer plays a story, and every step is kept.

Two kinds of story: a scenario of the gallery with simulated workers, or the conversation of one check up to the
step at which it fails. The answer runs in a process of its own, with limits, and is gone when this returns.
"""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any, NoReturn

from exercises.grader.judging.case import Broken, Case, Hole, Stop
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.checking import Check
from exercises.grader.running.process import AnswerProcess, Limits, Serve, Stopped
from exercises.grader.running.workspace import working_folder
from exercises.playback.answer_queue import AnswerEndedError, AnswerQueue
from exercises.playback.conversation import Listener
from exercises.playback.interfaces import INTERFACES, STORIES
from exercises.playback.recording import MOST_FRAMES, Frame, Recorder, Recording
from jobqueue.simulation import World, find_scenario
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.watch import Watch

LIMITS = Limits(call_seconds=1.0, total_seconds=4.0)


class _AnswerWorld(World):
    """A world whose queue is the answer's; the rest is as in any story."""

    def __init__(self, scenario: Any, make: Callable[[Any], AnswerQueue]) -> None:
        self._make = make
        super().__init__(scenario)
        answer: Any = self.queue
        if not answer.interface.leases_end:
            self.watch = Watch(replace(self.watch.promises, leases_end=False))
            self.queue.subscribe(self.watch.see)

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
    interface, scenario = INTERFACES[exercise.short], find_scenario(name)
    policy = interface.played(scenario.policy)
    scenario = replace(scenario, policy=policy)
    recorder = Recorder(Watch(Promises.of(scenario)), workers=dict.fromkeys(h.name for h in scenario.workers))

    def play(conversation: _Conversation) -> str:
        ask = conversation.ask
        world = _AnswerWorld(scenario, lambda clock: AnswerQueue(ask, clock, interface, source, policy))
        recorder.watch = world.watch
        heard = world.chronicle.add

        def hear(entry: Entry) -> None:
            recorder.add(entry)
            heard(entry)

        world.chronicle.add = hear  # type: ignore[method-assign]
        world.queue.subscribe(recorder.add)
        while len(recorder.frames) < MOST_FRAMES:
            statuses = {job.id: str(job.status) for job in world.jobs()}
            recorder.frame(world.now(), "", statuses)
            if not world.step():
                return ""
        return f"The story is longer than {MOST_FRAMES} steps; the rest is not shown."

    ending, printed = _run(exercise, source, play)
    return _recording(exercise, (scenario.title, scenario.question), recorder, ending, printed)


class _NotShown(Exception):  # noqa: N818  no fault
    """The conversation of a check is not for the board."""


class _OpenCase(Case):
    """A conversation that may be shown; one with hidden inputs, or about threads, is ended before it begins."""

    def hide(self, family: str, what: str = "story") -> NoReturn:
        """Refuse: whoever could watch the story could read its inputs."""
        del what
        raise _NotShown(f"the stories of the family {family} are hidden")

    def meet(self, ask: str, *args: Any) -> NoReturn:
        """Refuse: calls that meet have no single order in which the board could tell them."""
        del ask, args
        raise _NotShown("calls of several threads cannot be told one after another")


class _Begun(Exception):  # noqa: N818  no fault
    """A check has come to its first step."""


def shown_check(exercise: Exercise, name: str) -> Check | None:
    """Return the check of this name if its conversation can be shown, which its beginning tells; else None."""
    check = next((one for one in exercise.checks if one.name == name), None)
    if check is None or exercise.short not in INTERFACES:
        return None

    def ask(_: dict[str, Any], __: Serve | None = None, /) -> NoReturn:
        raise _Begun

    try:
        check.run(_OpenCase(ask, ""))
    except _Begun:
        return check
    except _NotShown:
        return None
    return None


def play_check(exercise: Exercise, source: str, name: str) -> Recording:
    """Let an answer have the conversation of one check again, and keep each step.

    Raises:
        LookupError: there is no such check, or the exercise's queue cannot be shown.
    """
    check = shown_check(exercise, name)
    if check is None:
        raise LookupError(f"{exercise.short} has no check {name[:40]!a} that can be shown")
    listener = Listener(INTERFACES[exercise.short])

    def play(conversation: _Conversation) -> str:
        def ask(command: dict[str, Any], serve: Serve | None = None, /) -> dict[str, Any]:
            reply = conversation.ask(command, serve)
            listener.heard(command, reply, case)
            return reply

        case = _OpenCase(ask, source)
        try:
            check.run(case)
        except _NotShown as reason:
            raise LookupError(str(reason)) from None
        except Broken as broken:
            return f"{check.promise} Expected: {broken.expected}. Got: {broken.got}."
        except (Hole, Stop) as problem:
            return problem.reason
        finally:
            listener.settle(case)
        return ""

    ending, printed = _run(exercise, source, play)
    return _recording(exercise, (check.promise, check.about), listener.recorder, ending, printed)


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
                load = {
                    "do": "load",
                    "source": source,
                    "path": f"{exercise.id}.py",
                    "threads": exercise.threads,
                }
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
    exercise: Exercise, titles: tuple[str, str], recorder: Recorder, ending: str, printed: str
) -> Recording:
    last = recorder.frames[-1] if recorder.frames else Frame(0, "", 0, 0, {})
    if not recorder.frames or len(recorder.entries) > last.entries:
        # The step at which it broke off.
        recorder.frame(recorder.entries[-1].at if recorder.entries else 0, "", last.statuses)
    return Recording(
        exercise.id,
        *titles,
        recorder.watch.promises,
        tuple(recorder.workers),
        tuple(recorder.frames),
        tuple(recorder.entries),
        recorder.watch.violations,
        ending,
        printed,
    )
