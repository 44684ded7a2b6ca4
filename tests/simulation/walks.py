"""Random walks through a story: on, back, anywhere, and now and then a hand that interferes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from jobqueue.simulation import SCENARIOS, Habits, Mishap, MishapKind, Outage, Task
from jobqueue.simulation.free_lab import FREE, FreeLab
from jobqueue.simulation.playback import REFUSALS, Playback
from jobqueue.simulation.recipe import Recipe
from jobqueue.simulation.rule_settings import RuleSettings

if TYPE_CHECKING:
    from jobqueue.simulation import World

LATEST = 40_000
RULES = (
    None,
    RuleSettings(),
    RuleSettings(2, 500, 4000, jitter="full", jitter_seed=3),
    RuleSettings(5, 0, 0, cycle="HNL", aging_millis=2000, max_running_per_tenant=1),
    RuleSettings(3, 1000, 8000, cycle="HHHNNL", quantum=10, retry_budget_percent=50, dispatch_ceiling=2),
    RuleSettings(4, 1000, 8000, cycle="L", max_queued=6, max_running_low=1, max_run_millis=5000),
)
FREE_LABS = (
    FreeLab(),
    FreeLab(
        (
            Task(0, "mail", times=6, every_millis=700),
            Task(500, "film", priority=2, cost=9, deadline_millis=9000),
        ),
        (Habits("A", 900, 800, 2000), Habits("B", mishap=Mishap(MishapKind.FREEZE, 400, 3000, 2))),
        (Outage("mail", 2000, 5000, "no line"),),
        (("film", 2500),),
    ),
)


def state(world: World) -> dict[str, Any]:
    """Return everything that can be seen of a world, now and by letting it go on."""
    return {
        "now": world.now(),
        "next": world.next_at(),
        "entries": world.chronicle.entries,
        "events": world.log.events,
        "jobs": world.jobs(),
        "histories": [world.queue.history(job.id) for job in world.jobs()],
        "workers": {name: (w.state, w.lease, w.refusal) for name, w in world.workers.items()},
        "order": world.queue.next_up(30),
        "paused": world.queue.paused(),
        "effects": dict(world.effects),
        "broken": world.watch.violations,
        "twin": state(world.twin) if world.twin else None,
        "planned": sorted((p.at, p.background) for p in world.engine._heap if not p.over),
    }


def a_story(dice: random.Random) -> Recipe:
    """Return a story at its beginning: one of the gallery's, with its own rules or others, or a free lab."""
    rules, seed = dice.choice(RULES), dice.choice([None, dice.randrange(100)])
    if dice.random() < 0.2:
        return Recipe(FREE, seed, rules, dice.choice(FREE_LABS))
    return Recipe(dice.choice(list(SCENARIOS)), seed, rules)


def a_poke(dice: random.Random, world: World) -> tuple[str, dict[str, Any]]:
    """Return something that a person may want to do, possible or not."""
    worker = dice.choice([*world.workers, "Z"])
    job = f"J{dice.randint(1, len(world.jobs()) + 1)}"
    type = dice.choice([*(job.type for job in world.jobs()), "mail"])
    job_of = {"type": type, "priority": dice.randint(-2, 2), "delay_millis": dice.choice([0, 0, 1500])}
    return dice.choice(  # type: ignore[return-value]
        [
            *((verb, {"worker": worker}) for verb in ("crash", "restart", "freeze", "thaw", "restart", "thaw")),
            *((verb, {"job_id": job}) for verb in ("cancel", "redrive", "fail", "fail")),
            *((verb, {"type": type}) for verb in ("pause_type", "resume_type", "take_down", "bring_up")),
            ("submit", job_of),
            ("submit", job_of | {"payload": "by hand", "tenant": dice.choice("ab"), "deadline_millis": 4000}),
        ]
    )


def poke(playback: Playback, verb: str, arguments: dict[str, Any]) -> None:
    """Do something; a refusal is as good as a success."""
    try:
        playback.do(verb, **arguments)
    except REFUSALS:
        return


def walk(seed: int, length: int = 14) -> list[Playback]:
    """Take a random walk, and return its branches, the last one current."""
    dice = random.Random(seed)  # noqa: S311 - a walk, no secret
    branches = [Playback(a_story(dice))]
    for _ in range(length):
        current = branches[-1]
        match dice.choice(["step", "step", "step", "second", "back", "back", "seek", "poke", "poke", "fork"]):
            case "step":
                current.step()
            case "second":
                current.advance_to(current.world.now() + 1000)
            case "back":
                current.back()
            case "seek":
                current.seek(dice.randrange(0, LATEST, 250))
            case "poke":
                poke(current, *a_poke(dice, current.world))
            case "fork":
                branches.append(Playback(current.recipe))
    return branches
