"""The command `jobkit`: one module for each group of its commands, and one that prints for all of them."""

from webui.cli.jobkit import main

__all__ = ["main"]
