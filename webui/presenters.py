"""What a board shows: a lab turned into plain records for the templates. No Flask, and no rule of the queue."""

from dataclasses import dataclass, field

from jobqueue import JobStatus
from jobqueue.simulation import Scenario, World
from jobqueue.simulation.narration import Sentence, narrate, seconds
from jobqueue.simulation.picture import WIDTH, TimelinePicture
from webui.labs import SPEEDS, Lab, Notice
from webui.lanes import JobCard, Lanes, WorkerCard

LOG_LINES = 60


@dataclass(frozen=True, slots=True)
class LogLine:
    """One sentence of the log, with the rule that applied and where it is written down."""

    time: str
    who: str
    text: str
    loud: bool
    rule: str | None = None
    module: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """Everything that one look at a lab shows."""

    id: str
    revision: int
    now: int
    clock: str
    playing: bool
    speed: str
    rate: float
    tick_millis: int | None
    next_at: int | None
    next_words: str
    over: str | None
    notice: Notice | None
    newest: str
    waiting: list[JobCard]
    ready: list[JobCard]
    workers: list[WorkerCard]
    running: int
    succeeded: list[JobCard]
    dead: list[JobCard]
    cancelled: list[JobCard]
    log: list[LogLine]
    older: int
    picture: str
    draft: dict[str, str] = field(default_factory=dict)


def board_of(lab: Lab) -> Board:
    """Return what a lab looks like now."""
    world, most = lab.world, lab.scenario.policy.max_attempts
    jobs = world.jobs()
    lanes = Lanes(world, jobs)
    sentences = [narrate(entry, most) for entry in world.chronicle.entries]
    next_at = world.next_at()
    return Board(
        id=lab.id,
        revision=lab.revision,
        now=world.now(),
        clock=seconds(world.now()).removesuffix(" s"),
        playing=lab.playing,
        speed=lab.speed,
        rate=SPEEDS[lab.speed],
        tick_millis=lab.tick_millis(),
        next_at=next_at,
        next_words="nothing is due" if next_at is None else f"next event at {seconds(next_at)}",
        over=lab.why_over(),
        notice=lab.notice,
        newest=_spoken(sentences[-1]) if sentences else "",
        waiting=lanes.waiting(),
        ready=lanes.ready(),
        workers=lanes.workers(),
        running=sum(job.status is JobStatus.RUNNING for job in jobs),
        succeeded=lanes.succeeded(),
        dead=lanes.dead(),
        cancelled=lanes.cancelled(),
        log=[_log_line(sentence) for sentence in reversed(sentences[-LOG_LINES:])],
        older=max(0, len(sentences) - LOG_LINES),
        picture=picture_of(world),
        draft=lab.draft,
    )


def picture_of(world: World, *, width: int = WIDTH, name: str = "tl") -> str:
    """Return the timeline of a world as SVG."""
    return TimelinePicture(world.timeline(), width=width, name=name).svg()


def teaser_of(scenario: Scenario, *, width: int = WIDTH) -> str:
    """Return a picture of the scenario at an instant that does not give away its end."""
    world = World(scenario)
    world.advance_to(scenario.teaser_at)
    return picture_of(world, width=width, name=scenario.name)


def parameters_of(scenario: Scenario) -> list[tuple[str, str]]:
    """Return everything that decides the outcome of a scenario, as (what, how much)."""
    policy = scenario.policy
    rows = [
        ("attempts", f"at most {policy.max_attempts}"),
        (
            "backoff",
            f"{seconds(policy.base_backoff_millis)}, doubling up to {seconds(policy.max_backoff_millis)}",
        ),
        ("seed", str(scenario.seed)),
    ]
    for habits in scenario.workers:
        longest = habits.work_millis + habits.spread_millis
        work = seconds(habits.work_millis) + (f" to {seconds(longest)}" if habits.spread_millis else "")
        renews = f", renews every {seconds(habits.renew_millis)}" if habits.renew_millis else ""
        starts = f", starts at {seconds(habits.first_poll_at)}" if habits.first_poll_at else ""
        lease, polls = seconds(habits.lease_millis), seconds(habits.poll_millis)
        words = f"works {work} a job, lease {lease}{renews}, polls every {polls}{starts}"
        rows.append((f"worker {habits.name}", words))
    rows += [
        (f"{outage.type} is down", f"{seconds(outage.begins_at)} to {seconds(outage.ends_at)}")
        for outage in scenario.outages
    ]
    return rows


# -- words -----------------------------------------------------------------------------------------------


def _log_line(sentence: Sentence) -> LogLine:
    loud = sentence.kind == "refused"
    if sentence.rule is None:
        return LogLine(seconds(sentence.at), sentence.who, sentence.text, loud)
    source = sentence.rule.source
    module = source.__module__.replace(".", "/") + ".py"
    line = str(source.__code__.co_firstlineno)
    return LogLine(seconds(sentence.at), sentence.who, sentence.text, loud, sentence.rule.text, module, line)


def _spoken(sentence: Sentence) -> str:
    return f"{seconds(sentence.at)}: {sentence.who} {sentence.text}"
