"""What an answer to ex09 must promise in tasks 1 to 3.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.staging.tenant_stage import Tenants


@check(task=1, points=1, promise="One tenant's jobs are handed out in the order of submission, once.")
def happy_path(case: Case) -> None:
    """Twelve letters of one firm; J2 was submitted before J10."""
    queue = Tenants(case)
    queue.polls("-")
    queue.fills(A=12)
    queue.polls("AAAAAAAAAAAA-")


@check(task=1, points=1, promise="Each band has its own jobs.", needs=(happy_path,))
def bands(case: Case) -> None:
    """One job in H, two in N, and L is empty. N is meant if nothing is said."""
    queue = Tenants(case)
    queue.submits("A", band="H")
    queue.submits("A", band="N")
    queue.submits_plainly("A")
    queue.polls("-", "L")
    queue.polls("A-", "H")
    queue.polls("AA-")


@check(task=2, points=1, promise="One job of B does not wait for all of A's.", needs=(happy_path,))
def backlog(case: Case) -> None:
    """A has many jobs, B has one, and it came last."""
    queue = Tenants(case)
    queue.fills(A=6, B=1)
    queue.polls("ABAAAAA-")


@check(
    task=2, points=1, promise="The first turn is A's, even if all of B's jobs came first.", needs=(happy_path,)
)
def one_job_first(case: Case) -> None:
    """B has many jobs, A has one, and it came last."""
    queue = Tenants(case)
    queue.fills(B=4, A=1)
    queue.polls("ABBBB-")


@check(task=2, points=1, promise="Tenants take turns, and begin anew after the last.", needs=(backlog,))
def in_turn(case: Case) -> None:
    """A has six, B two, C three."""
    queue = Tenants(case)
    queue.fills(A=6, B=2, C=3)
    queue.polls("ABCABCACAAA-")


@check(task=2, points=1, promise="Turns go by name, whoever came first.", needs=(backlog,))
def by_name(case: Case) -> None:
    """C came first, then A, then B; and b comes after all of them."""
    queue = Tenants(case)
    for tenant in "CCAAbbBB":
        queue.submits(tenant)
    queue.polls("ABCbABCb-")


@check(
    task=2,
    points=1,
    promise="Who comes in late gets its turn when its name comes, and not before.",
    needs=(in_turn, by_name),
)
def late_comers(case: Case) -> None:
    """B was served last when A and C come in."""
    queue = Tenants(case)
    queue.fills(B=4)
    queue.polls("BB")
    queue.fills(A=2, C=2)
    queue.polls("CABCAB-")


@check(
    task=2,
    points=1,
    promise="The turn is remembered by name, also when that tenant has nothing left.",
    needs=(late_comers,),
)
def remembered_by_name(case: Case) -> None:
    """B has one job and is gone; the next is C, not A. Then the queue is empty for a while."""
    queue = Tenants(case)
    queue.fills(A=2, B=1, C=1)
    queue.polls("ABCA-")
    queue.fills(B=1)
    queue.polls("B-")
    queue.fills(A=1, B=1, C=1)
    queue.polls("CAB-")


@check(task=2, points=2, promise="Each band has a turn of its own.", needs=(in_turn, bands))
def own_turn(case: Case) -> None:
    """A is served in H. That is no reason to pass it over in N."""
    queue = Tenants(case)
    for band in ("H", "N"):
        queue.fills(band, A=3, B=3)
    for band, tenants in (("H", "A"), ("N", "A"), ("H", "B"), ("N", "BA"), ("H", "AB"), ("N", "B")):
        queue.polls(tenants, band)


@check(task=3, points=1, promise="Many at once are as many polls, one by one.", needs=(in_turn,))
def many(case: Case) -> None:
    """Four of six, then all that is left, then nothing."""
    queue = Tenants(case)
    queue.fills(A=4, B=2)
    queue.polls_many(4, "ABAB")
    queue.polls_many(9, "AA")
    queue.polls_many(3, "")
    queue.fills("L", A=1, B=1)
    queue.polls_many(1, "A", "L")
    queue.polls_many(0, "", "L")


@check(
    task=3,
    points=1,
    promise="No tenant has more jobs running than its limit.",
    needs=(happy_path,),
)
def limited(case: Case) -> None:
    """At most two, and A has five."""
    queue = Tenants(case, max_running=2)
    queue.fills(A=5)
    queue.polls("AA--")


@check(task=3, points=1, promise="What is completed makes room.", needs=(limited,))
def room_again(case: Case) -> None:
    """At most two. One is done, one more may run."""
    queue = Tenants(case, max_running=2)
    queue.fills(A=5)
    queue.polls("AA-")
    queue.completes("J1")
    queue.polls("A-")
    queue.completes("J2")
    queue.completes("J3")
    queue.polls("AA-")


@check(
    task=3,
    points=1,
    promise="A tenant at its limit keeps nobody else from work.",
    needs=(room_again, in_turn),
)
def passed_over(case: Case) -> None:
    """At most one each. After C it would be A's turn, but A is still at work; B is free."""
    queue = Tenants(case, max_running=1)
    queue.fills(A=3, B=3, C=1)
    queue.polls("ABC-")
    queue.completes("J4")
    queue.polls("B-")


@check(
    task=3,
    points=2,
    promise="The limit is looked at for each hand-out of many, not once for all.",
    needs=(limited, many),
)
def limited_in_a_batch(case: Case) -> None:
    """At most one each, and somebody asks for ten at once."""
    queue = Tenants(case, max_running=1)
    queue.fills(A=5, B=5)
    queue.polls_many(10, "AB")
    queue.completes("J1")
    queue.polls_many(10, "A")


@check(
    task=3,
    points=2,
    promise="The limit counts a tenant's jobs in all bands together.",
    needs=(limited, bands, room_again),
)
def limited_over_all_bands(case: Case) -> None:
    """At most two. A has work in three bands."""
    queue = Tenants(case, max_running=2)
    for band in "HNL":
        queue.fills(band, A=2)
    queue.polls("A", "H")
    queue.polls("A", "N")
    queue.polls("-", "L")
    queue.completes("J1")
    queue.polls("A", "L")
    queue.polls("-", "H")
