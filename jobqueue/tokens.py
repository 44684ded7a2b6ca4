"""Tokens as text: which hand-out one was made for, and why one is refused."""

from jobqueue.errors import StaleTokenError
from jobqueue.model import RUNNING, Job, Outcome


def stale_token(job: Job, token: str, operation: str) -> StaleTokenError:
    """Return the refusal of a token that is not the one of the job's current lease."""
    reason, found = staleness(job, token)
    return StaleTokenError(
        f"cannot {operation} {job.id}: token {quoted(token)} is stale, {found}",
        job_id=job.id,
        operation=operation,
        status=job.status,
        token=token,
        reason=reason,
    )


def staleness(job: Job, token: str) -> tuple[str, str]:
    """Return why a token is refused: the reason as a word, and what was found instead."""
    if job.status is RUNNING:
        holder = f"the current lease is {job.token}, held by {job.worker_id} until {job.lease_until}"
        return "stale_generation", holder
    generation = token_generation(job, token)
    if generation and generation < job.generation:
        return "stale_generation", f"the latest one was {job.token}, and the job is {job.status}"
    if generation and job.outcome is Outcome.EXPIRED:
        return "lease_expired", f"its lease ran out at {job.ended_at}, and the job is {job.status}"
    if generation:
        return "wrong_state", f"its attempt already ended ({job.outcome}), and the job is {job.status}"
    return "wrong_state", f"it never was a token of this job, and the job is {job.status}"


def token_generation(job: Job, token: str) -> int:
    """Return which hand-out of this job a token was made for, counted from 1; 0 if for none.

    >>> job = Job(4, "mail", "", 0, "default", 1, submitted_at=0, run_at=0, generation=2)
    >>> token_generation(job, "J4:2"), token_generation(job, "J4:3"), token_generation(job, "J1:2")
    (2, 0, 0)
    """
    prefix, _, digits = token.partition(":")
    # Shorter than any honest counter: int() of a text of a million digits takes its time.
    if prefix != job.id or not (digits.isascii() and digits.isdigit() and len(digits) <= 16):  # noqa: PLR2004
        return 0
    generation = int(digits)
    # "J1:01" reads as 1 and is no token that was ever handed out.
    return generation if str(generation) == digits and generation <= job.generation else 0


def quoted(token: str) -> str:
    """Return a token as a message shows it: an honest one bare, any other text quoted and cut."""
    honest = token.replace(":", "").isalnum() and token.isascii() and len(token) <= 40  # noqa: PLR2004
    return token if honest else ascii(token[:40])
