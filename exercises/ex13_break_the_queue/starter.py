"""ex13, break the queue: your tests. Rules and tasks are in ex13_break_the_queue.md, beside this file.

Put tests of your own in the place of those that raise NotImplementedError, as many as you like, in the order of
the tasks. After each one:  jobkit check ex13

A test is a function at the top level whose name begins with test_. It is given make_queue:

    queue, clock = make_queue(max_attempts=3, base_backoff_millis=1_000, max_backoff_millis=60_000)

Times are whole milliseconds. The clock begins at 0; clock.advance(millis) moves it, and nothing else does.
"""

from jobqueue import IllegalStateError, StaleTokenError


def refuses(error, call, *args):
    """Tell whether a call raises this error.

    assert refuses(StaleTokenError, queue.complete, "J1", "a made-up token")
    """
    try:
        call(*args)
    except error:
        return True
    return False


def test_the_worked_example(make_queue):
    """A job is handed out, fails, rests, and is done at the second attempt."""
    raise NotImplementedError("ex13, task 1: a first test")


def test_a_flaw_that_you_know(make_queue):
    """Something that one of the seven queues of task 2 does wrong. Write more of these."""
    raise NotImplementedError("ex13, task 2: the flaws that you know")


def test_order_and_leases(make_queue):
    """Something about rules 1, 2, 4 or 5 that a queue may get wrong. Write more of these."""
    raise NotImplementedError("ex13, task 3: order and leases")


def test_tokens(make_queue):
    """Something about rule 3 that a queue may get wrong. Write more of these."""
    raise NotImplementedError("ex13, task 4: tokens")


def test_retries_and_dead_letters(make_queue):
    """Something about rules 6, 7 or 8 that a queue may get wrong. Write more of these."""
    raise NotImplementedError("ex13, task 5: retries and dead letters")
