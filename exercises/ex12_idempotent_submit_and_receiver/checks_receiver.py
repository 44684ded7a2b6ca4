"""What an answer to ex12 must promise, the receiver's half."""

from exercises.grader import Case, check
from exercises.grader.judging.records import How
from exercises.staging.plain_stage import PlainStage


class Bank:
    """A receiver over a store, and words for what is delivered."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._store = case.make("Store")
        self._open()

    def _open(self) -> None:
        self._stage = PlainStage(self._case, "Receiver", self._store)

    def restarts(self) -> None:
        """Begin anew with the same store."""
        self._case.call(
            "the receiver is restarted", self._store, "get", "anything", tell=lambda _: "it is back"
        )
        self._open()

    def pays(self, token: str, account: str, amount: int, *, gives: int) -> None:
        """Deliver a job; the token tells which one, and which delivery of it."""
        job_id = token.partition(":")[0]
        words = f"{job_id} is delivered, token {token}: {account} {amount:+}"
        self._stage.gives(words, "handle", job_id, token, account, amount, gives=gives, what="answer")

    def delivers(self, token: str, account: str, amount: int) -> None:
        """Deliver a job, whatever the answer."""
        job_id = token.partition(":")[0]
        words = f"{job_id} is delivered, token {token}: {account} {amount:+}"
        self._stage.asks(words, "handle", job_id, token, account, amount, what="an answer")

    def refuses(self, token: str, account: str, amount: int, error: str) -> None:
        """Deliver a job that must be refused."""
        job_id = token.partition(":")[0]
        before = self._case.glance(self._stage.object, "balance", account)

        def effect() -> How:
            after = self._case.glance(self._stage.object, "balance", account)
            return How.SILENT if after == before else How.ACCEPTED

        words = f"{job_id} is delivered, token {token}: {account} {amount:+}"
        self._stage.refuses(words, "handle", job_id, token, account, amount, error=error, effect=effect)

    def power_fails(self, when: str, token: str, account: str, amount: int) -> None:
        """Deliver a job while the power fails, before or after the next commit is written."""
        written = {"before": "nothing of it is written", "after": "all of it is written"}[when]
        told = f"the power will fail in the next commit; {written}"
        self._case.call(told, self._store, "cut_power", when, tell=lambda _: "nobody knows yet")
        self.refuses(token, account, amount, "PowerCutError")

    def has(self, account: str, amount: int) -> None:
        """Look at a balance."""
        self._stage.gives(f"what is in {account}'s account?", "balance", account, gives=amount, what="balance")

    def has_once(self, account: str, amount: int) -> None:
        """Look at a balance after one payment of this amount, and say what went wrong if something did."""
        got = self._stage.asks(f"what is in {account}'s account?", "balance", account, what=f"balance {amount}")
        if got == 2 * amount:
            self._case.broken(f"balance {amount}", f"balance {got}: paid twice", "paid twice")
        if got == 0:
            self._case.broken(f"balance {amount}", "balance 0: never paid", "never paid")
        self._case.same("balance", amount, got)


@check(task=3, points=1, promise="A payment is added to its account, and the answer is the new balance.")
def paid(case: Case) -> None:
    """Two accounts, three jobs, all goes well."""
    bank = Bank(case)
    bank.has("Ada", 0)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.pays("J2:1", "Bob", 5, gives=5)
    bank.pays("J3:1", "Ada", -10, gives=20)
    bank.has("Ada", 20)
    bank.has("Bob", 5)


@check(task=3, points=1, promise="Submitted once and delivered once, all is as one would think.", needs=(paid,))
def happy_path(case: Case) -> None:
    """What everybody tries, and what always works."""
    queue = PlainStage(case, "KeyedQueue")
    queue.asks("shop submits order-7: pay Ada 30", "submit_once", "order-7", "pay", "Ada 30", "shop", what="J1")
    queue.gives("who waits?", "waiting", gives=["J1"], what="waiting")
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.has("Ada", 30)


@check(task=3, points=2, promise="A job that is delivered again is not paid again.", needs=(paid,))
def delivered_twice(case: Case) -> None:
    """A has paid and frozen; B gets the job under a new token."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.delivers("J1:2", "Ada", 30)
    bank.has_once("Ada", 30)


