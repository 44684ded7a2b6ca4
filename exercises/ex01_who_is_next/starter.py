"""ex01, who is next: your answer. The story and the rules are in ex01_who_is_next.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex01

Times are whole milliseconds. `now` is always given to you.
"""


class WaitingRoom:
    """Jobs that wait, and the answer to the question who is next."""

    def __init__(self) -> None:
        """Begin empty. Add what your waiting room has to remember."""

    def submit(self, priority: int = 0, run_at: int = 0) -> str:
        """Take a new job in. Return its id: "J1" for the first, "J2" for the second, and so on."""
        raise NotImplementedError("ex01, task 1: submit")

    def best(self, now: int) -> str | None:
        """Tell the id of the best job that is ready at `now`, and change nothing. None if none is ready.

        Ready: its run_at has come. Best: the highest priority, then the earliest run_at, then the order of
        submission.
        """
        raise NotImplementedError("ex01, task 1: best")

    def take(self, now: int) -> str | None:
        """Hand out the best job: tell its id, and let it wait no longer. None if none is ready."""
        raise NotImplementedError("ex01, task 3: take")

    def give_back(self, job_id: str, run_at: int) -> None:
        """Let a job that was taken wait again, until run_at. Its priority and place in the order stay."""
        raise NotImplementedError("ex01, task 3: give_back")
