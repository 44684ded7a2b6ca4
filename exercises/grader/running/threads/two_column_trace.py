"""A run of several threads as text: one column for each, with the lines of the learner's file as they ran."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from exercises.grader.running.threads.play import AFTER, BEFORE
from exercises.grader.running.threads.story import Seen, Story

WIDTH = 94
WITH = ("with ", "with(")
HEAD, TAIL = 2, 3  # of a call's long way without a switch only so many lines are shown
Event = Sequence[Any]
Made = tuple[str, int]  # a call: who makes it, and the how-manieth of theirs it is


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a trace. `call` says whose end it shows; a `step` is a line of the learner's file."""

    text: str
    call: Made | None = None
    step: bool = False


def two_column_trace(
    story: Story, seen: Seen, events: Sequence[Event], source: Sequence[str]
) -> tuple[Row, ...]:
    """Write the run down, from the first call to the last that came back or never will."""
    return tuple(_Listing(story, seen, source).rows(events))


class _Listing:
    """The columns, and the stretch that is being collected."""

    def __init__(self, story: Story, seen: Seen, source: Sequence[str]) -> None:
        self._story, self._seen, self._source = story, seen, source
        self._names = sorted(story.threads)
        self._width = WIDTH // max(len(self._names), 1)
        self._who = ""
        self._stretch: list[Row] = []
        self._shown: dict[str, int] = {}  # the line that each thread came to last
        self._within: dict[str, list[int]] = {name: [] for name in self._names}  # the `with`s it is in
        self._leaves: set[str] = set()  # who has come to its `with` a second time: there the lock is given back

    def rows(self, events: Sequence[Event]) -> Iterator[Row]:
        """The whole trace."""
        yield from self._single(BEFORE)
        yield Row("".join(f"worker {name}".ljust(self._width) for name in self._names).rstrip())
        for what, name, detail in events:
            if name not in self._names:
                continue
            if name != self._who:
                yield from self._flush()
                self._who = name
            yield from self._event(what, name, detail)
        yield from self._flush()
        if all(got.kind != "unfinished" for name in self._names for got in self._seen.of(name)):
            yield from self._single(AFTER)

    def _single(self, name: str) -> Iterator[Row]:
        """What a single thread does: calls and what they gave, without their lines."""
        for number, (call, got) in enumerate(zip(self._story.all[name], self._seen.of(name), strict=False)):
            if got.kind == "passed over":
                continue
            then = "then: " if name == AFTER else ""
            yield Row(f"{then}{call.words} -> {self._story.tell(got)}", (name, number))
            if got.kind == "unfinished":
                return

    def _event(self, what: str, name: str, detail: Any) -> Iterator[Row]:
        match what:
            case "calls":
                self._within[name].clear()
                self._stretch.append(Row(self._story.threads[name][detail].words))
            case "returns":
                came_back = f"-> {self._story.tell(self._seen.of(name)[detail])}"
                self._stretch.append(Row(came_back, (name, detail)))
            case "line":
                if self._shown.get(name) != detail:
                    self._arrive(name, detail)
                if self._shown.get(name) != detail or not self._stretch:
                    self._stretch.append(Row(f"{detail:>4}  {self._words(name, detail)}", step=True))
                self._shown[name] = detail
            case "interrupted":
                number, inside = detail
                if not inside and self._shown.get(name) == number and self._stretch:
                    self._stretch.pop()  # what was done of the line so far is only its own
                yield from self._flush()
                yield _rule(f"{name} is interrupted {'within' if inside else 'before'} line {number}")
            case "waits":
                yield from self._flush()
                yield _rule(f"{name} waits {reason(detail)}")

    def _arrive(self, name: str, number: int) -> None:
        """Note where a thread enters a `with` and where it leaves it: Python tells the same line for both."""
        within = self._within[name]
        self._leaves.discard(name)
        if number in within:
            within.remove(number)
            self._leaves.add(name)
        elif self._text(number).startswith(WITH):
            within.append(number)

    def _words(self, name: str, number: int) -> str:
        text = self._text(number)
        return f"end of {text.removesuffix(':')}" if name in self._leaves else text

    def _text(self, number: int) -> str:
        return self._source[number - 1].strip() if 1 <= number <= len(self._source) else ""

    def _flush(self) -> Iterator[Row]:
        place = self._names.index(self._who) if self._who else 0
        for row in _shortened(self._stretch):
            most = WIDTH - place * self._width if place == len(self._names) - 1 else self._width - 2
            cut = row.text if len(row.text) <= most else f"{row.text[: most - 3]}..."
            yield replace(row, text=" " * (place * self._width) + cut)
        self._stretch = []


def _shortened(stretch: Sequence[Row]) -> Iterator[Row]:
    """Every call and what it gave; of the lines on the way from one to the other only the first and last."""
    for is_step, group in groupby(stretch, key=lambda row: row.step):
        rows = list(group)
        left_out = len(rows) - HEAD - TAIL
        if not is_step or left_out <= 2:  # noqa: PLR2004  no shorter with the row that says how many
            yield from rows
            continue
        yield from rows[:HEAD]
        yield Row(f"   ...  {left_out} lines more", step=True)
        yield from rows[-TAIL:]


def _rule(words: str) -> Row:
    return Row(f"- - {words} - -")


def reason(wait: dict[str, Any]) -> str:
    """Say what a thread waits for.

    >>> reason({"for": "a lock", "line": 12, "holder": "B", "since": 30})
    'in line 12 for a lock that B took in line 30'
    """
    where = f"in line {wait['line']} " if wait["line"] else ""
    if wait["for"] != "a lock":
        return f"{where}for {wait['for']}"
    since = f" in line {wait['since']}" if wait["since"] else ""
    return f"{where}for a lock that {wait['holder'] or 'somebody'} took{since}"
