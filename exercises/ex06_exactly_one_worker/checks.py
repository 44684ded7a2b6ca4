"""What an answer to ex06 must promise to a single thread; all but one story is in checks.toml."""

from pathlib import Path

from exercises.grader import Case
from exercises.staging.story_tables import checks
from exercises.staging.thread_stories import SharedQueue


def two_queues(case: Case) -> None:
    """Let each begin with J1, and see nothing of the other."""
    mail, print_ = SharedQueue(case, "the mail queue"), SharedQueue(case, "the print queue")
    mail.submit(gives="J1")
    print_.counts(0, 0, 0)
    print_.submit(gives="J1")
    mail.poll("A", gives="J1")
    print_.counts(1, 0, 0)


CHECKS = checks(Path(__file__).parent, SharedQueue, two_queues=two_queues)
