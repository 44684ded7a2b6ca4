"""What some flawed queues need: their jobs are in memory, where a flaw can reach behind the table."""

from jobqueue.queue import JobQueue
from jobqueue.table import JobTable


class InMemory(JobQueue):
    """A right queue as it stands, known to have its table in memory."""

    _table: JobTable
