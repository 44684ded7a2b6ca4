"""Mistakes about backoff and new sets of attempts."""

from typing import Any

from jobqueue.lifecycle import Lifecycle
from jobqueue.model import Job
from jobqueue.simulation.flawed.queue import FlawedQueue
from jobqueue.transitions import Changes


class _DoublesTooEarly(Lifecycle):
    def backoff_millis(self, job: Job) -> int:
        policy = self.retry.policy
        return min(policy.max_backoff_millis, policy.base_backoff_millis << job.attempts)


class DoublesTooEarly(FlawedQueue):
    """The first backoff is doubled already: attempts are counted from 1, and the power begins at 0."""

    rules = _DoublesTooEarly


class _NoCap(Lifecycle):
    def backoff_millis(self, job: Job) -> int:
        return self.retry.policy.base_backoff_millis << (job.attempts - 1)


class NoCap(FlawedQueue):
    """The backoff doubles without end."""

    rules = _NoCap


class _JitterOnTop(Lifecycle):
    def backoff_millis(self, job: Job) -> int:
        return self.retry.policy.backoff_millis(job.attempts) + super().backoff_millis(job)


class JitterOnTop(FlawedQueue):
    """Jitter is added after the cap, so backoffs grow beyond it."""

    rules = _JitterOnTop


class _KeepsAttempts(Lifecycle):
    def redriven(self, job: Job, now: int, **options: Any) -> Changes:
        return {**super().redriven(job, now, **options), "attempts": job.attempts}


class KeepsAttempts(FlawedQueue):
    """A redriven job keeps the attempts that it had used up."""

    rules = _KeepsAttempts
