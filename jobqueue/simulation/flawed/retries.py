"""Mistakes about rests and new sets of attempts."""

from collections.abc import Callable, Mapping
from typing import Any

from jobqueue.lifecycle import DEAD
from jobqueue.model import Job
from jobqueue.queue import JobQueue
from jobqueue.retry import RetryPolicy, RetryRule

Told = Callable[[], Mapping[str, Any]]


class _TooEarly(RetryPolicy):
    def backoff_millis(self, attempt: int) -> int:
        """Return the rest, doubled once too often."""
        return min(self.max_backoff_millis, self.base_backoff_millis << attempt)


class _Uncapped(RetryPolicy):
    def backoff_millis(self, attempt: int) -> int:
        """Return the rest, however long."""
        return self.base_backoff_millis << (attempt - 1)


class _OnTop(RetryRule):
    def delay_millis(self, job_id: str, attempt: int, generation: int, previous: int | None) -> int:
        """Return the capped rest, and the jitter on top of it."""
        backoff = self.policy.backoff_millis(attempt)
        return backoff + super().delay_millis(job_id, attempt, generation, previous)


class _OtherPolicy(JobQueue):
    """Rests by another policy than it was given."""

    _policy: type[RetryPolicy] = RetryPolicy

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        told = self._rule.policy
        policy = self._policy(told.max_attempts, told.base_backoff_millis, told.max_backoff_millis)
        self._rule = RetryRule(policy, self._rule.jitter)


class DoublesTooEarly(_OtherPolicy):
    """The first rest is doubled already: attempts are counted from 1, and the power begins at 0."""

    _policy = _TooEarly


class NoCap(_OtherPolicy):
    """The rest doubles for ever."""

    _policy = _Uncapped


class JitterOnTop(JobQueue):
    """Jitter is added after the cap, so rests grow beyond it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._rule = _OnTop(self._rule.policy, self._rule.jitter)


class KeepsAttempts(JobQueue):
    """A job that is brought back from the dead keeps the attempts that it had used up."""

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        if before is not None and before.status is DEAD:
            after = after._replace(attempts=before.attempts)
        return super()._commit(before, after, at, told)
