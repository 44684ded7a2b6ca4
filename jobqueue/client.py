"""A queue that is reached over HTTP: the same methods, the same records, the same errors.

Every request has a bound in time; whatever goes wrong on the way is a `StoreError`. Asking again is then safe
for a completion, a renewal, and a submit with a request key.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from jobqueue import errors
from jobqueue.arguments import LARGEST_INTEGER, check_asked, check_integer, check_string, error_text
from jobqueue.audit import Redrive, RedriveRow
from jobqueue.model import Lease
from jobqueue.statistics import Stats
from jobqueue.submission import Submission
from jobqueue.views import Attempt, JobView
from jobqueue.wire import LARGEST_ANSWER, LARGEST_BODY, Answered, from_wire, reference, snake

TIMEOUT_SECONDS = 10.0
_PREFIX = "/api/v1"
_NO_GENERATION = LARGEST_INTEGER
_LONGEST_GENERATION, _LARGEST_ERROR = 15, 240_000
_MOST_ESCAPED = 35_000  # characters: they fit into a body even if each of them needs an escape

Answer = tuple[int, bytes]
Transport = Callable[[str, str, bytes | None, Mapping[str, str]], Answer]


class QueueClient:
    """The operations of a `JobQueue`, as far as the API has them and the token allows.

    Args:
        url: where the board is served, such as http://127.0.0.1:8000/
        token: a bearer token; its role says which operations it is good for.
        timeout: in seconds, for each step of a request.
        transport: sends a request and returns (status, body).
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = TIMEOUT_SECONDS, transport: Transport | None = None
    ) -> None:
        self._token = token
        self._send = Connecting(url, timeout) if transport is None else transport

    # -- producers ---------------------------------------------------------------------------------------

    def submit(
        self,
        type: str,
        payload: str | None = "",
        priority: int = 0,
        run_at_millis: int | None = None,
        *,
        tenant: str | None = None,
        deadline_millis: int | None = None,
        cost: int = 1,
    ) -> str:
        """Add a job and return its id; the tenant is the token's."""
        asked = {"type": type, "payload": payload, "priority": priority, "runAt": run_at_millis}
        more = {"tenant": tenant, "deadline": deadline_millis, "cost": cost}
        return from_wire(Submission, self._post("/jobs", **asked, **more)).job_id

    def submit_once(
        self,
        request_key: str,
        type: str,
        payload: str | None = "",
        priority: int = 0,
        run_at_millis: int | None = None,
        *,
        tenant: str | None = None,
        deadline_millis: int | None = None,
        cost: int = 1,
    ) -> Submission:
        """Submit, or find the job that the same request made before."""
        asked = {"type": type, "payload": payload, "priority": priority, "runAt": run_at_millis}
        more = {"tenant": tenant, "deadline": deadline_millis, "cost": cost, "requestKey": request_key}
        return from_wire(Submission, self._post("/jobs", **asked, **more))

    def cancel(self, job_id: str) -> None:
        """Take back a PENDING job."""
        from_wire(JobView, self._post(_of_job(job_id, "jobs", "cancel"))["job"])

    # -- workers -----------------------------------------------------------------------------------------

    def poll(self, worker_id: str, lease_millis: int, *, types: Iterable[str] | None = None) -> Lease | None:
        """Get the next job, or None."""
        leases = self.poll_many(worker_id, lease_millis, 1, types=types)
        return leases[0] if leases else None

    def poll_many(
        self, worker_id: str, lease_millis: int, limit: int, *, types: Iterable[str] | None = None
    ) -> list[Lease]:
        """Get up to `limit` jobs, of the tenants that the token covers."""
        asked = {"workerId": worker_id, "leaseMillis": lease_millis, "limit": check_integer("limit", limit)}
        capabilities = check_asked("types", types)
        told = self._post(
            "/leases/claim", **asked, capabilities=None if capabilities is None else sorted(capabilities)
        )
        return [_lease(row) for row in told.rows("leases")]

    def complete(self, job_id: str, token: str, result: str | None = None) -> None:
        """Report success; the same report again is accepted again."""
        if result is not None:
            result = check_string("result", result)
        from_wire(Submission, self._report(job_id, token, "complete", result=result))

    def fail(self, job_id: str, token: str, error: object = None, *, permanent: bool = False) -> None:
        """Report failure."""
        text = error_text(error)
        # Reporting a failure never fails, also not because its escapes fill more than a body may hold.
        fits = len(json.dumps(text)) <= _LARGEST_ERROR
        told = text if fits else text[:_MOST_ESCAPED] + f" [cut: {len(text)} characters in all]"
        from_wire(JobView, self._report(job_id, token, "fail", error=told, permanent=permanent)["job"])

    def renew(self, job_id: str, token: str, lease_millis: int, checkpoint: str | None = None) -> Lease:
        """Extend the lease."""
        if checkpoint is not None:
            checkpoint = check_string("checkpoint", checkpoint)
        told = self._report(job_id, token, "renew", leaseMillis=lease_millis, checkpoint=checkpoint)
        return _lease(told)

    def release(self, job_id: str, token: str) -> None:
        """Give back a job that was not started."""
        from_wire(JobView, self._report(job_id, token, "release")["job"])

    def _report(self, job_id: str, token: str, verb: str, **asked: Any) -> Any:
        """Report in the name of a lease; the API is told its generation: a token adds no more to the id."""
        check_string("job_id", job_id)
        generation = _generation(job_id, check_string("token", token))
        try:
            return self._post(_of_job(job_id, "jobs", verb), generation=generation, **asked)
        except errors.StaleTokenError as refusal:
            refusal.token = token
            refusal.args = (str(refusal).replace(f"{job_id}:{_NO_GENERATION}", ascii(token[:40])),)
            raise

    # -- anybody -----------------------------------------------------------------------------------------

    def view(self, job_id: str) -> JobView:
        """Return the job as it is now."""
        return from_wire(JobView, self._look(job_id)["job"])

    def payload(self, job_id: str) -> str:
        """Return the job's payload."""
        return _payload(self._look(job_id))

    def history(self, job_id: str) -> list[Attempt]:
        """Return one record for each time the job was handed out."""
        return [from_wire(Attempt, row) for row in self._look(job_id).rows("history")]

    def redrives(self, job_id: str) -> list[Redrive]:
        """Return each time that the job was brought back."""
        return [from_wire(Redrive, row) for row in self._look(job_id).rows("redrives")]

    def list_jobs(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        tenant: str | None = None,
        q: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> list[JobView]:
        """Return one page of jobs, newest first."""
        asked = {"status": status, "type": type, "tenant": tenant, "q": q, "after": after, "limit": limit}
        return [from_wire(JobView, row) for row in self._get("/jobs", **asked).rows("jobs")]

    def _look(self, job_id: str) -> Any:
        return self._get(_of_job(job_id, "jobs"))

    # -- operators ---------------------------------------------------------------------------------------

    def dead_letters(self) -> list[JobView]:
        """Return all dead letters in submission order, asked for page by page."""
        found: list[JobView] = []
        after: str | None = None
        while True:
            told = self._get("/dlq", after=after, limit=200)
            found += [from_wire(JobView, row) for row in told.rows("jobs")]
            after = told["next"]
            if after is None:
                return found[::-1]

    def redrive(
        self,
        job_id: str,
        *,
        note: str,
        payload: str | None = None,
        deadline_millis: int | None = None,
        unchanged: bool = False,
    ) -> Redrive:
        """Bring a dead letter back; who does it is who the token belongs to."""
        asked = {"note": note, "payload": payload, "deadline": deadline_millis, "unchanged": unchanged}
        return from_wire(Redrive, self._post(_of_job(job_id, "dlq", "redrive"), **asked)["redrive"])

    def redrive_many(self, ids: Iterable[str], *, note: str, spread_millis: int = 0) -> list[RedriveRow]:
        """Bring the given dead letters back, each once."""
        told = self._post("/dlq/redrive", ids=list(ids), note=note, spreadMillis=spread_millis)
        return [from_wire(RedriveRow, row) for row in told.rows("rows")]

    def pause(self, type: str) -> None:
        """Hand out no jobs of a type."""
        self._post("/types/pause", type=type).rows("paused", str)

    def resume(self, type: str) -> None:
        """Hand out jobs of a type again."""
        self._post("/types/resume", type=type).rows("paused", str)

    def paused(self) -> list[str]:
        """Return the paused types."""
        return list(self._get("/stats").rows("paused", str))

    def stats(self) -> Stats:
        """Return the figures, at most a second old."""
        return from_wire(Stats, self._get("/stats")["stats"])

    # -- asking ------------------------------------------------------------------------------------------

    def _get(self, path: str, **asked: Any) -> Any:
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return self._ask("GET", f"{path}?{query}" if query else path, None)

    def _post(self, path: str, **asked: Any) -> Any:
        told = {name: value for name, value in asked.items() if value is not None}
        try:
            body = json.dumps(told, allow_nan=False, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            # A lone surrogate goes as its escape: the queue is to refuse it by its name, as at home.
            body = json.dumps(told, allow_nan=False).encode("ascii")
        if len(body) > LARGEST_BODY:
            # Not sent at all: the other end stops reading, which would look like a line that broke.
            raise ValueError(
                f"POST {path}: the body has {len(body)} bytes, at most {LARGEST_BODY} are accepted"
            )
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: bytes | None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        status, answer = self._send(method, _PREFIX + path, body, headers)
        try:
            told = json.loads(answer, object_hook=Answered)
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise errors.StoreError(f"{method} {path}: answered {status} with something that is no JSON object")
        if status >= 400:  # noqa: PLR2004 - where refusals begin
            raise _refusal(status, told)
        return told


class Connecting:
    """Sends each request over a connection of its own, so that threads share nothing."""

    def __init__(self, url: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"url: expected an address such as http://127.0.0.1:8000/, found {url[:80]!a}")
        self._connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host, self._port, self._timeout = parts.hostname, parts.port, timeout
        self._below = parts.path.rstrip("/")

    def __call__(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """Return status and body."""
        connection = self._connect(self._host, self._port, timeout=self._timeout)
        known = ""
        try:
            connection.connect()
            known = "" if method == "GET" else f"; {errors.PERHAPS_DONE}"  # the request may arrive from now on
            connection.request(method, self._below + path, body, dict(headers))
            answer = connection.getresponse()
            read = answer.read(LARGEST_ANSWER + 1)
        except (OSError, HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise errors.StoreError(f"{method} {path}: no answer from {self._host}: {reason}{known}") from error
        finally:
            connection.close()
        if len(read) > LARGEST_ANSWER:
            raise errors.StoreError(f"{method} {path}: the answer is larger than {LARGEST_ANSWER} bytes")
        return answer.status, read


def _refusal(status: int, told: Mapping[str, Any]) -> Exception:
    """Return the error that the queue raised at the other end."""
    words, job_id = str(told.get("detail", "")), str(told.get("jobId", ""))
    state = {
        "job_id": job_id,
        "operation": str(told.get("operation", "")),
        "status": str(told.get("jobStatus", "")),
    }
    match told.get("error"):
        case "StaleTokenError":
            lost = {"token": str(told.get("token", "")), "reason": str(told.get("reason", ""))}
            return errors.StaleTokenError(words, **state, **lost)
        case "RequestKeyConflictError":
            return errors.RequestKeyConflictError(words, **state)
        case "IllegalStateError":
            return errors.IllegalStateError(words, **state)
        case "UnknownJobError":
            return errors.UnknownJobError(words, job_id=job_id)
        case "AdmissionError":
            return errors.AdmissionError(words, retry_after_millis=int(told.get("retryAfterMillis", 0)))
    field = str(told.get("field", ""))
    # Under the name that the argument has here.
    words = re.sub(f"^{re.escape(field)}", snake(field), words) if field else words
    kinds = {400: TypeError, 401: PermissionError, 403: PermissionError, 413: ValueError, 422: ValueError}
    return kinds.get(status, errors.StoreError)(words)


def _lease(told: Mapping[str, Any]) -> Lease:
    return from_wire(Lease, Answered(told, payload=_payload(told)))


def _payload(told: Mapping[str, Any]) -> str:
    """Return the payload as the queue stores it; one that is elsewhere is stored as a reference."""
    where = told["payloadRef"]
    return str(told["payload"]) if where is None else reference(where)


def _generation(job_id: str, token: str) -> int:
    """Return the generation that a token stands for; of what is no token of this job, one that never will be.

    >>> _generation("J1", "J1:4"), _generation("J1", "J1:04") == _generation("J1", "J2:4") == _NO_GENERATION
    (4, True)
    """
    prefix, _, digits = token.partition(":")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_GENERATION
    if prefix == job_id and is_number and digits == str(int(digits)) and int(digits) > 0:
        return int(digits)
    return _NO_GENERATION


def _of_job(job_id: str, place: str, *verb: str) -> str:
    """Return the address of a job.

    Raises:
        UnknownJobError: no address can hold the id, as programs on the way decode and tidy addresses.

    >>> _of_job("J1", "jobs", "cancel")
    '/jobs/J1/cancel'
    """
    if "/" in check_string("job_id", job_id) or job_id in {"", ".", ".."}:
        raise errors.UnknownJobError(f"no job has the id {job_id[:40]!a}", job_id=job_id)
    return "/".join(["", place, quote(job_id, safe=""), *verb])
