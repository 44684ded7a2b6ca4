"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import jobqueue

MODULES = [found.name for found in pkgutil.walk_packages(jobqueue.__path__, "jobqueue.")]


def test_examples_give_what_they_say() -> None:
    """Running a module's examples prints what the docstrings show."""
    results = {name: doctest.testmod(importlib.import_module(name)) for name in MODULES}
    assert [name for name, result in results.items() if result.failed] == []
    assert results["jobqueue.retry"].attempted >= 2
    assert sum(result.attempted for result in results.values()) >= 20
