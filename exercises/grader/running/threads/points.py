"""Says before which instructions of a text a switch of threads can make a difference.

All others only move values that the thread has for itself. To switch before them is to switch before the next
one that counts, so leaving them out loses no outcome and saves most of the work.
"""

import _collections_abc
import collections
import copy
import dataclasses
import dis
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from exercises.grader.running.threads.tracing import TRACING

# What touches nothing that another thread can see. An instruction that is not known here counts.
LOCAL_PARTS = ("LOAD_FAST", "STORE_FAST", "DELETE_FAST", "JUMP", "BUILD_", "RETURN_", "UNARY_")
LOCAL_WORDS = """
    CACHE CALL_INTRINSIC_1 CALL_INTRINSIC_2 CHECK_EXC_MATCH CLEANUP_THROW COMPARE_OP CONVERT_VALUE COPY
    COPY_FREE_VARS END_FOR END_SEND EXTENDED_ARG FORMAT_SIMPLE FORMAT_VALUE FORMAT_WITH_SPEC GEN_START GET_ITER
    GET_YIELD_FROM_ITER IMPORT_FROM IMPORT_NAME IS_OP KW_NAMES LIST_APPEND LIST_TO_TUPLE
    LOAD_ASSERTION_ERROR LOAD_BUILD_CLASS LOAD_CLOSURE LOAD_COMMON_CONSTANT LOAD_CONST LOAD_METHOD
    LOAD_SMALL_INT LOAD_SPECIAL MAKE_CELL MAKE_FUNCTION MAP_ADD NOP NOT_TAKEN POP_EXCEPT POP_ITER POP_TOP
    PRECALL PUSH_EXC_INFO PUSH_NULL RAISE_VARARGS RERAISE RESUME SEND SET_ADD SET_FUNCTION_ATTRIBUTE SWAP
    TO_BOOL WITH_EXCEPT_START YIELD_VALUE
"""
LOCAL = frozenset(LOCAL_WORDS.split())
BEHIND_ONES_BACK = frozenset(
    ("setattr", "delattr", "vars", "globals", "exec", "__dict__", "__setattr__", "__set__")
)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    inner: Iterable[object] = code.co_consts
    for const in inner:
        if isinstance(const, CodeType):
            yield from _codes(const)


def _functions(module: ModuleType) -> Iterator[CodeType]:
    spaces = [vars(module), *(vars(kind) for kind in vars(module).values() if isinstance(kind, type))]
    for value in (value for space in spaces for value in space.values()):
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield from _codes(value.__code__)


# Python's own code that looks at an object part by part: while it does, others may change what it has not seen.
MODULES = (copy, dataclasses, collections, _collections_abc)
PIECE_BY_PIECE = tuple(code for module in MODULES for code in _functions(module))


class Points:
    """The switch points of some code. Built from all of it at once: what is bound only once never changes."""

    def __init__(self, outermost: Iterable[CodeType]) -> None:
        """Take the very code that will run: modules or functions, with all that is defined in them."""
        codes = [code for one in outermost for code in _codes(one)]
        self.paths = frozenset(code.co_filename for code in codes)
        self._known: dict[int, tuple[bytes, list[int]] | None] = {}
        self._codes = {id(code): code for code in (*codes, *PIECE_BY_PIECE)}
        TRACING.prepare(self._codes.values())
        self._anything_changes = any(BEHIND_ONES_BACK & set(code.co_names) for code in codes)
        inner = [(code, step) for code in codes for step in dis.get_instructions(code)]
        # An attribute that only __init__ sets, and a global that no function sets, reads the same for ever.
        self._changing_attributes = {
            step.argval
            for code, step in inner
            if step.opname in {"STORE_ATTR", "DELETE_ATTR"} and code.co_name != "__init__"
        }
        self._changing_globals = {
            step.argval for _, step in inner if step.opname in {"STORE_GLOBAL", "DELETE_GLOBAL"}
        }

    def of(self, code: CodeType) -> tuple[bytes, list[int]] | None:
        """For each place in the code (its offset / 2): whether a switch before it counts, and its line.

        None for a code that is no part of what was taken. Lines of Python's own code are 0: it is a part of the
        line that called it.
        """
        number = id(code)
        if number not in self._known:
            self._known[number] = self._look(code) if number in self._codes else None
        return self._known[number]

    def rebinds(self, names: Mapping[str, Any]) -> bool:
        """Whether any function gives another value to a global, or to an attribute that a class has as well."""
        kinds = [value for value in names.values() if isinstance(value, type) and value.__module__ == "answer"]
        fields = [
            {name for name, value in vars(kind).items() if not isinstance(value, MemberDescriptorType)}
            - set(getattr(kind, "__dataclass_fields__", ()))
            for kind in kinds
        ]  # what __slots__ makes is a place in each object, and no value that they share
        attributes = set().union(*fields) & self._changing_attributes
        return bool(attributes or self._changing_globals & set(names))

    def _look(self, code: CodeType) -> tuple[bytes, list[int]]:
        size = len(code.co_code) // 2
        counts, lines = bytearray(size), [code.co_firstlineno] * size
        for step in dis.get_instructions(code):
            place = step.offset // 2
            counts[place] = self._counts(step)
            lines[place] = (step.positions and step.positions.lineno) or (lines[place - 1] if place else 0)
        return bytes(counts), lines if code.co_filename in self.paths else [0] * size

    def _counts(self, step: dis.Instruction) -> bool:
        name = step.opname
        if name == "LOAD_ATTR":
            looks_up_a_method = "NULL|self" in step.argrepr
            changes = self._anything_changes or step.argval in self._changing_attributes
            return changes and not looks_up_a_method
        if name in {"LOAD_GLOBAL", "LOAD_NAME"}:
            return step.argval in self._changing_globals
        if name == "BINARY_OP":
            return step.argrepr.endswith("=")  # in place: the object may be a shared list
        return name not in LOCAL and not any(part in name for part in LOCAL_PARTS)
