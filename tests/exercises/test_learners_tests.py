"""Where the learner writes the tests: what counts, what does not, and what a hapless or hostile test costs."""

import logging
import sys
import time
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import pytest

from exercises.grader.classroom import record
from exercises.grader.explaining import report
from exercises.grader.judging import catalogue, runner
from exercises.grader.judging.case import Case
from exercises.grader.judging.records import Result, Verdict
from exercises.grader.judging.subjects import subjects
from exercises.grader.running.process import Stopped
from exercises.grader.running.remote_objects import MOST_CALLS, Asked, RemoteObjects
from exercises.grader.running.wire import pack
from tests.exercises.grading import named, verdicts

EXERCISE = catalogue.find("ex13")
SUBJECTS = subjects(EXERCISE.folder)
HIDDEN = [flaw for flaw in SUBJECTS.flaws if flaw.hidden]
LONGEST_SECONDS = 60.0  # on a busy machine; what an answer may compute is counted apart from it
ZOMBIE = """
from jobqueue import StaleTokenError


def test_a_zombie(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    zombie = queue.poll("A", 10_000)
    clock.advance_to(12_000)
    queue.poll("B", 10_000)
    try:
        queue.complete("J1", zombie.token)
    except StaleTokenError:
        return
    raise AssertionError("the zombie was believed")

"""


def graded(text: str, seed: int | None = None) -> Result:
    """Check a text as if a learner had written it."""
    path = PurePosixPath("answers/ex13_break_the_queue.py")
    return runner.run(EXERCISE, text.encode(), path, copies=False, seed=seed)


def words(result: Result) -> str:
    """The report in one line."""
    return " ".join(report.plain(result, EXERCISE).split())


def with_test(body: str) -> str:
    """One good test, and another one with this body."""
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{ZOMBIE}\ndef test_odd(make_queue):\n{indented}\n"


def test_one_good_test_catches_what_it_is_about_and_nothing_else() -> None:
    """The zombie's test finds the queue that believes anybody."""
    result = graded(ZOMBIE)
    caught = set(result.named(Verdict.PASS)) - {"one_sound_test", "right_queue", "built_otherwise"}
    assert caught == {"by_id_and_running"}


@dataclass(frozen=True, slots=True)
class Trick:
    """The body of a test, the verdict of the check that tries it on the right queue, and what it says."""

    name: str
    body: str
    verdict: Verdict
    says: str


TRICKS = [
    Trick(
        "endless loop", "while True: pass", Verdict.STOPPED, "test_odd, on the right queue: Your code gave no"
    ),
    Trick(
        "loop that swallows everything",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        Verdict.STOPPED,
        "test_odd",
    ),
    Trick(
        "endless calls",
        "queue, _ = make_queue()\nwhile True: queue.submit('x')",
        Verdict.STOPPED,
        "2,000 calls",
    ),
    Trick("endless queues", "while True: make_queue()", Verdict.STOPPED, "2,000 calls"),
    Trick("os._exit(0)", "import os\nos._exit(0)", Verdict.STOPPED, "ended the Python process itself"),
    Trick("sys.exit(0)", "import sys\nsys.exit(0)", Verdict.STOPPED, "asked Python to exit"),
    Trick("memory hog", "return len(bytearray(10**9))", Verdict.STOPPED, "more memory"),
    Trick("print flood", "while True: print('x' * 1000)", Verdict.STOPPED, "printed more than"),
    Trick("always false", "assert not make_queue()", Verdict.FAIL, "test_odd fails by AssertionError"),
    Trick("unknown method", "make_queue()[0].pol('A', 1)", Verdict.FAIL, "AttributeError: there is no pol"),
    Trick("not plain", "make_queue()[0].submit(object())", Verdict.FAIL, "TypeError: only plain values"),
    Trick("KeyboardInterrupt", "raise KeyboardInterrupt", Verdict.FAIL, "KeyboardInterrupt"),
    Trick("a yield", "make_queue()\nyield", Verdict.FAIL, "test_odd returns a generator"),
    Trick("fork", "import os\nos.fork()\nmake_queue()[0].submit('x')", Verdict.PASS, ""),
]


@pytest.mark.parametrize("trick", TRICKS, ids=[trick.name for trick in TRICKS])
def test_a_bad_test_is_named_and_the_others_still_count(trick: Trick) -> None:
    """It costs the points for passing on right queues, in time; the good test catches what it catches."""
    if trick.name == "fork" and sys.platform == "win32":
        pytest.skip("Windows has no fork")
    before = time.monotonic()
    result = graded(with_test(trick.body))
    assert time.monotonic() - before < LONGEST_SECONDS
    check = named(result, "right_queue")
    assert check.verdict is trick.verdict
    assert trick.says in f"{check.reason} {check.got}"
    assert verdicts(result)["by_id_and_running"] is Verdict.PASS


