"""What an answer to ex12 must promise, the queue's half. The receiver's is in checks_receiver.py."""

from exercises.grader import Case, check
from exercises.grader.judging.records import How
from exercises.staging.plain_stage import PlainStage

CONFLICT = "RequestKeyConflictError"


class Desk(PlainStage):
    """A KeyedQueue, and words for who asks what."""

    def __init__(self, case: Case) -> None:
        super().__init__(case, "KeyedQueue")
        self._case = case

    def submits(
        self, key: str, type: str = "pay", payload: str = "Ada 30", tenant: str = "shop", *, gives: str
    ) -> None:
        """Ask for a job; `gives` is the id that must come, with a + if it was there before."""
        words = f"{tenant} submits {key}: {type} {payload}".rstrip()
        found = self._asked(words, key, type, payload, tenant)
        self._case.same("job_id", gives.rstrip("+"), self._case.field(found, "job_id"))
        self._case.same("replayed", gives.endswith("+"), self._case.field(found, "replayed"))

    def _asked(self, words: str, *request: str) -> object:
        def tell(found: object) -> str:
            fields = getattr(found, "fields", {})
            old = {True: "there before", False: "new"}.get(fields.get("replayed"), "")
            return f"{fields.get('job_id')}, {old}".rstrip(", ") if fields else repr(found)

        return self._case.call(words, self._object, "submit_once", *request, expected="a Submission", tell=tell)

    def refuses_submit(self, key: str, type: str, payload: str, tenant: str = "shop") -> None:
        """Ask for something else under a key that is taken."""
        before = self._case.glance(self._object, "waiting")

        def effect() -> How:  # taken for a repeat, or a job made anew
            return How.ACCEPTED if self._case.glance(self._object, "waiting") == before else How.CHANGED

        words = f"{tenant} submits {key}: {type} {payload}".rstrip()
        self.refuses(words, "submit_once", key, type, payload, tenant, error=CONFLICT, effect=effect)

    def finishes(self, job_id: str) -> None:
        """Report a job as done."""
        self._case.call(f"{job_id} is done", self._object, "finish", job_id)

    def waits(self, *job_ids: str) -> None:
        """Require that just these jobs wait."""
        self.gives("who waits?", "waiting", gives=list(job_ids), what="waiting")


@check(task=1, points=1, promise="Each new request makes a job: J1, J2, and so on, and each of them waits.")
def new_jobs(case: Case) -> None:
    """Three requests, three keys, three jobs; one is done and waits no longer."""
    desk = Desk(case)
    desk.waits()
    desk.submits("order-7", gives="J1")
    desk.submits("order-8", "mail", "Bob", gives="J2")
    desk.submits("order-9", "mail", "Eve", gives="J3")
    desk.waits("J1", "J2", "J3")
    desk.finishes("J2")
    desk.waits("J1", "J3")


@check(task=1, points=2, promise="A repeat returns the job that is there, and says so.", needs=(new_jobs,))
def a_repeat(case: Case) -> None:
    """The shop has heard nothing, and asks again, and once more."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.submits("order-7", gives="J1+")
    desk.submits("order-7", gives="J1+")


@check(task=1, points=2, promise="A repeat makes no second job.", needs=(new_jobs,))
def a_repeat_makes_nothing(case: Case) -> None:
    """What counts is what the workers find afterwards, and the number that the next job gets."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.asks("shop submits order-7: pay Ada 30", "submit_once", "order-7", "pay", "Ada 30", "shop", what="J1")
    desk.waits("J1")
    desk.submits("order-8", gives="J2")


@check(task=1, points=1, promise="A job that is done is still known by its key.", needs=(a_repeat,))
def a_repeat_after_the_end(case: Case) -> None:
    """The repeat comes late, after the work is done. It must not be done again."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.finishes("J1")
    desk.submits("order-7", gives="J1+")
    desk.waits()


@check(
    task=1, points=1, promise="Two requests that ask for the same under two keys are two.", needs=(new_jobs,)
)
def the_key_decides(case: Case) -> None:
    """Whoever wants a thing twice asks under two keys."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.submits("order-8", gives="J2")
    desk.waits("J1", "J2")


@check(task=2, points=2, promise="A key that is taken means no other payload.", needs=(a_repeat,))
def another_payload(case: Case) -> None:
    """Thirty were asked for under this key. Now it is thirty-one: a mistake, and no repeat."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.refuses_submit("order-7", "pay", "Ada 31")


@check(task=2, points=1, promise="A key that is taken means no other type of job.", needs=(a_repeat,))
def another_type(case: Case) -> None:
    """To pay Ada 30 and to mail it to her are not the same."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.refuses_submit("order-7", "mail", "Ada 30")


@check(task=2, points=2, promise="A refused request changes nothing.", needs=(another_payload,))
def a_conflict_changes_nothing(case: Case) -> None:
    """Afterwards the key stands for what it stood for, and no job and no id is gone or new."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.refuses_submit("order-7", "pay", "Ada 31")
    desk.submits("order-7", gives="J1+")
    desk.waits("J1")
    desk.refuses_submit("order-7", "pay", "Ada 31")
    desk.submits("order-8", gives="J2")


@check(task=2, points=2, promise="Each tenant has its own keys.", needs=(a_repeat,))
def two_tenants(case: Case) -> None:
    """The shop and the café both have an order 7, and neither knows of the other."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.submits("order-7", tenant="café", gives="J2")
    desk.submits("order-7", gives="J1+")
    desk.submits("order-7", tenant="café", gives="J2+")


@check(
    task=2, points=1, promise="A tenant's key is free for it, whatever others use it for.", needs=(a_repeat,)
)
def another_tenants_content(case: Case) -> None:
    """The café's order 7 is another one than the shop's; that is no conflict."""
    desk = Desk(case)
    desk.submits("order-7", gives="J1")
    desk.submits("order-7", "mail", "Bob", "café", gives="J2")
    desk.refuses_submit("order-7", "mail", "Bob", "shop")


@check(
    task=2,
    points=1,
    promise="Tenant and key are two things, also when their letters run together.",
    needs=(two_tenants, the_key_decides),
)
def seams(case: Case) -> None:
    """Whoever makes one text of the two has to know where the one ends, whatever is in them."""
    desk = Desk(case)
    number = 0
    for seam in ("", ":", "/", "|", "-", " ", ".", ",", "_", "\n"):
        number += 2
        desk.submits(f"b{seam}c", tenant="a", gives=f"J{number - 1}")
        desk.submits("c", tenant=f"a{seam}b", gives=f"J{number}")


@check(
    task=2,
    points=1,
    promise="Type and payload are two things, also when their letters run together.",
    needs=(another_type, a_conflict_changes_nothing, a_repeat_makes_nothing),
)
def seams_of_the_content(case: Case) -> None:
    """To pay "off Ada" is not to payoff "Ada"; the same holds with any sign between."""
    desk = Desk(case)
    for number, seam in enumerate(("", ":", "/", "|", "-", " ", ".", ",", "_", "\n"), start=1):
        desk.submits(f"order-{number}", "pay", f"off{seam}Ada", gives=f"J{number}")
        desk.refuses_submit(f"order-{number}", f"pay{seam}off" if seam else "payoff", "Ada")
