"""The inside of a queue in memory, for flaws that do what a right queue has no way to do."""

from jobqueue.queue import JobQueue
from jobqueue.table import JobTable


def table_of(queue: JobQueue) -> JobTable:
    """Return the jobs of a queue in memory, with all their places."""
    table = queue._table  # noqa: SLF001 - that is what this is for
    assert isinstance(table, JobTable), "flawed queues are in memory"  # noqa: S101 - for the type checker
    return table