def test_a_test_that_nobody_awaits_is_no_test() -> None:
    """Nothing of it runs, so that it would pass on every queue."""
    check = named(graded(ZOMBIE.replace("def test", "async def test")), "one_sound_test")
    assert check.verdict is Verdict.FAIL
    assert "test_a_zombie returns a coroutine" in check.got


def test_a_test_that_counts_its_runs_catches_nothing() -> None:
    """It passes on the three right queues and fails from then on, on whichever: it is named, and no more."""
    body = """import sys
sys.turns = getattr(sys, 'turns', 0) + 1
queue, clock = make_queue()
queue.submit('x')
queue.poll('A', 10)
clock.advance(10)
queue.view('J1')
assert sys.turns <= 3"""
    check = named(graded(with_test(body)), "late_by_one")
    assert check.verdict is Verdict.FAIL
    assert check.trace[0] == "test_odd -> now it passes, now it fails: it does not count"


def test_a_test_that_fails_on_the_right_queue_catches_nothing() -> None:
    """It fails on every queue, so it fails on the flawed ones too; that is no merit."""
    result = graded(
        "def test_nothing_is_right(make_queue):\n    make_queue()[0].submit('x')\n    assert False\n"
    )
    assert result.points == 0
    assert "test_nothing_is_right" in words(result)


@pytest.mark.parametrize(
    ("text", "verdict", "says"),
    [
        ("", Verdict.NOT_ATTEMPTED, "There is no test in the file yet"),
        ("def check_it(make_queue):\n    pass\n", Verdict.NOT_ATTEMPTED, "There is no test in the file yet"),
        ("def test_it(make_queue):\n    pass\n", Verdict.FAIL, "test_it: no call"),
        ("def test_it():\n    pass\n", Verdict.FAIL, "TypeError"),
        ("def test_it(make_queue)\n    pass\n", Verdict.FAIL, "SyntaxError"),
        ("import jobqueue.queue\n", Verdict.NOT_ATTEMPTED, "Build it yourself"),
    ],
)
def test_a_file_without_a_sound_test_earns_nothing(text: str, verdict: Verdict, says: str) -> None:
    """Nothing to run, nothing asked, or nothing that can be read."""
    result = graded(text)
    assert result.points == 0
    first = named(result, "one_sound_test")
    assert first.verdict is verdict
    assert says in f"{first.reason} {first.got}"


def test_the_flaws_are_nowhere_in_the_process_of_the_tests() -> None:
    """What a test holds is a name for each method; the code behind it runs elsewhere, its files are closed."""
    body = f"""import gc
queue, clock = make_queue()
queue.submit('x')
assert not [name for name in dir(queue) if name.startswith('_')]
texts = [one for one in gc.get_objects() if type(one) is dict and one.get('__name__') == 'subject_late_by_one']
assert texts == []
try:
    open({str(EXERCISE.folder / "flaws.toml")!r})
except PermissionError:
    pass"""
    result = graded(with_test(body))
    assert result.points == 0
    assert "The answer opens the exercise's own files" in words(result)
    assert graded(with_test(body.partition("try:")[0])).points > 0


def test_a_hidden_flaw_is_told_by_its_family_alone() -> None:
    """Neither a report nor the names of the checks tell which flaws there are."""
    told = words(graded(ZOMBIE)) + str(graded(ZOMBIE).as_json())
    assert len(HIDDEN) >= 12
    for flaw in HIDDEN:
        assert flaw.id not in told
        assert f"wrong about {flaw.family}" in told


def drawn(seed: int) -> list[str]:
    """The hidden flaws that this seed draws, family by family."""
    cases = {family: Case(lambda *_: {}, "", seed=seed) for family in SUBJECTS.families}
    return [one.id for family, case in cases.items() for one in SUBJECTS.drawn(family, case.hide(family))]


def test_each_seed_draws_one_flaw_of_each_kind_and_the_same_ones_again() -> None:
    """Twenty of them, whatever the seed; and no flaw that no seed draws."""
    assert drawn(1) != drawn(2)
    assert drawn(1) == drawn(1)
    assert {len(drawn(seed)) for seed in range(50)} == {20}
    assert {one for seed in range(50) for one in drawn(seed)} == {flaw.id for flaw in HIDDEN}
    assert all(len(variants) > 1 for variants in SUBJECTS.hidden())


def test_a_test_file_that_misses_one_variant_is_told_the_family_for_some_seed() -> None:
    """The late look catches a job that ends ten too early, not one that ends one too early."""
    text = EXERCISE.text("solution.py").replace("clock.advance_to(9_999)", "clock.advance_to(9_995)")
    hard = next(seed for seed in range(50) if "early_by_one" in drawn(seed))
    easy = next(seed for seed in range(50) if "early_by_ten" in drawn(seed))
    missed, again, lucky = graded(text, hard), graded(text, hard), graded(text, easy)
    assert missed == again
    assert lucky.passed
    assert missed.named(Verdict.FAIL) == ["leases_2"]
    check = named(missed, "leases_2")
    told = (check.how, check.trace, check.expected, check.got, check.line, check.printed)
    assert told == ("hidden", ("a hidden queue of the family 'leases'",), "", "", None, "")
    assert (missed.points, lucky.points, missed.possible) == (31, 32, 32)
    grade = record.graded(missed, EXERCISE)
    for said in (words(missed), str(grade)):
        assert "family 'leases'" in said.replace("\\'", "'")
        assert "checks pass" not in said
        assert not any(flaw.id in said for flaw in HIDDEN)
        assert "9_995" not in said


