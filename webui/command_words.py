"""The form of what commands say about themselves: examples in each help, an example a line."""

from collections.abc import Sequence


def examples(*lines: str, note: str = "") -> str:
    r"""Write the end of a command's help: examples that stay as they are, then a note.

    >>> examples("jobkit check ex03")
    '\x08\nExamples:\n  jobkit check ex03'
    """
    return "\n\n".join(filter(None, ["\n".join(["\b", "Examples:", *_indented(lines)]), note]))


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
