"""The commands around a live queue: a worker, a workload to look at, tokens."""

import json
import os
import secrets
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import click

from exercises.grader.explaining.page import plain_text
from jobqueue import AdmissionError, JobQueueError, Lease, MonotonicClock
from jobqueue.arguments import check_name
from jobqueue.client import QueueClient
from jobqueue.worker import Worker
from webui.auth import ALL, Role, described, new_token, read_tenants
from webui.cli.terminal import examples, say, say_if_open, say_lines
from webui.handlers import handlers
from webui.handlers.behaviour import BEHAVIOURS, misbehaving, paced
from webui.live.queue import close, open_shared

_DEMO_TENANTS = ("acme", "bo", "cy")
_HOUR_MILLIS = 3_600_000


def queue_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which queue is meant."""
    for option in (
        click.option("--token", envvar="JOBKIT_TOKEN", help="The token for --url; or in JOBKIT_TOKEN."),
        click.option("--url", help="A board's address, such as http://127.0.0.1:8000/, to reach it over HTTP."),
        click.option(
            "--db", help="The queue's own address, such as sqlite:///jobs.db; by default the board's."
        ),
    ):
        command = option(command)
    return command


def queue_of(db: str | None, url: str | None, token: str | None) -> Any:
    """Return the queue that the options name, or a client of it."""
    if url is not None and db is not None:
        raise click.UsageError("--db and --url: give one of them")
    if url is None and token is not None and "JOBKIT_TOKEN" not in os.environ:
        raise click.UsageError("--token is for --url")
    try:
        if url is None:
            return open_shared(db)
        if not token:
            raise click.UsageError("--url needs a --token; the board prints some when it starts")
        return QueueClient(url, token)
    except (JobQueueError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error


@click.command(
    epilog=examples(
        "jobkit worker --types mail,invoice", "jobkit worker --url http://127.0.0.1:8000/ --token TOKEN"
    )
)
@click.option("--types", default="mail,invoice,resize", show_default=True, help="Which types to work on.")
@queue_options
@click.option("--id", "worker_id", help="Its name; by default made of this machine's and the process's.")
@click.option("--lease", default=30.0, show_default=True, help="Seconds that a lease lasts.", type=float)
@click.option(
    "--batch", default=1, show_default=True, type=click.IntRange(1, 100), help="Jobs to take at once."
)
@click.option("--grace", default=10.0, show_default=True, help="Seconds for a running job when told to stop.")
@click.option(
    "--pace", default=0.5, show_default=True, help="Seconds that a job takes at least, so that one can watch."
)
@click.option("--folder", default="jobkit-out", show_default=True, type=Path, help="Where its files go.")
@click.option("--behave", type=click.Choice(BEHAVIOURS), help="Behave badly, in one of these ways.")
def worker(  # noqa: PLR0917 - what the command line has
    types: str,
    db: str | None,
    url: str | None,
    token: str | None,
    worker_id: str | None,
    lease: float,
    batch: int,
    grace: float,
    pace: float,
    folder: Path,
    behave: str | None,
) -> None:
    """Work on a live queue, until Ctrl-C or SIGTERM.

    \b
    mail     writes an .eml file
    invoice  writes an HTML page
    resize   draws a picture (needs Pillow: pip install 'jobkit[demo]')
    """
    known = {type_: paced(handler, round(pace * 1000)) for type_, handler in handlers(folder).items()}
    asked = [name.strip() for name in types.split(",") if name.strip()]
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        raise click.UsageError(f"--types: expected some of {', '.join(known)}, found {types!r}")
    name = worker_id or f"{socket.gethostname()}-{os.getpid()}"
    queue = queue_of(db, url, token)
    lease_millis = round(lease * 1000)
    chosen = {each: known[each] for each in asked}
    does, of = misbehaving(behave, chosen, queue, lease_millis, lambda words: say_if_open(f"{name}: {words}"))
    try:
        made = Worker(
            of,
            does,
            worker_id=name,
            lease_millis=lease_millis,
            batch=batch,
            grace_millis=round(grace * 1000),
            tell=_teller(name),
        )
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    _stop_on_signals(made)
    say_if_open(f"{name}: works on {', '.join(asked)}; Ctrl-C stops it")
    try:
        made.run()
    except PermissionError as error:
        raise click.ClickException(
            f"the board does not accept this worker's token: {error}. Start the worker again with a token for "
            "workers that the board printed, or that its token file has. A job that it held is retried when "
            "its lease ends."
        ) from error
    finally:
        close(queue)
    say_if_open(f"{name}: stopped")


def _teller(name: str) -> Callable[[str, Lease | None, str], None]:
    def tell(word: str, lease: Lease | None, words: str) -> None:
        about = "" if lease is None else f"{lease.job_id} "
        more = f": {plain_text(words)}" if words else ""
        if lease is not None and word == "leased":
            more = f": {lease.type}, attempt {lease.attempt}, token {lease.token}"
        say_if_open(f"{name}: {about}{word}{more}")

    return tell


def _stop_on_signals(made: Worker) -> None:
    """Let whoever wants the worker to end be heard: what is begun is finished first."""
    for known in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, known):  # Windows has no SIGHUP
            signal.signal(getattr(signal, known), lambda *_: made.stop())


@click.command("demo-load", epilog=examples("jobkit demo-load --jobs 500"))
@queue_options
@click.option("--jobs", default=200, show_default=True, type=click.IntRange(1, 100_000), help="How many.")
@click.option("--seed", default=1, show_default=True, help="Draws the mixture.")
def demo_load(db: str | None, url: str | None, token: str | None, jobs: int, seed: int) -> None:
    """Submit a mixture of jobs, so that there is something to look at.

    Several tenants and priorities, some delayed, some with a deadline, and a few that can only fail.
    Over HTTP all are of the token's tenant.
    """
    queue = queue_of(db, url, token)
    random = Random(seed)  # noqa: S311 - a mixture, no secret
    now = None if url is not None else _running_on_from(queue.stats().at)
    run = secrets.token_hex(3)
    counts = dict.fromkeys(("ready at once", "delayed", "with a deadline", "bound to fail", "refused"), 0)
    try:
        with click.progressbar(range(jobs), label="Submitting", width=30) as numbers:
            for number in numbers:
                _submit_one(queue, random, number, now, f"demo {run} {number}", counts)
    except (JobQueueError, PermissionError) as error:
        raise click.ClickException(str(error)) from error
    finally:
        close(queue)
    done = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    say(f"Submitted {jobs - counts['refused']} jobs: {done}.")


def _running_on_from(begin: int) -> Callable[[], int]:
    """Return a clock that goes on from an instant of the queue's; to ask the queue each time costs more."""
    passed = MonotonicClock()
    since = passed.now()
    return lambda: begin + passed.now() - since


