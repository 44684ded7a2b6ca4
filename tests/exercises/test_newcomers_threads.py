"""Answers to ex06 and ex07 as newcomers write them: built unlike the kit's own mutants, and told the truth."""

from functools import cache
from pathlib import Path

import pytest

from exercises.grader.judging import catalogue
from exercises.grader.judging.records import Result, Verdict
from exercises.grader.proving.grading import graded as graded_once

ANSWERS = Path(__file__).parent / "newcomers_answers"
RIGHT = "right"
Edit = tuple[str, str]


def in_method(name: str, text: str, new: str, signature: str = "") -> Edit:
    """The edit that replaces the beginning of one method's body."""
    begin = f"    def {name}(self{signature}):\n"
    return begin + text, begin + new


LOCK_06, LOCK_07 = "        with self._lock:\n", "        with self.lock:\n"
NONE, OWN, SECOND = "        if True:\n", "        with threading.Lock():\n", "        with self._second:\n"
SHARED = {
    "submit": ', type, payload=""',
    "poll": ", worker_id",
    "complete": ", job_id, token",
    "fail": ", job_id, token, error",
    "view": ", job_id",
    "counts": "",
}
WHOLE = {
    "submit": ', type, payload="", priority=0, run_at_millis=None',
    "poll": ", worker_id, lease_millis",
    "complete": ", job_id, token",
    "fail": ", job_id, token, error",
    "renew": ", job_id, token, lease_millis",
    "cancel": ", job_id",
    "retry_dead": ", job_id",
    "view": ", job_id",
    "dead_letters": "",
}
TWO_LOCKS = ("        self._n = 0\n", "        self._n = 0\n        self._second = threading.Lock()\n")
PLAIN_LOCK = ("threading.RLock()", "threading.Lock()")


def shared(name: str, new: str = NONE) -> Edit:
    """One method of ex06 with something else than the lock."""
    return in_method(name, LOCK_06, new, SHARED[name])


def whole(name: str, new: str = NONE) -> Edit:
    """One method of ex07 with something else than the lock."""
    return in_method(name, LOCK_07, new, WHOLE[name])


def unsettled(name: str) -> Edit:
    """One method of ex07 that does not look whose lease is over."""
    old = f"{LOCK_07}            {'now = ' * (name in {'renew', 'retry_dead'})}self._sweep()\n"
    new = LOCK_07 + "            now = self.clock.now()\n"
    return in_method(name, old, new, WHOLE[name])


def flagged(wait: str) -> tuple[Edit, ...]:
    """The queue of ex07 with a flag of its own in place of the lock."""
    kind = f"""class Busy:
    def __init__(self):
        self.busy = False

    def __enter__(self):
        while self.busy:
{wait}        self.busy = True

    def __exit__(self, *_):
        self.busy = False


class JobQueue:
"""
    return (
        ("class JobQueue:\n", kind),
        ("threading.RLock()", "Busy()"),
        ("import threading\n", "import threading\nimport time\n"),
    )


SWEPT = f"{LOCK_07}            now = self._sweep()\n"
KEY = '(-j["priority"], j["run_at"], j["n"])'
NEW_TOKEN = 'f"t{self.t}"'  # noqa: S105  a text of the answer
COUNTED = """            for j in self._jobs.values():
                if j["status"] == Status.PENDING:
                    p += 1"""
