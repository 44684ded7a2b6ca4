"""A scenario as text: time, who, what, and which rule. The same text every time."""

from textwrap import fill

from jobqueue.simulation.comparison import differences, parting
from jobqueue.simulation.narration import Rule, breaks, narrate
from jobqueue.simulation.units import seconds
from jobqueue.simulation.world import World


def trace(world: World) -> str:
    """Return the chronicle of a world as lines, the rules numbered and written out below."""
    sentences = [narrate(entry, world.scenario.policy.max_attempts) for entry in world.chronicle.entries]
    who_width = max((len(sentence.who) for sentence in sentences), default=0)
    numbers: dict[Rule, int] = {}
    lines = [f"{world.scenario.title} (seed {world.seed})", world.scenario.question, ""]
    for entry, sentence in zip(world.chronicle.entries, sentences, strict=True):
        if broken := breaks(entry, world.watch.violations):
            cited = f"  [breaks: {broken}]"
        else:
            cited = f"  [{numbers.setdefault(sentence.rule, len(numbers) + 1)}]" if sentence.rule else ""
        lines.append(f"{seconds(sentence.at):>9}  {sentence.who:<{who_width}}  {sentence.text}{cited}")
    if numbers:
        lines += ["", "Rules"]
    for rule, number in numbers.items():
        where = f"{rule.source.__module__.replace('.', '/')}.py, {rule.source.__name__}"
        lines.append(fill(f"[{number}] {rule.text} ({where})", 110, subsequent_indent="    "))
    if world.scenario.flaw is not None:
        lines += ["", *_flaw_lines(world)]
    return "\n".join(lines) + "\n"


def _flaw_lines(world: World) -> list[str]:
    """Return what a flawed queue broke, and where it parts from the right one."""
    lines = ["Broken"] if world.watch.violations else ["No invariant is broken."]
    lines += [
        f"{seconds(found.at):>9}  {found.invariant.title}: {found.sentence}" for found in world.watch.violations
    ]
    parts = world.twin and parting(world, world.twin)
    if world.twin is None or not parts:
        return lines
    lines += ["", "Where it parts from the right queue", f"  here   {parts.here}", f"  there  {parts.there}"]
    return lines + [f"  {sentence}" for sentence in differences(world, world.twin)]
