"""Settings of all tests: property tests draw the same examples in every run, and a missing extra skips its tests."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import typer.testing
from hypothesis import settings
from shared_work import in_turn

import adeptree as at
from adeptree.core.errors import MissingExtra

if TYPE_CHECKING:
    from playground_tab import Playground

    from reproduction.reproduce import Reproduction

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

# The command is made of its functions once, not before each of thousands of calls, most of whose time that would be.
vars(typer.testing)["_get_command"] = cache(vars(typer.testing)["_get_command"])

EXTRAS = (
    "distributed",
    "highspy",
    "matplotlib",
    "pandas",
    "prometheus_client",
    "pyarrow",
    "pysat",
    "river",
    "sklearn",
    "starlette",
    "uvicorn",
    "z3",
)
MISSING = [name for name in EXTRAS if find_spec(name) is None]


@pytest.fixture(scope="module", params=["auto", "paths"])
def both_engines(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a file twice: ``Adept(...)`` takes the structure that stands for the paths, then the paths."""
    make: Any = at.Adept.__init__
    kept = make.__defaults__
    make.__defaults__ = tuple(request.param if value == "auto" else value for value in kept)
    yield
    make.__defaults__ = kept


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """All experiments at their smallest: measured by the first worker that asks, read from its files by the others."""
    from reproduction.reproduce import reproduce

    with in_turn(tmp_path_factory, "tiny") as folder:
        return reproduce(level="tiny", out=folder)


@pytest.fixture(scope="module")
def opened_playground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    """Open one browser for all tests of a file that play."""
    from browser_tab import Tab
    from playground_tab import Playground

    from adeptree.app.play_command import write_play_page

    folder = tmp_path_factory.mktemp("playground")
    write_play_page(folder / "playground.html")
    with Tab(folder) as tab:
        yield Playground(tab, folder / "playground.html")


@pytest.fixture
def page(opened_playground: Playground) -> Iterator[Playground]:
    """Lend it to a test, after which the page must have nothing to complain about."""
    yield opened_playground
    assert opened_playground.tab.complaints == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test that an interrupt leaves; skip one that asked for an extra which is really not there."""
    try:
        return (yield)
    except KeyboardInterrupt:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            raise
        # It would end the worker and name no test. (Your own Ctrl-C also reaches the process that started the workers.)
        pytest.fail("a KeyboardInterrupt left this test: call what it interrupts with struck of interrupting.py")
    except (MissingExtra, ModuleNotFoundError) as error:
        if MISSING and (isinstance(error, MissingExtra) or str(error.name).partition(".")[0] in MISSING):
            pytest.skip(f"an extra is not installed: {error}")
        raise
