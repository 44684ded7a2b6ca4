"""The notebooks run from top to bottom in a real kernel, and show the same each time."""

from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient

from tests.notebooks.cells import NAMES, NOTEBOOKS, read


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter reads and writes no settings of whoever runs the tests."""
    for folder in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{folder}_DIR", str(tmp_path / folder.lower()))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))


def executed(name: str) -> Any:
    """Return what the cells of a notebook show in a fresh kernel, by their ids."""
    notebook = read(name)
    NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        shutdown_kernel="immediate",
        coalesce_streams=True,  # where a slow cell's printing is cut into pieces is up to the machine
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    ).execute()
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def check_outputs(name: str, first: Any) -> None:
    """Assert that a notebook shows text and pictures, and no cell a warning."""
    kinds = {output.output_type for outputs in first.values() for output in outputs}
    assert kinds <= {"stream", "display_data", "execute_result"}
    streams = {o.name for outputs in first.values() for o in outputs if o.output_type == "stream"}
    assert streams <= {"stdout"}
    if name == "03_zombies_and_fencing":
        assert first["board"][0]["data"]["text/plain"] == "The same, event for event: 10 events."
        assert "No guess yet. The answer is PENDING." in first["at-lease-end"][-1]["data"]["text/plain"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_from_top_to_bottom(name: str) -> None:
    """In a fresh kernel no cell fails or warns."""
    check_outputs(name, executed(name))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_two_kernels_show_the_same(name: str) -> None:
    """Executed twice, every cell of a notebook has equal output."""
    assert executed(name) == executed(name)
