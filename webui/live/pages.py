"""The live pages that only show. Nothing here changes anything."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Response, abort, render_template, request, url_for

from jobqueue import JobStatus, JobView, UnknownJobError
from jobqueue.arguments import check_text, number_of
from webui.api.calls import service
from webui.api.table import MOST_REDRIVEN
from webui.failures import is_fragment_wanted
from webui.live.access import live, operator
from webui.live.instants import in_words
from webui.live.life import life_of
from webui.live.presenters import (
    attempts_page,
    counted,
    cut,
    facts_of,
    overview_of,
    payload_of,
    row_of,
    rows_of,
)

ON_PAGE = 50
FILTERS = ("status", "type", "tenant", "q")
_LONGEST_FILTER = 200
_LONGEST_PAGE_NUMBER = 9


def filters_of(told: Mapping[str, str]) -> dict[str, str]:
    """Return the filters that an address or a form names; a status that there is not is passed over.

    A type or tenant is taken as it is: blanks and line breaks at its ends are part of a name.
    """
    found = {name: told.get(name, "") for name in FILTERS}
    found = {name: text[:_LONGEST_FILTER] for name, text in found.items() if text.strip()}
    try:
        for name, text in found.items():
            check_text(name, text)
    except ValueError as error:
        # Refused, not passed over: without it more would fit, and might all be redriven.
        abort(400, f"{error}.")
    if found.get("status") not in set(JobStatus):
        found.pop("status", None)
    if "q" in found:
        found["q"] = found["q"].strip()
    return found


def notice() -> tuple[str, bool] | None:
    """Return what became of the action that led here."""
    return service().notices.find(request.args.get("notice", ""))


def job_or_404(job_id: str) -> JobView:
    """Return a job, or a page that says that there is none."""
    try:
        job: JobView = service().queue.view(job_id)
    except UnknownJobError:
        abort(404, "There is no such job, or it ended long ago and was forgotten.")
    return job


def page_url(endpoint: str, **values: Any) -> str:
    """Return an address with those values that are there."""
    told = {name: value for name, value in values.items() if value}
    return url_for(endpoint) + (f"?{urlencode(told)}" if told else "")


@live.get("/")
def overview() -> str:
    """Show the queue at one look."""
    found = service()
    return render_template(
        "live/overview_part.html" if is_fragment_wanted() else "live/overview.html",
        view=overview_of(found.snapshots.now(), found.workers.seen()),
        complaints=found.health.complaints(),
        notice=notice(),
        here=url_for("live.overview"),
    )


@live.get("/jobs")
def jobs() -> str:
    """Show one page of jobs."""
    return _list("live/jobs", "live.jobs", filters_of(request.args))


@live.get("/dead")
def dead() -> str:
    """Show one page of dead letters."""
    told = filters_of(request.args) | {"status": str(JobStatus.DEAD)}
    return _list("live/dead", "live.dead", told)


def _list(template: str, endpoint: str, filters: dict[str, str]) -> str:
    found, after = service(), request.args.get("after", "")[:20]
    asked: dict[str, Any] = {**filters, "after": after or None, "limit": ON_PAGE}
    if after and number_of(after) is None:
        abort(400, "There is no such page of jobs.")
    views, following = found.page(operator(), **asked)
    snapshot = found.snapshots.now()
    shown = {name: value for name, value in filters.items() if endpoint == "live.jobs" or name != "status"}
    return render_template(
        f"{template}_part.html" if is_fragment_wanted() else f"{template}.html",
        rows=rows_of(views, max(snapshot.stats.at, found.wall.now())),
        filters=shown,
        statuses=list(JobStatus),
        counts={str(s): counted(snapshot.stats.by_status.get(s, 0)) for s in JobStatus},
        here=page_url(endpoint, **shown, after=after),
        older=page_url(endpoint, **shown, after=following) if following else None,
        newest=page_url(endpoint, **shown) if after else None,
        most=MOST_REDRIVEN,
        notice=notice(),
    )


@live.get("/jobs/<job_id>")
def job(job_id: str) -> str:
    """Show everything about one job."""
    found, seen = service(), job_or_404(job_id)
    history = found.queue.history(seen.id)
    redrives = found.queue.redrives(seen.id)
    now = max(found.snapshots.now().stats.at, found.wall.now())
    return render_template(
        "live/job_part.html" if is_fragment_wanted() else "live/job.html",
        job=seen,
        row=row_of(seen, now),
        facts=facts_of(seen),
        why=in_words(found.queue.why_not(seen.id)),
        picture=life_of(seen, history, redrives),
        attempts=attempts_page(history, _page_number()),
        payload=payload_of(found.queue.payload(seen.id)),
        redrives=redrives[-ON_PAGE:],
        result=None if seen.result is None else cut(seen.result),
        error=cut(seen.last_error or ""),
        notice=notice(),
        here=_here(seen.id),
    )


def _here(job_id: str) -> str:
    return url_for("live.job", job_id=job_id, attempts=_page_number())


def _page_number() -> int | None:
    told = request.args.get("attempts", "")
    is_number = told.isascii() and told.isdigit() and len(told) <= _LONGEST_PAGE_NUMBER
    return int(told) if is_number else None


@live.get("/jobs/<job_id>/payload")
def payload(job_id: str) -> Response:
    """Hand out a whole payload as a file."""
    seen = job_or_404(job_id)
    answer = Response(service().queue.payload(seen.id), mimetype="text/plain")
    # A file and never a page: what a stranger submitted must not run here.
    answer.headers["Content-Disposition"] = f'attachment; filename="{seen.id}-payload.txt"'
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer


@live.get("/submit")
def submit_form() -> str:
    """Show the form for a new job."""
    return render_template("live/submit.html", draft={}, wrong=None)
