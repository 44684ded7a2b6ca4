"""Explains what was found: reports, hints, and a learner's progress."""
