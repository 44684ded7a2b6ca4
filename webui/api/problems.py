"""What the API says when it refuses: one JSON form for every reason (RFC 9457), and which status each has."""

import json
import logging
import re
from http import HTTPStatus
from math import ceil
from typing import Any

from flask import Response
from werkzeug.exceptions import HTTPException, NotFound

from jobqueue import (
    AdmissionError,
    IllegalStateError,
    JobQueueError,
    StaleTokenError,
    StoreError,
    UnknownJobError,
)
from webui.api.bodies import UnreadableError
from webui.failures import words_of

_logger = logging.getLogger(__name__)

NAMES = {
    "run_at_millis": "runAt",
    "deadline_millis": "deadline",
    "request_key": "requestKey",
    "worker_id": "workerId",
    "lease_millis": "leaseMillis",
    "spread_millis": "spreadMillis",
    "types": "capabilities",
    "job_id": "jobId",
}
"""What the library calls a value, and what the API does."""

_FIELD = re.compile(r"([A-Za-z_]+)((?:[.\[][^:]*)?): ")
STORE_RETRY_SECONDS = 1


class ProblemError(Exception):
    """A refusal of the API's own: the status, the words, and the field that is wrong, if it is one."""

    def __init__(self, status: int, detail: str, field: str | None = None, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.field = field
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """Return an answer that says what is wrong; what is None is left out."""
    told = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    body = json.dumps({name: value for name, value in told.items() if value is not None}, ensure_ascii=True)
    return Response(body, status, headers, mimetype="application/problem+json")


def problem_of(error: Exception) -> Response:
    """Return the answer to whatever went wrong."""
    match error:
        case ProblemError():
            answer = problem(error.status, error.detail, error.headers, field=error.field)
        case UnreadableError():
            answer = problem(400, f"the body {error}")
        case NotFound() if "description" not in vars(
            error
        ):  # no route fits, so nobody has said what is missing
            answer = problem(404, "the API has nothing at this address: is an id or a name in it empty?")
        case HTTPException():
            kept = {name: value for name, value in error.get_headers() if name != "Content-Type"}
            answer = problem(error.code or 500, words_of(error)[1], kept)
        case JobQueueError():
            answer = _refusal(error)
        case TypeError() | ValueError():
            answer = _of_field(400 if isinstance(error, TypeError) else 422, str(error))
        case _:
            answer = _fault(error)
    return answer


def _fault(error: Exception) -> Response:
    # Nothing of it goes out: a stack trace tells a stranger more than us.
    _logger.error("the API failed", exc_info=error)
    return problem(500, "this is a fault of the server; its log says more")


def _refusal(error: JobQueueError) -> Response:
    """Return what the queue refused, with what it knows."""
    told: dict[str, Any] = {"error": type(error).__name__, "jobId": getattr(error, "job_id", "") or None}
    match error:
        case UnknownJobError():
            return problem(404, str(error), **told)
        case IllegalStateError():
            told |= {"operation": error.operation or None, "jobStatus": str(error.status) or None}
            if isinstance(error, StaleTokenError):
                told |= {"reason": error.reason, "token": error.token}
            return problem(409, str(error), **told)
        case AdmissionError():
            seconds = max(1, ceil(error.retry_after_millis / 1000))
            told["retryAfterMillis"] = error.retry_after_millis
            return problem(429, str(error), {"Retry-After": str(seconds)}, **told)
        case StoreError():
            return problem(503, str(error), {"Retry-After": str(STORE_RETRY_SECONDS)}, **told)
    return problem(409, str(error), **told)


def _of_field(status: int, message: str) -> Response:
    """Return the answer to a value that was refused, under the API's name for it."""
    found = _FIELD.match(message)
    if found is None:
        return problem(status, message)
    name = NAMES.get(found[1], found[1])
    return problem(status, name + message[len(found[1]) :], field=name + found[2])
