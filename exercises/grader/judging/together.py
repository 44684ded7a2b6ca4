"""Searches interleavings of threads for one that breaks a promise, and shows the shortest.

The answer's process runs the schedules; what each of them gave is judged here, where the answer never runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations_with_replacement
from typing import Any

from exercises.grader.judging.case import Case, Stop, Undecided, problem_of, source_line
from exercises.grader.judging.records import How, SourceLine
from exercises.grader.running.threads.play import AFTER, BEFORE
from exercises.grader.running.threads.schedules import Bounds, Tried
from exercises.grader.running.threads.story import Call, Got, Judge, Seen, Story, Wrong
from exercises.grader.running.threads.two_column_trace import reason, two_column_trace

NESTED = Bounds(two=0, drawn=0, nested=1)  # who has one lock and wants another is interrupted once
Event = Sequence[Any]  # what happened, to which thread, and a detail

GIVES_UP = "your code waits only so long, and goes wrong if that is too short"
MOST_BOUNDS = 2  # in the stories of one check
CHUNK_SECONDS = 0.25  # so long at most is the grader without news
SPOILED = (
    "What came back about your threads cannot be read: your code broke a part of Python that the grader needs."
)


def holds(case: Case, story: Story, judge: Judge, bounds: Bounds | None = None) -> None:
    """Require that the judge finds nothing wrong, however the threads of the story meet.

    A wait without end is wrong, whoever judges. What was tried is noted in the case.

    Raises:
        Broken: Some way to meet breaks the promise; the trace has a column for each thread.
        Undecided: Some schedule came to a bound, and none was wrong.
    """
    search = _Search(case, story, judge)
    try:
        if case.replay is not None:
            search.replay(case.replay)
        else:
            search.all(bounds or Bounds())
    except (LookupError, TypeError, ValueError):
        raise Stop(SPOILED, None) from None


def none_waits(case: Case, stories: Mapping[str, Story]) -> None:
    """Require of stories of two calls each that every call comes back; what the calls give is no matter here.

    First each call meets itself. Two can wait for each other only if some call takes a lock while it has
    another one; if that shows nowhere, the other stories are not told.

    Args:
        case: The check's conversation.
        stories: By name, which becomes a part of the id of a way to meet.

    Raises:
        Broken: In one of them threads wait for each other for ever.
        Undecided: Some schedule came to a bound, or the id to replay names none of the stories.
    """
    searches = [_Search(case, story, lambda _: None, name) for name, story in stories.items()]
    if case.replay is not None:
        _replay_one_of(searches, case.replay)
        return
    alone = [search for search in searches if search.meets_itself]
    undecided = list[Undecided]()
    _search_all(alone, undecided)
    nested = undecided or any(search.nested for search in alone)
    if nested:
        _search_all([search for search in searches if not search.meets_itself], undecided)
    tried = sum(search.tried.all for search in searches)
    why = (
        "interrupted where one lock is held and another is wanted" if nested else "no call wants a second lock"
    )
    case.note = f"tried {tried} ways to meet: {why}"
    if undecided:
        raise undecided[0]


def _search_all(searches: Sequence["_Search"], undecided: list[Undecided]) -> None:
    """Search in each, and add the bounds that were reached. After one of them the next story may be wrong.

    After two, no more are told: each may cost a second of the time that all checks share.
    """
    for search in searches:
        if len(undecided) == MOST_BOUNDS:
            break
        try:
            search.all(NESTED)
        except Undecided as bound:
            undecided.append(bound)
        except (LookupError, TypeError, ValueError):
            raise Stop(SPOILED, None) from None


def _replay_one_of(searches: Sequence["_Search"], name: str) -> None:
    wanted, _, way = name.rpartition("/")
    search = next((one for one in searches if one.name == wanted), None)
    if search is None:
        raise Undecided(f"The schedule {name[:60]} names no two calls of this check.")
    try:
        search.replay(way)
    except (LookupError, TypeError, ValueError):
        raise Stop(SPOILED, None) from None


def pairs_of(
    kind: str, mine: Mapping[str, Call], theirs: Mapping[str, Call], when: str, **more: Any
) -> dict[str, Story]:
    """Make a story for each two of some calls, also for one that meets itself.

    Args:
        kind: The class of the object that the threads share.
        mine: What A does, by method.
        theirs: What B does, by the same names; with another job, say.
        when: In what state the object is; the beginning of the stories' names.
        more: What else a story needs.

    >>> calls = {"poll": Call("A polls", "poll"), "counts": Call("counts", "counts")}
    >>> list(pairs_of("Queue", calls, calls, "empty"))
    ['empty:poll+poll', 'empty:poll+counts', 'empty:counts+counts']
    """
    return {
        f"{when}:{one}+{other}": Story(kind, {"A": (mine[one],), "B": (theirs[other],)}, **more)
        for one, other in combinations_with_replacement(mine, 2)
    }


class _Search:
    """One search on its way: what was tried, and whether a thread has taken a lock while it had another one.

    `name` goes before the id, where a check has more than one story.
    """

    def __init__(self, case: Case, story: Story, judge: Judge, name: str = "") -> None:
        self._case, self._story, self._judge, self.name = case, story, judge, name
        self._undecided: str | None = None
        self.tried, self.nested = Tried(), False

    @property
    def meets_itself(self) -> bool:
        """Whether all threads call the same method."""
        return len({call.method for calls in self._story.threads.values() for call in calls}) == 1

    def all(self, bounds: Bounds) -> None:
        """Try all schedules within the bounds, fewest switches first, up to the first that is wrong."""
        self._begin(asdict(bounds))
        finished = False
        while not finished:
            reply = self._case.meet("more", CHUNK_SECONDS)
            finished = bool(reply["finished"])
            tried = self.tried = Tried(**{str(kind): int(number) for kind, number in reply["tried"].items()})
            self.nested = reply["nested"] is True
            self._case.note = f"up to here {searched(tried)}"
            for told in reply["outcomes"]:
                seen = Seen.read(told)
                if self._wrong(seen) is not None:
                    self._case.note = f"found in way {seen.number} to meet, fewest switches first"
                    self._show(self._shortest(seen))
        self._case.note = searched(tried)
        if self._undecided is not None:
            self._case.retell(())  # many runs, and none to show
            raise Undecided(f"It cannot be decided: {self._undecided}.")

    def replay(self, name: str) -> None:
        """Tell one schedule again, whatever it shows."""
        self._begin({})
        reply = self._case.meet("find", name)
        if reply["kind"] == "lost":
            self._case.retell(())
            place = str(reply["place"])[:60]
            raise Undecided(f"The schedule {name[:60]} does not fit this file: no thread comes to {place}.")
        self._judged(reply)

    def _begin(self, bounds: Mapping[str, int]) -> None:
        self._case.retell((f"{' and '.join(self._story.threads)} at the same time -> no answer",))
        self._case.meet("begin", self._story.kind, self._story.made_with, self._story.packed(), bounds)

    def _shortest(self, seen: Seen) -> Seen:
        """Leave out every switch that is not needed."""
        for place in reversed(range(len(seen.switches))):
            fewer = replace(seen, switches=seen.switches[:place] + seen.switches[place + 1 :])
            again = Seen.read(self._case.meet("retell", fewer.order, fewer.switches)["outcome"])
            if self._wrong(again) is not None:
                return self._shortest(again)
        return seen

    def _show(self, seen: Seen) -> None:
        self._judged(self._case.meet("retell", seen.order, seen.switches))

    def _judged(self, reply: Mapping[str, Any]) -> None:
        """Write the trace down, and end the check if what it shows is wrong."""
        case, seen = self._case, Seen.read(reply["outcome"])
        case.schedule = f"{self.name}/{reply['id']}" if self.name else str(reply["id"])
        rows = two_column_trace(self._story, seen, reply["events"], case.source)
        case.retell(tuple(row.text for row in rows))
        wrong = self._wrong(seen)
        if wrong is not None:
            case.here = max((at for at, row in enumerate(rows) if row.call in wrong.calls), default=None)
            how = wrong.how if seen.end else with_locks(wrong.how, reply["events"], wrong.by)
            case.line = self._line(seen, reply["events"])
            case.broken(wrong.expected, wrong.got, how)
        if self._undecided is not None:
            raise Undecided(f"It cannot be decided: {self._undecided}.")

    def _wrong(self, seen: Seen) -> Wrong | None:
        for got in (got for calls in seen.calls.values() for got in calls):
            self._raise_for(got)
        if seen.end is not None and seen.end["kind"] == "undecided":
            self._undecided = self._undecided or str(seen.end["why"])
            return None
        wrong = waits_for_ever(seen.end["waits"]) if seen.end is not None else self._judge(seen)
        if wrong is not None and seen.impatient:
            self._undecided = self._undecided or GIVES_UP
            return None
        return wrong

    def _raise_for(self, got: Got) -> None:
        """A hole, or a program that ends itself, is no matter of threads."""
        if got.kind == "too large":
            raise Stop("What your code answered is too large to be looked at.", None)
        told = {"kind": got.kind, "ancestors": got.ancestors, "message": got.message}
        problem = problem_of(told, source_line(got.line, self._case.source))
        if problem is not None:
            raise problem

    def _line(self, seen: Seen, events: Sequence[Event]) -> SourceLine | None:
        """The line at which the first interrupted thread stood; of a deadlock, where the first one waits.

        Was it alone with its lock, as it should be, then the first line of the other one, who came in.
        """
        waits = (seen.end or {}).get("waits", [])
        number = int(waits[0]["line"]) if waits else 0
        raised = [got.line for name in self._story.threads for got in seen.of(name) if got.line]
        if not waits and seen.switches:
            place = self._case.schedule.rpartition("/")[2].split("-")[1]
            number = int("".join(c if c.isdigit() else " " for c in place).split()[0])
        elif not waits and raised:
            number = raised[0][0]
        came_in = [] if waits else comes_in(events)
        number = next((int(detail) for what, _, detail in came_in if what == "line"), number)
        return source_line((number, ""), self._case.source)


def comes_in(events: Sequence[Event]) -> list[Event]:
    """What others did while the first interrupted thread had a lock; empty if it had none.

    >>> comes_in([("calls", "A", 0), ("takes", "A", 5), ("interrupted", "A", 7), ("line", "B", 9)])
    [('line', 'B', 9)]
    """
    start = next((place for place, (what, _, _) in enumerate(events) if what == "interrupted"), None)
    if start is None:
        return []
    name = events[start][1]
    before = [what for what, who, _ in events[:start] if who == name]
    if before.count("takes") <= before.count("frees"):
        return []
    end = next((n for n in range(start + 1, len(events)) if events[n][1] == name), len(events))
    return list(events[start + 1 : end])


def with_locks(how: str, events: Sequence[Event], by: str = "") -> str:
    """Add how it stood with locks when the first thread was interrupted: none, held, given back, not yet taken.

    Was one held, it matters whether the other one took another lock or none. Of what is a thread's own doing,
    only whether that thread ever had a lock.

    >>> with_locks("twice", [("calls", "A", 0), ("takes", "A", 5), ("frees", "A", 0), ("interrupted", "A", 7)])
    'twice, lock given back'
    """
    if by:
        took = any(what == "takes" and name == by for what, name, _ in events)
        return f"{how}, {'with a lock' if took else 'without a lock'}"
    name = next((name for what, name, _ in events if what == "interrupted"), None)
    if name is None:
        return how
    mine = [what for what, who, _ in events if who == name]
    place = mine.index("interrupted")
    begin = max(number for number, what in enumerate(mine[:place]) if what == "calls")
    before, after = mine[begin:place], mine[place:]
    after = after[: after.index("returns") + 1] if "returns" in after else after
    if before.count("takes") > before.count("frees"):
        took = any(what == "takes" for what, _, _ in comes_in(events))
        return f"{how}, lock held, {'another' if took else 'none'} in the other"
    words = {
        (True, True): "between two locks",
        (True, False): "lock given back",
        (False, True): "lock taken later",
    }
    return f"{how}, {words.get(('takes' in before, 'takes' in after), 'no lock')}"


def waits_for_ever(waits: list[dict[str, Any]]) -> Wrong:
    """Say why nobody can go on: who waits for whom."""
    names = {wait["thread"] for wait in waits}
    told = "; ".join(f"{_name(wait['thread'])} waits {reason(wait)}" for wait in waits)
    first = next((wait for wait in waits if wait["for"] == "a lock"), waits[0])
    if first["for"] != "a lock":
        how = How.NEVER_WOKEN
    elif first["holder"] == first["thread"]:
        how = How.OWN_LOCK
    else:
        how = How.DEADLOCK if first["holder"] in names else How.LEFT_HELD
    return Wrong("every call comes back", told, how)


def _name(thread: str) -> str:
    return {BEFORE: "the preparation", AFTER: "the next caller"}.get(thread, thread)


def searched(tried: Tried) -> str:
    """Say what a search covers.

    >>> searched(Tried(none=2, one=40, alike=5, two=40, two_in_all=90, drawn=20))
    'tried 102 ways to meet: 2 without an interruption, 40 with one (all others come to the same), 40 with two
    (of 90), and 20 drawn ones with more'
    """
    if tried.left:
        rest = f"of {tried.one + tried.alike + tried.left}"
    else:
        rest = "all others come to the same" if tried.alike else "that is all"
    two = f"{tried.two} with two" + (f" (of {tried.two_in_all})" if tried.two < tried.two_in_all else "")
    return (
        f"tried {tried.all} ways to meet: {tried.none} without an interruption, "
        f"{tried.one} with one ({rest}), {two}, and {tried.drawn} drawn ones with more"
    )
