"""The developer guide: its skeletons run and keep their contracts, and a family made by it is at home everywhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, partial
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import adeptree as at
from adeptree.checks import Checking, check
from adeptree.families.registry import families, forget
from adeptree.learners import loading
from adeptree.oracles import Caching, ClassOracle, Counting

ROOT = Path(__file__).parents[2]
SKELETONS = ROOT / "examples" / "skeletons"
PAGES = ROOT / "docs" / "develop"
TASKS = ("adversary", "base_learner", "engine", "experiment", "family", "learner", "oracle_layer")
UNLISTED = {
    "check_enumeration",
    "check_labels",
    "check_size",
    "check_vc_dimension",
    "check_littlestone_dimension",
}
"""Checks that are skipped for a class whose rules cannot be listed."""


TRIED = {"exceptions": "odd_values", "odd_one_out": "odd_one_too", "FewerSoFar": "FewerTried"}
"""Other names for the family of the skeleton: who copies it into the house may keep those that it has."""


def text_of(task: str) -> str:
    """Return the text of a skeleton."""
    text = (SKELETONS / f"{task}.py").read_text(encoding="utf-8")
    for name, other in TRIED.items():
        text = re.sub(rf"\b{name}\b", other, text)
    return text


@cache
def skeleton(task: str) -> Any:
    """Return a skeleton as a module."""
    module = ModuleType(f"skeleton_{task}")
    sys.modules[module.__name__] = module
    exec(compile(text_of(task), str(SKELETONS / f"{task}.py"), "exec"), module.__dict__)
    return module


@pytest.fixture
def exceptions() -> Iterator[Any]:
    """The family of the skeleton, known while a test runs."""
    module = skeleton("family")
    for family in module.FAMILIES:
        at.register(family)
    yield module
    for family in module.FAMILIES:
        forget(family)


def run(command: list[str], folder: Path, *paths: Path) -> str:
    """Run a command in a folder, with these on the path of Python, and return what it prints."""
    path = os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- The pages and their skeletons ---------------------------------------------------------------------


def test_every_task_has_a_page_and_a_skeleton() -> None:
    assert sorted(path.stem for path in SKELETONS.glob("*.py")) == sorted(TASKS)
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    for task in TASKS:
        page = task.replace("_", "-") + ".md"
        text = (PAGES / page).read_text(encoding="utf-8")
        assert f"{{literalinclude}} ../../examples/skeletons/{task}.py" in text
        assert f"](docs/develop/{page})" in guide and f"]({page})" in index
        assert all(f"**{word}" in text for word in ("Defaults", "Location", "Check it", "Tests to add"))


def test_files_that_the_pages_name_exist() -> None:
    places = (ROOT, ROOT / "src" / "adeptree")
    for page in PAGES.glob("*.md"):
        for name in re.findall(r"`((?:\w+/)+\w+\.(?:py|md))`", page.read_text(encoding="utf-8")):
            assert "exceptions" in name or any((place / name).is_file() for place in places), f"{page.name}: {name}"


@pytest.mark.parametrize("task", TASKS)
def test_a_skeleton_runs_where_it_was_copied_to(task: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text_of(task), encoding="utf-8")
    printed = run(["mine.py"], tmp_path, ROOT / "src", ROOT)
    assert printed.strip() and "failed" not in printed and "False" not in printed, printed


def test_the_family_keeps_its_contract(exceptions: Any) -> None:
    c = at.parse("odd_values()")
    of_class = check(c)
    assert of_class.passed and set(of_class.skipped) == UNLISTED, of_class
    of_base = check(exceptions.FewerTried(), concept_class=c)
    assert of_base.passed and not of_base.skipped, of_base
    of_learner = check(partial(at.Adept, c))
    assert of_learner.passed and not of_learner.skipped, of_learner


def test_the_base_learner_keeps_its_contract() -> None:
    report = check(skeleton("base_learner").Careful(), concept_class=at.Thresholds(6))
    assert report.passed and not report.skipped, report


def test_the_learner_keeps_its_contract() -> None:
    kind = skeleton("learner").Weights
    loading.register_learner(kind)
    try:
        report = check(partial(kind, at.Thresholds(6)))
    finally:
        del loading.kinds()[kind.kind]  # other tests list who is known
    assert report.passed and not report.skipped, report


def test_a_round_of_the_learner_is_all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = skeleton("learner").Weights(at.Thresholds(6), horizon=9)
    learner.learn(2, 1)
    before = learner.losses.tolist(), learner.rounds

    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(learner, "_catch_up", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn(4, 0)
    assert (learner.losses.tolist(), learner.rounds) == before


def test_the_adversary_keeps_its_contract() -> None:
    report = check(skeleton("adversary").Insistent(at.Thresholds(6)))
    assert report.passed and not report.skipped, report


def test_the_layer_changes_no_answer() -> None:
    line = at.Thresholds(6)
    plain = Counting(ClassOracle(line))
    inside = skeleton("oracle_layer").Refusals(Counting(Caching(ClassOracle(line))))
    layered = Checking(inside, against=ClassOracle(line))
    learners = [
        at.Adept(at.OracleClass.from_oracle(oracle, mistake_bound=3), base=at.Bisection(line), horizon=30)
        for oracle in (plain, layered)
    ]
    for t in range(30):
        x, y = t * 5 % 6, t * t // 3 % 2
        assert learners[0].predict_proba(x) == learners[1].predict_proba(x)
        for learner in learners:
            learner.learn(x, y)
    assert plain.queries == layered.queries > layered.refused > 0
    samples: list[Any] = [[(0, 1), (5, 0)], [(2, 1), (4, 0)], [(0, 0)]]
    before = layered.refused
    assert layered.realizable_many(samples) == [line.realizable(sample) for sample in samples]
    assert layered.refused == before + 2


@pytest.mark.parametrize("prior", ["paper", "kt"])
def test_the_engine_gives_the_numbers_of_the_paths(prior: str) -> None:
    learner = at.Adept(at.Thresholds(7), horizon=40, prior=prior, engine="paths")
    engine = skeleton("engine").OneByOne(at.Thresholds(7), at.Bisection(), learner.prior)
    for t in range(40):
        if t == 20:  # saved and taken up by another
            state = engine.state()
            engine = skeleton("engine").OneByOne(at.Thresholds(7), at.Bisection(), learner.prior)
            engine.restore(state)
        x, y, paths = t * 5 % 7, t * t // 3 % 2, learner.engine
        engine.rate = paths.rate
        assert engine.probability(x) == pytest.approx(learner.predict_proba(x), abs=1e-12)
        engine.commit(x, y)
        learner.learn(x, y)
        assert (engine.width, engine.best_loss) == (paths.width, paths.best_loss)
        engine.rate = paths.rate
        assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)
        assert engine.leader().log_prior == pytest.approx(paths.leader().log_prior, abs=1e-9)


def test_the_experiment_holds_and_can_fail() -> None:
    experiment = skeleton("experiment").EXPERIMENT
    rows = [experiment.row(cell) for cell in experiment.cells("tiny")]
    assert all(verdict.held for verdict in experiment.verdicts(rows))
    assert not all(verdict.held for verdict in experiment.verdicts([{**row, "regret": 1e6} for row in rows]))


# --- A family made by the guide ------------------------------------------------------------------------


@pytest.mark.parametrize("family", [f for f in families() if f.example], ids=lambda family: family.name)
def test_every_record_has_an_example_that_keeps_its_contract(family: at.Family) -> None:
    report = check(at.parse(family.example))
    assert report.passed and len(report.ran) >= 19, report


AT_HOME = """
import adeptree as at
from adeptree.checks import check
from adeptree.families.specs import base_named
c = at.parse("odd_values()")
assert c == at.parse(repr(c))
for learner in (at.Adept(c), at.Adept(c, base=base_named("FewerTried"))):
    for x, y in [(3, 0), (5, 1), (3, 0), (7, 0), (5, 1)]:
        learner.learn(x, y)
    learner.save("learner")
    again = at.load("learner")
    assert again.predict_proba(5) == learner.predict_proba(5) and again.concept_class == c
