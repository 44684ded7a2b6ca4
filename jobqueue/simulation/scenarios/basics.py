"""Scenarios of the core: a job's life, leases, tokens, crashes, backoff."""

from jobqueue.retry import RetryPolicy
from jobqueue.simulation.scenario import Habits, Mishap, MishapKind, Outage, Poke, Scenario, Task

THREE_TRIES = RetryPolicy(max_attempts=3, base_backoff_millis=1000, max_backoff_millis=60_000)

LIFE_OF_A_JOB = Scenario(
    name="life_of_a_job",
    title="The life of a job",
    question="The mail server is down until 4 s, and an urgent invoice comes in. Which job is done first?",
    story=(
        "Mails, an invoice and a resize are submitted, one of them for later. The mail server is down for the "
        "first seconds. One job is taken back before anybody starts it."
    ),
    watch=(
        "the invoice overtakes the mails: priority comes before age",
        "a failed mail waits, then comes back as attempt 2",
        "a job that is not due is not ready, however idle the worker is",
    ),
    policy=THREE_TRIES,
    workers=(Habits("A", work_millis=2000, spread_millis=1500),),
    tasks=(
        Task(0, "mail", "welcome to Ada"),
        Task(0, "mail", "welcome to Grace"),
        Task(500, "invoice", "order 1071", priority=5),
        Task(500, "resize", "photo 12", delay_millis=14_000),
        Task(1000, "mail", "newsletter", delay_millis=20_000),
    ),
    outages=(Outage("mail", 0, 4000, "mail server does not answer"),),
    pokes=(Poke(9000, "cancel", "J5"),),
    seed=7,
    teaser_at=2_600,
    lesson="01_life_of_a_job",
    exercise="ex01",
)

LATE_POLL = Scenario(
    name="late_poll",
    title="The late poll",
    question="A lease ends at 5 s, but nobody asks the queue before 60 s. When did the retry become due?",
    story=(
        "Worker A takes a job with a lease of 5 s and crashes. It is night, and no other worker is up. "
        "B starts a minute later and polls."
    ),
    watch=(
        "the attempt failed at 5.0 s, the end of the lease, not when somebody noticed",
        "the backoff counts from there: the retry was due at 6.0 s",
        "B gets the job at once, as attempt 2",
    ),
    policy=THREE_TRIES,
    workers=(
        Habits("A", lease_millis=5000, mishap=Mishap(MishapKind.CRASH, after_millis=2000)),
        Habits("B", lease_millis=5000, first_poll_at=60_000),
    ),
    tasks=(Task(0, "invoice", "order 1071"),),
    teaser_at=5_000,
    lesson="02_leases_and_expiry",
    exercise="ex02",
)

ZOMBIE = Scenario(
    name="zombie",
    title="The zombie",
    question="A wakes up after its job went to B, and reports success. Who wins, and how does the queue know?",
    story=(
        "Worker A stops for a long breath in the middle of a job. Its lease ends, and B gets the job. "
        "Then A wakes up, finishes, and reports success."
    ),
    watch=(
        "the lease ends at 30.0 s: for the queue, attempt 1 has failed",
        "B gets the same job with a new token",
        "A still has the old token, and that is how the queue tells them apart",
        "the invoice was made twice: the token protects the queue's record, not the world outside",
    ),
    policy=THREE_TRIES,
    workers=(
        Habits(
            "A",
            work_millis=3000,
            lease_millis=30_000,
            mishap=Mishap(MishapKind.FREEZE, after_millis=1000, lasts_millis=32_000),
        ),
        Habits("B", work_millis=10_000, lease_millis=30_000),
    ),
    tasks=(Task(0, "invoice", "order 1071"), Task(36_000, "mail", "order 1071 is on its way")),
    teaser_at=32_500,
    lesson="03_zombies_and_fencing",
    exercise="ex03",
)

CRASH_LOOP = Scenario(
    name="crash_loop",
    title="The crash loop",
    question="A picture kills every worker that opens it. How often is it tried, and what becomes of it?",
    story=(
        "Resizing one broken picture crashes the worker. Its keeper restarts it, it polls again, and gets the "
        "same job. Nobody ever reports a failure: a dead worker tells nothing."
    ),
    watch=(
        "an attempt is counted when it is handed out, so a crash uses one up",
        "each lease ends by itself: 1.0 s, 6.0 s, 11.0 s",
        "after the third attempt the job is a dead letter, and the worker lives to do the next one",
    ),
    policy=THREE_TRIES,
    workers=(
        Habits(
            "A",
            work_millis=2000,
            lease_millis=1000,
            renew_millis=400,
            mishap=Mishap(MishapKind.CRASH, after_millis=300, lasts_millis=4700, payload="broken.png"),
        ),
    ),
    tasks=(Task(0, "resize", "broken.png"), Task(16_000, "resize", "holiday.png")),
    teaser_at=10_200,
    lesson="05_dead_letters_and_redrive",
    exercise="ex05",
)

BACKOFF = Scenario(
    name="backoff",
    title="Backoff",
    question="The bank is down for 20 s. How many times is the invoice tried before it goes through?",
    story=(
        "Every try fails while the bank is down. After each failure the job rests twice as long as before, "
        "but never more than 8 s. Mails do not need the bank."
    ),
    watch=(
        "the rests: 1, 2, 4, 8 and again 8 seconds, for 8 is the cap",
        "a job that rests blocks nobody: the mails go through",
        "the last try is the first one after the bank is back",
    ),
    policy=RetryPolicy(max_attempts=8, base_backoff_millis=1000, max_backoff_millis=8000),
    workers=(Habits("A", work_millis=500, poll_millis=500),),
    tasks=(
        Task(0, "invoice", "order 1071"),
        Task(3000, "mail", "welcome to Ada"),
        Task(10_000, "mail", "welcome to Grace"),
    ),
    outages=(Outage("invoice", 0, 20_000, "the bank does not answer"),),
    teaser_at=6_000,
    lesson="04_backoff_and_jitter",
    exercise="ex04",
)
