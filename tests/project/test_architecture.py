"""The shape of the code: who may import whom, and how long a file may be."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("jobqueue", "exercises/grader", "webui", "notebooks")

# Lowest first. A module may import those of its own layer and of lower ones.
LAYERS = (
    (
        "jobqueue.arguments",
        "jobqueue.errors",
        "jobqueue.clock",
        "jobqueue.retry",
        "jobqueue.model",
        "jobqueue.views",
        "jobqueue.transitions",
        "jobqueue.audit",
        "jobqueue.events",
    ),
    (
        "jobqueue.tokens",
        "jobqueue.lifecycle",
        "jobqueue.bulk_redrive",
        "jobqueue.requests",
        "jobqueue.submission",
        "jobqueue.scheduling",
    ),
    ("jobqueue.options", "jobqueue.retention", "jobqueue.statistics", "jobqueue.store"),
    ("jobqueue.recorder", "jobqueue.memory"),
    ("jobqueue.steps", "jobqueue.operator", "jobqueue.redrive", "jobqueue.replay"),
    ("jobqueue.queue", "jobqueue.stores"),
    ("jobqueue.wire", "jobqueue.client", "jobqueue.heartbeat", "jobqueue.worker", "jobqueue"),
    ("jobqueue.simulation",),
    ("exercises",),
    ("webui",),
    ("lesson", "notebooks"),
)


def _sources(*folders: Any) -> Any:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def _module(path: Any) -> Any:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _layer(module: Any) -> Any:
    """Return the layer of a module: that of the longest prefix that is listed."""
    places = [
        (len(name), level)
        for level, names in enumerate(LAYERS)
        for name in names
        if module == name or module.startswith(name + ".")
    ]
    return max(places)[1] if places else None


@cache
def _parsed(path: Any) -> Any:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path: Any) -> Any:
    """Return every module that a file imports at run time."""
    return list(_imported(_parsed(path), path))


def _imported(tree: Any, path: Any, *, types: bool = False) -> Iterator[Any]:
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if not types and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (_origin(str(node.module), alias.name) for alias in node.names)


def _origin(module: Any, name: str) -> Any:
    """Return what `from module import name` loads: the module `module.name` if there is one, else `module`."""
    inner = ROOT / module.replace(".", "/") / name
    return f"{module}.{name}" if inner.is_dir() or inner.with_suffix(".py").exists() else module


def test_imports_run_one_way() -> None:
    """A module imports nothing of a layer above its own."""
    higher = [
        f"{_module(path)} imports {name}"
        for path in _sources(*PACKAGES)
        for name in _imports(path)
        if (_layer(name) or 0) > (_layer(_module(path)) or 0)
    ]
    assert higher == []


def test_the_library_has_no_circle_of_imports() -> None:
    """No module of `jobqueue` needs itself, types included: each can be read after those that it imports."""
    modules = {_module(path): path for path in _sources("jobqueue") if path.name != "__init__.py"}
    needs = {
        name: {other for other in _imported(_parsed(path), path, types=True) if other in modules}
        for name, path in modules.items()
    }
    while needs and (free := [name for name, others in needs.items() if not others]):
        needs = {name: others - set(free) for name, others in needs.items() if name not in free}
    assert sorted(needs) == []


def test_the_layers_name_every_module_of_the_library() -> None:
    """No file of the packages is outside the layers, so none is exempt by oversight."""
    assert [path for path in _sources(*PACKAGES) if _layer(_module(path)) is None] == []


def test_the_library_needs_nothing_but_python() -> None:
    """The library imports itself and the standard library; what talks to PostgreSQL imports its driver, too."""
    own = {"jobqueue", *sys.stdlib_module_names}
    foreign = {
        (_module(path), name.split(".")[0])
        for path in _sources("jobqueue")
        for name in _imports(path)
        if name.split(".")[0] not in own
    }
    assert foreign == {("jobqueue.stores.postgres", "psycopg")}


@pytest.mark.parametrize("driver", ["sqlite3", "psycopg"])
def test_a_database_driver_is_known_to_one_module(driver: Any) -> None:
    """And that one is imported on use: the library loads without either. The grader has a server of its own."""
    users = {path.name for path in _sources(*PACKAGES) if driver in {n.split(".")[0] for n in _imports(path)}}
    assert users == {"sqlite3": {"sqlite.py"}, "psycopg": {"postgres.py", "postgres_server.py"}}[driver]
    code = f"import sys, jobqueue; sys.exit({driver!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_only_the_clock_asks_the_computer_for_the_time() -> None:
    """In the library, `time` and `datetime` are imported by clock.py alone."""
    users = {path.name for path in _sources("jobqueue") if {"time", "datetime"} & set(_imports(path))}
    assert users == {"clock.py"}


def test_only_the_board_knows_flask() -> None:
    """Flask is imported in webui and nowhere else."""
    assert not [p for p in _sources("jobqueue", "exercises", "notebooks") if "flask" in set(_imports(p))]


WRITTEN = [
    path
    for suffix in ("*.py", "*.js", "*.html")
    for folder in ("jobqueue", "webui", "exercises", "notebooks", "tests")
    for path in sorted((ROOT / folder).rglob(suffix))
    if "vendor" not in path.parts and ".ipynb_checkpoints" not in path.parts
]


def test_no_file_is_too_long_to_be_read() -> None:
    """A file has at most 350 lines."""
    lengths = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in WRITTEN}
    assert {path: lines for path, lines in lengths.items() if lines > 350} == {}
    assert max(lengths.values()) > 300, "nothing was counted"


def test_every_module_says_what_it_owns() -> None:
    """Each module has a docstring."""
    assert [_module(path) for path in _sources(*PACKAGES) if not ast.get_docstring(_parsed(path))] == []


PRINTERS = {
    "webui/cli/terminal.py": "the one place",
    "exercises/grader/classroom/single.py": "a pipe to its parent, which reads JSON",
    "exercises/grader/classroom/in_notebook.py": "the output of a cell; its lines are plain already",
}


def _prints(path: Any) -> Iterator[Any]:
    """Yield each way in which a file writes to a terminal."""
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in {"print", "click.echo", "click.secho", "click.style"} or (
                ".write" in called and "sys.std" in called
            ):
                yield f"{path.relative_to(ROOT).as_posix()}: {called}"


def test_only_the_terminal_prints() -> None:
    """Everything that a person reads on a terminal goes through one filter for control characters."""
    found = [line for path in _sources("jobqueue", "webui", "exercises/grader") for line in _prints(path)]
    assert {line.partition(":")[0] for line in found} == set(PRINTERS)
