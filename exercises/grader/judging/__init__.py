"""Judges an answer: an exercise's checks, what each of them found, and which known mistake is behind it."""
