"""A story's own interference, when somebody has already changed how the story goes."""

import pytest

from jobqueue.simulation import SCENARIOS, World
from tests.simulation.worlds import told


@pytest.mark.parametrize("already", ["cancel", "overtaken"])
def test_a_scripted_action_that_is_no_longer_possible_is_refused_like_any_other(already: str) -> None:
    """The story cancels J5 at 9.0 s. Whoever made that impossible sees a refusal, and the story goes on."""
    world = World(SCENARIOS["life_of_a_job"])
    world.advance_to(0 if already == "overtaken" else 2000)
    if already == "cancel":
        world.cancel("J5")
    else:
        world.submit("mail", priority=9)  # so that another job than the story meant is J5, and done by 9.0 s
        world.submit("mail", priority=9)
    world.advance_to(60_000)
    assert world.now() == 60_000
    assert told(world, "refused") == [(9000, "refused", "J5")]
    assert [job.status for job in world.jobs() if job.id == "J3"] == ["SUCCEEDED"]
