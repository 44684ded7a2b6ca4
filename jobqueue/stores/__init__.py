"""Durable queues: the same operations over SQLite or PostgreSQL. Begin at `urls.py`."""
