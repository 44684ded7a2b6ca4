"""Scenarios of fairness: bands that lend their slots, tenants that take turns, aging, cost, limits."""

from jobqueue.scheduling import DeficitRoundRobin, Limits, WeightedBands
from jobqueue.simulation.scenario import Habits, Rules, Scenario, Task
from jobqueue.simulation.scenarios.basics import THREE_TRIES

_LESSON = "07_priorities_and_fairness"
_QUICK = (Habits("A", work_millis=1000, poll_millis=500),)

HHHNNL = Scenario(
    name="hhhnnl",
    title="Six slots",
    question="High, normal and low jobs wait, plenty of each. Which band gets the seventh hand-out?",
    story=(
        "The cycle HHHNNL gives each band its slots: three high, two normal, one low, and again. With all "
        "three bands full, twelve hand-outs are 6 high, 4 normal and 2 low."
    ),
    watch=(
        "low jobs are rare, but they come: with strict priority they would wait for the last of all others",
        "after each six hand-outs the given share is the promised one, as long as all bands have work",
    ),
    policy=THREE_TRIES,
    workers=_QUICK,
    tasks=(
        Task(0, "report", priority=-1, times=3),
        Task(0, "mail", times=5),
        Task(0, "payment", priority=1, times=7),
    ),
    rules=Rules(scheduler=WeightedBands("HHHNNL")),
    teaser_at=4500,
    lesson=_LESSON,
    exercise="ex08",
)

BORROWING = Scenario(
    name="borrowing",
    title="Borrowing",
    question="Only two high jobs are there. Who gets the high slots after that: always the next best band?",
    story=(
        "A slot whose band has nothing is skipped, and the cycle goes on after it. So its place is shared out "
        "in the same proportion as before, and no worker waits while anything could be done."
    ),
    watch=(
        "the order is H H N N L N N L N N L: two normal, one low, as the cycle has it",
        "if the best band with work got all that is lent, there would be five normal jobs for each low one",
        "a high job that comes later is served in the next high slot: what was lent is owed by nobody",
    ),
    policy=THREE_TRIES,
    workers=_QUICK,
    tasks=(
        Task(0, "payment", priority=1, times=2),
        Task(0, "mail", times=9),
        Task(0, "report", priority=-1, times=4),
        Task(10_500, "payment", "late", priority=1),
    ),
    rules=Rules(scheduler=WeightedBands("HHHNNL")),
    teaser_at=5500,
    lesson=_LESSON,
    exercise="ex08",
)

_NEIGHBOURS = (
    Task(0, "resize", tenant="acme", times=12),
    Task(1500, "resize", "a birthday picture", tenant="bo"),
    Task(6500, "resize", "another one", tenant="bo"),
)

NOISY_NEIGHBOUR = Scenario(
    name="noisy_neighbour",
    title="The noisy neighbour",
    question="The queue does a job each second and never rests. Is everybody served?",
    story=(
        "Tenant acme submits its whole archive at once; tenant bo has one picture, and a little later another. "
        "The queue pays no heed to tenants: first come, first served."
    ),
    watch=(
        "in all, things look well: one job done each second, no worker idle",
        "bo's picture waits 10.5 s behind the whole archive, and as long the age of its oldest ready job grows",
        "a total hides who waits; the same story with turns is `fair_neighbours`",
    ),
    policy=THREE_TRIES,
    workers=_QUICK,
    tasks=_NEIGHBOURS,
    teaser_at=6000,
    lesson=_LESSON,
    exercise="ex09",
)

FAIR_NEIGHBOURS = Scenario(
    name="fair_neighbours",
    title="Fair neighbours",
    question="The same flood, but tenants take turns. How long does bo wait?",
    story=(
        "The same jobs at the same instants as with the noisy neighbour. In each band the next tenant by name "
        "is served after the last one, so the length of acme's line does not matter to bo."
    ),
    watch=(
        "bo's picture is next, whatever acme has waiting: it waits half a second for the worker, and no longer",
        "acme is not punished: while bo has nothing, all turns are acme's",
    ),
    policy=THREE_TRIES,
    workers=_QUICK,
    tasks=_NEIGHBOURS,
    rules=Rules(scheduler=WeightedBands()),
    teaser_at=2500,
    lesson=_LESSON,
    exercise="ex09",
)

_FLOOD = (
    Task(0, "report", "once a year", priority=-1),
    Task(0, "payment", priority=1, times=30, every_millis=1000),
)

