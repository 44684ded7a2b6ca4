"""ex13, break the queue: one right answer. Each test stands where a right queue and a wrong one part ways."""

from jobqueue import IllegalStateError, StaleTokenError


def refuses(error, call, *args):
    """Tell whether a call raises this error."""
    try:
        call(*args)
    except error:
        return True
    return False


def kill(queue, clock, job_id, attempts):
    """Fail a job as often as it may be tried."""
    for _ in range(attempts):
        clock.advance(60_000)
        queue.fail(job_id, queue.poll("killer", 10_000).token, "broken")


def test_the_worked_example(make_queue):
    queue, clock = make_queue()
    assert queue.submit("mail", "to Ada") == "J1"
    lease = queue.poll("A", 10_000)
    assert (lease.job_id, lease.type, lease.payload) == ("J1", "mail", "to Ada")
    assert (lease.attempt, lease.lease_until) == (1, 10_000)
    clock.advance_to(2_000)
    queue.fail("J1", lease.token, "no route")
    assert queue.view("J1").last_error == "no route"
    assert queue.poll("B", 10_000) is None
    clock.advance_to(5_000)
    again = queue.poll("B", 10_000)
    assert again.attempt == 2
    queue.complete("J1", again.token)
    assert queue.view("J1").status == "SUCCEEDED"


