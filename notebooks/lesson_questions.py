"""Boxes that take a guess and compare it with what the queue says.

The key of a prediction is a function that asks a queue, each time anew. Nobody typed the answer, and it is
right in whatever order the cells are run.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lesson_buttons import buttons, widgets_work
from lesson_shown import Shown, card

from jobqueue.simulation.svg import tag

FEEDBACK = Path(__file__).parent / "feedback"
"""What to say to wrong answers lies in files of its own, so that nobody reads it before answering."""

_MARKS = {None: "", True: "✓ ", False: "✗ "}


_ANSWERS: dict[tuple[type, str], str] = {}
"""What was said to each question: a click on a button makes its cell the current one again, and whoever then
presses Shift+Enter runs it once more; that must not wipe the answer."""


class Reply(Shown):
    """What a box says to an answer; `below` is the same without the question, for below the question."""

    def __init__(self, html: str, text: str, below: str) -> None:
        super().__init__(html, text)
        self.below = below


class Box:
    """One question, and what was answered so far.

    Args:
        question: what is asked.
        key: returns the right answer.
        options: what can be answered; none for an answer that is typed.
        why: what to say to each wrong answer; "" stands for all others.
    """

    nothing_said = "No guess yet."

    def __init__(
        self, question: str, key: Callable[[], object], options: Iterable[object], why: Mapping[str, str]
    ) -> None:
        self.question = question
        self.key = key
        self.options = tuple(map(str, options))
        self.why = dict(why)
        self.said: str | None = _ANSWERS.get((type(self), question))

    def guess(self, answer: object) -> Reply:
        """Take an answer and say at once how it compares; you may answer again."""
        said = _same(str(answer), self.options)
        if self.options and said not in self.options:
            return _reply(self.question, f"{said!r} is none of the answers: {self._choice()}.")
        self.said = _ANSWERS[type(self), self.question] = said
        return self.reply()

    def reply(self) -> Reply:
        """Compare what was said with the key."""
        try:
            right = str(self.key())
        except NameError as missing:
            return _reply(self.question, f"Run the cells above first: {missing.name} is not there yet.")
        if self.said is None:
            return _reply(self.question, self._unanswered(right))
        if _same(self.said, (right,)) == right:
            return _reply(self.question, f"You said {self.said}, and so it is.", right=True)
        why = self.why.get(self.said, self.why.get("", ""))
        words = " ".join(filter(None, [f"You said {self.said}.", why, self._mend(right)]))
        return _reply(self.question, words, right=False)

    def _ipython_display_(self) -> None:
        from IPython.display import display  # noqa: PLC0415 - only a notebook calls this

        if widgets_work():
            display(buttons(self))
        else:
            display({"text/html": self._repr_html_(), "text/plain": repr(self)}, raw=True)

    def __repr__(self) -> str:
        choice = f" ({self._choice()})" if self.options else ""
        return f"{self.question}{choice}\n{self.nothing_said} To answer, call {self._example()} on this box."

    def _repr_html_(self) -> str:
        listed = tag("ul", raw="".join(tag("li", option) for option in self.options), style="margin:4px 0")
        call = tag("code", self._example())
        how = tag("small", raw=f"{self.nothing_said} No buttons here? In a new cell, call {call} on this box.")
        return card([tag("b", self.question), listed, how])

    def _choice(self) -> str:
        return ", ".join(self.options)

    def _example(self) -> str:
        return f'.guess("{self.options[0] if self.options else "..."}")'

    def _unanswered(self, right: str) -> str:
        return f"{self.nothing_said} {self._mend(right)}"

    def _mend(self, right: str) -> str:
        return f"The answer is {right}."


class Quiz(Box):
    """A question at a lesson's end. It does not give the answer away: one tries again."""

    nothing_said = "No answer yet."

    def _unanswered(self, right: str) -> str:  # noqa: ARG002 - keeps it to itself
        return self.nothing_said

    def _mend(self, right: str) -> str:  # noqa: ARG002 - keeps it to itself
        return "Not quite."


def predict(
    question: str,
    key: Callable[[], object],
    options: Iterable[object] = (),
    why: Mapping[str, str] | str | None = None,
) -> Box:
    """Ask what will happen, before it does.

    Args:
        question: what is asked.
        key: asks a queue for the answer, independently of what the notebook has done so far.
        options: what can be answered; none for an answer that is typed.
        why: what to say to each wrong answer, or where that is written, such as "03/lease_end".
    """
    feedback = _written(why)["why"] if isinstance(why, str) else why or {}
    return Box(question, key, options, feedback)


class Questions(list[Quiz]):
    """The questions at a lesson's end, one below the other; `questions[0].guess(...)` answers the first."""

    def _ipython_display_(self) -> None:
        for one in self:
            one._ipython_display_()

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))


def quiz(*names: str) -> Questions:
    """Return questions from a lesson's end by their names, such as "03/same_name"."""
    return Questions(
        Quiz(written["question"], lambda right=written["right"]: right, written["options"], written["why"])
        for written in map(_written, names)
    )


def compare(*boxes: Box) -> Shown:
    """Show each guess beside what the queue says."""
    replies = [box.reply() for box in boxes]
    return Shown("".join(reply.html for reply in replies), "\n\n".join(reply.text for reply in replies))


def _reply(question: str, words: str, *, right: bool | None = None) -> Reply:
    said = f"{_MARKS[right]}{words}"
    html = card([tag("small", question), tag("div", said)], right=right)
    return Reply(html, f"{question}\n{said}", card([tag("div", said)], right=right))


def _same(answer: str, known: Iterable[str]) -> str:
    """Return an answer as it is written among the known ones, whatever its case and spaces."""
    squeezed = "".join(answer.split()).casefold()
    return next((one for one in known if "".join(one.split()).casefold() == squeezed), answer.strip())


def _written(name: str) -> dict[str, Any]:
    """Return what a lesson's feedback file says under a name."""
    number, _, section = name.partition("/")
    (path,) = FEEDBACK.glob(f"{number}_*.toml")
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))[section]
    return found
