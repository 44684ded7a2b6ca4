"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import jobqueue

MODULES = [found.name for found in pkgutil.walk_packages(jobqueue.__path__, "jobqueue.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name):
    """Running a module's examples prints what the docstrings show."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    """The test above would pass on no examples at all."""
    tried = {name: doctest.testmod(importlib.import_module(name)).attempted for name in MODULES}
    assert tried["jobqueue.retry"] >= 2
    assert sum(tried.values()) >= 20
