"""The pages of a live queue, for its operators: what waits, what runs, what died, and what to do about it."""

from webui.live import actions, pages, stream
from webui.live.door import live

__all__ = ["actions", "live", "pages", "stream"]
