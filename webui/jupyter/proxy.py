"""The board inside of Jupyter: what jupyter-server-proxy has to know to start it at Jupyter's own address."""

import sys
from pathlib import Path
from typing import Any

NAME = "jobkit"


def server() -> dict[str, Any]:
    """Return how the board is started; it is then found below Jupyter's address, at `jobkit/`.

    Jupyter asks everybody for its own token before it hands anything on.
    """
    command = [sys.executable, "-m", "webui.cli", "board"]
    command += ["--port", "{port}", "--prefix", f"{{base_url}}{NAME}"]
    icon = Path(__file__).parent.parent / "static" / "img" / "icon.svg"
    return {
        "command": command,
        # The whole path comes through, and answers go back as they are; a proxy that cuts the prefix off puts
        # it before our redirects again, which name it already.
        "absolute_url": True,
        "timeout": 20,
        "new_browser_tab": False,
        "launcher_entry": {"title": "Queue lab", "icon_path": str(icon)},
    }
