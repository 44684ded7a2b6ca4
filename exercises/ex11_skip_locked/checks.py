"""Claims and reports of ex11, one after the other. What an answer must promise is in checks.toml."""

from pathlib import Path

from exercises.grader import Case
from exercises.staging.queue_driver import TOKEN_AGAIN
from exercises.staging.server_driver import ServerDriver
from exercises.staging.story_tables import checks


def handed_out_again(case: Case) -> None:
    """Look also whether the second hand-out has a generation of its own."""
    queue = ServerDriver(case)
    queue.submit("mail", "to Ada", gives="J1")
    old = queue.claim("A", gives="J1")
    queue.at(11_000)
    new = queue.claim("B", gives="J1", attempt=2, worker_id="B")
    queue.view("J1", status="RUNNING", attempts=2, worker_id="B")
    if new.generation == old.generation:
        case.broken("a generation that J1 never had", f"generation {new.generation} again", TOKEN_AGAIN)


CHECKS = checks(Path(__file__).parent, ServerDriver, handed_out_again=handed_out_again)
