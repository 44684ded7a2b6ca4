"""What operators do on the live pages, each by POST; the answer is a page that says what became of it."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from flask import abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from jobqueue import JobQueueError, StoreError
from jobqueue.model import job_number
from webui.api.calls import service
from webui.api.problems import NAMES
from webui.api.table import LARGEST_PAGE, MOST_REDRIVEN
from webui.live.access import live, operator
from webui.live.instants import in_words
from webui.live.pages import filters_of, job_or_404, page_url

_ID = re.compile(r"J[1-9][0-9]{0,15}", re.ASCII)
_LONGEST_NUMBER = 17
_REASONS = {
    "unknown": ("is no longer kept.", "are no longer kept."),
    "wrong_state": ("is no longer dead.", "are no longer dead."),
    "deadline": (
        "has passed its deadline. Redrive it from its own page, with a new deadline.",
        "have passed their deadlines. Redrive each from its own page, with a new deadline.",
    ),
    "permanent": (
        "failed permanently. Redrive it from its own page: correct its payload, or keep it unchanged.",
        "failed permanently. Redrive each from its own page: correct its payload, or keep it unchanged.",
    ),
}
"""Why a bulk redrive skips a job, said of one and of many."""
_LONGEST_DELAY_SECONDS = 10_000_000


class _WrongError(ValueError):
    """Something was typed that is no number."""


def _to(url: str, text: str, *, is_refusal: bool = False) -> Response:
    """Send the browser to a page that says what became of the action."""
    found = service()
    found.snapshots.forget()
    key = found.notices.keep(text, is_refusal=is_refusal)
    return redirect(f"{url}{'&' if '?' in url else '?'}notice={key}", 303)


def _back(default: str) -> str:
    """Return the list that a form was sent from, with its filters; else a default."""
    place = request.values.get("back", "")
    if place == "jobs":
        return page_url("live.jobs", **filters_of(request.values))
    return url_for("live.dead") if place == "dead" else default


@live.post("/jobs")
def submit() -> Response | tuple[str, int]:
    """Submit a job from what was typed; what is refused stays in the form."""
    form = request.form
    try:
        now = service().queue.stats().at
        order: dict[str, Any] = {
            "payload": form.get("payload", "").replace("\r\n", "\n"),
            "priority": _whole("priority", 0),
            "tenant": form.get("tenant", "").strip() or "default",
            "cost": _whole("cost", 1),
        }
        for field, name in (("delay", "run_at_millis"), ("deadline", "deadline_millis")):
            seconds = _seconds(field)
            if seconds is not None:
                order[name] = now + seconds
        key, type_ = form.get("requestKey", "").strip(), form.get("type", "").strip()
        if key:
            done = service().queue.submit_once(key, type_, **order)
            job_id, was_there = done.job_id, done.replayed
        else:
            job_id, was_there = service().queue.submit(type_, **order), False
    except StoreError:
        raise
    except (JobQueueError, TypeError, ValueError) as wrong:
        return render_template("live/submit.html", draft=form, wrong=_words(wrong)), 422
    words = f"{job_id} was submitted before by the same request." if was_there else f"{job_id} is submitted."
    return _to(url_for("live.job", job_id=job_id), words)


@live.post("/jobs/<job_id>/cancel")
def cancel(job_id: str) -> Response:
    """Take back a job that no worker holds."""
    seen = job_or_404(job_id)
    url = _back(url_for("live.job", job_id=seen.id))
    try:
        service().queue.cancel(seen.id)
    except StoreError:
        raise
    except JobQueueError as refusal:
        return _to(url, _words(refusal), is_refusal=True)
    return _to(url, f"{seen.id} is cancelled.")


@live.post("/jobs/<job_id>/redrive")
def redrive(job_id: str) -> Response:
    """Redrive one dead letter."""
    seen, form = job_or_404(job_id), request.form
    url = url_for("live.job", job_id=seen.id)
    try:
        seconds = _seconds("deadline")
        service().queue.redrive(
            seen.id,
            actor=operator().name,
            note=form.get("note", "").strip(),
            payload=form.get("payload", "").replace("\r\n", "\n") or None,
            deadline_millis=None if seconds is None else service().queue.stats().at + seconds,
            unchanged=form.get("unchanged") == "yes",
        )
    except StoreError:
        raise
    except (JobQueueError, TypeError, ValueError) as refusal:
        return _to(url, _words(refusal), is_refusal=True)
    return _to(url, f"{seen.id} is redriven, with a new set of attempts.")


@live.post("/dead/confirm")
def confirm() -> str:
    """Show which dead letters can be redriven, how many, and why the others can't; nothing has changed yet."""
    # In the address, not in hidden fields: a form changes the line breaks of a name on its way.
    filters = filters_of(request.values) | {"status": "DEAD"}
    if request.form.get("which") == "all":
        ids, is_all = _matching(filters)
    else:
        ids, is_all = _ids(request.form.getlist("ids")), True
    del filters["status"]
    rows = service().queue.redrivable(ids)
    return render_template(
        "live/confirm.html",
        ids=[row.job_id for row in rows if row.reason is None],
        total=len(rows),
        skipped=_counted(row.reason for row in rows),
        filters=filters,
        is_all=is_all,
        most=MOST_REDRIVEN,
    )


