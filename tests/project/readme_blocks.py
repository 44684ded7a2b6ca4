"""The parts of the README that are made from the project itself: `make readme` writes them, a test compares."""

import json
import re
import sys
from pathlib import Path
from types import FrameType

import jobqueue
from exercises.grader.judging.catalogue import catalogue
from jobqueue import JobQueue, ManualClock, RetryPolicy
from jobqueue.model import FINISHED
from jobqueue.simulation import SCENARIOS, run
from jobqueue.simulation.trace import trace
from jobqueue.transitions import TRANSITIONS

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
_BLOCK = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.DOTALL)


def blocks() -> dict[str, str]:
    """Return each block's text by its name."""
    return {
        "trace": _indented(trace(run(SCENARIOS["zombie"]))),
        "states": _states(),
        "calls": _calls_of_a_poll(),
        "scenarios": "".join(f"- `{s.name}`: {s.question}\n" for s in SCENARIOS.values() if not s.flaw),
        "lessons": "".join(f"- `notebooks/{path.name}`: {_title(path)}\n" for path in _notebooks()),
        "exercises": "".join(f"- `{e.short}` {e.title}: {e.summary}\n" for e in catalogue()),
    }


def written(text: str) -> str:
    """Return a README text with its blocks made anew."""
    made = blocks()
    return _BLOCK.sub(lambda found: f"<!-- {found[1]} -->\n\n{made[found[1]]}\n<!-- /{found[1]} -->", text)


def _states() -> str:
    """Return the lifecycle as a diagram that Markdown pages draw, one arrow a line."""
    arrows = [f"    {arrow.source or '[*]'} --> {arrow.target}: {verb}" for verb, arrow in TRANSITIONS.items()]
    ends = [f"    {status} --> [*]" for status in sorted(FINISHED)]
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, *ends, "```"]) + "\n"


def _calls_of_a_poll() -> str:
    """Return what a poll of the queue in memory calls, as it was seen to, each function below its caller."""
    home = Path(jobqueue.__file__).parent
    queue = JobQueue(ManualClock(), RetryPolicy(3, 1000, 60_000))
    queue.submit("mail")
    lines, depth = list[str](), 0

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
        if event not in {"call", "return"} or home not in path.parents or "<" in name:  # such as a <genexpr>
            return
        if event == "call":
            lines.append(f"{'    ' * depth + name:42}{path.relative_to(home).as_posix()}")
        depth += 1 if event == "call" else -1

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        queue.poll("worker-a", 30_000)
    finally:
        sys.setprofile(before)
    return _indented("\n".join(lines))


def _indented(text: str) -> str:
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def _notebooks() -> list[Path]:
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def _title(notebook: Path) -> str:
    """Return the heading in a notebook's first cell."""
    first = json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]["source"]
    return "".join(first).splitlines()[0].lstrip("# ")


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
