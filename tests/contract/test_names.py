"""The names that `jobqueue` offers, and the shapes of its records and errors."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import jobqueue
from jobqueue import JobStatus

FIELDS = {
    "Lease": "job_id token type payload attempt lease_until generation worker_id tenant checkpoint",
    "JobView": "id type priority status attempts next_run_at last_error tenant cost deadline request_key"
    " submitted_at generation worker_id lease_until finished_at failed_at dead_reason redrive_generation"
    " result hold",
    "Attempt": "attempt generation worker_id started_at ended_at outcome error era",
    "Event": "seq at kind job_id worker_id attempt generation detail",
}


@pytest.mark.parametrize(
    "name",
    [
        *("TimeSource", "ManualClock", "SystemClock", "JobStatus", "RetryPolicy", "JobQueue", "EventLog"),
        *("Lease", "JobView", "Attempt", "Event"),
        *("JobQueueError", "UnknownJobError", "IllegalStateError", "StaleTokenError"),
        *("RequestKeyConflictError", "AdmissionError", "StoreError"),
    ],
)
def test_every_name_is_importable_from_the_package(name: str) -> None:
    """A user needs one import, and never the name of an inner module."""
    assert isinstance(getattr(jobqueue, name), type)


@pytest.mark.parametrize("name", FIELDS)
def test_a_record_has_exactly_its_fields_and_is_frozen(name: str) -> None:
    """Records have the promised fields in the promised order, and cannot be changed."""
    record = getattr(jobqueue, name)
    assert " ".join(field.name for field in dataclasses.fields(record)) == FIELDS[name]
    assert record.__dataclass_params__.frozen


def test_the_five_statuses_equal_their_names() -> None:
    """A status reads as its own name, in Python as in JSON."""
    names = ["PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"]
    assert [status.name for status in JobStatus] == names
    assert [status.value for status in JobStatus] == names
    assert [str(status) for status in JobStatus] == names


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("JobQueueError", "Exception"),
        ("UnknownJobError", "LookupError"),
        ("IllegalStateError", "RuntimeError"),
        ("AdmissionError", "RuntimeError"),
        ("StoreError", "Exception"),
    ],
)
def test_every_error_is_a_job_queue_error_and_a_builtin_one(name: str, base: Any) -> None:
    """One except clause catches whatever the queue refuses; the builtin base says what kind it is."""
    error = getattr(jobqueue, name)
    assert issubclass(error, jobqueue.JobQueueError)
    assert base in {ancestor.__name__ for ancestor in error.__mro__}


@pytest.mark.parametrize("name", ["StaleTokenError", "RequestKeyConflictError"])
def test_a_stale_token_and_a_key_conflict_are_illegal_states(name: str) -> None:
    """A stale token and a conflicting key are special cases of asking at the wrong moment."""
    assert issubclass(getattr(jobqueue, name), jobqueue.IllegalStateError)


def test_unknown_and_illegal_are_told_apart() -> None:
    """An unknown id is no illegal state, and an illegal state is no failed look-up."""
    assert not issubclass(jobqueue.UnknownJobError, RuntimeError)
    assert not issubclass(jobqueue.IllegalStateError, LookupError)
    assert not issubclass(jobqueue.AdmissionError, jobqueue.IllegalStateError)


@pytest.mark.parametrize(
    ("method", "by_position", "by_name"),
    [
        ("__init__", ["time", "policy"], {"keep_finished": None, "log": None}),
        ("submit", ["type", "payload", "priority", "run_at_millis"], {"tenant": "default", "cost": 1}),
        ("poll", ["worker_id", "lease_millis"], {"types": None}),
        ("complete", ["job_id", "token", "result"], {}),
        ("fail", ["job_id", "token", "error"], {}),
        ("renew", ["job_id", "token", "lease_millis", "checkpoint"], {}),
        ("view", ["job_id"], {}),
        ("payload", ["job_id"], {}),
        ("history", ["job_id"], {}),
        ("dead_letters", [], {}),
        ("retry_dead", ["job_id"], {}),
        ("cancel", ["job_id"], {}),
        ("sweep", [], {}),
    ],
)
def test_arguments_have_their_names_and_defaults(method: Any, by_position: Any, by_name: Any) -> None:
    """What is given by position comes in this order; every option is given by name and may be left out."""
    parameters = list(inspect.signature(getattr(jobqueue.JobQueue, method)).parameters.values())[1:]
    assert [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD] == by_position
    options = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert options == options | by_name
    assert inspect.Parameter.empty not in options.values()


def test_a_submit_has_its_defaults() -> None:
    """An empty payload, priority 0, and now."""
    parameters = inspect.signature(jobqueue.JobQueue.submit).parameters
    defaults = [parameters[name].default for name in ("payload", "priority", "run_at_millis")]
    assert defaults == ["", 0, None]
