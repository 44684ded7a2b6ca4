"""What a board shows: a lab turned into plain records for the templates. No Flask, and no rule of the queue."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from jobqueue import DeficitRoundRobin, Event, JobStatus, JobView, Stats, StrictPriority
from jobqueue.scheduling.bands import BANDS
from jobqueue.simulation import Mishap, MishapKind, Rules, Scenario, World
from jobqueue.simulation.charts import BarChart, Row
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.narration import QUEUE, Sentence, breaks, narrate
from jobqueue.simulation.picture import WIDTH, TimelinePicture
from jobqueue.simulation.timeline import Timeline
from jobqueue.simulation.units import seconds
from webui.board.labs import SPEEDS, Lab, Notice
from webui.board.lanes import JobCard, Lanes, WorkerCard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from jobqueue.simulation.watch import Violation

LOG_LINES = 60
MOST_NEXT = 12


@dataclass(frozen=True, slots=True)
class LogLine:
    """One sentence of the log, with the rule that applied and where it is written down."""

    time: str
    who: str
    text: str
    loud: bool
    rule: str | None = None
    name: str = ""
    module: str = ""
    line: str = ""
    broken: str = ""
    seq: int | None = None


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
    next_up: list[str]
    charts: list[tuple[str, str]]
    types: list[tuple[str, bool]]
    draft: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BoardView:
    """A world as one request sees it: asked once, and handed to all that show a part of it."""

    world: World
    jobs: list[JobView]
    timeline: Timeline

    @classmethod
    def of(cls, world: World) -> "BoardView":
        """Return what there is to see of a world now."""
        return cls(world, world.jobs(), world.timeline())


def board_of(lab: Lab, view: BoardView | None = None) -> Board:
    """Return what a lab looks like now; `view` is what this request has seen of its world already."""
    view = BoardView.of(lab.world) if view is None else view
    world, jobs, most = view.world, view.jobs, lab.scenario.policy.max_attempts
    lanes = Lanes(world, jobs)
    entries = world.chronicle.entries[-LOG_LINES:]
    sentences = [narrate(entry, most) for entry in entries]
    next_at = lab.next_at()
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
        log=[
            line_of(entry, sentence, world.watch.violations)
            for entry, sentence in zip(reversed(entries), reversed(sentences), strict=True)
        ],
        older=len(world.chronicle) - len(entries),
        picture=TimelinePicture(view.timeline, name="tl").svg(),
        next_up=world.queue.next_up(MOST_NEXT),
        charts=charts_of(world, jobs),
        types=_types(world, jobs),
        draft=lab.draft,
    )


def charts_of(world: World, jobs: list[JobView], *, standalone: bool = False) -> list[tuple[str, str]]:
    """Return charts of share and age, each with its title, where the story is about them.

    Args:
        world: what they are of.
        jobs: its jobs.
        standalone: each brings its own style sheet, for a file.
    """
    stats = world.queue.stats()
    charts: list[tuple[str, str]] = []
    if stats.promised_share:
        rows = [
            Row(band, stats.actual_share.get(band, 0), _share_words(stats, band), promised, f"band-{band}")
            for band, promised in stats.promised_share.items()
        ]
        charts.append(
            (
                "Share of hand-outs, and the one promised while all bands have work",
                BarChart("Share of hand-outs", rows, 1, standalone=standalone).svg(),
            )
        )
    ages: list[tuple[str, Mapping[str, int], Iterable[str]]] = []
    if stats.promised_share or len({job.priority for job in jobs}) > 1:
        ages.append(("band", stats.oldest_ready_millis_by_band, BANDS))
    tenants = sorted({job.tenant for job in jobs})
    if len(tenants) > 1:
        ages.append(("tenant", stats.oldest_ready_millis_by_tenant, tenants))
    for what, by_name, names in ages:
        rows = [Row(name, by_name.get(name, 0), seconds(by_name.get(name, 0))) for name in names]
        title = f"Oldest ready job, by {what}"
        charts.append((title, BarChart(title, rows, standalone=standalone).svg()))
    return charts


def _share_words(stats: Stats, band: str) -> str:
    actual, promised = stats.actual_share.get(band, 0), stats.promised_share[band]
    return f"{actual:.0%}, promised {promised:.0%}"


def _types(world: World, jobs: list[JobView]) -> list[tuple[str, bool]]:
    """Return the types that there are, and whether each is paused."""
    paused = world.queue.paused()
    return [(name, name in paused) for name in sorted({*(job.type for job in jobs), *paused})]


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
        *_rule_rows(scenario.rules),
        *((f"a {name} takes", seconds(millis)) for name, millis in scenario.work_millis.items()),
        *((("seed", str(scenario.seed)),) if any(h.spread_millis for h in scenario.workers) else ()),
    ]
    for habits in scenario.workers:
        longest = habits.work_millis + habits.spread_millis
        work = seconds(habits.work_millis) + (f" to {seconds(longest)}" if habits.spread_millis else "")
        renews = f", renews every {seconds(habits.renew_millis)}" if habits.renew_millis else ""
        starts = f", starts at {seconds(habits.first_poll_at)}" if habits.first_poll_at else ""
        lease, polls = seconds(habits.lease_millis), seconds(habits.poll_millis)
        words = f"works {work} a job, lease {lease}{renews}, polls every {polls}{starts}"
        rows.append((f"worker {habits.name}", words))
        if habits.mishap is not None:
            rows.append((f"what befalls {habits.name}", _mishap_words(habits.mishap)))
    rows += [
        (f"{outage.type} is down", f"{seconds(outage.begins_at)} to {seconds(outage.ends_at)}")
        for outage in scenario.outages
    ]
    return rows


def _mishap_words(mishap: Mishap) -> str:
    """Return what befalls a worker, on which jobs, and for how long."""
    what = {
        MishapKind.CRASH: f"crashes {seconds(mishap.after_millis)} into",
        MishapKind.FREEZE: f"freezes {seconds(mishap.after_millis)} into",
        MishapKind.CRASH_BEFORE_REPORT: "crashes after the work, before the report, of",
        MishapKind.LOSE_REPORT: "loses the report of",
    }[mishap.kind]
    which = f"its first {mishap.times} jobs" if mishap.times > 1 else "its first job"
    if mishap.payload is not None:
        which = f"each job with {mishap.payload}"
    lasts = "" if mishap.lasts_millis is None else f", for {seconds(mishap.lasts_millis)}"
    return f"{what} {which}{lasts}"


def _rule_rows(rules: Rules) -> list[tuple[str, str]]:
    """Return what the queue is asked to do beyond its policy, as (what, how much)."""
    rows: list[tuple[str, str]] = []
    scheduler = rules.scheduler
    if isinstance(scheduler, StrictPriority):
        rows.append(("who is next", "highest priority, then earliest due, then first submitted"))
    else:
        rows.append(("who is next", f"bands by the cycle {scheduler.cycle}"))
        by_cost = isinstance(scheduler.tenants, DeficitRoundRobin)
        rows.append(("tenants", f"by cost, {scheduler.tenants.quantum} a turn" if by_cost else "take turns"))  # type: ignore[attr-defined]
        if scheduler.aging_millis is not None:
            rows.append(("aging", f"one band up for each {seconds(scheduler.aging_millis)} of being ready"))
    if rules.limits is not None:
        bands = rules.limits.max_running_per_band or {}
        rows += [(f"band {band}", f"at most {most} running") for band, most in bands.items()]
        if rules.limits.max_running_per_tenant is not None:
            rows.append(("each tenant", f"at most {rules.limits.max_running_per_tenant} running"))
        if rules.limits.max_queued is not None:
            rows.append(("the queue", f"at most {rules.limits.max_queued} waiting"))
        if rules.limits.max_queued_per_tenant is not None:
            rows.append(("each tenant's queue", f"at most {rules.limits.max_queued_per_tenant} waiting"))
    if rules.jitter is not None:
        rows.append(("jitter", f"{rules.jitter.kind}, seed {rules.jitter.seed}"))
    if rules.retry_budget is not None:
        budget = rules.retry_budget
        rows.append(("retry budget", f"{budget.floor} + {budget.percent} % of the running first tries"))
    if rules.dispatch_limit is not None:
        dispatch = rules.dispatch_limit
        rows.append(("dispatch limit", f"from {dispatch.ceiling} of a type running, down to {dispatch.floor}"))
    if rules.max_run_millis is not None:
        rows.append(("longest run", seconds(rules.max_run_millis)))
    return rows


# -- words -----------------------------------------------------------------------------------------------


def line_of(entry: Entry, sentence: Sentence, violations: "Sequence[Violation]") -> LogLine:
    """Return a line of the log that lamps point to; one that breaks an invariant says so and cites no rule."""
    seq = entry.seq if isinstance(entry, Event) else None
    if broken := breaks(entry, violations):
        return replace(_log_line(replace(sentence, rule=None)), loud=True, broken=broken, seq=seq)
    return replace(_log_line(sentence), seq=seq)


def _log_line(sentence: Sentence) -> LogLine:
    """Return a sentence as a line of the log."""
    loud = sentence.kind == "refused"
    if sentence.rule is None:
        return LogLine(seconds(sentence.at), _subject(sentence), sentence.text, loud)
    source = sentence.rule.source
    module = source.__module__.replace(".", "/") + ".py"
    line = str(source.__code__.co_firstlineno)
    name = f"{source.__module__.rpartition('.')[2]}.{source.__name__}"
    who = _subject(sentence)
    return LogLine(seconds(sentence.at), who, sentence.text, loud, sentence.rule.text, name, module, line)


def _subject(sentence: Sentence) -> str:
    """Return who a sentence is about; those of the queue bring their own subject, so it only says who tells."""
    return f"{sentence.who}:" if sentence.who == QUEUE else sentence.who


def _spoken(sentence: Sentence) -> str:
    return f"{seconds(sentence.at)}: {_subject(sentence)} {sentence.text}"
