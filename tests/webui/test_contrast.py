"""Every text can be read on its background, in both themes: at least 4.5 to 1, computed from the tokens."""

import re
from pathlib import Path

import pytest

import webui

TOKENS = (Path(webui.__file__).parent / "static" / "tokens.css").read_text(encoding="utf-8")
STATES = ["wait", "ready", "run", "ok", "dead", "ghost"]

# (text, background), where the style sheets put them over each other.
PAIRS = [
    *[("ink", ground) for ground in ("bg", "surface", "sunk")],  # page, cards, hovered buttons and keys
    *[("ink-2", ground) for ground in ("bg", "surface", "sunk")],  # subtitles, headings, counts, thumbnails
    *[("accent", ground) for ground in ("bg", "surface", "dead-bg")],  # links; the last below a refusal
    ("on-accent", "accent"),  # the main button, the pressed one
    ("surface", "ink"),  # a worker's letter
    *[("ink", f"{state}-bg") for state in STATES],  # a job's card
    *[("ink-2", f"{state}-bg") for state in STATES],  # why it is there
    *[(state, "surface") for state in STATES],  # a job's chip
    *[(state, f"{state}-bg") for state in STATES],  # a job's dots, what a zombie believes, a refusal
    *[(state, ground) for state in ("run", "dead", "ghost") for ground in ("surface", "sunk")],  # the timeline
    # A band's letter, in the colour of its band, on the card of a job in any state.
    *[(band, f"{state}-bg") for band in ("dead", "ready", "ok") for state in STATES[:5] if band != state],
]


def theme(selector: str) -> dict[str, str]:
    """Return the colours of one block of the tokens."""
    block = TOKENS.split(selector, 1)[1].split("}", 1)[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


THEMES = {
    "light": theme(":root {"),
    "dark": theme(':root[data-theme="dark"] {'),
    "dark by system": theme(':root:not([data-theme="light"]) {'),
}


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour. Source: WCAG 2.2, relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21. Source: WCAG 2.2, contrast ratio."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("pair", PAIRS, ids="-on-".join)
def test_text_can_be_read(name: str, pair: tuple[str, str]) -> None:
    """At least 4.5 to 1."""
    text, ground = (THEMES[name][token] for token in pair)
    assert contrast(text, ground) >= 4.5


def test_black_on_white_is_as_far_apart_as_can_be() -> None:
    """The formula itself: 21 to 1, and 1 to 1 for a colour on itself."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#2456c7", "#2456c7") == 1


def test_chosen_dark_is_the_systems_dark() -> None:
    """The colours are written down twice and must not drift apart, and each theme has all of them."""
    assert THEMES["dark"] == THEMES["dark by system"]
    assert THEMES["light"].keys() == THEMES["dark"].keys()
    assert len(THEMES["light"]) >= 20


def test_the_letter_of_a_band_has_the_colour_that_is_checked() -> None:
    """The pairs above are those of the style sheet."""
    css = (Path(webui.__file__).parent / "static" / "components.css").read_text(encoding="utf-8")
    letters = dict(re.findall(r"\.band-([HNL]) { color: var\(--([\w-]+)\); }", css))
    assert letters == {"H": "dead", "N": "ready", "L": "ok"}


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("shape", ["accent", "dead", "ready", "ok", "ink"])
def test_a_bar_can_be_told_from_its_rail(name: str, shape: str) -> None:
    """At least 3 to 1, as for any picture that means something. Source: WCAG 2.2, 1.4.11."""
    assert contrast(THEMES[name][shape], THEMES[name]["sunk"]) >= 3


def test_every_colour_is_a_token() -> None:
    """A colour in a style sheet that is not a token would be wrong in one of the themes."""
    for name in ("layout.css", "components.css", "panels.css"):
        css = (Path(webui.__file__).parent / "static" / name).read_text(encoding="utf-8")
        assert re.findall(r"#[0-9a-fA-F]{3,8}\b", css) == []
