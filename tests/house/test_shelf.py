"""Statements about the package agree in all places."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from conftest import MISSING

import adeptree as at

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = {name: lines for name, lines in PROJECT["optional-dependencies"].items() if name != "all"}
PUBLIC = ["README.md", "CITATION.cff", "SECURITY.md", "CONTRIBUTING.md", "pyproject.toml", "paper/paper.md"]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def is_there(requirement: str) -> bool:
    try:
        return bool(distribution(re.split(r"[<>=\[; ]", requirement)[0]))
    except PackageNotFoundError:
        return False


def test_the_project_has_one_address() -> None:
    files = [*PUBLIC, *(str(path.relative_to(ROOT)) for path in (ROOT / ".github").rglob("*.*"))]
    named = {found for name in files for found in re.findall(r"github\.com/(adeptree[\w-]*/[\w-]+)", text_of(name))}
    assert named == {PROJECT["urls"]["Homepage"].removeprefix("https://github.com/")}


def test_the_version_is_the_same_everywhere() -> None:
    assert f"\nversion: {PROJECT['version']}\n" in text_of("CITATION.cff")
    assert f"## [{PROJECT['version']}]" in text_of("CHANGELOG.md")
    assert at.__version__ == PROJECT["version"]


def test_the_pythons_named_are_those_that_are_run() -> None:
    told = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    lowest = PROJECT["requires-python"].removeprefix(">=")
    workflow = text_of(".github/workflows/ci.yml")
    jobs = re.search(r"set -- .*", text_of(".ci/jobs"))
    assert jobs is not None and told - {lowest} == set(re.findall(r"3\.\d+", jobs[0]))
    assert all(python in workflow for python in told)
    assert f"{lowest} to {max(told, key=lambda name: int(name[2:]))}" in text_of("README.md")


def test_the_conda_recipe_has_the_version_and_the_dependencies_of_the_package() -> None:
    recipe = text_of("packaging/conda/recipe.yaml")
    assert f'version: "{PROJECT["version"]}"' in recipe and f'"{PROJECT["requires-python"]}"' in recipe
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    told = {line.strip().removeprefix("- ").replace(" ", "") for line in run.splitlines()}
    assert {line for line in PROJECT["dependencies"]} <= told
    host = recipe.partition("  host:\n")[2].partition("  run:\n")[0].replace(" ", "")
    assert all(f"-{line}\n" in host for line in SETTINGS["build-system"]["requires"])


def test_the_extra_all_names_every_extra() -> None:
    (line,) = PROJECT["optional-dependencies"]["all"]
    assert set(re.findall(r"\w+", line.partition("[")[2])) == set(EXTRAS)


def test_where_every_extra_is_installed_no_test_says_that_one_is_missing() -> None:
    """Else pages and tests that need extras would be left out for ever, as they were once."""
    if all(is_there(line) for lines in EXTRAS.values() for line in lines):
        assert MISSING == []


def test_the_modules_that_mypy_passes_over_are_the_kernels() -> None:
    (named,) = [part["module"] for part in SETTINGS["tool"]["mypy"]["overrides"] if part.get("ignore_errors")]
    kernels = (ROOT / "src").rglob("*_kernel.py")
    assert sorted(named) == sorted(".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in kernels)


INSTALLS = re.compile(r"pip install (?:-[\w-]+ (?:docs )?)*((?!-)[^\s`]+)")


def test_everything_says_to_install_from_a_clone() -> None:
    """A package index has no adeptree: a name in place of a folder would fail, or bring something else."""
    kinds = (("src", "*.py"), ("docs", "*.md"), ("docs", "*.ipynb"), ("examples", "*.py"))
    files = [ROOT / name for name in PUBLIC] + [path for folder, kind in kinds for path in (ROOT / folder).rglob(kind)]
    told = [(path.name, found) for path in files for found in INSTALLS.findall(path.read_text(encoding="utf-8"))]
    ours = [(name, found.strip("\"'\\.,;)")) for name, found in told if not re.match(r"[a-z]", found)]
    assert len(ours) > 15
    for name, found in ours:
        folder, _, extras = found.partition("[")
        assert folder in ("", "/clone"), (name, found)
        assert set(re.findall(r"\w+", extras)) <= {*EXTRAS, "all", "extra", "none"}, (name, found)
    assert [(name, found) for name, found in told if "adeptree" in found] == []


def test_the_wheel_holds_the_package_alone() -> None:
    """The reproduction is in the source distribution, which has all files; .ci/jobs opens both."""
    targets = SETTINGS["tool"]["hatch"]["build"]["targets"]
    assert set(targets) == {"wheel"} and SETTINGS["tool"]["hatch"]["build"].keys() == {"targets"}
    assert targets["wheel"]["packages"] == ["src/adeptree"] and targets["wheel"].keys() == {"packages", "hooks"}
    assert (ROOT / "reproduction" / "__main__.py").is_file()
    ignored = subprocess.run(["git", "check-ignore", "reproduction"], cwd=ROOT, capture_output=True)
    assert ignored.stdout == b""


def test_the_package_never_imports_the_reproduction() -> None:
    importing = re.compile(r"^\s*(from|import) reproduction\b", re.MULTILINE)
    assert [
        path.name for path in Path(at.__file__).parent.rglob("*.py") if importing.search(path.read_text("utf-8"))
    ] == []
    assert find_spec("adeptree.experiments") is None


def test_the_changes_of_a_release_fit_on_a_page() -> None:
    """The history has all of them; a user reads those that matter."""
    text = text_of("CHANGELOG.md").partition(f"## [{PROJECT['version']}]")[2].partition("\n## [")[0]
    assert 100 < len(text.split()) < 650
    assert "](docs/reference/renamed.md)" in text_of("CHANGELOG.md")
