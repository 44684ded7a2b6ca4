"""A flawed queue that is wrong about who else is there."""

from jobqueue.simulation import flawed as queues
from jobqueue.simulation.flawed.races import GAP_MILLIS
from jobqueue.simulation.scenario import Flaw, Habits, Task
from jobqueue.simulation.scenarios.flawed_stories import flawed_story, told

CHECKS_THEN_ACTS = flawed_story(
    told(
        (
            "Two mails wait. A polls at 1.0 s, B polls 5 ms later. This queue looks which job is the best, and "
            f"takes it {GAP_MILLIS} ms after that look; what is shown as a poll is the taking."
        ),
        workers=(
            Habits("A", work_millis=3000, first_poll_at=1000),
            Habits("B", work_millis=3500, first_poll_at=1005),
        ),
        tasks=(Task(0, "mail", "invoice of May"), Task(0, "mail", "welcome to Ada")),
        teaser_at=1000,
        lesson="06_exactly_one_worker",
        exercise="ex06",
    ),
    "flawed_check_then_act",
    "Check, then act",
    f"A and B poll 5 ms apart. Between look and taking there are {GAP_MILLIS} ms. Who gets J1?",
    Flaw(
        queues.ChecksThenActs,
        queues.ChecksThenActs,
        "whoever looks between another one's look and taking gets the same job, and its work is done twice",
        "one_worker",
        method="_hand_out",
    ),
    "at 1.0 s J2 is next, as the board says; B gets J1, for it has looked before that",
    "a new token is no help: of two reports one is refused, but the mail has gone out twice",
)
