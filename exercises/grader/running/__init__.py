"""Runs an answer in a process of its own: pipes, limits, threads under a scheduler, remote objects."""
