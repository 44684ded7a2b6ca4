"""Every route of the API, in one table: what is served, and what its description says."""

from jobqueue import JobStatus
from jobqueue.arguments import HIGHEST_COST
from webui.api import operators, producers, workers
from webui.api.calls import ANYBODY, Field, Route
from webui.api.kinds import AnyText, Document, Flag, Instant, Integer, JobId, Name, OneOf, Several, Text
from webui.api.records import (
    Claimed,
    Completed,
    Figures,
    HandedOut,
    HealthAnswer,
    JobAnswer,
    JobDetail,
    JobPage,
    PausedTypes,
    RedriveAnswer,
    RedriveRows,
    Submitted,
)
from webui.auth import Role

PREFIX = "/api/v1"
LONGEST_REF = 1000
MOST_CLAIMED = 100
MOST_TYPES = 100
MOST_REDRIVEN = 1000
LARGEST_PAGE = 200
LONGEST_SEARCH = 200

PRODUCERS = frozenset({Role.PRODUCER})
WORKERS = frozenset({Role.WORKER})
OPERATORS = frozenset({Role.OPERATOR})
OWNERS = PRODUCERS | OPERATORS
EVERYBODY = frozenset(Role)

_REFUSALS = frozenset({400, 401, 403, 503})
_GENERATION = Field("generation", Integer(low=1), "of the lease that is meant", required=True)
_LEASE = Field("leaseMillis", Integer(low=1), "for how long from now", required=True)
_NOTE = Field("note", Text(), "why", required=True)
_TYPE = Field("type", Name(), "any name: in a body nothing decodes or tidies it", required=True)
_FILTERS = (
    Field("type", Name(), "only this type"),
    Field("tenant", Name(), "only this tenant"),
    Field(
        "q",
        Text(LONGEST_SEARCH),
        "text in id, type, tenant, request key or the last error's beginning; the newest 10,000 jobs that fit "
        "otherwise are searched",
    ),
    Field("after", JobId(), "the `next` of the page before"),
    Field("limit", Integer(1, LARGEST_PAGE), "jobs on a page", default=50),
)

