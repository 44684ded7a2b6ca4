"""The learner's own line in a report is the one that says something, also where a lock is given back last."""

import textwrap

import pytest

from exercises.grader.judging.case import source_line
from tests.exercises.grading import SOLUTION, grade, named

LOCKED = textwrap.dedent("""\
    def poll(self):
        with self._lock:
            for job in self._jobs:
                if job.ready:
                    return Lease(
                        job.id,
                        job.token,
                    )
            self._asked += 1

    def peek(self):
        with self._lock: return self._first()

    def name(self):
        with self._lock:
            with self._other:
                return self._lock

    def word(self):
        try:
            return 'word'
        finally:
            self._lock.release()
""").splitlines()


@pytest.mark.parametrize(
    ("place", "number", "text"),
    [
        ((2, "poll", 7, 6, 5), 5, "return Lease(job.id, job.token,)"),
        ((15, "name", 16, 17), 17, "return self._lock"),
        ((23, "word", 21, 20), 21, "return 'word'"),
        ((23, "word", 5, 6), 23, "self._lock.release()"),
        ((2, "poll", 9, 6, 5), 1, "def poll(self):"),
        ((2, "poll"), 2, "with self._lock:"),
        ((2, "poll", 0), 2, "with self._lock:"),
        ((6, "poll", 4), 6, "return Lease(job.id, job.token,)"),
        ((12, "peek", 9), 12, "with self._lock: return self._first()"),
        ((4, "poll", 3), 4, "if job.ready:"),
    ],
)
def test_a_line_is_shown_that_says_something(place: tuple[int, ...], number: int, text: str) -> None:
    """The `return` within the `with`; the method's head where it just ended; else the line itself."""
    shown = source_line(place, LOCKED)
    assert shown is not None
    assert (shown.number, shown.text) == (number, text)


def test_a_text_that_python_cannot_read_still_has_lines() -> None:
    """Also the line of a syntax error is shown."""
    shown = source_line((1, "", 2), ["def broken(:", "    x = ("])
    assert shown is not None
    assert (shown.number, shown.text) == (1, "def broken(:")


WRONG_RETURN = "return dict(a=1)"
WAYS = {
    "with": f"with LOCK:\n    {WRONG_RETURN}",
    "two withs": f"with LOCK:\n    with OTHER:\n        {WRONG_RETURN}",
    "one with for two": f"with LOCK, OTHER:\n    {WRONG_RETURN}",
    "finally": f"LOCK.acquire()\ntry:\n    {WRONG_RETURN}\nfinally:\n    LOCK.release()",
    "with in a loop": f"for _ in (1, 2):\n    with LOCK:\n        if _ == 2:\n            {WRONG_RETURN}",
    "on its own": WRONG_RETURN,
}


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_with_a_lock_is_shown_its_return(way: str) -> None:
    """Seen through the whole grader: the wrong value comes from a `return`, and something is left after it."""
    old = SOLUTION[SOLUTION.index("    def submit") : SOLUTION.index("    def poll")]
    new = f"    def submit(self, type, payload):\n{textwrap.indent(WAYS[way], ' ' * 8)}\n\n"
    locks = "LOCK, OTHER = threading.Lock(), threading.Lock()"
    text = f"import threading\n{SOLUTION.replace(old, new)}\n\n{locks}\n"
    result = grade(text)
    told = result.told_first
    assert told is not None
    assert told.line is not None
    assert told.line.text == WRONG_RETURN
    assert text.splitlines()[told.line.number - 1].strip() == WRONG_RETURN
    assert named(result, told.name).line == told.line


def test_lines_are_those_that_python_counts() -> None:
    """A separator of Unicode or a form feed within a line is none to Python, so it is none in a report."""
    text = f"# one\u2028still one\n# two\x0cstill two\n{SOLUTION}".replace(
        "        return Lease(", "        return None and Lease("
    )
    told = grade(text).told_first
    assert told is not None
    assert told.line is not None
    assert text.split("\n")[told.line.number - 1].strip().startswith(told.line.text[:12])
