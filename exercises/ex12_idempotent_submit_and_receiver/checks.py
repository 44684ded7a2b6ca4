"""The keyed queue and the receiver of ex12, in the words of the task. The promises are in checks.toml."""

from functools import cached_property
from pathlib import Path
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.records import How
from exercises.staging.driver import Driver
from exercises.staging.queue_words import several
from exercises.staging.story_tables import checks

CONFLICT = "RequestKeyConflictError"
SEAMS = ("", ":", "/", "|", "-", " ", ".", ",", "_", "\n")


class Shop:
    """A `KeyedQueue` and a `Receiver` over a store; each is made when the story comes to it."""

    def __init__(self, case: Case) -> None:
        self.case = case

    @cached_property
    def _queue(self) -> Driver:
        return Driver(self.case, "KeyedQueue")

    @cached_property
    def _store(self) -> Driver:
        return Driver(self.case, "Store")

    @cached_property
    def _receiver(self) -> Driver:
        return Driver(self.case, "Receiver", self._store.object)

    # -- the queue -------------------------------------------------------------------------------------------

    def submit(
        self, key: str, type: str = "pay", payload: str = "Ada 30", tenant: str = "shop", *, gives: str = ""
    ) -> None:
        """Ask for a job; `gives` is the id that must come, with a + if it was there before, or "refused"."""
        words = f"{tenant} submits {key}: {type} {payload}".rstrip()
        request = ("submit_once", key, type, payload, tenant)
        if gives == "refused":
            before = self.case.glance(self._queue.object, "waiting")

            def effect() -> How:  # taken for a repeat, or a job made anew
                same = self.case.glance(self._queue.object, "waiting") == before
                return How.ACCEPTED if same else How.CHANGED

            self._queue.refuses(words, *request, error=CONFLICT, effect=effect)
        elif not gives:
            self._queue.asks(words, *request, what="J1")
        else:
            found = self._queue.call(words, *request, expected="a Submission", tell=_submission)
            self._queue.has(found, {"job_id": gives.rstrip("+"), "replayed": gives.endswith("+")})

    def finish(self, job_id: str) -> None:
        """Report a job as done."""
        self._queue.call(f"{job_id} is done", "finish", job_id)

    def waiting(self, *, gives: Any) -> None:
        """Require that just these jobs wait."""
        self._queue.gives("who waits?", "waiting", gives=list(several(gives)), what="waiting")

    # -- the receiver ------------------------------------------------------------------------------------------

    def handle(self, token: str, account: str, amount: int, *, gives: Any = None) -> None:
        """Deliver a job; the token tells which one, and which delivery of it. `gives` may be an error."""
        job_id = token.partition(":")[0]
        words = f"{job_id} is delivered, token {token}: {account} {amount:+}"
        delivery = ("handle", job_id, token, account, amount)
        if gives is None:
            self._receiver.asks(words, *delivery, what="an answer")
        elif isinstance(gives, int):
            self._receiver.gives(words, *delivery, gives=gives, what="answer")
        else:
            receiver = self._receiver.object
            before = self.case.glance(receiver, "balance", account)

            def effect() -> How:
                same = self.case.glance(receiver, "balance", account) == before
                return How.SILENT if same else How.ACCEPTED

            self._receiver.refuses(words, *delivery, error=gives[1], effect=effect)

    def restart(self) -> None:
        """Begin anew with the same store."""
        self._store.call("the receiver is restarted", "get", "anything", tell=lambda _: "it is back")
        self._receiver = Driver(self.case, "Receiver", self._store.object)

    def cut_power(self, when: str) -> None:
        """Let the power fail in the next commit, before or after it is written."""
        written = {"before": "nothing of it is written", "after": "all of it is written"}[when]
        words = f"the power will fail in the next commit; {written}"
        assert self._receiver  # noqa: S101  it is there before the power fails
        self._store.call(words, "cut_power", when, tell=lambda _: "nobody knows yet")

    def balance(self, account: str, *, gives: int) -> None:
        """Look at a balance."""
        words = f"what is in {account}'s account?"
        self._receiver.gives(words, "balance", account, gives=gives, what="balance")

    def paid_once(self, account: str, amount: int) -> None:
        """Look at a balance after one payment of this amount, and say what went wrong if something did."""
        words = f"what is in {account}'s account?"
        got = self._receiver.asks(words, "balance", account, what=f"balance {amount}")
        if got == 2 * amount:
            self.case.broken(f"balance {amount}", f"balance {got}: paid twice", "paid twice")
        if got == 0:
            self.case.broken(f"balance {amount}", "balance 0: never paid", "never paid")
        self.case.same("balance", amount, got)


def _submission(found: Any) -> str:
    fields = getattr(found, "fields", {})
    old = {True: "there before", False: "new"}.get(fields.get("replayed"), "")
    return f"{fields.get('job_id')}, {old}".rstrip(", ") if fields else repr(found)


def seams(case: Case) -> None:
    """Put signs between tenant and key."""
    shop, number = Shop(case), 0
    for seam in SEAMS:
        number += 2
        shop.submit(f"b{seam}c", tenant="a", gives=f"J{number - 1}")
        shop.submit("c", tenant=f"a{seam}b", gives=f"J{number}")


def seams_of_the_content(case: Case) -> None:
    """To pay "off Ada" is not to payoff "Ada"; the same holds with any sign between."""
    shop = Shop(case)
    for number, seam in enumerate(SEAMS, start=1):
        shop.submit(f"order-{number}", "pay", f"off{seam}Ada", gives=f"J{number}")
        shop.submit(f"order-{number}", f"pay{seam}off" if seam else "payoff", "Ada", gives="refused")


CHECKS = checks(Path(__file__).parent, Shop, seams=seams, seams_of_the_content=seams_of_the_content)