print(list(check(c).failed), learner.best_loss)
"""


COMMANDS = """
import json, sys
from contextlib import redirect_stdout, suppress
from io import StringIO
from adeptree.app.cli import main
printed = []
for words in (["rules"], ["run", "stream.csv", "--rules", "odd_values()", "--features", "code"],
              ["run", "stream.csv", "--rules", "odd_one_too(code)"]):
    sys.argv = ["adeptree", *words]
    with redirect_stdout(StringIO()) as out, suppress(SystemExit):
        main()
    printed.append(out.getvalue())
print(json.dumps(printed))
"""


def at_home(folder: Path, *paths: Path) -> None:
    """Assert that the family is known to parse, save and load, the checks, ``classes`` and ``--rules``."""
    assert run(["-c", AT_HOME], folder, *paths) == "[] 0\n"
    (folder / "stream.csv").write_text(
        "code,odd\n" + "".join(f"{'abcde'[i % 5]},{int(i % 5 == 3)}\n" for i in range(40))
    )
    listed, *runs = json.loads(run(["-c", COMMANDS], folder, *paths))
    assert "odd_values()" in listed and "but for at most one value" in listed and "odd_one_too(code)" in listed
    for rules, out in zip(("odd_values()", "odd_one_too(code)"), runs, strict=True):
        assert rules in out and "except at 'd'" in out and "points seen" not in out, out


def test_outside_it_takes_one_file(tmp_path: Path) -> None:
    (tmp_path / "odd_values.py").write_text(text_of("family"), encoding="utf-8")
    info = tmp_path / "odd_values-1.0.dist-info"  # the entry point of pyproject.toml as written by pip
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd-values\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[adeptree.families]\nexceptions = odd_values:FAMILIES\n")
    at_home(tmp_path, ROOT / "src", tmp_path)


def test_inside_it_takes_one_folder(tmp_path: Path) -> None:
    source = tmp_path / "src" / "adeptree"
    shutil.copytree(ROOT / "src" / "adeptree", source)  # (with the bytecode, which fits: times are copied)
    family = source / "families" / "odd_values" / "__init__.py"
    family.parent.mkdir()
    family.write_text(text_of("family").split("# --- To try it out")[0].rstrip() + "\n", encoding="utf-8")
    at_home(tmp_path, source.parent)
    # It keeps the order of the house: no import goes up, and the linter has nothing to say.
    same = "import sys, pathlib, draw_map as d; print(d.imports(pathlib.Path(sys.argv[1])) == d.imports())"
    assert run(["-c", same, str(source)], tmp_path, PAGES) == "True\n"
    if importlib.util.find_spec("ruff") is not None:
        run(["-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), str(family)], tmp_path)


# --- The map -------------------------------------------------------------------------------------------


def test_the_map_is_what_is_imported_today(tmp_path: Path) -> None:
    drawn = run(["-c", "import draw_map as d; print(d.drawing(d.imports()), end='')"], tmp_path, PAGES)
    assert drawn == (PAGES / "rooms.svg").read_text(encoding="utf-8"), "run: python docs/develop/draw_map.py"
    rooms = {path.parent.name for path in (ROOT / "src" / "adeptree").glob("[!_]*/__init__.py")}
    assert all(f">{room}</text>" in drawn for room in rooms) and drawn.count('marker-end="') >= len(rooms) - 1
    edges = " ".join(f'{edge}="([\\d.]+)"' for edge in ("x", "y", "width", "height"))
    boxes = [tuple(map(float, box)) for box in re.findall(f'<rect class="(?:room|leaf)" {edges}', drawn)]
    assert len(boxes) == len(rooms)
    for (x, y, wide, tall), (a, b, _, _) in permutations(boxes, 2):
        assert not (x <= a < x + wide and y <= b < y + tall), "two rooms lie over each other"
