"""Queues with one common mistake each, a few lines long, to be watched beside the right one."""

from jobqueue.simulation.flawed.expiry import (
    CountsAtTheEnd,
    DatesByTheSweep,
    LateByOne,
    LeavesTheLastRunning,
    RenewalsAddUp,
    RenewsAfterTheEnd,
    SweepsOnlyInPoll,
)
from jobqueue.simulation.flawed.races import ChecksThenActs
from jobqueue.simulation.flawed.retries import DoublesTooEarly, JitterOnTop, KeepsAttempts, NoCap
from jobqueue.simulation.flawed.tokens import (
    BelievesAnybody,
    BelievesWhileRunning,
    CountsTokensAnew,
    CountsTokensAnewAfterRedrive,
)
from jobqueue.simulation.flawed.turns import (
    KeepsCredit,
    LendsToTheHighest,
    LimitOncePerBatch,
    MovesWhileIdle,
    NoTenants,
    OneTurnForAllBands,
)

__all__ = [
    "BelievesAnybody",
    "BelievesWhileRunning",
    "ChecksThenActs",
    "CountsAtTheEnd",
    "CountsTokensAnew",
    "CountsTokensAnewAfterRedrive",
    "DatesByTheSweep",
    "DoublesTooEarly",
    "JitterOnTop",
    "KeepsAttempts",
    "KeepsCredit",
    "LateByOne",
    "LeavesTheLastRunning",
    "LendsToTheHighest",
    "LimitOncePerBatch",
    "MovesWhileIdle",
    "NoCap",
    "NoTenants",
    "OneTurnForAllBands",
    "RenewalsAddUp",
    "RenewsAfterTheEnd",
    "SweepsOnlyInPoll",
]