def test_the_solution_passes_and_the_seed_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """As for every exercise with something hidden: a seed of one's own, or a new one."""
    with caplog.at_level(logging.INFO, logger="exercises.grader.judging.case"):
        for seed in (None, None, 7):
            assert graded(EXERCISE.text("solution.py"), seed).passed
    told = [message.rpartition(" ")[2] for message in caplog.messages if "family retries" in message]
    seeds = list(dict.fromkeys(told))
    assert len(seeds) == 3
    assert seeds[2] == "7"


def test_a_hole_of_one_task_does_not_hide_the_flaws_of_another() -> None:
    """The learner writes task by task and wants to know how far the first ones are."""
    hole = 'def test_tokens(make_queue):\n    raise NotImplementedError("ex13, task 4: tokens")\n'
    found = verdicts(graded(ZOMBIE + hole))
    assert found["late_by_one"] is Verdict.FAIL
    assert found["tokens_1"] is Verdict.NOT_ATTEMPTED
    line = named(graded(ZOMBIE + hole), "tokens_1").line
    assert line is not None
    assert line.text.startswith("raise NotImplementedError")
    assert found["right_queue"] is Verdict.PASS


def right_queue() -> RemoteObjects:
    """A right queue, as a test that a learner writes gets it."""
    return RemoteObjects(SUBJECTS.rights["right_queue"], SUBJECTS.methods)


def asks(remote: RemoteObjects, number: int | None, name: str, *args: Any, **options: Any) -> dict[str, Any]:
    """One request as it comes over the pipe."""
    return remote.serve({"kind": "asks", "name": name, "value": pack([number, args, options])})


def test_a_loan_passes_values_and_names_of_errors() -> None:
    """Whatever the queue raises comes back by its name."""
    remote = right_queue()
    assert [number for number, _ in asks(remote, None, "make_queue")["remote"]] == [0, 1]
    assert asks(remote, 0, "submit", "mail", priority=1) == {"do": "told", "value": "J1"}
    assert asks(remote, 0, "complete", "J1", "x")["error"] == "StaleTokenError"
    assert asks(remote, 0, "_settle")["error"] == "AttributeError"
    assert asks(remote, 7, "poll")["error"] == "IndexError"
    assert remote.asked[0] == Asked(0, "submit", ("mail", 1), "J1")


def test_a_loan_ends_after_too_many_calls() -> None:
    """A test that asks for ever is stopped."""
    remote = right_queue()
    asks(remote, None, "make_queue")
    for _ in range(MOST_CALLS - 1):
        asks(remote, 1, "now")
    with pytest.raises(Stopped, match="more than 2,000 calls"):
        asks(remote, 1, "now")


def test_a_loan_knows_where_another_queue_would_answer_otherwise() -> None:
    """The calls up to the first that differs; none if there is none."""
    late = next(flaw for flaw in SUBJECTS.flaws if flaw.id == "late_by_one")
    remote = right_queue()
    asks(remote, None, "make_queue")
    asks(remote, 0, "submit", "mail")
    asks(remote, 0, "poll", "A", 10)
    assert remote.difference(SUBJECTS.flawed(late)) is None
    asks(remote, 1, "advance", 10)
    asks(remote, 0, "view", "J1")
    asks(remote, 0, "view", "J1")
    differs = remote.difference(SUBJECTS.flawed(late))
    assert differs is not None
    assert [call.method for call in differs] == ["submit", "poll", "advance", "view"]


def test_tests_that_take_too_long_leave_time_for_the_flaws() -> None:
    """Half of the time is for trying tests on the right queues. What the tried ones catch is scored."""
    heavy = "".join(
        f"def test_heavy_{n}(make_queue):\n    queue, clock = make_queue()\n"
        f"    for _ in range(900):\n        queue.submit('mail')\n\n\n"
        for n in range(59)
    )
    hurried = replace(EXERCISE, limits=replace(EXERCISE.limits, total_seconds=4.0))
    began = time.monotonic()
    result = runner.run(hurried, (ZOMBIE + heavy).encode(), PurePosixPath("answers/ex13.py"), copies=False)
    assert time.monotonic() - began < LONGEST_SECONDS
    assert {"one_sound_test", "by_id_and_running"} <= set(result.named(Verdict.PASS))
    assert set(verdicts(result).values()) == {Verdict.PASS, Verdict.INCONCLUSIVE}
    assert "of your 60 tests were tried" in named(result, "right_queue").reason
