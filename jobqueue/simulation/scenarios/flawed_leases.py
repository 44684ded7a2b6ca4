"""Flawed queues that are wrong about the end of a lease."""

from jobqueue.simulation import flawed as queues
from jobqueue.simulation.scenario import Flaw, Habits, Mishap, MishapKind, Task
from jobqueue.simulation.scenarios import basics
from jobqueue.simulation.scenarios.flawed_stories import flawed_story, told

_LESSON = "02_leases_and_expiry"

LATE_BY_ONE = flawed_story(
    told(
        (
            "A's lease is exactly as long as its work. It reports at the very instant at which the lease ends, "
            "and at that instant the lease is over: it is valid while now is less than its end."
        ),
        workers=(
            Habits("A", work_millis=5000, lease_millis=5000, poll_millis=3000),
            Habits("B", first_poll_at=5500),
        ),
        tasks=(Task(0, "invoice", "order 1071"), Task(7000, "mail", "order 1071 is on its way")),
        teaser_at=4000,
        lesson=_LESSON,
        exercise="ex02",
    ),
    "flawed_late_by_one",
    "Late by one",
    "A reports at the very instant at which its lease ends. Is it heard?",
    Flaw(
        queues.LateByOne,
        queues.LateByOne.rules,
        "two may believe that they hold the job at one instant: whose lease ends then, and whose begins",
        "current_lease",
    ),
)

SWEEPS_ONLY_IN_POLL = flawed_story(
    told(
        (
            "A freezes with an invoice in hand, for longer than its lease. B is busy with a film until 40 "
            "s, so nobody polls meanwhile. A wakes up, finishes, and reports."
        ),
        workers=(
            Habits("A", work_millis=3000, mishap=Mishap(MishapKind.FREEZE, 1000, lasts_millis=14_000)),
            Habits("B", lease_millis=60_000, first_poll_at=500),
        ),
        tasks=(Task(0, "invoice", "order 1071"), Task(0, "film", "holiday")),
        work_millis={"film": 39_500},
        teaser_at=8000,
        lesson=_LESSON,
        exercise="ex02",
    ),
    "flawed_sweep_in_poll",
    "Only a poll looks",
    "A lease ends at 10 s, and nobody polls until 40 s. A reports at 17 s. Is it heard?",
    Flaw(
        queues.SweepsOnlyInPoll,
        queues.SweepsOnlyInPoll,
        "whether a lease counts depends on whether somebody else has polled since",
        "ends_in_time",
        method="_end_what_is_due",
    ),
    "from 10 s on the board shows a RUNNING job whose lease is over",
)

DATES_BY_THE_SWEEP = flawed_story(
    basics.LATE_POLL,
    "flawed_sweep_date",
    "Failed when noticed",
    "A lease ends at 5 s, and the first poll after that is at 60 s. When does this queue think it failed?",
    Flaw(
        queues.DatesByTheSweep,
        queues.DatesByTheSweep.rules,
        "the backoff counts from the moment that somebody looked, so a quiet queue pushes every retry back",
        "ends_in_time",
    ),
    "it looks for such leases in a poll only; at 60 s B gets nothing, for the retry is put off until 61 s",
)

LEAVES_THE_LAST_RUNNING = flawed_story(
    basics.CRASH_LOOP,
    "flawed_last_expiry",
    "The last expiry",
    "A picture kills its worker three times. Where is its job after that?",
    Flaw(
        queues.LeavesTheLastRunning,
        queues.LeavesTheLastRunning.rules,
        "the job is RUNNING for ever, in nobody's hands: no worker gets it, and no operator finds it",
        "ends_in_time",
    ),
)

COUNTS_AT_THE_END = flawed_story(
    told(
        (
            "A's machine is ill: it dies on each of the first five jobs that it takes, and is restarted "
            "each time. There is one job, and three attempts are allowed."
        ),
        workers=(
            Habits(
                "A",
                work_millis=2000,
                lease_millis=1000,
                renew_millis=400,
                mishap=Mishap(MishapKind.CRASH, after_millis=300, lasts_millis=4700, times=5),
            ),
        ),
        tasks=(Task(0, "resize", "broken.png"),),
        teaser_at=5200,
        lesson="05_dead_letters_and_redrive",
        exercise="ex05",
    ),
    "flawed_attempts",
    "Counted at the end",
    "Three attempts are allowed, and the worker dies in each. How many does this queue make?",
    Flaw(
        queues.CountsAtTheEnd,
        queues.CountsAtTheEnd.rules,
        "a job that kills its workers is never given up: a dead worker reports nothing, so nothing is counted",
        "attempts_count",
    ),
    "each hand-out is called attempt 1 again",
)

RENEWALS_ADD_UP = flawed_story(
    told(
        (
            "A has a lease of 3 s and renews it each second, as it should. After 5.5 s its machine dies. B is "
            "idle and waits for the job."
        ),
        workers=(
            Habits(
                "A",
                work_millis=12_000,
                lease_millis=3000,
                renew_millis=1000,
                mishap=Mishap(MishapKind.CRASH, after_millis=5500),
            ),
            Habits("B", work_millis=3000, lease_millis=3000, renew_millis=1000),
        ),
        tasks=(Task(0, "film", "holiday"),),
        teaser_at=3500,
        lesson=_LESSON,
        exercise="ex02",
    ),
    "flawed_renewals",
    "Renewals that add up",
    "A renews its lease of 3 s each second and dies at 5.5 s. When does B get the job?",
    Flaw(
        queues.RenewalsAddUp,
        queues.RenewalsAddUp.rules,
        "each renewal stacks a whole lease on the last, so a dead worker keeps its job for the sum of them",
        "lease_length",
    ),
)

RENEWS_AFTER_THE_END = flawed_story(
    told(
        (
            "A is alone. It freezes for 5 s in the middle of a job whose lease it renews each second; the "
            "lease ends meanwhile. A wakes up, and the first thing that it does is to renew."
        ),
        workers=(
            Habits(
                "A",
                work_millis=4000,
                lease_millis=3000,
                renew_millis=1000,
                mishap=Mishap(MishapKind.FREEZE, 1500, lasts_millis=5000),
            ),
        ),
        tasks=(Task(0, "film", "holiday"),),
        teaser_at=3500,
        lesson=_LESSON,
        exercise="ex02",
    ),
    "flawed_renew_late",
    "A renewal after the end",
    "A's lease ended at 4 s, and at 7 s it asks to renew it. Nobody else has the job. What is the answer?",
    Flaw(
        queues.RenewsAfterTheEnd,
        queues.RenewsAfterTheEnd.rules,
        "an attempt that has failed already comes back to life, and will end a second time",
        "current_lease",
    ),
)
