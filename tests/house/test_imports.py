"""The package loads lazily, whichever door one comes in by."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import adeptree
from adeptree import families

FAMILIES = [
    f"adeptree.families.{folder.name}.{module.name}"
    for folder in pkgutil.iter_modules(families.__path__)
    if folder.ispkg
    for module in pkgutil.iter_modules([f"{families.__path__[0]}/{folder.name}"])
    if module.name.endswith("_engine")
]
ROOMS = sorted(module.name for module in pkgutil.iter_modules(adeptree.__path__))


def fresh(code: str, **variables: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **variables})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("room", ROOMS)
def test_any_module_may_be_imported_first(room: str) -> None:
    assert fresh(f"import adeptree.{room}; print('ok')") == "ok"


@pytest.mark.parametrize("engine", ["python", ""])
@pytest.mark.parametrize("module", FAMILIES)
def test_any_family_may_be_imported_first(module: str, engine: str) -> None:
    """Interpreted kernels are modules of the families, so that they may import in a circle."""
    assert fresh(f"import {module}; print('ok')", ADEPTREE_ENGINE=engine) == "ok"


def test_the_command_line_starts_without_numpy_or_solvers() -> None:
    heavy = "{'numpy', 'rich', 'matplotlib', 'pandas', 'z3', 'highspy', 'pysat'}"
    assert fresh(f"import sys, adeptree.app.cli; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_the_version_loads_no_module_that_the_help_does_not() -> None:
    code = "import sys; from adeptree.app.cli import app; app(['{}'], standalone_mode=False); print(*sys.modules)"
    asked, helped = (fresh(code.format(option)).splitlines() for option in ("--version", "--help"))
    assert asked[0].startswith("adeptree ") and set(asked[-1].split()) <= set(helped[-1].split())


def test_solvers_are_loaded_only_when_used() -> None:
    heavy = "{'matplotlib', 'pandas', 'z3', 'highspy', 'pysat'}"
    names = "adeptree.SatClass, adeptree.SmtClass, adeptree.Halfspaces, adeptree.Adept"
    assert fresh(f"import sys, adeptree; {names}; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_a_learner_loads_only_the_family_of_its_rules() -> None:
    """A first learner imports 270 modules, 170 of them numpy's; all families with their solvers would be 200 more."""
    code = "import sys, adeptree as at; at.Adept(at.RealThresholds()).learn(0.5, 1); print(*sys.modules)"
    loaded = fresh(code).split()
    assert {".".join(name.split(".")[:3]) for name in loaded if name.startswith("adeptree.families.")} == {
        *(f"adeptree.families.{name}" for name in ("line", "listed", "registry", "rule_values"))
    }
    others = ("adeptree.ghost", "adeptree.solvers", "adeptree.games", "tempfile", "zipfile", "email", "numpy.random")
    assert not [name for name in loaded if name.startswith(others)] and len(loaded) < 280


MOST_MODULES = 77
"""That a public name may load, next to those of ``import numpy``: 173 on Python 3.11, which makes 250."""


@pytest.mark.parametrize("name", sorted({*adeptree.__all__} - {"__version__"}))
def test_the_first_use_of_a_name_loads_few_modules(name: str) -> None:
    code = f"import sys, numpy; before = {{*sys.modules}}; import adeptree; adeptree.{name}"
    loaded = fresh(f"{code}; print(*({{*sys.modules}} - before))").split()
    assert len(loaded) <= MOST_MODULES, loaded


def test_every_public_name_is_there() -> None:
    assert set(adeptree.__all__) <= set(dir(adeptree))
    for name in adeptree.__all__:
        assert getattr(adeptree, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        adeptree.nothing  # noqa: B018


IN_A_BROWSER = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "_multiprocessing", "concurrent.futures.process") or "multiprocessing" == name[:15]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import adeptree as at
from typer.testing import CliRunner
from adeptree.app.cli import app

learner = at.Adept(at.TableStumps(["a", "b"]), costs=(5, 1))
for t in range(100):
    learner.learn({"a": t * 37 % 100, "b": "xy"[t % 2]}, int(t * 37 % 100 >= 50))
learner.save("learner")
answers = at.OracleClass(find=lambda sample: None, littlestone_dimension=1).realizable([(1, 0)])
rows = {"tenant": ["a", "b"], "score": [0.1, 0.9], "fraud": [0, 1]}
segments = at.learn_segments(rows, "fraud", by="tenant", rules="thresholds(score)")
runs = ["run -q", "run -q --save kept", "run fraud-scores -q --by shop --separate --rules thresholds(score)"]
ended = [CliRunner().invoke(app, line.split()).exit_code for line in runs]
loaded = {"fcntl", "multiprocessing"} & set(sys.modules)
print(at.load("learner").best_rule(), answers, len(segments), *ended, *loaded)
"""


def test_it_learns_where_there_are_no_processes_and_no_locks(tmp_path: Path) -> None:
    """As under Pyodide: a browser has neither multiprocessing nor fcntl."""
    code = f"import os; os.chdir({str(tmp_path)!r})\n{IN_A_BROWSER}"
    assert fresh(code, ADEPTREE_ENGINE="python") == "a >= 50 False 2 0 0 0"
