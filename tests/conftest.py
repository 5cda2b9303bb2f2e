"""Settings of all tests: property tests draw the same examples in every run, and a missing extra skips its tests."""

from __future__ import annotations

from collections.abc import Generator
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import settings

from adeptree.core.errors import MissingExtra

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

EXTRAS = ("distributed", "highspy", "matplotlib", "numba", "pandas", "pyarrow", "pysat", "river", "sklearn", "z3")
MISSING = [name for name in EXTRAS if find_spec(name) is None]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Skip a test that asked for an extra which is really not there; where all are installed, nothing is skipped."""
    outcome = yield
    error = outcome.excinfo[1] if outcome.excinfo else None
    if MISSING and isinstance(error, (MissingExtra, ModuleNotFoundError)):
        if isinstance(error, MissingExtra) or str(error.name).partition(".")[0] in MISSING:
            pytest.skip(f"an extra is not installed: {error}")
