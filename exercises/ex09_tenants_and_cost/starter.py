"""ex09, tenants and cost: your answer. Story and rules are in ex09_tenants_and_cost.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex09
"""


class TenantQueue:
    """A queue in which tenants take turns, so that no one's backlog is everybody's."""

    def __init__(self, quantum: int = 0, max_running: int = 0) -> None:
        self._quantum = quantum  # credit for each turn; 0: a turn is one job, whatever it costs
        self._max_running = max_running  # for each tenant, over all bands; 0: no limit
        # Add what your queue has to remember.

    def submit(self, tenant: str, cost: int = 1, band: str = "N") -> str:
        """Take a new job in. Return its id: "J1" for the first, "J2" for the second, and so on."""
        raise NotImplementedError("ex09, task 1: submit")

    def poll(self, band: str = "N") -> str | None:
        """Hand out one job of this band, of the tenant whose turn it is there, and return its id.

        None if no tenant below its limit has a job in the band.
        """
        raise NotImplementedError("ex09, task 1: poll")

    def complete(self, job_id: str) -> None:
        """Note that a job that was handed out is done: its tenant has one less running."""
        raise NotImplementedError("ex09, task 3: complete")

    def poll_many(self, limit: int, band: str = "N") -> list[str]:
        """Poll this band so many times, and return the ids; fewer if there are no more to be had."""
        raise NotImplementedError("ex09, task 3: poll_many")
