"""ex08, HHHNNL and borrowing: your answer. Rules: ex08_hhhnnl_and_borrowing.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex08
"""


class BandedQueue:
    """A queue that shares its hand-outs among urgent, normal and low work."""

    def __init__(self, cycle: str = "HHHNNL") -> None:
        self._cycle = cycle
        # Add what your queue has to remember.

    def submit(self, priority: int = 0) -> str:
        """Take a new job in. Return its id: "J1" for the first, "J2" for the second, and so on.

        Its band is H for a priority above 0, N for 0, L below 0.
        """
        raise NotImplementedError("ex08, task 1: submit")

    def poll(self) -> str | None:
        """Hand out a job of the band whose slot is next, and return its id. None if all bands are empty.

        Slots of bands without a job are passed over. Within a band: the highest priority, then the order of
        submission.
        """
        raise NotImplementedError("ex08, task 1: poll")

    def cycle_from_weights(self, high: int, normal: int, low: int) -> str:
        """Make a cycle of one block for each band, H first, in the smallest numbers with these proportions.

        It depends on the weights alone, and changes nothing.

        Raises:
            ValueError: A weight is below 0, or all of them are 0.
        """
        raise NotImplementedError("ex08, task 4: cycle_from_weights")
