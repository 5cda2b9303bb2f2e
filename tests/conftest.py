"""Settings of all tests: property tests draw the same examples in every run, and a missing extra skips its tests."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import settings

import adeptree as at
from adeptree.core.errors import MissingExtra

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

EXTRAS_OF_LEARNING = ("distributed", "highspy", "matplotlib", "numba", "pandas", "pyarrow", "pysat", "river", "sklearn")
EXTRAS = (*EXTRAS_OF_LEARNING, "uvicorn", "z3")
MISSING = [name for name in EXTRAS if find_spec(name) is None]


@pytest.fixture(scope="module", params=["auto", "paths"])
def both_engines(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a file twice: ``Adept(...)`` takes the structure that stands for the paths, then the paths."""
    make: Any = at.Adept.__init__
    kept = make.__defaults__
    make.__defaults__ = tuple(request.param if value == "auto" else value for value in kept)
    yield
    make.__defaults__ = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Skip a test that asked for an extra which is really not there; where all are installed, nothing is skipped."""
    outcome = yield
    error = outcome.excinfo[1] if outcome.excinfo else None
    if MISSING and isinstance(error, (MissingExtra, ModuleNotFoundError)):
        if isinstance(error, MissingExtra) or str(error.name).partition(".")[0] in MISSING:
            pytest.skip(f"an extra is not installed: {error}")
