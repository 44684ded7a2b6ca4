"""Links and files: whole, short, and nothing that a hostile one could do."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from time import process_time
from typing import Any

import pytest

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation import link as links
from jobqueue.simulation.free_lab import FREE, FreeLab
from jobqueue.simulation.link import LONGEST_CODE, BadLinkError, decode, encode, from_file, to_file
from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import MOST_ENTRIES, MOST_INTERVENTIONS, VERBS, Intervention, Recipe
from jobqueue.simulation.rule_settings import RULES, RuleSettings
from tests.simulation.walks import FREE_LABS, poke, state


def interfered(name: str) -> Recipe:
    """Return a story in which somebody did everything that can be done."""
    playback = Playback(Recipe(name))
    worker = next(iter(playback.world.workers))
    for verb, parameters in VERBS.items():
        values = {"worker": worker, "job_id": "J1", "type": "mail"}
        arguments = {p.name: values[p.name] for p in parameters if p.name in values}
        poke(playback, verb, arguments)
        playback.step()
    playback.seek(playback.world.now() + 1234)
    return playback.recipe


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_with_interventions_comes_back_from_its_link(name: str) -> None:
    """The same recipe, and so the same world, within the length of an address."""
    recipe = interfered(name)
    assert len(recipe.interventions) >= 4
    code = encode([recipe])
    assert len(code) <= 500
    assert decode(code) == (recipe,)
    assert state(decode(code)[0].replay()) == state(recipe.replay())


@pytest.mark.parametrize("name", SCENARIOS)
def test_rules_come_back_as_they_were(name: str) -> None:
    """What is read from a scenario gives its very policy and rules; changed ones come back from a link."""
    scenario = SCENARIOS[name]
    settings = RuleSettings.of(scenario)
    assert (settings.policy(), settings.rules()) == (scenario.policy, scenario.rules)
    recipe = Recipe(name, 7, settings)
    assert decode(encode([recipe])) == (recipe,)
    assert state(recipe.at_instant(9000).replay()) == state(Recipe(name, 7).at_instant(9000).replay())


@pytest.mark.parametrize("free", FREE_LABS)
def test_a_free_lab_comes_back_from_its_link(free: FreeLab) -> None:
    """With all its settings, those that are as usual too."""
    recipe = Recipe(FREE, 3, RuleSettings(4, cycle="HNL", quantum=5), free, at=2000)
    code = encode([recipe])
    assert decode(code) == (recipe,)
    assert len(code) < 600


def test_two_branches_come_back_from_one_link() -> None:
    """The story that is played, and the one beside it."""
    pair = (interfered("zombie"), Recipe("zombie").at_instant(interfered("zombie").at))
    assert decode(encode(pair)) == pair


def test_a_position_within_an_instant_comes_back() -> None:
    """Two things done at 5.0 s, the second taken back: the link says so."""
    playback = Playback(Recipe("zombie"))
    playback.seek(5000)
    playback.do("crash", worker="B")
    playback.do("restart", worker="B")
    playback.back()
    assert decode(encode([playback.recipe])) == (playback.recipe,)
    assert playback.recipe.applied == 1


def test_a_long_story_is_too_long_for_a_link_and_not_for_a_file() -> None:
    """Payloads that do not compress."""
    playback = Playback(Recipe("zombie"))
    for number in range(20):
        text = "".join(chr(0x4E00 + (number * 977 + place * 7919) % 20_000) for place in range(300))
        playback.do("submit", type="mail", payload=text)
    code = encode([playback.recipe])
    assert len(code) > LONGEST_CODE
    with pytest.raises(BadLinkError, match="a link of ours has at most"):
        decode(code)
    assert from_file(to_file([playback.recipe]).encode()) == (playback.recipe,)


# -- hostile ---------------------------------------------------------------------------------------------


def forged(text: str | bytes, version: int = links.VERSION) -> str:
    """Return a code with a right checksum, of any content."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = squeezed.compress(text if isinstance(text, bytes) else text.encode()) + squeezed.flush()
    body = urlsafe_b64encode(content).decode().rstrip("=")
    return f"{version}-{links._checksum(body)}{body}"