def _submit_one(  # noqa: PLR0917 - one call in one place
    queue: Any, random: Random, number: int, clock: Callable[[], int] | None, key: str, counts: dict[str, int]
) -> None:
    """Submit one job of the mixture; instants are known only where the queue's own clock can be asked."""
    type_ = random.choices(["mail", "invoice", "resize"], [6, 3, 1])[0]
    poison = random.random() < 0.04  # noqa: PLR2004 - the mixture
    order: dict[str, Any] = {
        "priority": random.choices([5, 0, -5], [2, 5, 3])[0],
        "cost": random.randint(1, 20),
    }
    if clock is not None:
        now = clock()
        order["tenant"] = random.choices(_DEMO_TENANTS, [8, 3, 1])[0]
        fate = random.random()
        if fate < 0.15:  # noqa: PLR2004
            order["run_at_millis"] = now + random.randint(5_000, 120_000)
        elif fate < 0.25:  # noqa: PLR2004
            order["deadline_millis"] = now + random.randint(20_000, _HOUR_MILLIS)
    what = "delayed" if "run_at_millis" in order else "ready at once"
    what = "with a deadline" if "deadline_millis" in order else what
    try:
        queue.submit_once(key, type_, _payload(type_, number, poison=poison), **order)
    except AdmissionError:
        counts["refused"] += 1
    else:
        counts["bound to fail" if poison else what] += 1


def _payload(type_: str, number: int, *, poison: bool) -> str:
    mixture: dict[str, dict[str, Any]] = {
        "mail": {"to": f"customer{number}@example.org", "subject": f"News {number}", "text": "Hello."},
        "invoice": {"customer": f"Customer {number}", "lines": [["Hosting", 990], ["Support", 100 * number]]},
        "resize": {"width": 320, "height": 200},
    }
    return json.dumps({"to": "nobody", "lines": "none", "width": "wide"} if poison else mixture[type_])


@click.command(epilog=examples("jobkit token --name mailer --role worker --tenants acme,bo >> tokens.toml"))
@click.option("--name", required=True, help="Who it is for; the audit of redrives has it.")
@click.option("--role", required=True, type=click.Choice([role.value for role in Role]), help="What for.")
@click.option("--tenants", default="default", show_default=True, help="Which, with commas between; * for all.")
def token(name: str, role: str, tenants: str) -> None:
    """Make a token for the API, and the lines of the token file that let it in.

    The file keeps only the token's hash; give it to `jobkit board --token-file`.
    """
    names = ALL if tenants.strip() == ALL else [each.strip() for each in tenants.split(",")]
    try:
        check_name("name", name)
        covered = read_tenants(Role(role), names)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"--{error}") from error
    made = new_token()
    say(f"# The token, shown this once: {made}")
    say_lines(described(name, Role(role), covered, made))


COMMANDS = (worker, demo_load, token)
