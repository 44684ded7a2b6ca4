"""Who is next: the order in which ready jobs are handed out, and what keeps them back."""

from jobqueue.scheduling.bands import WeightedBands
from jobqueue.scheduling.deficit import DeficitRoundRobin
from jobqueue.scheduling.limits import DispatchLimit, Limits
from jobqueue.scheduling.strict import StrictPriority
from jobqueue.scheduling.tenants import RoundRobin

__all__ = ["DeficitRoundRobin", "DispatchLimit", "Limits", "RoundRobin", "StrictPriority", "WeightedBands"]
