"""Wrong answers that learners gave, built unlike the kit's own mutants: each is found, and has its name."""

import pytest

from exercises.grader.judging import catalogue
from exercises.grader.judging.records import Result, Verdict
from exercises.grader.proving import grading
from tests.exercises.newcomers import changed

DRAWN = "        return self._base + draw(seed, job_id, generation, most - self._base)"
FULL = "        return draw(seed, job_id, generation, self.rest(attempt))"
REST = """        doublings = min(attempt - 1, self._cap.bit_length())
        return min(self._cap, self._base * 2**doublings)"""
IN_A_LOOP = """        rest = self._base
        for _ in range(attempt - 1):
            rest = min(self._cap, rest * 2)
        return rest"""
UNKNOWN = "for name in dict.fromkeys(job_ids) if"
BREAK = "            self._expire(job, job.lease_until)\n"
RETURN = "        job.run_at = run_at\n        job.attempts = 0\n"
GIVEN_BACK = "        job.waiting = True\n        job.run_at = run_at\n"
CHOSEN = "chosen = min(ready, key=lambda job: (-job.priority, job.run_at, job.number), default=None)"
PLAUSIBLE = {
    "ex01 given back at once": (
        (GIVEN_BACK, "        job.waiting = True\n        job.run_at = 0\n"),
        "new_time_forgotten",
    ),
    "ex01 a copy comes back": (
        (GIVEN_BACK, "        self._jobs.append(_Job(len(self._jobs) + 1, job.priority, run_at))\n"),
        "stranger_comes_back",
    ),
    "ex01 the first of a sorted list": (
        (CHOSEN, CHOSEN.replace("min(", "sorted(").replace(", default=None)", ")[0]")),
        "nobody_breaks_it",
    ),
    "ex01 the next of an iterator": (
        (CHOSEN, CHOSEN.replace("min(", "next(iter(sorted(").replace(", default=None)", ")))")),
        "nobody_breaks_it",
    ),
    "ex01 the id of None": (
        (
            "return None if chosen is None else",
            "chosen = chosen or None\n        return",
        ),
        "nobody_has_an_id",
    ),
    "ex02 a break in the loop": ((BREAK, f"{BREAK}            break\n"), "one_end_for_each_call"),
    "ex02 the filter is forgotten": ((" and job.run_at <= now]", "]"), "rest_not_asked_for"),
    "ex03 a number for all jobs": (
        ('f"{job.id}:{job.generation}"', 'f"T{job.attempts}"'),
        "one_token_for_two_jobs",
    ),
    "ex04 a loop": ((REST, IN_A_LOOP), "all_doublings"),
    "ex04 lifted to the base": (
        (DRAWN, "        return max(self._base, draw(seed, job_id, generation, most))"),
        "cut_off_at_the_base",
    ),
    "ex04 at least one": (
        (FULL, "        return 1 + draw(seed, job_id, generation, self.rest(attempt) - 1)"),
        "never_nothing",
    ),
    "ex05 unknown, last first": (
        (UNKNOWN, UNKNOWN.replace("dict", "list(dict").replace(") if", "))[::-1] if")),
        "unknown_in_another_order",
    ),
    "ex05 unknown, sorted": ((UNKNOWN, "for name in sorted(set(job_ids)) if"), "unknown_in_another_order"),
    "ex05 moved to the end": (
        (RETURN, f"{RETURN}        self._jobs[job_id] = self._jobs.pop(job_id)\n"),
        "back_of_the_line",
    ),
    "ex05 run_at as it was": ((RETURN, "        job.attempts = 0\n"), "run_at_of_before"),
}


def graded(short: str, text: str) -> Result:
    """Check a text as if a learner had written it; once, as long as nothing changes that decides."""
    return grading.graded(catalogue.find(short), [text], 1)[0]


@pytest.mark.parametrize("name", PLAUSIBLE)
def test_a_plausible_wrong_turn_is_named_without_doubt(name: str) -> None:
    """By what it does, not by how it is built."""
    edit, misconception = PLAUSIBLE[name]
    short = name.partition(" ")[0]
    found = graded(short, changed(catalogue.find(short).text("solution.py"), edit)).diagnosis
    assert found is not None
    assert (found.misconception, found.exact, found.against) == (misconception, True, ())


@pytest.mark.parametrize(
    "code",
    [
        'raise OSError("no space left")',
        'open("/nowhere/jobs.txt")',
        'raise RuntimeError("later")',
        'raise ValueError("nobody is ready")',
        "return {}[now]",
        "return 1 // 0",
    ],
)
def test_an_error_of_another_kind_in_an_empty_room_is_not_told_as_a_choice_from_nothing(code: str) -> None:
    """It stands in the report in Python's words, and nothing is claimed about it."""
    text = changed(
        catalogue.find("ex01").text("solution.py"),
        (CHOSEN, f"if not ready:\n            {code}\n        {CHOSEN}"),
    )
    result = graded("ex01", text)
    assert result.named(Verdict.FAIL)[0] == "nobody_there"
    assert result.diagnosis is None
