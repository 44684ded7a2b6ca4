"""Finds a missing lock every time: runs unmodified code under one baton that goes from thread to thread.

Threads are real, but only the one that holds the baton runs. It is handed on where the controller says so:
before an instruction that can touch what threads share, and where a lock makes a thread wait. So a schedule is
plain data, the same schedule gives the same run, and schedules can be counted instead of hoped for.

* `points` says before which instructions another thread may come in between.
* `stand_ins` are the locks, and what waits beside them: the controller must know who waits for whom.
* `baton` runs the threads of one schedule; `play` tells one story under it, from the first call to a last look.
* `schedules` lists what is tried, fewest switches first, and names each schedule so that it can be told again.
* `exploring` goes through the schedules and reports each outcome that was not seen before.
* `serving` does that in the answer's process, when the grader asks.
* `story` and `listing` are the grader's side: what is to be called, and a run as columns of lines.

What it cannot do: it knows Python's own locks and queues. A thread that waits in anything else keeps the baton,
and the run is called undecided; it is never called wrong. Who waits with a time limit gets through in one
telling and not in another; should that go wrong, it is undecided, too: nobody knows whether the time suffices.
One thing it takes for granted: Python code of the standard library runs in one piece, but for what copies or
walks through the answer's objects.
"""
