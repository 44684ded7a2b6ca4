"""Who is next: the order in which ready jobs are handed out."""

from jobqueue.scheduling.strict import StrictPriority

__all__ = ["StrictPriority"]
