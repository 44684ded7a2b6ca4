"""Every page of the live queue: importing this puts all of them on the blueprint."""

from webui.live import actions, pages, stream
from webui.live.access import live

__all__ = ["actions", "live", "pages", "stream"]
