"""The timeline as plain text: for a terminal, a mail, or whoever cannot see the picture."""

from jobqueue.simulation.timeline import Bar, Timeline
from jobqueue.simulation.units import seconds

_MARKS = {"refused": "is refused", "believed": "is believed", "crashed": "crashes", "restarted": "is restarted"}


def timeline_text(timeline: Timeline) -> str:
    """Return a paragraph for each worker, each thing on its lane in one line, by instant."""
    lines = [
        f"Timeline from {seconds(timeline.begin)} to {seconds(timeline.end)}, seen at {seconds(timeline.now)}"
    ]
    for worker in timeline.workers:
        lines += ["", worker]
        told = [(bar.start, _bar_words(bar)) for bar in timeline.bars if bar.worker == worker]
        told += [(m.at, f"{_MARKS[m.kind]}{_with(m.job_id)}") for m in timeline.marks if m.worker == worker]
        told += [
            (rest.start, f"is {rest.kind} until {seconds(rest.end)}")
            for rest in timeline.rests
            if rest.worker == worker
        ]
        lines += [f"{seconds(at):>11}  {words}" for at, words in sorted(told)] or ["             nothing yet"]
    return "\n".join(lines) + "\n"


def _with(job_id: str | None) -> str:
    return "" if job_id is None else f" with {job_id}"


def _bar_words(bar: Bar) -> str:
    held = f"holds {bar.job_id}, attempt {bar.attempt}, token {bar.token}"
    if bar.end is None:
        return f"{held}, lease until {seconds(bar.lease_until)}"
    ghost = "" if bar.ghost_until is None else f"; works on as a zombie until {seconds(bar.ghost_until)}"
    return f"{held}, {bar.outcome} at {seconds(bar.end)}{ghost}"
