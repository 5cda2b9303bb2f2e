"""The house keeps its order: imports go one way, names are unique, and a family from elsewhere is at home."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "src" / "adeptree"
ROOMS = {
    "app",
    "checks",
    "compat",
    "core",
    "data",
    "families",
    "games",
    "ghost",
    "learners",
    "oracles",
    "pages",
    "research",
    "roles",
    "runner",
    "solvers",
    "structures",
    "theory",
}


def test_nothing_is_loose() -> None:
    inside = {path.name for path in HOUSE.iterdir() if path.name != "__pycache__"}
    assert inside == {*ROOMS, "_compiled", "__init__.py", "__main__.py", "api.py", "py.typed"}


def test_the_machine_code_is_that_of_todays_sources() -> None:
    """If kernels were compiled next to their sources: after a change, ``python build_kernels.py``."""
    built = HOUSE / "_compiled" / "built"
    if not built.exists():
        pytest.skip("the kernels are interpreted here")
    place = importlib.util.spec_from_file_location("build_kernels", ROOT / "build_kernels.py")
    assert place is not None and place.loader is not None
    hook = importlib.util.module_from_spec(place)
    place.loader.exec_module(hook)
    assert built.read_text(encoding="utf-8").strip() == hook.fingerprint(ROOT), "run: python build_kernels.py"
    made = {path.name.split(".")[0] for path in built.parent.iterdir() if path.suffix in (".so", ".pyd")}
    kernels = {path.stem for path in hook.sources(ROOT) if path.suffix == ".py"}
    assert made == {*kernels, hook.SHARED.rpartition(".")[2]}


TWICE = dict.fromkeys(("AdeptClassifier", "SafetyNet"), "of River, and of scikit-learn")
"""Class names that may occur twice."""


def test_class_names_are_unique() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in HOUSE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert {name for name, count in names.items() if count > 1} == set(TWICE)


def test_tests_lie_in_the_rooms_they_test() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= {*ROOMS, "house", "playground", "reproduction", "support"}
    assert not list((ROOT / "tests").glob("test_*.py"))


def test_modules_have_names_of_their_own() -> None:
    files = [*HOUSE.rglob("*.py"), *(ROOT / "reproduction").rglob("*.py")]
    names = Counter(path.name for path in files if path.stem not in ("__init__", "__main__"))
    assert [name for name, times in names.items() if times > 1] == []


def test_imports_go_one_way() -> None:
    linter = pytest.importorskip("importlinter.cli", reason="needs import-linter, of the dependency group lint")
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports('pyproject.toml'))"
    env = _with(HOUSE.parent)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=env)
    assert linter and done.returncode == 0, done.stdout


def _with(*folders: Path) -> dict[str, str]:
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}


ONE_EXCEPTION = '''
"""Rules of somebody else: the same label everywhere, but for at most one value."""

import adeptree as at
from adeptree.ghost import Ghost


class Rule:
    def __init__(self, label, odd):
        self.label, self.odd = label, odd

    def __call__(self, x):
        return self.label ^ (x == self.odd)

    def __str__(self):
        return f"always {self.label}, but for {self.odd}"


class Exceptions(at.ConceptClass):
    spec_name = "one_odd"
    vc_dimension = littlestone_dimension = 3

    def __repr__(self):
        return "one_odd()"

    def __eq__(self, other):
        return isinstance(other, Exceptions)

    def __hash__(self):
        return hash("one_odd")

    def instance(self, x):
        return x

    def realizable(self, sample):
        pairs = set(self.clean(sample))
        return len(dict(pairs)) == len(pairs) and any(sum(y != label for _, y in pairs) <= 1 for label in (0, 1))

    def erm(self, sample):
        pairs = self.clean(sample)
        rules = [Rule(label, odd) for label in (0, 1) for odd in [None, *(x for x, _ in pairs)]]
        return min(rules, key=lambda rule: sum(rule(x) != y for x, y in pairs))

    def random_instance(self, rng):
        return int(rng.integers(9))

    def random_concept(self, rng):
        return Rule(int(rng.integers(2)), int(rng.integers(9)))


FAMILY = at.Family(
    "one_odd", Exceptions, base=lambda c: Ghost(3), example="one_odd()", line="one value is unlike all others"
)
'''


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which another package brings a family, by its entry point."""
    (tmp_path / "one_exception.py").write_text(ONE_EXCEPTION)
    info = tmp_path / "one_exception-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: one-exception\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[adeptree.families]\none_odd = one_exception:FAMILY\n")
    return _with(HOUSE.parent, tmp_path)


def _python(code: str, env: dict[str, str], folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_family_of_another_package_is_at_home(elsewhere: dict[str, str], tmp_path: Path) -> None:
    code = """
import adeptree as at
from adeptree.checks import check
c = at.parse("one_odd()")
learner = at.Adept(c)
for x, y in [(3, 0), (5, 1), (3, 0), (7, 0), (5, 1)]:
    learner.learn(x, y)
learner.save("learner")
again = at.load("learner")
print(again.predict_proba(5) == learner.predict_proba(5), learner.best_loss, learner.width)
print(list(check(c).failed))
"""
    assert _python(code, elsewhere, tmp_path) == "True 0 8\n[]\n"


def test_a_family_of_another_package_is_on_the_command_line(elsewhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "stream.csv").write_text("code,odd\n" + "".join(f"{i % 5},{int(i % 5 == 3)}\n" for i in range(40)))
    command = [sys.executable, "-m", "adeptree"]
    listed = subprocess.run([*command, "rules"], env=elsewhere, cwd=tmp_path, capture_output=True, text=True)
    assert "one_odd()" in listed.stdout and "one value is unlike all others" in listed.stdout
    run = [*command, "run", "stream.csv", "--rules", "one_odd()", "--features", "code"]
    done = subprocess.run(run, env=elsewhere, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "one_odd()" in done.stdout, done.stderr


def test_a_package_that_fails_is_said_and_left_out(elsewhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "one_exception.py").write_text("raise ImportError('no such thing')")
    command = [sys.executable, "-m", "adeptree", "rules"]
    done = subprocess.run(command, env=elsewhere, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "thresholds(n=1024)" in done.stdout
    assert "the families of one_exception:FAMILY were left out" in done.stderr