STARVATION = Scenario(
    name="starvation",
    title="Starvation",
    question="High jobs come in as fast as they are done. When is it the low job's turn?",
    story=(
        "One low job waits from the beginning. A high one comes in each second, for half a minute, and takes "
        "the worker for a second."
    ),
    watch=(
        "the low job is ready the whole time, and gets nothing until the flood is over",
        "no rule is broken: strict priority promises it nothing",
    ),
    policy=THREE_TRIES,
    workers=(Habits("A", work_millis=1000, poll_millis=1000),),
    tasks=_FLOOD,
    teaser_at=8000,
    lesson=_LESSON,
    exercise="ex09",
)

AGING = Scenario(
    name="aging",
    title="Aging",
    question="The same flood, but waiting counts: one band up for each 6 s. When is the low job served?",
    story=(
        "A job gains one band for each 6 s of being ready: low becomes normal, then high. In its new band the "
        "job that was ready longest comes first. While there are high jobs, the cycle serves no others."
    ),
    watch=(
        "at 6 s the low job counts as normal, at 12 s as high, exact at the instant",
        "then it is before the newer high ones, and is served at the next hand-out",
        "age counts from being ready, not from the submit: a job that rests does not age",
    ),
    policy=THREE_TRIES,
    workers=(Habits("A", work_millis=1000, poll_millis=1000),),
    tasks=_FLOOD,
    rules=Rules(scheduler=WeightedBands("H", aging_millis=6000)),
    teaser_at=11_000,
    lesson=_LESSON,
    exercise="ex09",
)

_LONG_WORK = {"thumb": 10, "film": 30_000}
_LONG_TASKS = (
    Task(0, "film", tenant="bo", times=2, cost=30),
    Task(0, "thumb", tenant="acme", times=40, cost=1),
)
_LONG_WORKERS = (Habits("A", lease_millis=60_000, poll_millis=1000),)

LONG_JOBS = Scenario(
    name="long_jobs",
    title="Long jobs, counted",
    question="acme's jobs take 10 ms, bo's take 30 s. Turns are one job each. Is that fair?",
    story=(
        "Two tenants take turns, one job each. acme has thumbnails of 10 ms, bo has films of 30 s, and there "
        "is one worker."
    ),
    watch=(
        "by count it is even: one thumbnail, one film, one thumbnail, one film",
        "by time, bo has had the worker for a minute before acme's third thumbnail is made",
    ),
    policy=THREE_TRIES,
    workers=_LONG_WORKERS,
    tasks=_LONG_TASKS,
    rules=Rules(scheduler=WeightedBands()),
    work_millis=_LONG_WORK,
    teaser_at=20_000,
    lesson=_LESSON,
    exercise="ex09",
)

LONG_JOBS_BY_COST = Scenario(
    name="long_jobs_by_cost",
    title="Long jobs, by cost",
    question=(
        "The same jobs, but a turn adds 10 credits, and jobs are paid by cost. How many thumbnails come first?"
    ),
    story=(
        "A film costs 30, a thumbnail 1. A tenant's turn adds 10 to its credit, and it is served while its "
        "credit covers its next job. bo has to save up for a film; acme's thumbnails go through meanwhile."
    ),
    watch=(
        "a turn pays for ten thumbnails, so thirty are made in acme's first three turns",
        "bo's film is paid at its third turn, before acme's last ten: later, but not never",
        "a cost that is declared wrong makes the shares wrong: the queue believes what it is told",
    ),
    policy=THREE_TRIES,
    workers=_LONG_WORKERS,
    tasks=_LONG_TASKS,
    rules=Rules(scheduler=WeightedBands(tenants=DeficitRoundRobin(quantum=10))),
    work_millis=_LONG_WORK,
    teaser_at=10_000,
    lesson=_LESSON,
    exercise="ex09",
)

BAND_LIMIT = Scenario(
    name="band_limit",
    title="A limit for a band",
    question="Three workers, and three reports of 20 s each. Two payments come in: do they find a worker?",
    story=(
        "Reports are low and slow. While nothing else is there, they would take all three workers, and a "
        "payment would wait until 20 s for one. At most one low job may run at a time, so that does not happen."
    ),
    watch=(
        "two workers stay idle although low jobs are ready: that is the price of the limit",
        "both payments are taken at the next poll",
        "a slot of a band at its limit is lent like one of an empty band",
    ),
    policy=THREE_TRIES,
    workers=tuple(Habits(name, lease_millis=60_000, poll_millis=1000) for name in ("A", "B", "C")),
    tasks=(Task(0, "report", priority=-1, times=3), Task(3500, "payment", priority=1, times=2)),
    rules=Rules(scheduler=WeightedBands(), limits=Limits(max_running_per_band={"L": 1})),
    work_millis={"report": 20_000, "payment": 2000},
    teaser_at=4500,
    lesson=_LESSON,
    exercise="ex08",
)
