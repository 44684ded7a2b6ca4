"""Scenarios of effects: what is done outside of the queue, and may be done twice."""

from jobqueue.retry import RetryPolicy
from jobqueue.simulation.scenario import Habits, Mishap, MishapKind, Poke, Scenario, Task
from jobqueue.simulation.scenarios.basics import THREE_TRIES

EFFECT_THEN_CRASH = Scenario(
    name="effect_then_crash",
    title="Effect, then crash",
    question="A worker sends the mail and crashes before it can say so. How many mails does the customer get?",
    story=(
        "Worker A sends the mail, and its machine dies in the moment before the report. The queue cannot know "
        "that the work was done: it waits for the end of the lease, and gives the job to B."
    ),
    watch=(
        "between the effect and the report there is always a moment, and a crash in it repeats the effect",
        "reporting first and working afterwards would be no cure: then a crash loses the work",
        "so a queue delivers at least once, and the receiver must bear a repetition",
    ),
    policy=THREE_TRIES,
    workers=(
        Habits("A", work_millis=2000, mishap=Mishap(MishapKind.CRASH_BEFORE_REPORT)),
        Habits("B", work_millis=2000, first_poll_at=5000),
    ),
    tasks=(Task(0, "mail", "your order 1071"),),
    teaser_at=6000,
    lesson="05_dead_letters_and_redrive",
    exercise="ex12",
)

LOST_ACKNOWLEDGEMENT = Scenario(
    name="lost_acknowledgement",
    title="The lost acknowledgement",
    question=(
        "The report of a done job is lost on its way. What do a naive receiver and a careful one end up with?"
    ),
    story=(
        "Worker A charges a card and reports it, but the network drops the report. A goes on to the next job; "
        "the queue has heard nothing, and hands the first one out again. Two receivers book the charge: one "
        "books whatever comes, the other keeps the ids of the jobs that it has booked."
    ),
    watch=(
        "for the worker the job is done, for the queue it is running: both are right about what they know",
        "the lease ends, and the charge is made a second time",
        "the receiver that keeps job ids books it once; no token could have done that",
    ),
    policy=THREE_TRIES,
    workers=(
        Habits("A", work_millis=1500, lease_millis=6000, mishap=Mishap(MishapKind.LOSE_REPORT)),
        Habits("B", work_millis=1500, lease_millis=6000, first_poll_at=3000),
    ),
    tasks=(Task(0, "charge", "order 1071"), Task(2000, "charge", "order 1072")),
    teaser_at=4000,
    lesson="03_zombies_and_fencing",
    exercise="ex12",
)

UNCERTAIN_REDRIVE = Scenario(
    name="uncertain_redrive",
    title="Redrive after an uncertain effect",
    question="A dead letter says 'lease expired'. Was its work done or not, and is it safe to bring it back?",
    story=(
        "Only one attempt is allowed. The worker ships the parcel and crashes before it reports, so the job is "
        "dead. An operator sees a dead letter, believes that nothing was shipped, and brings it back."
    ),
    watch=(
        "'lease expired' says that no report came, not that nothing was done",
        "the redrive ships a second parcel",
        "before a redrive, look at the receiver; or let it keep the job's id, which a redrive keeps too",
    ),
    policy=RetryPolicy(max_attempts=1, base_backoff_millis=1000, max_backoff_millis=60_000),
    workers=(
        Habits("A", work_millis=2000, mishap=Mishap(MishapKind.CRASH_BEFORE_REPORT)),
        Habits("B", work_millis=2000, first_poll_at=15_000),
    ),
    tasks=(Task(0, "parcel", "order 1071"),),
    pokes=(Poke(20_000, "redrive", "J1"),),
    teaser_at=11_000,
    lesson="05_dead_letters_and_redrive",
    exercise="ex12",
)
