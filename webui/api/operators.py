"""What operators ask for: dead letters, redrives, pauses, figures; and how the service itself is."""

from flask import Response

from jobqueue import RedriveRow, UnknownJobError
from jobqueue.arguments import check_name
from webui.api.calls import Call, answer
from webui.api.metrics import CONTENT_TYPE, exposition
from webui.api.records import (
    Figures,
    HealthAnswer,
    JobPage,
    PausedTypes,
    RedriveAnswer,
    RedriveRows,
)


def list_dead(call: Call) -> Response:
    """Show one page of dead letters."""
    return answer(JobPage(*call.service.page(call.grant, status="DEAD", **call.asked)))


def redrive(call: Call) -> Response:
    """Bring one dead letter back."""
    asked = call.asked
    done = call.queue.redrive(
        call.job_id(),
        actor=call.grant.name,
        note=asked["note"],
        payload=asked["payload"],
        deadline_millis=asked["deadline"],
        unchanged=asked["unchanged"],
    )
    return answer(RedriveAnswer(done))


def redrive_many(call: Call) -> Response:
    """Bring the given dead letters back, each once; one that the token does not cover is unknown."""
    ids = list(dict.fromkeys(call.asked["ids"]))
    mine = ids if call.grant.tenants is None else [job_id for job_id in ids if _is_covered(call, job_id)]
    rows = call.queue.redrive_many(
        mine, actor=call.grant.name, note=call.asked["note"], spread_millis=call.asked["spreadMillis"]
    )
    rows += [RedriveRow(job_id, "skipped", "unknown") for job_id in ids if job_id not in set(mine)]
    return answer(RedriveRows(rows))


def _is_covered(call: Call, job_id: str) -> bool:
    try:
        return call.grant.covers(call.queue.view(job_id).tenant)
    except UnknownJobError:
        return False


def pause(call: Call) -> Response:
    """Hand out no jobs of a type until it is resumed."""
    call.need_all_tenants()
    call.queue.pause(_type(call))
    return answer(PausedTypes(call.queue.paused()))


def resume(call: Call) -> Response:
    """Hand out jobs of a type again."""
    call.need_all_tenants()
    call.queue.resume(_type(call))
    return answer(PausedTypes(call.queue.paused()))


def _type(call: Call) -> str:
    """Return the type that is meant: that of the body, or of the address."""
    return check_name("type", call.asked["type"] if "type" in call.asked else call.path["type"])


def stats(call: Call) -> Response:
    """Show the figures of one instant, at most a second old."""
    call.need_all_tenants()
    snapshot = call.service.snapshots.now()
    return answer(Figures(snapshot.stats, list(snapshot.paused)))


def metrics(call: Call) -> Response:
    """Show the figures as Prometheus reads them."""
    call.need_all_tenants()
    return Response(exposition(call.service.snapshots.now()), content_type=CONTENT_TYPE)


def healthz(call: Call) -> Response:
    """Say whether the queue is well; what is wrong is a 503."""
    problems = call.service.health.complaints()
    return answer(HealthAnswer(not problems, problems), 503 if problems else 200)
