"""Proves the exercises themselves: right answers pass, each known mistake is found and named."""
