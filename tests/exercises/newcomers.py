"""Answers as newcomers write them: right but for one mistake, and built unlike the kit's own mutants."""

from tests.exercises.grading import EXERCISE, SOLUTION

BY_TABLE = (EXERCISE.folder / "alternatives" / "leases_by_token.py").read_text(encoding="utf-8")
ON_READ = (EXERCISE.folder / "alternatives" / "computed_on_read.py").read_text(encoding="utf-8")
TASKS_3_AND_4 = (
    "        self._finish(job_id, token, done=True)",
    "        self._finish(job_id, token, error=error)",
)


def changed(text: str, *edits: tuple[str, str]) -> str:
    """The text with one place after the other replaced."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


ASSERTION = changed(
    BY_TABLE,
    (
        '            raise StaleTokenError(f"no lease on {job_id} has the token {token}")',
        '            raise AssertionError("not yours")',
    ),
)
VALUE_ERROR_IN_COMPLETE = changed(
    ON_READ,
    (
        TASKS_3_AND_4[0],
        """        try:
            self._finish(job_id, token, done=True)
        except StaleTokenError:
            raise ValueError(token) from None""",
    ),
)
KEY_ERROR = changed(BY_TABLE, ("lease = self._leases.get(token)", "lease = self._leases[token]"))
SILENT_COMPLETE = changed(
    BY_TABLE,
    (
        '        self._take_back(job_id, token)\n        self._views[job_id].status = "SUCCEEDED"',
        """        self._drop_old_leases()
        if token in self._leases and self._leases[token].job_id == job_id:
            self._take_back(job_id, token)
            self._views[job_id].status = "SUCCEEDED\"""",
    ),
)
SILENT_EVERYWHERE = changed(
    ON_READ,
    ("            raise StaleTokenError(token)", "            return"),
)
CLOCK_TOKEN = changed(
    ON_READ, ('token = f"{worker_id} #{self._tokens}"', 'token = f"J{index + 1} at {self._clock.now()}"')
)
NAME_AND_CLOCK_TOKEN = changed(ON_READ, ("#{self._tokens}", "at {self._clock.now()}"))
NO_REASON = changed(
    BY_TABLE,
    (
        'self._wait_again(self._leases.pop(token).job_id, "lease expired")',
        "self._wait_again(self._leases.pop(token).job_id, None)",
    ),
)
OTHER_REASON = changed(ON_READ, ('error="lease expired"', 'error="expired"'))
NAMES_TABLE = changed(
    SOLUTION,
    (
        "        self._jobs: dict[str, _Job] = {}",
        "        self._jobs: dict[str, _Job] = {}\n        self._names = {}",
    ),
    (
        "        job.lease_until = self._clock.now() + lease_millis",
        """        job.lease_until = self._clock.now() + lease_millis
        job.worker = self._names[job.token] = worker_id""",
    ),
    ('    token: str = ""\n', '    token: str = ""\n    worker: str = ""\n'),
    ("or token != job.token", "or self._names.get(token) != job.worker"),
)
ONE_TOKEN_SO_FAR = changed(
    ON_READ,
    ('token = f"{worker_id} #{self._tokens}"', 'token = f"J{index + 1}"'),
    (TASKS_3_AND_4[0], '        raise NotImplementedError("ex03, task 3: complete")'),
    (TASKS_3_AND_4[1], '        raise NotImplementedError("ex03, task 4: fail")'),
)
NAME_SO_FAR = changed(ONE_TOKEN_SO_FAR, ('token = f"J{index + 1}"', 'token = f"J{index + 1} for {worker_id}"'))
ONE_MILLISECOND_EARLY = changed(
    ON_READ, ("job.lease.lease_until <= self._clock.now()", "job.lease.lease_until <= self._clock.now() + 1")
)
RESET_AT_EXPIRY = changed(
    SOLUTION,
    (
        '                self._end_attempt(job, "lease expired")',
        '                self._end_attempt(job, "lease expired")\n                job.generation = 0',
    ),
)
CRASH = changed(BY_TABLE, ("lease.job_id != job_id:", "lease.jobid != job_id:"))
