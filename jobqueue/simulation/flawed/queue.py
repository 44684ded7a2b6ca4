"""A queue whose rules are wrong in one place, and right in all others."""

from typing import Any

from jobqueue.lifecycle import Lifecycle
from jobqueue.queue import JobQueue


class FlawedQueue(JobQueue):
    """A queue with the rules of its class; each flaw is a `Lifecycle` with one method overridden."""

    rules: type[Lifecycle]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"lifecycle": self.rules, **options})