def story(**more: Any) -> str:
    """Return a code of one story with these values."""
    return forged(json.dumps([{"name": "zombie"} | more]))


GOOD = encode([Recipe("zombie")])
HOSTILE = {
    "nothing": "",
    "no code": "1-",
    "a letter changed": GOOD[:-1] + ("A" if GOOD[-1] != "A" else "B"),
    "a letter lost": GOOD[:-1],
    "a letter too many": GOOD + "A",
    "bad letters": "1-abcdef!!!!",
    "other letters": "1-abcdefÄÖ",
    "a blank": GOOD + " ",
    "not base64": "1-" + links._checksum("A") + "A",
    "not compressed": "1-" + links._checksum("AAAA") + "AAAA",
    "too long": "1-" + "A" * 5000,
    "newer": forged("[]", 2),
    "far newer": "9999-abcdef",
    "no version": "-abcdef",
    "a bomb": forged(b"[" + b" " * 1_300_000 + b"]"),
    "not JSON": forged("{"),
    "not UTF-8": forged(b"\xff\xfe\xfd"),
    "nested": forged("[" * 100_000),
    "a number of 900,000 digits": forged("[" + "9" * 900_000 + "]"),
    "not a number": forged('[{"name":"zombie","at":NaN}]'),
    "no end": forged('[{"name":"zombie","at":Infinity}]'),
    "no list": forged('{"name":"zombie"}'),
    "no story": forged("[]"),
    "three stories": forged('[{"name":"zombie"},{"name":"zombie"},{"name":"zombie"}]'),
    "two clocks": forged('[{"name":"zombie","at":5},{"name":"zombie"}]'),
    "a story that is a number": forged("[1]"),
    "no name": forged("[{}]"),
    "an unknown scenario": story(name="zombi"),
    "a scenario that is a list": story(name=["zombie"]),
    "an unknown field": story(password="x"),  # noqa: S106 - no secret, only an unknown word
    "a free lab of nothing": story(name=FREE),
    "a scenario with a free lab": story(free={}),
    "a time before the beginning": story(at=-1),
    "a time beyond the end": story(at=10**9),
    "a time of 10**18": story(at=10**18),
    "half a millisecond": story(at=0.5),
    "yes": story(at=True),
    "a seed of words": story(seed="x"),
    "a seed of 2**70": story(seed=2**70),
    "more made than there is": story(applied=1),
    "an unknown verb": story(did=[[0, "explode", "A"]]),
    "a verb of the world": story(did=[[0, "advance_to", 10**9]]),
    "a verb of Python": story(did=[[0, "__init__", "A"]]),
    "a verb that is a list": story(did=[[0, ["crash"], "A"]]),
    "a worker that is a number": story(did=[[0, "crash", 7]]),
    "a worker without a name": story(did=[[0, "crash", ""]]),
    "a submit of a word": story(did=[[0, "submit", "mail"]]),
    "a submit without a type": story(did=[[0, "submit", {}]]),
    "a submit with a secret argument": story(did=[[0, "submit", {"type": "mail", "self": 1}]]),
    "a submit of a huge payload": story(did=[[0, "submit", {"type": "mail", "payload": "x" * 1001}]]),
    "a submit of a NUL": story(did=[[0, "submit", {"type": "a\0b"}]]),
    "a submit of half a letter": forged('[{"name":"zombie","did":[[0,"submit",{"type":"\\ud800"}]]}]'),
    "a submit due in a year": story(did=[[0, "submit", {"type": "mail", "delay_millis": 31_536_000_000}]]),
    "a submit of a priority of 2**70": story(did=[[0, "submit", {"type": "mail", "priority": 2**70}]]),
    "an intervention of two": story(did=[[0, "crash"]]),
    "interventions in disorder": story(did=[[9, "crash", "A"], [5, "crash", "A"]]),
    "too many interventions": story(did=[[0, "freeze", "B"]] * (MOST_INTERVENTIONS + 1)),
    "too many jobs": story(did=[[0, "submit", {"type": "mail"}]] * 61),
    "no attempts": story(rules={"max_attempts": 0}),
    "a base above the cap": story(rules={"base_backoff_millis": 9, "max_backoff_millis": 1}),
    "an unknown rule": story(rules={"speed": 1}),
    "rules that are a list": story(rules=[]),
    "a cycle of 10,000 slots": story(rules={"cycle": "H" * 10_000}),
    "a cycle of other letters": story(rules={"cycle": "HXL"}),
    "an unknown jitter": story(rules={"jitter": "wild"}),
    "ten million jobs": story(name=FREE, free={"tasks": [{"times": 10_000_000}]}),
    "360 jobs": story(name=FREE, free={"tasks": [{"times": 60}] * 6}),
    "100 workers": story(name=FREE, free={"workers": [{"name": f"W{n}"} for n in range(100)]}),
    "a worker that polls all the time": story(name=FREE, free={"workers": [{"poll_millis": 0}]}),
    "a worker that needs no time": story(name=FREE, free={"workers": [{"work_millis": 0}]}),
    "two of one name": story(name=FREE, free={"workers": [{}, {}]}),
    "an outage that ends first": story(name=FREE, free={"outages": [{"begins_at": 5, "ends_at": 5}]}),
    "a duration of three": story(name=FREE, free={"durations": [["mail", 1000, 1]]}),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_or_broken_code_is_refused_with_words_and_little_work(what: str) -> None:
    """One sentence, no other exception, and within a fraction of a second."""
    began = process_time()
    with pytest.raises(BadLinkError, match=r"^[A-Z].*\.$") as refusal:
        decode(HOSTILE[what])
    assert process_time() - began < 0.5
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"[]",
        b"{}",
        b'{"what": "jobkit board"}',
        b'{"what": "jobkit board", "version": true, "recipes": [{"name": "zombie"}]}',
        b'{"what": "jobkit board", "version": 2, "recipes": [{"name": "zombie"}]}',
        b'{"what": "jobkit board", "version": 1, "recipes": "zombie"}',
        b'{"what": "jobkit board", "version": 1, "recipes": [{"name": "nothing"}]}',
        b'{"what": "jobkit board", "version": ' + b"9" * 5000 + b"}",
        b"\xff\xfe" + b"x" * 100,
        b"[" * 200_000,
        b" " * (links.LARGEST_FILE + 1),
    ],
    ids=range(13),
)
def test_a_hostile_or_broken_file_is_refused_with_words(content: bytes) -> None:
    """As a link is."""
    with pytest.raises(BadLinkError, match=r"^[A-Z].*\.$"):
        from_file(content)


