"""What the page of the package says: the README without its picture, which is not published."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LongDescription(MetadataHookInterface):
    """Gives the project its long description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme`."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = re.sub(r"!\[[^\]]*\]\([^)]*\)\n+", "", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
