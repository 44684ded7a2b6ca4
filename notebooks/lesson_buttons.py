"""Boxes for guesses with real buttons, where a notebook can show them."""

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from lesson_shown import card

from jobqueue.simulation.svg import tag

if TYPE_CHECKING:
    from lesson_questions import Box

_FRONTENDS = ("JPY_SESSION_NAME", "VSCODE_PID")
"""Set by those who start a kernel for a person: Jupyter's server and the editor. A kernel that is run by a
program has nobody who could click, and buttons would only hide the question."""


def widgets_work() -> bool:
    """Return whether somebody could click: JOBKIT_WIDGETS=0 or 1 decides, else who started the kernel."""
    wanted = os.environ.get("JOBKIT_WIDGETS", "")
    if wanted in {"0", "1"}:
        return wanted == "1"
    return find_spec("ipywidgets") is not None and any(name in os.environ for name in _FRONTENDS)


def buttons(box: "Box") -> Any:
    """Return a box as a widget: a button for each option, or a line to type in, and below it the reply."""
    import ipywidgets  # noqa: PLC0415 - the lessons work without it

    reply = ipywidgets.HTML(tag("small", box.nothing_said) if box.said is None else box.reply().below)

    def answer(said: str) -> None:
        reply.value = box.guess(said).below

    if box.options:
        wide = ipywidgets.Layout(width="auto", min_width="7em")
        row = [ipywidgets.Button(description=option, layout=wide) for option in box.options]
        for button in row:
            button.on_click(lambda clicked: answer(clicked.description))
    else:
        line = ipywidgets.Text(placeholder="your guess", continuous_update=False)
        line.observe(lambda change: answer(change["new"]), "value")
        row = [line]
    wrapped = ipywidgets.Layout(flex_flow="row wrap")
    question = ipywidgets.HTML(card([tag("b", box.question)]))
    return ipywidgets.VBox([question, ipywidgets.HBox(row, layout=wrapped), reply])
