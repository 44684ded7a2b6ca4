"""ex13, another right answer: a few long stories, each of which a flawed queue tells otherwise somewhere."""

from jobqueue import IllegalStateError, StaleTokenError

SECOND = 1_000


def stale(call, *args):
    """Demand that a call is refused for its token."""
    try:
        call(*args)
    except StaleTokenError:
        return
    raise AssertionError(f"accepted: {args}")


def seen(queue, job_id):
    """What view tells of a job, in the order of the story."""
    view = queue.view(job_id)
    return view.status, view.attempts, view.next_run_at, view.last_error


def test_the_life_of_one_job(make_queue):
    queue, clock = make_queue(3, SECOND, 1_500)
    queue.submit("mail")
    one = queue.poll("A", 10 * SECOND)
    assert queue.renew("J1", one.token, 3 * SECOND).lease_until == 10 * SECOND
    clock.advance(4 * SECOND)
    assert queue.renew("J1", one.token, 8 * SECOND).lease_until == 12 * SECOND
    clock.advance_to(12 * SECOND - 1)
    assert seen(queue, "J1") == ("RUNNING", 1, 0, None)
    clock.advance_to(12 * SECOND)
    assert seen(queue, "J1") == ("PENDING", 1, 13 * SECOND, "lease expired")
    stale(queue.complete, "J1", one.token)
    clock.advance_to(13 * SECOND - 1)
    assert queue.poll("A", SECOND) is None
    clock.advance_to(13 * SECOND)
    two = queue.poll("A", 10 * SECOND)
    assert two.token != one.token
    stale(queue.complete, "J1", one.token)
    stale(queue.fail, "J1", one.token, "late")
    stale(queue.renew, "J1", one.token, SECOND)
    assert seen(queue, "J1") == ("RUNNING", 2, 13 * SECOND, "lease expired")
    queue.fail("J1", two.token, "broken")
    assert seen(queue, "J1") == ("PENDING", 2, 14_500, "broken")
    clock.advance_to(14_500)
    queue.complete("J1", queue.poll("B", SECOND).token)
    assert seen(queue, "J1") == ("SUCCEEDED", 3, 14_500, "broken")


def test_nobody_looks_for_a_long_time(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10 * SECOND)
    clock.advance_to(50 * SECOND)
    stale(queue.renew, "J1", lease.token, SECOND)
    queue.submit("mail")
    assert queue.poll("B", SECOND).job_id == "J1"
    assert seen(queue, "J1") == ("RUNNING", 2, 11 * SECOND, "lease expired")


def test_a_renewal_wakes_no_lease(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", SECOND)
    clock.advance_to(SECOND)
    stale(queue.renew, "J1", lease.token, SECOND)


def test_death_and_a_new_beginning(make_queue):
    queue, clock = make_queue(1)
    for priority in (0, 1):
        queue.submit("mail", "", priority)
    for job_id in ("J2", "J1"):
        assert queue.poll("A", SECOND).job_id == job_id
        clock.advance(2 * SECOND)
    assert [view.id for view in queue.dead_letters()] == ["J1", "J2"]
    queue.retry_dead("J1")
    assert seen(queue, "J1") == ("PENDING", 0, 4 * SECOND, "lease expired")
    tokens = set()
    for _ in range(2):
        lease = queue.poll("A", SECOND)
        assert lease.token not in tokens
        assert lease.attempt == 1
        tokens.add(lease.token)
        queue.fail("J1", lease.token, "broken")
        queue.retry_dead("J1")
    for status in ("PENDING", "RUNNING", "SUCCEEDED"):
        assert queue.view("J1").status == status
        try:
            queue.retry_dead("J1")
        except IllegalStateError:
            if status != "SUCCEEDED":
                lease = lease if status == "RUNNING" else queue.poll("A", SECOND)
            if status == "RUNNING":
                queue.complete("J1", lease.token)
        else:
            raise AssertionError("brought back alive")


def test_the_dead_in_order_of_submission(make_queue):
    queue, clock = make_queue(1)
    queue.submit("mail")
    queue.submit("mail", priority=1)
    first, second = queue.poll("A", SECOND), queue.poll("A", 2 * SECOND)
    queue.fail(first.job_id, first.token, "broken")
    clock.advance(SECOND)
    queue.fail(second.job_id, second.token, "broken")
    assert [view.id for view in queue.dead_letters()] == ["J1", "J2"]


def test_who_is_next(make_queue):
    queue, clock = make_queue()
    for priority in (-5, -4, *[0] * 10, 3):
        queue.submit("mail", "", priority)
    first = queue.poll("A", 1)
    clock.advance(SECOND)
    queue.submit("late", "", 3)
    clock.advance(5 * SECOND)
    order = [queue.poll("A", 60 * SECOND) for _ in range(14)]
    names = ["J14", "J13", *(f"J{n}" for n in range(3, 13)), "J2", "J1"]
    assert first.job_id == "J13"
    assert [lease.job_id for lease in order] == names
    stale(queue.complete, "J1", order[0].token)
    stale(queue.fail, "J1", order[0].token, "not mine")
    assert {queue.view(name).status for name in names} == {"RUNNING"}
