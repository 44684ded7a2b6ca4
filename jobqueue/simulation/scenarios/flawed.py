"""All scenarios with a flawed queue, in the order of the lessons."""

from jobqueue.simulation.scenarios import flawed_leases, flawed_races, flawed_tokens, flawed_turns

FLAWED = (
    flawed_leases.LATE_BY_ONE,
    flawed_leases.SWEEPS_ONLY_IN_POLL,
    flawed_leases.DATES_BY_THE_SWEEP,
    flawed_leases.LEAVES_THE_LAST_RUNNING,
    flawed_leases.RENEWALS_ADD_UP,
    flawed_leases.RENEWS_AFTER_THE_END,
    flawed_tokens.BELIEVES_ANYBODY,
    flawed_tokens.BELIEVES_WHILE_RUNNING,
    flawed_tokens.COUNTS_TOKENS_ANEW,
    flawed_leases.COUNTS_AT_THE_END,
    flawed_tokens.DOUBLES_TOO_EARLY,
    flawed_tokens.NO_CAP,
    flawed_tokens.JITTER_ON_TOP,
    flawed_tokens.KEEPS_ATTEMPTS,
    flawed_tokens.COUNTS_TOKENS_ANEW_AFTER_REDRIVE,
    flawed_races.CHECKS_THEN_ACTS,
    flawed_turns.LENDS_TO_THE_HIGHEST,
    flawed_turns.MOVES_WHILE_IDLE,
    flawed_turns.NO_TENANTS,
    flawed_turns.KEEPS_CREDIT,
    flawed_turns.ONE_TURN_FOR_ALL_BANDS,
    flawed_turns.LIMIT_ONCE_PER_BATCH,
)
"""Each shows one common mistake; the right queue plays the same story beside it."""