def _counted(reasons: Iterable[str | None]) -> dict[str, int]:
    """Return how many are skipped for each reason, in words; None is no reason."""
    counts = Counter(reason for reason in reasons if reason is not None)
    return {_REASONS[reason][counts[reason] > 1]: counts[reason] for reason in sorted(counts)}


def _matching(filters: dict[str, str]) -> tuple[list[str], bool]:
    """Return the dead letters that fit, up to a bound, and whether that is all of them."""
    ids: list[str] = []
    after: str | None = None
    while True:
        limit = min(LARGEST_PAGE, MOST_REDRIVEN - len(ids))
        asked: dict[str, Any] = {**filters, "after": after, "limit": limit}
        views, after = service().page(operator(), **asked)
        ids += [view.id for view in views]
        if after is None or len(ids) >= MOST_REDRIVEN:
            return sorted(ids, key=job_number), after is None


@live.post("/dead/redrive")
def redrive_many() -> Response:
    """Redrive exactly the dead letters that were confirmed."""
    ids = _ids(request.form.get("ids", "").split())
    if not ids or str(len(ids)) != request.form.get("count"):
        abort(400, "This is not what was confirmed, so nothing was done. Go back and choose again.")
    url = page_url("live.dead", **{k: v for k, v in filters_of(request.values).items() if k != "status"})
    try:
        rows = service().queue.redrive_many(
            ids,
            actor=operator().name,
            note=request.form.get("note", "").strip(),
            spread_millis=_seconds("spread") or 0,
        )
    except StoreError:
        raise
    except (JobQueueError, TypeError, ValueError) as refusal:
        return _to(url, _words(refusal), is_refusal=True)
    skipped = _counted(row.reason for row in rows if row.outcome != "done")
    done = len(rows) - sum(skipped.values())
    words = "".join(f" Skipped: {count} {why}" for why, count in skipped.items())
    return _to(url, f"{done} of {len(rows)} dead letters redriven.{words}", is_refusal=bool(skipped))


@live.post("/types/<any(pause, resume):verb>")
def set_paused(verb: str) -> Response:
    """Stop or start handing out jobs of a type.

    The type is in the query: it may hold slashes and dots, which a proxy or a browser tidies in a path, and
    line breaks, which a browser changes in a form.
    """
    url, type = url_for("live.overview"), request.values.get("type", "")
    try:
        getattr(service().queue, verb)(type)
    except ValueError as wrong:
        return _to(url, _words(wrong), is_refusal=True)
    stopped = "is paused: no job of it is handed out" if verb == "pause" else "is resumed"
    return _to(url, f"Type {type} {stopped}.")


# -- what was typed --------------------------------------------------------------------------------------


def _ids(told: list[str]) -> list[str]:
    """Return ids, each once; more than can be redriven at once is nobody's own choice."""
    ids = list(dict.fromkeys(told))
    if len(ids) > MOST_REDRIVEN or not all(_ID.fullmatch(job_id) for job_id in ids):
        abort(400, f"Expected at most {MOST_REDRIVEN} ids of jobs.")
    return ids


def _whole(field: str, default: int) -> int:
    typed = request.form.get(field, "").strip()
    if not typed:
        return default
    if len(typed) > _LONGEST_NUMBER or not re.fullmatch(r"[+-]?[0-9]+", typed, re.ASCII):
        raise _WrongError(f"{field}: expected a whole number, such as 5 or -1, found {typed[:30]!a}")
    return int(typed)


def _seconds(field: str) -> int | None:
    """Return a number of seconds as milliseconds; None if nothing was typed."""
    typed = request.form.get(field, "").strip()
    if not typed:
        return None
    is_number = len(typed) <= _LONGEST_NUMBER and re.fullmatch(r"[0-9]+(\.[0-9]+)?", typed, re.ASCII)
    if not is_number or float(typed) > _LONGEST_DELAY_SECONDS:
        raise _WrongError(f"{field}: expected seconds, such as 5 or 1.5, found {typed[:30]!a}")
    return round(float(typed) * 1000)


def _words(error: Exception) -> str:
    """Return what was refused as a sentence, in the words of the form."""
    text = in_words(str(error))
    for name, shown in NAMES.items():
        text = text.replace(f"{name}: ", f"{shown}: ")
    return text[:1].upper() + text[1:] + "." * (not text.endswith("."))
