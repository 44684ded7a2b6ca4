"""What producers ask for: submit, look, cancel."""

from flask import Response, url_for

from jobqueue.wire import reference, reference_of
from webui.api.calls import Call, answer
from webui.api.problems import ProblemError
from webui.api.records import JobAnswer, JobDetail, JobPage, Submitted
from webui.auth import Grant


def submit(call: Call) -> Response:
    """Add a job, or find the one that the same request made before."""
    asked = call.asked
    order = {
        "type": asked["type"],
        "payload": _payload(asked["payload"], asked["payloadRef"]),
        "priority": asked["priority"],
        "run_at_millis": asked["runAt"],
        "deadline_millis": asked["deadline"],
        "cost": asked["cost"],
        "tenant": _tenant(call.grant, asked["tenant"]),
    }
    if asked["requestKey"] is None:
        job_id, replayed = call.queue.submit(**order), False
    else:
        done = call.queue.submit_once(asked["requestKey"], **order)
        job_id, replayed = done.job_id, done.replayed
    where = url_for(".look", job_id=job_id)
    return answer(Submitted(job_id, replayed), 200 if replayed else 201, {"Location": where})


def _payload(payload: str | None, where: str | None) -> str:
    """Return the text that is stored."""
    if where is not None:
        if payload:
            raise ProblemError(422, "payloadRef: there is a payload, too; send one of them", "payloadRef")
        return reference(where)
    if payload is not None and reference_of(payload) is not None:
        raise ProblemError(422, "payload: it reads like a payloadRef; send it as one", "payload")
    return payload or ""


def _tenant(grant: Grant, asked: str | None) -> str:
    if asked is not None and asked != grant.tenant:
        raise ProblemError(403, f"tenant: the token is for {grant.tenant!a}, not {asked[:40]!a}", "tenant")
    return grant.tenant


def look(call: Call) -> Response:
    """Show one job with its payload, its attempts and its redrives."""
    job = call.job()
    payload = call.queue.payload(job.id)
    where = reference_of(payload)
    detail = JobDetail(
        job=job,
        payload=payload if where is None else "",
        payload_ref=where,
        history=call.queue.history(job.id),
        redrives=call.queue.redrives(job.id),
    )
    return answer(detail)


def list_jobs(call: Call) -> Response:
    """Show one page of jobs."""
    return answer(JobPage(*call.service.page(call.grant, **call.asked)))


def cancel(call: Call) -> Response:
    """Take back a job that no worker holds."""
    job_id = call.job_id()
    call.queue.cancel(job_id)
    return answer(JobAnswer(call.queue.view(job_id)))
