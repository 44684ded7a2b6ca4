"""Work for `jobkit worker` to do: mails, invoices and pictures, as files in a folder.

Each is safe to be done twice: what it writes is named after the job, and put in place in one step.
"""

import json
import os
import re
from collections.abc import Callable
from email.message import EmailMessage
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from jobqueue.worker import Context, Handler, PermanentError

LONGEST_EDGE = 4096
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


def handlers(folder: Path) -> dict[str, Handler]:
    """Return what to do for each type of job; what comes of it goes into a folder."""
    made: dict[str, Callable[[Context, Path], str]] = {"mail": mail, "invoice": invoice, "resize": resize}
    return {name: _in_folder(handler, folder) for name, handler in made.items()}


def _in_folder(handler: Callable[[Context, Path], str], folder: Path) -> Handler:
    return lambda context: handler(context, folder)


def mail(context: Context, folder: Path) -> str:
    """Write a mail as an .eml file; the payload is {"to": ..., "subject": ..., "text": ...} or plain text."""
    job, asked = context.lease, _payload(context, "text")
    to = str(asked.get("to", "somebody@example.org"))
    if not _ADDRESS.fullmatch(to):
        raise PermanentError(f"{to[:80]!a} is no mail address")
    message = EmailMessage()
    message["From"] = "queue@example.org"
    message["To"] = to
    message["Subject"] = " ".join(str(asked.get("subject", f"Job {job.job_id}")).split())
    message["Message-ID"] = f"<{job.job_id}@jobkit.example>"  # the same, however often it is sent
    message.set_content(str(asked.get("text", "")))
    return _written(folder / f"mail-{job.job_id}.eml", message.as_bytes())


def invoice(context: Context, folder: Path) -> str:
    """Write an invoice as a page; the payload is {"customer": ..., "lines": [[what, cents], ...]}."""
    job, asked = context.lease, _payload(context, "customer")
    rows = asked.get("lines", [["Service", 1000]])
    try:
        lines = [(str(what), int(cents)) for what, cents in rows]
    except (TypeError, ValueError) as error:
        raise PermanentError(f"lines: expected pairs of what and cents: {error}") from error
    body = "".join(f"<tr><td>{escape(what)}<td>{cents / 100:.2f}" for what, cents in lines)
    total = sum(cents for _, cents in lines) / 100
    page = (
        f'<!doctype html><meta charset="utf-8"><title>Invoice {job.job_id}</title>'
        f"<h1>Invoice {job.job_id}</h1><p>{escape(str(asked.get('customer', '')))}</p>"
        f"<table>{body}<tr><th>Total<th>{total:.2f}</table>\n"
    )
    return _written(folder / f"invoice-{job.job_id}.html", page.encode())


def resize(context: Context, folder: Path) -> str:
    """Draw a picture and make it smaller; the payload is {"width": ..., "height": ...}."""
    try:
        image = import_module("PIL.Image")  # only who resizes needs it
    except ImportError as error:
        raise PermanentError("resizing needs Pillow: pip install 'jobkit[demo]'") from error
    job, asked = context.lease, _payload(context, "name")
    try:
        size = int(asked.get("width", 320)), int(asked.get("height", 200))
    except (TypeError, ValueError) as error:
        raise PermanentError(f"width, height: expected whole numbers: {error}") from error
    if not all(1 <= edge <= LONGEST_EDGE for edge in size):
        raise PermanentError(f"width, height: expected 1 to {LONGEST_EDGE}, found {size}")
    picture = image.linear_gradient("L").resize(size)
    path = folder / f"resize-{job.job_id}.png"
    part = path.with_suffix(f".{os.getpid()}.part")
    picture.save(part, "PNG")
    part.replace(path)
    return str(path)


def _payload(context: Context, plain: str) -> dict[str, Any]:
    """Return what the payload says; text that is no JSON object is taken as the value of `plain`."""
    try:
        told = json.loads(context.lease.payload)
    except ValueError:
        told = None
    return told if isinstance(told, dict) else {plain: context.lease.payload}


def _written(path: Path, content: bytes) -> str:
    """Put a file in place whole: whoever is killed halfway leaves the old one, or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(content)
    part.replace(path)
    return str(path)
