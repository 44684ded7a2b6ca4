"""Scenarios of failure: dead letters and redrives, deadlines, jitter, a storm of retries."""

from jobqueue.retry import Jitter, RetryBudget, RetryPolicy
from jobqueue.simulation.scenario import Habits, Outage, Poke, Rules, Scenario, Task
from jobqueue.simulation.scenarios.basics import THREE_TRIES

REDRIVE = Scenario(
    name="redrive",
    title="Redrive",
    question=(
        "A job is brought back from the dead. How many attempts does it get, and does its old token work again?"
    ),
    story=(
        "The archive is down, and three attempts to store a picture fail. The job becomes a dead letter. "
        "At 20 s an operator has repaired the archive and brings the job back."
    ),
    watch=(
        "the dead letter waits: nothing happens to it until somebody decides",
        "brought back, it has a new set of attempts: attempt 1 of 3 again",
        "its tokens go on counting: J1:4, not J1:1, or the first worker's report would be believed again",
    ),
    policy=THREE_TRIES,
    workers=(Habits("A", work_millis=500),),
    tasks=(Task(0, "resize", "photo 12"), Task(15_000, "mail", "welcome to Ada")),
    outages=(Outage("resize", 0, 18_000, "the archive is down"),),
    pokes=(Poke(20_000, "redrive", "J1"),),
    teaser_at=5000,
    lesson="05_dead_letters_and_redrive",
    exercise="ex05",
)

DEADLINE = Scenario(
    name="deadline",
    title="The deadline",
    question=(
        "Three mailings must begin before 6 s. One waits, one failed, one runs at that instant. Which die?"
    ),
    story=(
        "A code for a log-in is worth nothing after a few seconds. The mail server refuses the first try of "
        "one of them. When the last one comes in, one worker is busy with a report, and the other takes the "
        "code before it."
    ),
    watch=(
        "a job that waits at its deadline dies at that very instant, even if nobody polls",
        "a failure whose retry could only start too late ends the job at once: waiting would be pointless",
        "a job that already runs is left alone: a deadline is for the start",
    ),
    policy=RetryPolicy(max_attempts=5, base_backoff_millis=4000, max_backoff_millis=60_000),
    workers=(Habits("A", work_millis=2500), Habits("B", work_millis=9000, first_poll_at=4000)),
    tasks=(
        Task(0, "code", "for Ada", deadline_millis=6000),
        Task(3000, "code", "for Grace", deadline_millis=3000),
        Task(3500, "report", "this month", priority=5),
        Task(3600, "code", "for Linus", deadline_millis=2400),
    ),
    outages=(Outage("code", 0, 3000, "mail server says: try later"),),
    teaser_at=4500,
    lesson="05_dead_letters_and_redrive",
    exercise="ex05",
)

JITTER = Scenario(
    name="jitter",
    title="Jitter",
    question="Six payments fail at the same moment and rest up to 8 s. Do they come back together?",
    story=(
        "The bank drops all connections at 1 s. Without jitter, all six payments would come back at 9 s, and "
        "hit the bank together again. Here each rests for a part of its backoff, drawn from the seed."
    ),
    watch=(
        "the rests are spread over the backoff: the shortest is below 1 s, the longest above 6 s",
        "each draw depends on the seed, the job and the attempt alone: play it again, and nothing has changed",
        "no draw is above the cap of 8 s",
    ),
    policy=RetryPolicy(max_attempts=5, base_backoff_millis=8000, max_backoff_millis=8000),
    workers=tuple(Habits(name, work_millis=1000, poll_millis=500) for name in "ABCDEF"),
    tasks=(Task(0, "payment", times=6),),
    outages=(Outage("payment", 0, 2500, "connection reset"),),
    rules=Rules(jitter=Jitter.full(seed=4)),
    teaser_at=3500,
    lesson="04_backoff_and_jitter",
    exercise="ex04",
)

_STORM_STORY = (
    "The bank does not answer for ten seconds. Ten payments fail, rest half a second, and come back. "
    "Meanwhile a new payment comes in each second. Two workers do all the work there is"
)
_STORM_TASKS = (
    Task(0, "payment", "of the first moment", times=10),
    Task(1500, "payment", "new", times=8, every_millis=1000),
)
_STORM_POLICY = RetryPolicy(max_attempts=20, base_backoff_millis=500, max_backoff_millis=500)
_STORM_WORKERS = (Habits("A", poll_millis=250), Habits("B", poll_millis=250))
_STORM_OUTAGE = (Outage("payment", 0, 10_000, "the bank does not answer"),)
_STORM_LENGTHS = {"payment": 1000}

RETRY_STORM = Scenario(
    name="retry_storm",
    title="A storm of retries",
    question="New payments and failed ones want the same two workers. Who gets them?",
    story=f"{_STORM_STORY}, first come, first served.",
    watch=(
        "a failed payment comes back into the line before the new ones: their first tries come later and later",
        "the first new payment waits 4.5 s for its first try, the last one 7.5 s",
        "during the outage 18 tries are made, and all of them fail",
    ),
    policy=_STORM_POLICY,
    workers=_STORM_WORKERS,
    tasks=_STORM_TASKS,
    outages=_STORM_OUTAGE,
    work_millis=_STORM_LENGTHS,
    teaser_at=9000,
    lesson="04_backoff_and_jitter",
    exercise="ex04",
)

RETRY_STORM_BUDGET = Scenario(
    name="retry_storm_budget",
    title="A storm, with a budget",
    question="The same storm, but one retry may run beside the first tries. What changes for new payments?",
    story=f"{_STORM_STORY}, but retries may take one of them only: that is the retry budget.",
    watch=(
        "one worker is always free for first tries: the last new payment waits 3.5 s, as long as the first one",
        "the price: retries are made one at a time, and the last payment is done at 23 s instead of 18 s",
        "a retry beyond the budget waits, with the hold `budget`; it is never lost, and never dies of it",
        "a worker that crashed does not use the budget up: its lease ends, and so does its place",
    ),
    policy=_STORM_POLICY,
    workers=_STORM_WORKERS,
    tasks=_STORM_TASKS,
    outages=_STORM_OUTAGE,
    work_millis=_STORM_LENGTHS,
    rules=Rules(retry_budget=RetryBudget(percent=20, floor=1)),
    teaser_at=9000,
    lesson="04_backoff_and_jitter",
    exercise="ex04",
)
