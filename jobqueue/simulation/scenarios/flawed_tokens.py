"""Flawed queues that are wrong about tokens, rests, or what a redrive gives back."""

from dataclasses import replace

from jobqueue.simulation import flawed as queues
from jobqueue.simulation.scenario import Flaw, Outage
from jobqueue.simulation.scenarios import basics, failures
from jobqueue.simulation.scenarios.flawed_stories import flawed_story

BELIEVES_ANYBODY = flawed_story(
    basics.ZOMBIE,
    "flawed_by_id",
    "Complete by id",
    "A wakes up after its job went to B, and reports success by the job's id. Is it believed?",
    Flaw(
        queues.BelievesAnybody,
        queues.BelievesAnybody.rules,
        "the zombie ends the job of the living, and the living then ends it once more",
        "current_lease",
    ),
)

BELIEVES_WHILE_RUNNING = flawed_story(
    basics.ZOMBIE,
    "flawed_by_status",
    "Complete while RUNNING",
    "This queue asks whether the job is RUNNING, not by whom. A reports at 35 s, B at 41 s. Who is heard?",
    Flaw(
        queues.BelievesWhileRunning,
        queues.BelievesWhileRunning.rules,
        "the zombie is believed, and the worker that holds the lease is refused",
        "current_lease",
    ),
)

COUNTS_TOKENS_ANEW = flawed_story(
    basics.ZOMBIE,
    "flawed_token_reset",
    "The same token again",
    "This queue checks tokens, and begins to count them anew at each retry. Can it tell A from B?",
    Flaw(
        queues.CountsTokensAnew,
        queues.CountsTokensAnew.rules,
        "B gets the very token that A still has, so the zombie's report passes the check",
        "new_tokens",
    ),
    "the queue writes down that B reported; it was A",
)

DOUBLES_TOO_EARLY = flawed_story(
    basics.BACKOFF,
    "flawed_backoff",
    "Doubled too early",
    "The base is 1 s. How long does the invoice rest after its first failure?",
    Flaw(
        queues.DoublesTooEarly,
        queues.DoublesTooEarly.rules,
        "every rest is twice as long as the policy says, from the first one on",
        "rests",
    ),
)

NO_CAP = flawed_story(
    basics.BACKOFF,
    "flawed_no_cap",
    "No cap",
    "The rests double, and the cap is 8 s. How long is the fifth?",
    Flaw(
        queues.NoCap,
        queues.NoCap.rules,
        "after a long outage jobs rest for hours although all is well again",
        "rests",
    ),
)

JITTER_ON_TOP = flawed_story(
    failures.JITTER,
    "flawed_jitter",
    "Jitter on top",
    "The cap is 8 s, and jitter spreads the rests. Can a rest be longer than the cap?",
    Flaw(
        queues.JitterOnTop,
        queues.JitterOnTop.rules,
        "no rest is ever shorter than the backoff, and the longest is twice the cap",
        "rests",
    ),
)

KEEPS_ATTEMPTS = flawed_story(
    replace(
        failures.REDRIVE,
        story=(
            "The archive is down, and three attempts to store a picture fail. The job becomes a dead "
            "letter. At 20 s an operator brings it back, a second too early: the archive is repaired at 21 "
            "s."
        ),
        outages=(Outage("resize", 0, 21_000, "the archive is down"),),
    ),
    "flawed_redrive_attempts",
    "Redriven with no attempts",
    "All three attempts are used up, and the job is brought back. How many does it get here?",
    Flaw(
        queues.KeepsAttempts,
        queues.KeepsAttempts.rules,
        "the redriven job dies again before any worker gets it",
        "attempts_count",
    ),
)

COUNTS_TOKENS_ANEW_AFTER_REDRIVE = flawed_story(
    failures.REDRIVE,
    "flawed_redrive_token",
    "Redriven with the old token",
    "A redrive gives new attempts. This queue also counts its tokens anew. Who still has token J1:1?",
    Flaw(
        queues.CountsTokensAnewAfterRedrive,
        queues.CountsTokensAnewAfterRedrive.rules,
        "a zombie of the job's first life holds a token that is valid again",
        "new_tokens",
    ),
)