ROUTES = (
    Route(
        "POST",
        "/jobs",
        "submit",
        "Add a job. With a request key, the same request again finds the same job.",
        producers.submit,
        PRODUCERS,
        {201: Submitted, 200: Submitted},
        body=(
            Field("type", Name(), "what kind of work", required=True),
            Field("payload", Document(), "for the worker; an object is stored as JSON text, keys sorted"),
            Field("payloadRef", Text(LONGEST_REF), "where the worker finds the payload, if it is not here"),
            Field("priority", Integer(), "higher goes first", default=0),
            Field("runAt", Instant(), "not before; left out, now"),
            Field("deadline", Instant(), "given up if nobody has started it by then"),
            Field("cost", Integer(1, HIGHEST_COST), "in a unit of your choice", default=1),
            Field("requestKey", Name(), "the same request twice makes one job"),
            Field("tenant", Name(), "that of the token, if it is said at all"),
        ),
        problems=_REFUSALS | {409, 413, 422, 429},
    ),
    Route(
        "GET",
        "/jobs",
        "list_jobs",
        "One page of jobs, newest first, without payloads.",
        producers.list_jobs,
        EVERYBODY,
        {200: JobPage},
        query=(Field("status", OneOf([str(status) for status in JobStatus]), "only this status"), *_FILTERS),
        problems=_REFUSALS | {422},
    ),
    Route(
        "GET",
        "/jobs/<job_id>",
        "look",
        "One job with payload, attempts and redrives.",
        producers.look,
        EVERYBODY,
        {200: JobDetail},
        problems=_REFUSALS | {404, 422},
    ),
    Route(
        "POST",
        "/jobs/<job_id>/cancel",
        "cancel",
        "Take back a job that no worker holds.",
        producers.cancel,
        OWNERS,
        {200: JobAnswer},
        problems=_REFUSALS | {404, 409, 413},
    ),
    Route(
        "POST",
        "/leases/claim",
        "claim",
        "Get jobs to work on, the best first.",
        workers.claim,
        WORKERS,
        {200: Claimed},
        body=(
            Field("workerId", Name(), "who asks", required=True),
            _LEASE,
            Field("capabilities", Several(Name(), MOST_TYPES), "only these types; left out, all"),
            Field("limit", Integer(1, MOST_CLAIMED), "how many at most", default=1),
        ),
        problems=_REFUSALS | {413, 422},
    ),
    Route(
        "POST",
        "/jobs/<job_id>/renew",
        "renew",
        "Extend a lease, to leaseMillis from now.",
        workers.renew,
        WORKERS,
        {200: HandedOut},
        body=(_GENERATION, _LEASE, Field("checkpoint", Document(), "for later attempts to go on from")),
        problems=_REFUSALS | {404, 409, 413, 422},
    ),
    Route(
        "POST",
        "/jobs/<job_id>/complete",
        "complete",
        "End a job well. The same report again is answered like the first, with replayed true.",
        workers.complete,
        WORKERS,
        {200: Completed},
        body=(_GENERATION, Field("result", Document(), "to be kept with the job")),
        problems=_REFUSALS | {404, 409, 413, 422},
    ),
    Route(
        "POST",
        "/jobs/<job_id>/fail",
        "fail",
        "End an attempt badly: the job is retried after its backoff, or becomes a dead letter.",
        workers.fail,
        WORKERS,
        {200: JobAnswer},
        body=(
            _GENERATION,
            Field("error", AnyText(), "what went wrong"),
            Field("permanent", Flag(), "trying again is useless", default=False),
        ),
        problems=_REFUSALS | {404, 409, 413, 422},
    ),
    Route(
        "POST",
        "/jobs/<job_id>/release",
        "release",
        "Give back a job that was not started.",
        workers.release,
        WORKERS,
        {200: JobAnswer},
        body=(_GENERATION,),
        problems=_REFUSALS | {404, 409, 413, 422},
    ),
    Route(
        "GET",
        "/dlq",
        "list_dead",
        "One page of dead letters, newest first.",
        operators.list_dead,
        OPERATORS,
        {200: JobPage},
        query=_FILTERS,
        problems=_REFUSALS | {422},
    ),
    Route(
        "POST",
        "/dlq/<job_id>/redrive",
        "redrive",
        "Bring a dead letter back with a new set of attempts.",
        operators.redrive,
        OPERATORS,
        {200: RedriveAnswer},
        body=(
            _NOTE,
            Field("payload", Document(), "a corrected payload"),
            Field("deadline", Instant(), "a new deadline; one that has passed must be replaced"),
            Field("unchanged", Flag(), "although it failed for good and nothing is corrected", default=False),
        ),
        problems=_REFUSALS | {404, 409, 413, 422},
    ),
    Route(
        "POST",
        "/dlq/redrive",
        "redrive_many",
        "Bring exactly these dead letters back, each once, in submission order.",
        operators.redrive_many,
        OPERATORS,
        {200: RedriveRows},
        body=(
            Field("ids", Several(JobId(), MOST_REDRIVEN), "which", required=True),
            _NOTE,
            Field("spreadMillis", Integer(low=0), "how much later each starts than the last", default=0),
        ),
        problems=_REFUSALS | {413, 422},
    ),
    *(
        Route("POST", path, name, says, handler, OPERATORS, {200: PausedTypes}, body, problems=problems)
        for verb, says, handler in (
            ("pause", "Hand out no jobs of a type until it is resumed.", operators.pause),
            ("resume", "Hand out jobs of a type again.", operators.resume),
        )
        for path, name, body, problems in (
            (f"/types/{verb}", verb, (_TYPE,), _REFUSALS | {413, 422}),
            (f"/types/<name:type>/{verb}", f"{verb}_by_path", (), _REFUSALS | {404, 413, 422}),
        )
    ),
    Route(
        "GET",
        "/stats",
        "stats",
        "The figures of one instant, at most a second old.",
        operators.stats,
        OPERATORS,
        {200: Figures},
        problems=_REFUSALS,
    ),
    Route(
        "GET",
        "/metrics",
        "metrics",
        "The same figures as Prometheus reads them.",
        operators.metrics,
        OPERATORS,
        {200: str},
        problems=_REFUSALS,
    ),
    Route(
        "GET",
        "/healthz",
        "healthz",
        "Whether the queue is well; if not, what is wrong.",
        operators.healthz,
        ANYBODY,
        {200: HealthAnswer, 503: HealthAnswer},
        problems=frozenset({400, 403}),
    ),
)
