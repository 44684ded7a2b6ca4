"""Flawed queues that are wrong about who is next."""

from jobqueue.scheduling import DeficitRoundRobin, Limits, WeightedBands
from jobqueue.simulation import flawed as queues
from jobqueue.simulation.flawed import turns
from jobqueue.simulation.scenario import Flaw, Habits, Rules, Task
from jobqueue.simulation.scenarios import fairness
from jobqueue.simulation.scenarios.flawed_stories import flawed_story, told

LENDS_TO_THE_HIGHEST = flawed_story(
    fairness.BORROWING,
    "flawed_borrowing",
    "Lent to the highest",
    "This queue lends unused high slots to the best band with work. How often is low served?",
    Flaw(
        queues.LendsToTheHighest,
        turns.LendingTurns,
        "normal gets five hand-outs for each one of low, and the cycle says two",
    ),
    "no lamp goes red: low still gets its own slot; what differs is who gets what is lent",
)

MOVES_WHILE_IDLE = flawed_story(
    told(
        (
            "For four seconds there is nothing to do, and the worker polls in vain. Then a high, a normal "
            "and a low job come in at once."
        ),
        workers=(Habits("A", work_millis=1000, poll_millis=1000),),
        tasks=(
            Task(4500, "payment", priority=1, times=2),
            Task(4500, "mail"),
            Task(4500, "report", priority=-1),
        ),
        rules=Rules(scheduler=WeightedBands("HHHNNL")),
        teaser_at=5400,
        lesson="07_priorities_and_fairness",
        exercise="ex08",
    ),
    "flawed_idle_cycle",
    "The cycle that never rests",
    "The queue was idle, then one job of each band comes in. Which is handed out first?",
    Flaw(
        queues.MovesWhileIdle,
        turns.RestlessTurns,
        "who is first after a quiet time depends on how often somebody polled in vain",
    ),
    "no lamp goes red: each band still gets its slots, from a place in the cycle that nobody could foresee",
)

NO_TENANTS = flawed_story(
    fairness.FAIR_NEIGHBOURS,
    "flawed_tenants",
    "Tenants ignored",
    "This queue was told to let tenants take turns. How long does bo's picture wait behind acme's archive?",
    Flaw(
        queues.NoTenants,
        turns.NoTurns,
        "one tenant's archive is everybody's waiting time",
        "tenants_take_turns",
    ),
)

KEEPS_CREDIT = flawed_story(
    told(
        (
            "Turns are paid by cost, 10 credits each. bo has a line of jobs of cost 10. acme submits one "
            "cheap job now and then, and at last forty at once."
        ),
        workers=(Habits("A", work_millis=500, poll_millis=500),),
        tasks=(
            Task(0, "film", tenant="bo", times=14, cost=10),
            Task(0, "thumb", "now and then", tenant="acme", times=4, every_millis=1000),
            Task(4100, "thumb", "all at once", tenant="acme", times=40),
        ),
        work_millis={"thumb": 50},
        rules=Rules(scheduler=WeightedBands("N", tenants=DeficitRoundRobin(quantum=10))),
        teaser_at=3900,
        lesson="07_priorities_and_fairness",
        exercise="ex09",
    ),
    "flawed_credit",
    "Saved credit",
    "acme's line was empty again and again. How many of its jobs go in one row when it has many?",
    Flaw(
        queues.KeepsCredit,
        turns.SavingTurns,
        "who was idle comes back with the turns of all that time, and the others wait for it",
        "tenants_take_turns",
    ),
)

ONE_TURN_FOR_ALL_BANDS = flawed_story(
    told(
        (
            "acme and bo have high and normal jobs, and the cycle takes one high, one normal, and again. "
            "In each band the two take turns, and this queue remembers one turn for both bands."
        ),
        workers=(Habits("A", work_millis=1000, poll_millis=500),),
        tasks=tuple(
            Task(0, kind, tenant=tenant, priority=priority, times=3)
            for kind, priority in (("payment", 1), ("mail", 0))
            for tenant in ("acme", "bo")
        ),
        rules=Rules(scheduler=WeightedBands("HN")),
        teaser_at=2500,
        lesson="07_priorities_and_fairness",
        exercise="ex09",
    ),
    "flawed_one_turn",
    "One turn for all bands",
    "High and normal take turns, acme and bo take turns. Who gets the high slots?",
    Flaw(
        queues.OneTurnForAllBands,
        turns.OneTurn,
        "each turn in one band uses up the turn in the other: acme gets all high slots, bo all normal ones",
        "tenants_take_turns",
    ),
)

LIMIT_ONCE_PER_BATCH = flawed_story(
    told(
        (
            "At most two jobs of a tenant may run at once. The worker asks for up to four jobs at a time, "
            "and works them off one after another. acme has six."
        ),
        workers=(Habits("A", work_millis=1000, lease_millis=30_000, poll_millis=1000, batch=4),),
        tasks=(Task(0, "mail", tenant="acme", times=6),),
        rules=Rules(limits=Limits(max_running_per_tenant=2)),
        teaser_at=500,
        lesson="07_priorities_and_fairness",
        exercise="ex09",
    ),
    "flawed_batch",
    "A limit for each batch",
    "Two of acme's jobs may run at once. A worker asks for four. How many does it get?",
    Flaw(
        queues.LimitOncePerBatch,
        queues.LimitOncePerBatch,
        "a limit that is looked at once for each batch is no limit: the larger the batch, the more run",
        "limits_hold",
    ),
)