RETURNED = '            j["attempts"] = 0\n            j["run_at"] = now\n'
RENEWED = '            j["until"] = max('
BUSY = """        if not self._lock.acquire(blocking=False):
            return None
        self._lock.release()
"""
TURNS: dict[str, dict[str, tuple[str, tuple[Edit, ...]]]] = {
    "ex06": {
        "one loop without the lock": ("counts_without_lock", (shared("counts"),)),
        "a copy without the lock": (
            "counts_without_lock",
            (shared("counts"), (COUNTED, COUNTED.replace("self._jobs.values()", "list(self._jobs.values())"))),
        ),
        "only view without it": ("view_without_lock", (shared("view"),)),
        "only fail without it": ("fail_without_lock", (shared("fail"),)),
        "only complete without it": ("complete_without_lock", (shared("complete"),)),
        "only poll without it": ("poll_without_lock", (shared("poll"),)),
        "a second lock for complete": ("a_lock_for_each_method", (shared("complete", SECOND), TWO_LOCKS)),
        "no lock": ("no_lock_anywhere", tuple(shared(name) for name in SHARED)),
        "a lock for each call": ("lock_per_call", tuple(shared(name, OWN) for name in SHARED)),
        "twice": (
            "asks_for_its_own_lock",
            (
                (
                    "                    self._t += 1\n",
                    "                    with self._lock:\n                        self._t += 1\n",
                ),
            ),
        ),
        "two orders": (
            "two_locks_in_two_orders",
            (
                shared("poll", "        with self._lock, self._second:\n"),
                shared("fail", "        with self._second, self._lock:\n"),
                TWO_LOCKS,
            ),
        ),
        "busy": ("gives_up_when_busy", (shared("poll", BUSY + LOCK_06),)),
    },
    "ex07": {
        **{
            f"{name} does not settle": ("one_call_does_not_settle", (unsettled(name),))
            for name in ("complete", "cancel", "renew", "retry_dead", "dead_letters")
        },
        "an error of its own": (
            "stale_is_no_illegal_state",
            (("class StaleTokenError(IllegalStateError)", "class StaleTokenError(Exception)"),),
        ),
        "0 means now": (
            "zero_means_now",
            (("now if run_at_millis is None else run_at_millis", "run_at_millis or now"),),
        ),
        "the past means now": (
            "past_means_now",
            (("now if run_at_millis is None else run_at_millis", "max(now, run_at_millis or 0)"),),
        ),
        "what is over means now": (
            "past_means_now",
            (
                (
                    "now if run_at_millis is None else run_at_millis",
                    "run_at_millis if run_at_millis and run_at_millis > now else now",
                ),
            ),
        ),
        "a token for each job": ("token_by_job", ((NEW_TOKEN, "f\"t of {j['id']}\""),)),
        "a token for job and worker": ("token_by_worker", ((NEW_TOKEN, "f\"{j['id']} of {worker_id}\""),)),
        "a token for each attempt": ("token_by_attempt", ((NEW_TOKEN, "f\"attempt {j['attempts']}\""),)),
        "the time as token": ("token_from_the_clock", ((NEW_TOKEN, 'f"t{now}"'),)),
        "priority upside down": ("lowest_priority_first", ((KEY, KEY.replace("-", "")),)),
        "run_at left out": ("run_at_not_compared", ((KEY, '(-j["priority"], j["n"])'),)),
        "token kept": (
            "token_outlives_its_lease",
            (
                ('        j["token"] = None\n        if', "        if"),
                ('j["status"] != "RUNNING" or j["token"] != token', 'j["token"] != token'),
            ),
        ),
        "no lock": ("no_lock_anywhere", tuple(whole(name) for name in WHOLE)),
        "only poll has it": ("not_every_method_locks", tuple(whole(name) for name in WHOLE if name != "poll")),
        "twice": (
            "asks_for_its_own_lock",
            (
                PLAIN_LOCK,
                (
                    "        j = self._get(job_id)\n        if",
                    "        with self.lock:\n            j = self._get(job_id)\n        if",
                ),
            ),
        ),
        "the sweep first, then the lock": (
            "sweep_outside_the_lock",
            (
                in_method(
                    "poll", SWEPT, "        now = self._sweep()\n        with self.lock:\n", WHOLE["poll"]
                ),
            ),
        ),
        "cancel of RUNNING": (
            "cancel_of_running",
            (('if j["status"] != "PENDING":', 'if j["status"] not in ("PENDING", "RUNNING"):'),),
        ),
        "a new token each time": (
            "new_token_on_renewal",
            ((RENEWED, f'            self.t += 1\n            j["token"] = f"t{{self.t}}"\n{RENEWED}'),),
        ),
        "error cleared": (
            "error_cleared_on_return",
            ((RETURNED, RETURNED + '            j["error"] = None\n'),),
        ),
        "run_at kept": ("run_at_kept_on_return", ((RETURNED, '            j["attempts"] = 0\n'),)),
        "moved to the end": (
            "back_to_the_end",
            ((RETURNED, RETURNED + "            self.jobs[job_id] = self.jobs.pop(job_id)\n"),),
        ),
        "linear": ("linear_backoff", (('2 ** (j["attempts"] - 1)', 'j["attempts"]'),)),
        "never longer": ("constant_backoff", ((' * 2 ** (j["attempts"] - 1)', ""),)),
    },
}
FLAGS = {
    "a flag": flagged("            pass\n"),
    "a flag, and a nap": flagged("            time.sleep(0.001)\n"),
}
ALL = [(short, turn) for short, turns in TURNS.items() for turn in turns]


