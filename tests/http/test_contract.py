"""The contract's own tests, over HTTP where they fit: what a queue promises, it promises at a distance, too."""

from tests.contract.test_cancel import *  # noqa: F403
from tests.contract.test_leases import *  # noqa: F403
from tests.contract.test_poll_many import *  # noqa: F403
from tests.contract.test_ready_order import *  # noqa: F403
from tests.contract.test_release import *  # noqa: F403
from tests.contract.test_request_keys import *  # noqa: F403
from tests.contract.test_results_and_checkpoints import *  # noqa: F403
from tests.contract.test_retries import *  # noqa: F403
from tests.contract.test_tokens import *  # noqa: F403

_EVENTS = "events stay where the queue is"
_REPLAY = "over HTTP the exact repeat of a completion is answered once more"
EXCEPTIONS = {
    "test_what_is_due_is_settled_by_instant_then_by_submission_order": _EVENTS,
    "test_every_operation_first_settles_what_is_due": _EVENTS,
    "test_a_conflict_is_told_as_refused": _EVENTS,
    "test_a_result_is_told_with_its_hash": _EVENTS,
    "test_the_last_token_of_an_ended_attempt_finds_the_wrong_state": _REPLAY,
    "test_an_old_token_stays_stale_when_its_successor_has_finished": _REPLAY,
    "test_a_refusal_on_a_job_that_does_not_run_names_its_state": _REPLAY,
    "test_a_double_release_frees_one_place_only": _REPLAY,
    "test_a_redriven_job_keeps_its_key_and_the_content_it_was_asked_for": "the actor is the token's",
    "test_a_service_that_retries_for_ever_keeps_its_rhythm": "the same a thousand times",
}
for _name in EXCEPTIONS:
    del globals()[_name]


def test_the_exceptions_are_few():
    """Most of these files' tests are run."""
    assert sum(name.startswith("test_") for name in globals()) > 5 * len(EXCEPTIONS)
