"""The steps of a queue, as the operations outside of `queue.py` use them."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from jobqueue.events import EventKind
from jobqueue.lifecycle import Lifecycle
from jobqueue.model import Job, Lease
from jobqueue.recorder import Recorder
from jobqueue.store import Access, Store
from jobqueue.submission import JobRequest
from jobqueue.transitions import Changes

Details = Callable[[], Mapping[str, Any]]


class Steps(Protocol):
    """The steps of a queue, of which the operations here are made, too."""

    _store: Store
    _rules: Lifecycle
    _recorder: Recorder
    _now: int

    def _expire_due(self) -> int: ...
    def _end_what_is_due(self) -> int: ...
    def _find(self, job_id: str) -> Job: ...
    def _accept(self, request: JobRequest, now: int) -> str: ...
    def _hand_out(self, worker_id: str, lease_millis: int, access: Access, now: int) -> Lease | None: ...
    def _put(
        self, job: Job, changes: Changes, at: int, kind: EventKind | None = ..., details: Details = ...
    ) -> Job: ...
    def _drop(self, job: Job, at: int) -> None: ...