def test_a_success_leaves_the_last_error_alone(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    queue.fail("J1", queue.poll("A", 10_000).token, "no route")
    clock.advance_to(5_000)
    queue.complete("J1", queue.poll("A", 10_000).token)
    assert queue.view("J1").last_error == "no route"


def test_a_lease_is_good_until_its_last_millisecond(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10_000)
    clock.advance_to(9_999)
    assert queue.view("J1").status == "RUNNING"
    queue.complete("J1", lease.token)


def test_at_the_instant_of_its_end_a_lease_is_over(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10_000)
    clock.advance_to(10_000)
    assert refuses(StaleTokenError, queue.complete, "J1", lease.token)


def test_a_look_alone_shows_that_a_lease_is_over(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    queue.poll("A", 10_000)
    clock.advance_to(15_000)
    assert queue.view("J1").status == "PENDING"


def test_every_lease_ends_not_only_the_first(make_queue):
    queue, clock = make_queue()
    queue.submit("mail", priority=-1)
    queue.submit("mail")
    queue.poll("A", 10_000)
    queue.poll("A", 10_000)
    clock.advance_to(20_000)
    assert queue.poll("A", 10_000).job_id == "J2"


def test_an_expiry_counts_from_the_end_of_the_lease(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    queue.poll("A", 10_000)
    clock.advance_to(60_000)
    assert queue.poll("B", 10_000).attempt == 2
    view = queue.view("J1")
    assert (view.next_run_at, view.last_error) == (11_000, "lease expired")


def test_a_renewal_counts_from_now(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10_000)
    clock.advance_to(4_000)
    assert queue.renew("J1", lease.token, 10_000).lease_until == 14_000


def test_a_renewal_takes_no_time_away(make_queue):
    queue, _ = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10_000)
    assert queue.renew("J1", lease.token, 1_000).lease_until == 10_000


def test_a_renewal_after_the_end_comes_too_late(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10_000)
    clock.advance_to(12_000)
    assert refuses(StaleTokenError, queue.renew, "J1", lease.token, 10_000)


def test_a_zombie_is_refused_while_another_holds_the_job(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    zombie = queue.poll("A", 10_000)
    clock.advance_to(12_000)
    holder = queue.poll("B", 10_000)
    assert refuses(StaleTokenError, queue.complete, "J1", zombie.token)
    assert queue.view("J1").status == "RUNNING"
    queue.renew("J1", holder.token, 10_000)


def test_a_zombie_fails_nothing_and_renews_nothing(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    zombie = queue.poll("A", 10_000)
    clock.advance_to(12_000)
    queue.poll("B", 10_000)
    assert refuses(StaleTokenError, queue.fail, "J1", zombie.token, "late")
    assert queue.view("J1").status == "RUNNING"
    assert refuses(StaleTokenError, queue.renew, "J1", zombie.token, 10_000)


def test_a_token_opens_one_job_only(make_queue):
    queue, _ = make_queue()
    queue.submit("mail")
    queue.submit("mail")
    one, other = queue.poll("A", 10_000), queue.poll("A", 10_000)
    assert refuses(StaleTokenError, queue.fail, one.job_id, other.token, "not mine")


def test_one_worker_gets_a_new_token_each_time(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    first = queue.poll("A", 10_000)
    clock.advance_to(12_000)
    assert queue.poll("A", 10_000).token != first.token


def test_a_token_is_new_also_after_a_new_beginning(make_queue):
    queue, _ = make_queue(max_attempts=1)
    queue.submit("mail")
    first = queue.poll("A", 10_000)
    queue.fail("J1", first.token, "broken")
    queue.retry_dead("J1")
    assert queue.poll("B", 10_000).token != first.token


def test_ids_are_numbers(make_queue):
    queue, _ = make_queue()
    names = [queue.submit("mail") for _ in range(11)]
    assert [queue.poll("A", 10_000).job_id for _ in names] == names


def test_priority_comes_first_also_below_zero(make_queue):
    queue, _ = make_queue()
    queue.submit("mail", priority=-2)
    queue.submit("mail", priority=-1)
    queue.submit("mail")
    queue.submit("mail", priority=1)
    assert [queue.poll("A", 10_000).job_id for _ in range(4)] == ["J4", "J3", "J2", "J1"]


def test_who_became_ready_first_is_first(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    lease = queue.poll("A", 10_000)
    queue.fail("J1", lease.token, "broken")
    clock.advance_to(500)
    queue.submit("mail")
    clock.advance_to(2_000)
    assert queue.poll("A", 10_000).job_id == "J2"


def test_each_rest_is_twice_as_long_up_to_the_most(make_queue):
    queue, clock = make_queue(max_attempts=9)
    queue.submit("mail")
    rests = []
    for _ in range(8):
        queue.fail("J1", queue.poll("A", 10_000).token, "broken")
        ready_at = queue.view("J1").next_run_at
        rests.append(ready_at - clock.now())
        clock.advance_to(ready_at)
    assert rests == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]


def test_three_attempts_if_nothing_else_is_said(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    kill(queue, clock, "J1", attempts=3)
    clock.advance(60_000)
    assert queue.poll("A", 10_000) is None


def test_a_job_is_ready_at_the_instant_and_not_before(make_queue):
    queue, clock = make_queue()
    queue.submit("mail")
    queue.fail("J1", queue.poll("A", 10_000).token, "broken")
    clock.advance_to(999)
    assert queue.poll("A", 10_000) is None
    clock.advance_to(1_000)
    assert queue.poll("A", 10_000).attempt == 2


def test_leases_that_end_kill_a_job_too(make_queue):
    queue, clock = make_queue(max_attempts=2)
    queue.submit("mail")
    for _ in range(2):
        queue.poll("A", 10_000)
        clock.advance(20_000)
    assert [view.id for view in queue.dead_letters()] == ["J1"]


def test_one_attempt_is_one_attempt(make_queue):
    queue, _ = make_queue(max_attempts=1)
    queue.submit("mail")
    queue.fail("J1", queue.poll("A", 10_000).token, "broken")
    assert [view.status for view in queue.dead_letters()] == ["DEAD"]


def test_dead_letters_stand_in_the_order_of_submission(make_queue):
    queue, clock = make_queue(max_attempts=1)
    queue.submit("mail")
    queue.submit("mail", priority=1)
    for _ in range(2):
        clock.advance(1_000)
        lease = queue.poll("A", 10_000)
        queue.fail(lease.job_id, lease.token, "broken")
    assert [view.id for view in queue.dead_letters()] == ["J1", "J2"]


def test_a_new_beginning_has_all_attempts(make_queue):
    queue, clock = make_queue(max_attempts=2)
    queue.submit("mail")
    kill(queue, clock, "J1", attempts=2)
    queue.retry_dead("J1")
    assert queue.poll("A", 10_000).attempt == 1


def test_a_new_beginning_is_now_and_remembers_why(make_queue):
    queue, clock = make_queue(max_attempts=2)
    queue.submit("mail")
    kill(queue, clock, "J1", attempts=2)
    clock.advance_to(300_000)
    queue.retry_dead("J1")
    view = queue.view("J1")
    assert (view.status, view.next_run_at) == ("PENDING", 300_000)
    assert view.last_error == "broken"


def test_only_the_dead_are_brought_back(make_queue):
    queue, _ = make_queue()
    queue.submit("mail")
    assert refuses(IllegalStateError, queue.retry_dead, "J1")
    assert queue.dead_letters() == []
    queue.poll("A", 10_000)
    assert refuses(IllegalStateError, queue.retry_dead, "J1")