@check(
    task=3, points=2, promise="A repeat gets the answer that the first delivery got.", needs=(delivered_twice,)
)
def the_first_answer(case: Case) -> None:
    """B reports the answer as its own; it has to be one that somebody can work with."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.pays("J1:2", "Ada", 30, gives=30)


@check(
    task=3,
    points=1,
    promise="The first answer stays the answer, also when the balance is another by now.",
    needs=(the_first_answer,),
)
def the_first_answer_later(case: Case) -> None:
    """Between the two deliveries of J1 another job has been paid."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.pays("J2:1", "Ada", 31, gives=61)
    bank.pays("J1:2", "Ada", 30, gives=30)
    bank.has("Ada", 61)


@check(task=3, points=1, promise="Two jobs are two payments, even if they are alike.", needs=(paid,))
def alike_and_two(case: Case) -> None:
    """Ada gets 30 for her book, and 30 for her other book."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.pays("J2:1", "Ada", 30, gives=60)


@check(
    task=3,
    points=2,
    promise="A job that was paid cannot come again with another content.",
    needs=(delivered_twice,),
)
def another_content(case: Case) -> None:
    """Something has gone wrong on the way; to answer as if nothing had would hide it."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.refuses("J1:2", "Ada", 31, "KeyConflictError")
    bank.refuses("J1:3", "Bob", 30, "KeyConflictError")
    bank.has("Ada", 30)
    bank.has("Bob", 0)


@check(
    task=4,
    points=1,
    promise="A payment that the account does not have is refused, and changes nothing.",
    needs=(paid,),
)
def refused(case: Case) -> None:
    """Down to 0 is possible, below is not."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.refuses("J2:1", "Ada", -31, "RefusedError")
    bank.has("Ada", 30)
    bank.pays("J3:1", "Ada", -30, gives=0)
    bank.refuses("J4:1", "Bob", -1, "RefusedError")


@check(
    task=4,
    points=2,
    promise="What was refused has not happened: the same job may succeed later.",
    needs=(refused,),
)
def refused_and_tried_again(case: Case) -> None:
    """J1 comes too early. When it comes again there is enough."""
    bank = Bank(case)
    bank.refuses("J1:1", "Ada", -50, "RefusedError")
    bank.pays("J2:1", "Ada", 80, gives=80)
    bank.pays("J1:2", "Ada", -50, gives=30)
    bank.has("Ada", 30)


@check(
    task=4,
    points=1,
    promise="A repeat is answered even if the payment would be refused today.",
    needs=(refused, the_first_answer),
)
def repeated_when_poor(case: Case) -> None:
    """J2 was paid when there was enough. Nothing is taken for the repeat, so nothing is needed."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 80, gives=80)
    bank.pays("J2:1", "Ada", -50, gives=30)
    bank.pays("J2:2", "Ada", -50, gives=30)
    bank.has("Ada", 30)


@check(task=4, points=2, promise="A restarted receiver knows what was paid before.", needs=(delivered_twice,))
def restarted(case: Case) -> None:
    """What only the old process knew is gone."""
    bank = Bank(case)
    bank.pays("J1:1", "Ada", 30, gives=30)
    bank.restarts()
    bank.has("Ada", 30)
    bank.pays("J1:2", "Ada", 30, gives=30)
    bank.has_once("Ada", 30)


@check(
    task=4,
    points=2,
    promise="If the power failed before anything was written, the job is paid when it comes again.",
    needs=(delivered_twice,),
)
def cut_before(case: Case) -> None:
    """The process lives on, nothing is written, and the job is delivered again."""
    bank = Bank(case)
    bank.power_fails("before", "J1:1", "Ada", 30)
    bank.pays("J1:2", "Ada", 30, gives=30)
    bank.has_once("Ada", 30)


@check(
    task=4,
    points=3,
    promise="If the power failed after a commit was written, the job ends as paid once.",
    needs=(restarted,),
)
def cut_after(case: Case) -> None:
    """Whatever this one commit held is there after the restart; what should have come after it is not."""
    bank = Bank(case)
    bank.power_fails("after", "J1:1", "Ada", 30)
    bank.restarts()
    bank.delivers("J1:2", "Ada", 30)
    bank.has_once("Ada", 30)
    bank.pays("J1:3", "Ada", 30, gives=30)
