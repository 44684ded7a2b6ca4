"""Request keys: the same request twice makes one job, and another request under the same key is refused."""

import json
from hashlib import sha256

from jobqueue.errors import RequestKeyConflictError
from jobqueue.model import Job


def content_hash(**content: object) -> str:
    """Return the SHA-256 of what was submitted, as the caller gave it (None stays None), in hexadecimal.

    >>> content_hash(type="mail", payload="a") == content_hash(payload="a", type="mail")
    True
    >>> content_hash(priority=0) == content_hash(priority=None)
    False
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


class RequestKeys:
    """Which job each key of each tenant stands for."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, str], str] = {}

    def find(self, tenant: str, request_key: str) -> str | None:
        """Return the id of the job of a key."""
        return self._jobs.get((tenant, request_key))

    def bind(self, job: Job) -> None:
        """Let a job's key stand for it."""
        if job.request_key is not None:
            self._jobs[job.tenant, job.request_key] = job.id

    def forget(self, job: Job) -> None:
        """Let a job's key be free again."""
        if job.request_key is not None:
            self._jobs.pop((job.tenant, job.request_key), None)


def check_same(job: Job, asked: str) -> None:
    """Refuse a request whose content is not that of the job that has its key."""
    if job.content_hash != asked:
        raise RequestKeyConflictError(
            f"cannot submit under request key {job.request_key!a}: it stands for {job.id} with content "
            f"{job.content_hash}, and this content is {asked}; use another key for another request",
            job_id=job.id,
            operation="submit_once",
            status=job.status,
        )
