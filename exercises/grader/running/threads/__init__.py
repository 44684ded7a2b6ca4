"""Runs the threads of unmodified code under a scheduler, so that a missing lock is found every time.

Threads are real, but only one of them runs at a time. The scheduler passes the turn on before an instruction
that can touch what threads share, and where a lock makes a thread wait. So a schedule is plain data, the same
schedule gives the same run, and interleavings can be counted instead of hoped for.

* `points` says before which instructions another thread can run.
* `patched_primitives` replaces Python's locks, queues and waits: the scheduler must know who waits for whom.
* `scheduler` runs the threads of one schedule; `play` runs one story under it, up to a last look.
* `schedules` lists what is tried, fewest switches first, and names each schedule so that it can be replayed.
* `search` goes through the schedules and reports each outcome that was not seen before.
* `service` does that in the answer's process, when the grader asks.
* `story` and `two_column_trace` are the grader's side: what is to be called, and a run as columns of lines.

What it cannot do: it knows Python's own locks and queues. A thread that waits in anything else keeps the turn,
and the run is called undecided; it is never called wrong. Who waits with a time limit gets through in one
telling and not in another; should that go wrong, it is undecided, too: nobody knows whether the time suffices.
One thing it takes for granted: Python code of the standard library runs in one piece, but for what copies or
walks through the answer's objects.
"""