WORK = {
    "a storm": Recipe(
        FREE,
        rules=RuleSettings(1000, 0, 0),
        free=FreeLab.unpacked(
            {
                "tasks": [{"times": 60}],
                "workers": [{"name": n, "work_millis": 10, "poll_millis": 250} for n in "ABCDEF"],
                "outages": [{"ends_at": 3_600_000}],
            }
        ),
    ),
    "two hours of idle polls": Recipe(
        FREE,
        free=FreeLab.unpacked(
            {
                "tasks": [{"delay_millis": 3_600_000}],
                "workers": [{"name": n, "poll_millis": 250} for n in "ABCDEF"],
            }
        ),
    ),
    "all interventions there may be": Recipe(
        "zombie", interventions=(Intervention.of(0, "freeze", {"worker": "B"}),) * MOST_INTERVENTIONS
    ),
}


@pytest.mark.parametrize("what", WORK)
def test_the_work_that_a_link_can_ask_for_is_bounded(what: str) -> None:
    """The most that can be put into one is played within seconds, and stops at the limit of events."""
    code = encode([WORK[what].at_instant(7_200_000)])
    began = process_time()
    world = decode(code)[0].replay()
    assert process_time() - began < 5
    assert len(world.chronicle) < MOST_ENTRIES + 100


def test_every_parameter_is_explained_and_takes_its_own_default() -> None:
    """Whatever can be set has a sentence that says what it does."""
    for parameter in RULES:
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.help.endswith(".")
        assert getattr(RuleSettings(), parameter.name) == parameter.default