def changed(text: str, *edits: Edit) -> str:
    """The text with one place after the other replaced."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@cache
def graded(short: str) -> dict[str, Result]:
    """Each wrong turn of an exercise with its result; and the answer without any."""
    text = (ANSWERS / f"{short}.txt").read_text(encoding="utf-8")
    texts = {RIGHT: text} | {turn: changed(text, *edits) for turn, (_, edits) in TURNS[short].items()}
    if short == "ex07":
        texts |= {turn: changed(text, *edits) for turn, edits in FLAGS.items()}
    return dict(zip(texts, graded_once(catalogue.find(short), list(texts.values())), strict=True))


@pytest.mark.parametrize("short", TURNS)
def test_the_newcomer_s_own_answer_is_right(short: str) -> None:
    """Else the turns below would prove nothing."""
    assert graded(short)[RIGHT].passed


@pytest.mark.parametrize(("short", "turn"), ALL, ids=[f"{short} {turn}" for short, turn in ALL])
def test_a_wrong_turn_fails_and_is_called_by_its_name(short: str, turn: str) -> None:
    """Without a word that its own trace disproves."""
    result = graded(short)[turn]
    found = result.diagnosis
    assert found is not None
    assert (found.misconception, found.rivals, found.against) == (TURNS[short][turn][0], (), ())


@pytest.mark.parametrize("turn", FLAGS)
def test_a_flag_in_place_of_a_lock_is_caught_and_never_called_by_another_name(turn: str) -> None:
    """Its gap is narrow: which checks find it depends on how it is built, and so does whether it is named."""
    result = graded("ex07")[turn]
    by_a_gap = [check for check in result.checks if ", by a gap, no lock" in check.how]
    assert by_a_gap
    assert result.diagnosis is None or result.diagnosis.misconception == "flag_for_a_lock"


@pytest.mark.parametrize("turn", ["a token for each job", "a token for job and worker", "the time as token"])
def test_a_repeated_token_is_headlined_by_the_promise_about_tokens(turn: str) -> None:
    """It breaks no promise about leases, rests or order, so none of these checks fails."""
    failed = graded("ex07")[turn].named(Verdict.FAIL)
    assert failed[0] == "fresh_token"
    assert {*failed} <= {"fresh_token", "dead_and_back", "tokens", "own_lease"}


def test_a_crash_where_threads_meet_is_told_in_python_s_words() -> None:
    """It is no refusal, and the message says what was changed meanwhile."""
    checks = graded("ex07")["only poll has it"].checks
    crash = next(check for check in checks if check.name == "list_and_submit")
    assert "RuntimeError: dictionary changed size during iteration" in crash.got


def test_who_waits_for_a_lock_of_its_own_learns_where_it_took_it() -> None:
    """Both lines, and no talk of a lock that somebody else forgot to give back."""
    first = graded("ex07")["twice"].checks[0]
    assert first.verdict is Verdict.FAIL
    assert "it asks for a lock in line " in first.got
    assert "the same call has taken this lock already in line " in first.got
