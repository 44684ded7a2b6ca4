"""The one command, `jobkit`: lab, board, traces, exercises. It only reads arguments and prints."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from jobqueue import JobQueueError
from jobqueue.simulation import SCENARIOS, find_scenario, run
from jobqueue.simulation.trace import trace as trace_of
from webui import create_app
from webui.auth import Role, TokenFileError, keep_tokens
from webui.cli import classroom as class_commands
from webui.cli import exercises as exercise_commands
from webui.cli import loop as loop_commands
from webui.cli import queue as queue_commands
from webui.cli import verify as verify_command
from webui.cli.postgres import postgres
from webui.cli.terminal import PlainGroup, examples, say, say_lines
from webui.jupyter.lab import JupyterFailedError, copy_lessons, is_installed, jupyter
from webui.live.queue import own_token_file, serving_queue
from webui.live.service import Service
from webui.server import PortTakenError, listen, serving, stop_politely, wait_for_stop

_HELP = {"help_option_names": ["-h", "--help"]}
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@click.group(cls=PlainGroup, context_settings=_HELP)
@click.version_option(version("jobkit"), prog_name="jobkit")
def main() -> None:
    """Learn how job queues really work: watch, break and build one.

    \b
    Begin with:
      jobkit lab            the board and the lessons, in your browser
      jobkit trace zombie   one scenario as text
    """


_PORT = click.option(
    "--port", type=click.IntRange(1, 65535), help="Where the board listens; by default 8000, or any free port."
)


@main.command(epilog=examples("jobkit lab", "jobkit lab --port 8080"))
@_PORT
def lab(port: int | None) -> None:
    """Serve the board and the lessons, until Ctrl-C."""
    with _board("127.0.0.1", port) as url:
        if not is_installed():
            say("The lessons need JupyterLab, which is not installed: pip install 'jobkit[jupyter]'")
            _until_stopped()
            return
        lessons = Path("answers") / "lessons"
        try:
            outdated = copy_lessons(lessons)
        except OSError as error:
            raise click.ClickException(f"your copies of the lessons cannot be written: {error}") from error
        for name in outdated:
            say(f"{lessons / name} is broken, or older than the kit's; delete it to get a new one.")
        say("Starting JupyterLab for the lessons ...")
        try:
            with (
                tempfile.TemporaryDirectory(prefix="jobkit-") as scratch,
                jupyter(url, lessons.resolve(), Path(scratch)) as address,
            ):
                say(f"The lessons:  {address}")
                say(f"Your copies of them are in {lessons}.")
                _until_stopped()
        except JupyterFailedError as error:
            raise click.ClickException(f"JupyterLab did not start: {error}") from error


@main.command(
    epilog=examples(
        "jobkit board",
        "jobkit board --host 0.0.0.0    also for other machines",
        "jobkit board --db memory:    with a queue that is gone afterwards",
    )
)
@_PORT
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--db", help="The live queue's address, such as sqlite:///jobs.db or memory:; by default your own."
)
@click.option(
    "--token-file",
    envvar="JOBKIT_TOKEN_FILE",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Who may use the API, as `jobkit token` prints it; or in JOBKIT_TOKEN_FILE.",
)
@click.option("--prefix", default="", help="The folder that a proxy gives the board, such as /user/ada/jobkit.")
def board(port: int | None, host: str, db: str | None, token_file: Path | None, prefix: str) -> None:
    """Serve the board, and a live queue with its API, until Ctrl-C.

    Behind a proxy, that is with --prefix, the live queue needs --token-file: there the board answers to any
    name, so that nothing else would keep strangers' pages out.
    """
    if prefix and token_file is None:
        if db is not None:
            raise click.ClickException("--db: with --prefix the live queue needs --token-file, too.")
        with _board(host, port, prefix=prefix):
            _until_stopped()
        return
    try:
        with serving_queue(db, token_file) as (service, tokens), _board(host, port, service, prefix) as url:
            say(f"Live queue:   {url}live/")
            say(f"HTTP API:     {url}api/v1/")
            if token_file is None:
                _show_tokens(tokens)
            _until_stopped()
    except (JobQueueError, TokenFileError, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _show_tokens(tokens: Mapping[Role, str]) -> None:
    """Show new tokens, this once, and keep their hashes; of older ones there is nothing to show."""
    file = own_token_file()
    if not tokens:
        say(f"Tokens for the API: those that were shown when {file} was made. Delete it for new ones.")
        return
    lasting = "shown this once; they go on to work after a restart"
    is_kept = keep_tokens(file, tokens)
    say(f"Tokens for the API, from this machine, {lasting if is_kept else 'until this program ends'}:")
    for role, token in tokens.items():
        say(f"  {role:<10}  {token}")


@contextmanager
def _board(host: str, port: int | None, service: Service | None = None, prefix: str = "") -> Iterator[str]:
    """Serve the board until the end of the block; yield its address."""
    if not host.strip():
        raise click.ClickException("--host: is empty; leave it out, or name an address of this machine.")
    stop_politely()
    try:
        sock = listen(host, port)
    except PortTakenError as error:
        raise click.ClickException(
            f"{error}. Choose another with --port or --host, or leave both out."
        ) from error
    # Behind a proxy the board is called by the proxy's name, which only the proxy knows. Then, as for other
    # machines, it runs nobody's answers: any page that a browser shows could ask for it.
    has_own_name = host in _LOOPBACK and not prefix
    config: dict[str, Any] = {"PREFIX": prefix}
    config |= {"WORK_FOLDER": "."} if has_own_name else {"ALLOWED_HOSTS": None}
    with serving(create_app(config, service), sock):
        url = f"http://{f'[{host}]' if ':' in host else host}:{sock.getsockname()[1]}/"
        url += f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        say(f"The board:    {url}")
        yield url


def _until_stopped() -> None:
    say("Ctrl-C stops it.")
    wait_for_stop()
    say("Stopped.")


@main.command(epilog=examples("jobkit trace zombie", "jobkit trace life_of_a_job --seed 7"))
@click.argument("name")
@click.option("--seed", type=int, help="Draw the working times anew; by default the scenario's own seed.")
def trace(name: str, seed: int | None) -> None:
    """Print the scenario NAME as text: time, who, what, and which rule.

    `jobkit scenarios` lists the names.
    """
    try:
        scenario = find_scenario(name)
    except LookupError as error:
        raise click.ClickException(str(error)) from error
    say_lines(trace_of(run(scenario, seed)))


@main.command(epilog=examples("jobkit scenarios"))
def scenarios() -> None:
    """List the scenarios, each with its question."""
    width = max(map(len, SCENARIOS))
    for scenario in SCENARIOS.values():
        say(f"{scenario.name:<{width}}  {scenario.question}")


for command in (
    *exercise_commands.COMMANDS,
    *loop_commands.COMMANDS,
    *verify_command.COMMANDS,
    *class_commands.COMMANDS,
    *queue_commands.COMMANDS,
    postgres,
):
    main.add_command(command)
