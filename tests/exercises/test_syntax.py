"""Texts are read as trees from many threads: checks of a class, and of the kit itself, run side by side."""

import gc
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from exercises.grader.judging.syntax import parse

THREADS, TIMES = 4, 200
TEXT = "def f(one, two=[1, (2, 3)]):\n    return {one: [f(x) for x in two if x > one]}\n" * 40


class Refuse:
    """In a circle, so that only a collection of garbage ends it; its last words let other threads run."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(20):
            pass


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads change and garbage is collected as often as can be."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(1)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("restless")
def test_many_threads_can_read_at_once() -> None:
    def read(_: int) -> int:
        Refuse()
        return len(parse(TEXT).body)

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(read, range(TIMES))) == [40] * TIMES


def test_a_doubtful_text_is_read_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(r"x = '\d'").body


def test_what_is_no_python_is_said_as_python_says_it() -> None:
    with pytest.raises(SyntaxError):
        parse("def")
