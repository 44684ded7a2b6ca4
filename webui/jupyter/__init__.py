"""The board and the lessons in Jupyter: behind its proxy, in a program beside it, in a notebook."""
