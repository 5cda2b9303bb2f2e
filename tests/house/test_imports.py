"""The package loads lazily, whichever door one comes in by."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

import adeptree

ROOMS = sorted(module.name for module in pkgutil.iter_modules(adeptree.__path__))


def fresh(code: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("room", ROOMS)
def test_any_module_may_be_imported_first(room: str) -> None:
    assert fresh(f"import adeptree.{room}; print('ok')") == "ok"


def test_the_command_line_starts_without_numpy_or_solvers() -> None:
    heavy = "{'numpy', 'rich', 'matplotlib', 'pandas', 'z3', 'highspy', 'pysat'}"
    assert fresh(f"import sys, adeptree.app.cli; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_solvers_are_loaded_only_when_used() -> None:
    heavy = "{'matplotlib', 'pandas', 'z3', 'highspy', 'pysat'}"
    names = "adeptree.SatClass, adeptree.SmtClass, adeptree.Halfspaces, adeptree.Adept"
    assert fresh(f"import sys, adeptree; {names}; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_every_public_name_is_there() -> None:
    assert set(adeptree.__all__) <= set(dir(adeptree))
    for name in adeptree.__all__:
        assert getattr(adeptree, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        adeptree.nothing  # noqa: B018
