"""The README and the docs show real results."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import math
import os
import re
import runpy
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import MISSING
from forking import write_command
from running import MAIN, environment
from typer.testing import CliRunner

import adeptree as at
from adeptree.app.cli import app
from adeptree.families import registry

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
USES_EXTRAS = (
    "safety-net",
    "own-rules",
    "own-solver",
    "data-frames",
    "river-sklearn",
    "solvers-lp",
    "solvers-sat",
    "solvers-smt",
)
LOOSELY = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def text_of_all() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def named(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= 130


def test_the_docs_outside_theory_and_evidence_stay_short() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES if not {"theory", "evidence"} & set(page.parts)]
    prose = (re.sub(r"```(?!\{figure).*?```|^ {4,}.*?$", "", text, flags=re.DOTALL | re.MULTILINE) for text in texts)
    assert sum(len(re.findall(r"\S*\w\S*", text)) for text in prose) <= 30_000


def test_readme_examples_print_what_they_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(block, names)
    said = re.findall(r"^# (.*)$", "\n".join(blocks), flags=re.MULTILINE)
    assert said and printed.getvalue().splitlines() == said


def test_readme_shows_what_its_first_command_prints() -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["run"])
    assert result.exit_code == 0 and shown.strip() in result.output
    told = re.findall(r"Guaranteed: at most ([\d.]+) more.*?at most ([\d.]+)\s+more", result.output, flags=re.DOTALL)
    assert re.findall(r"^\| `learner\.(?:regret|bound).* \| ([\d.]+) \|$", README, re.MULTILINE) == ["4.4", *told[0]]


def numbers_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.split("|")[2:-1]]


def test_the_costs_in_the_readme_are_those_of_its_commands() -> None:
    """The first column is run; the second is that of the page that names the benchmark."""
    table = README.partition("## A score and its threshold")[2].partition("\n\n`adeptree run")[0]
    rows = {row.split("|")[1].strip(): numbers_of(row) for row in table.splitlines() if row.startswith("| ")}
    rows.pop("how the threshold is set")
    measured = (ROOT / "docs/evidence/thresholds.md").read_text(encoding="utf-8")
    checked = 0
    for name, (here, there) in rows.items():
        assert not there or re.search(rf"\| {there} \|", measured), name
        line = r"adeptree \(expected\)"
        for words, start in (
            ("fixed at", "threshold 0.5"),
            ("the best threshold of", "window of 500"),
            ("only afterwards", "best threshold: .*?"),
        ):
            line = start if words in name else line
        options = [word for part in re.findall(r"`(--[^`]*)`", name) for word in part.split()]
        shown = (
            CliRunner(env={"COLUMNS": "100"}).invoke(app, ["run", "fraud-scores", "--cost-miss", "10", *options]).output
        )
        found = re.search(rf"^  {line}  +([\d,.]+)", shown, flags=re.MULTILINE)
        assert found is not None and f"{float(found[1].replace(',', '')):,.0f}" == here, (name, shown)
        checked += 1
    assert checked == 7


def test_the_safety_net_of_the_readme_is_that_of_its_page() -> None:
    part = README.partition("## A safety net over your models")[2].partition("\n## ")[0]
    page = (ROOT / "docs/howto/safety-net.md").read_text(encoding="utf-8")
    told = re.findall(r"\b\d{3}(?:\.\d)?\b", part.replace("1,250", "").replace("row 600", ""))
    assert told == ["134", "145", "151", "139.6", "666", "152.6"] and all(number in page for number in told)


def test_the_page_of_guarantees_states_those_of_the_library() -> None:
    expected = (ROOT / "docs/understand/guarantees.md").read_text(encoding="utf-8").partition("## How large it is")[2]
    few, many = round(at.bounds.regret(1_000, 8)), round(at.bounds.regret(10_000, 8))
    assert f"at T = 1,000 and M = 8 that is {few} mistakes, at T = 10,000 it is {many}" in expected
    counted = at.Adept(at.Thresholds(255))
    assert f"(thresholds(255): {counted.bound_after(1_000):.0f} and {counted.bound_after(10_000):.0f})" in expected
    assert "a smaller regret than this on\nthresholds from 300 rounds on" in expected
    for line in map(at.Thresholds, (1, 2, 3, 7, 255, 4095)):
        learner, M = at.Adept(line), line.littlestone_dimension
        assert all((learner.bound_after(T) or math.inf) < at.bounds.regret(T, M) for T in (300, 1_000, 10_000, 10**6))
    told = re.search(r"at most ([\d.]+) times that on blocklists", expected)
    blocks = {d: at.Adept(at.BlockUnions(d)) for d in (1, 2, 3, 4, 8, 30)}
    rounds = [*range(30, 300), 1_000, 10_000, 10**6]
    ratios = [
        (a.bound_after(T) or math.inf) / at.bounds.regret(T, d)
        for d, a in blocks.items()
        for T in [*range(d, 30), *rounds]
    ]
    assert told is not None and float(told[1]) - 0.1 < max(ratios) <= float(told[1])


def commands(page: Path) -> list[tuple[str, str]]:
    """Return every command of a page, what follows "$ " in a console block, and what it prints.

    A command is a line, and the text up to a line EOF if it ends with <<EOF.
    """
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(found[1], found[2]) for part in parts if (found := re.fullmatch(COMMAND, part, flags=re.DOTALL))]


COMMAND = r"([^\n]*<<EOF\n.*?\nEOF|[^\n]*)\n?(.*)"


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which ``adeptree`` is the command of this tree."""
    folder = tmp_path / "bin"
    folder.mkdir()
    write_command(folder / "adeptree", MAIN, environment())
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    search = os.pathsep.join([str(folder), os.environ["PATH"]])
    return {**os.environ, "PATH": search, "PYTHONPATH": path, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def as_known_before() -> Iterator[None]:
    """Forget the classes that a page makes known."""
    registry.load_shipped()
    before = set(registry.FAMILIES)
    yield
    for name in set(registry.FAMILIES) - before:
        registry.forget(registry.FAMILIES[name])


@pytest.mark.usefixtures("as_known_before")
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_in_docs_run(
    page: Path, tmp_path: Path, shell: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands of a page, then its Python, in one empty folder."""
    monkeypatch.chdir(tmp_path)
    if MISSING and page.stem in USES_EXTRAS:
        pytest.skip(f"the page needs extras; not installed: {', '.join(MISSING)}")
    if (asked := commands(page)) and os.name == "nt":
        pytest.skip("the commands are for a POSIX shell")
    for command, wanted in asked:
        done = subprocess.run(command, shell=True, env=shell, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0 or "2>&1" in command, done.stderr
        assert doctest.OutputChecker().check_output(wanted, done.stdout, LOOSELY), f"{command}\n{done.stdout}"
    outcome = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0


def test_commands_that_fail_or_print_something_else_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\npip install it\n$ adeptree run\nrounds\n...\n$ head x\n```\n")
    assert commands(page) == [("adeptree run", "rounds\n...\n"), ("head x", "")]


def anchors(page: Path) -> set[str]:
    """Return the addresses of the headings of a page, as MyST and GitHub make them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.append(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return set(found)


@pytest.mark.parametrize(
    "page", [*sorted(ROOT.glob("*.md")), *sorted((ROOT / ".github").rglob("*.md")), *PAGES], ids=named
)
def test_links_between_pages_resolve(page: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8")):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not place or there.suffix != ".md" or place in anchors(there), f"{target}#{place}"


NAMED = re.compile(r"docs/[\w/-]+\.\w+(?:#[\w-]+)?")
SECTION = re.compile(r"(docs/[\w/-]+\.md)(?:``)?, section (\d+)")


@pytest.mark.parametrize("room", ["src", "reproduction", "examples", "benchmarks", "tests", "playground", "make.py"])
def test_pages_named_in_docstrings_and_errors_exist(room: str) -> None:
    files = (
        [ROOT / room] if room.endswith(".py") else [p for p in (ROOT / room).rglob("*") if p.suffix in (".py", ".toml")]
    )
    files = [path for path in files if path != Path(__file__)]
    checked = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        for target in NAMED.findall(text):
            name, _, place = target.partition("#")
            assert (ROOT / name).is_file(), (path.name, target)
            assert not place or place in anchors(ROOT / name), (path.name, target)
            checked += 1
        for name, number in SECTION.findall(text):
            numbered = re.search(rf"^## {number}\b", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert numbered is not None, (path.name, name, number)
    assert checked or room not in ("src", "reproduction", "tests")


def test_the_reference_shows_the_help_of_every_command() -> None:
    text = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```\{command-help\} (\w+)\n```$", text, flags=re.MULTILINE)
    helped = CliRunner(env={"COLUMNS": "80", "TERM": "dumb"}).invoke(app, ["--help"]).output
    known = re.findall(r"^  (\w+)  ", helped.partition("Commands:\n")[2], flags=re.MULTILINE)
    assert len(known) >= 6 and sorted(shown) == sorted(["adeptree", *known])
    assert re.findall(r"^## adeptree (\w+)$", text, flags=re.MULTILINE) == shown[1:]


def test_every_state_on_the_status_page_is_defined_there() -> None:
    text = (ROOT / "docs/reference/status.md").read_text(encoding="utf-8")
    defined = set(re.findall(r"\*(\w+)\*", text.partition("**State**")[2].partition("\n\n")[0]))
    rows = [line for line in text.splitlines() if line.startswith("| ") and "| state |" not in line]
    assert {row.split("|")[-2].strip() for row in rows} == defined != set()
    named = re.findall(r"\*(\w+)\*", "\n".join(re.findall(r".*the status table.*", text_of_all())))
    assert set(named) <= defined, named


LASTS = re.compile(r"\b(?:[\d,.]+ (?:s|min|seconds?)|(?:minute|hour)s?)\b")


def test_one_page_tells_how_long_the_reproduction_takes() -> None:
    """Four places once told four durations."""
    texts = {path: path.read_text(encoding="utf-8") for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]}
    texts |= {path: path.read_text(encoding="utf-8") for path in (ROOT / "reproduction").rglob("command.py")}
    lines = [(path, line) for path, text in texts.items() for line in text.splitlines()]
    named = re.compile(r"make\.py reproduce|--quick\b|--full\b|level quick")
    told = [(path.name, line) for path, line in lines if named.search(line) and LASTS.search(line)]
    assert len(told) >= 3 and {page for page, _ in told} == {"reproduction.md"}
    assert all(line.startswith("| `python3 make.py reproduce") for _, line in told)


@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_the_speed_page_names_the_structure_of_every_family() -> None:
    text = (ROOT / "docs/evidence/speed.md").read_text(encoding="utf-8")
    part = text.partition("| rules | by default |")[2].partition("\n\n")[0]
    told = {
        name: tuple(kinds)
        for names, *kinds in re.findall(r"^\| (.+) \| `(.+)` \| `(.+)` \|$", part, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    found = {}
    for family in registry.families():
        if family.example:
            c = at.parse(family.small or family.example)
            M = None if registry.default_base(c).mistake_bound is not None or c.combines else 5
            found[family.name] = (at.Adept(c).engine.kind, at.Adept(c, 100, mistake_bound=M).engine.kind)
    assert told == {name: kinds for name, kinds in found.items() if kinds != ("paths", "paths")}


def test_the_speed_page_is_drawn_from_stored_runs_and_claims_only_what_repeats() -> None:
    page = runpy.run_path(str(ROOT / "benchmarks/speed_page.py"))
    stored = json.loads(page["RESULTS"].read_text(encoding="utf-8"))
    text, charts = page["section"](stored)
    first, last = page["pair"](stored)
    assert last["when"] - first["when"] >= 1800
    written = page["EVIDENCE"].read_text(encoding="utf-8").partition(page["BEGIN"])[2].partition(page["END"])[0]
    assert written.strip() == text
    for name, drawn in charts.items():
        assert (ROOT / f"docs/figures/{name}.svg").read_text(encoding="utf-8") == drawn
    claims = [*page["AS_FAST"], *page["COSTS"], *page["PLAIN"]]
    kept, others = page["parted"](claims, [first["found"]["new"], last["found"]["new"]])
    assert kept and len(kept) + len(others) == len(claims)
    for claim, value in kept:
        values = claim.values([first["found"]["new"], last["found"]["new"]])
        assert max(values) <= 1.2 * min(values) and min(values) <= value <= max(values)
    for claim, _ in others:
        assert not any(f">{claim.text}<" in drawn for drawn in charts.values())


def test_each_part_of_a_page_that_a_benchmark_writes_is_there_and_has_a_table() -> None:
    found = []
    for page in (ROOT / "docs/evidence").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name, script in re.findall(r"^<!-- (\w[\w ]* of (benchmarks/\w+\.py)) -->$", text, flags=re.MULTILINE):
            if name.startswith("end of ") or script == "benchmarks/speed.py":  # (that page has a separate test)
                continue
            part = text.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]
            assert re.fullmatch(r"(\|.*\|\n)+", part.strip() + "\n") and part.count("\n") > 4, name
            written = (ROOT / script).read_text(encoding="utf-8")
            assert f'"{page.name}"' in written and f"of {script}" in written, name
            found.append(name)
    assert len(found) >= 8


def test_the_votes_of_the_page_about_base_learners_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn", reason="the streams of the benchmark are those of scikit-learn")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    benchmark = runpy.run_path(str(ROOT / "benchmarks/float_paths.py"))
    rng = np.random.default_rng(3)
    contested = 0
    for _ in range(20):
        data = rng.integers(0, 8, size=(60, 3)).astype(float) + 0.5 * rng.integers(0, 2)
        labels = (data[:, 1] >= 4).astype(int)
        votes, n = benchmark["voting"](data, labels)
        names = ["a", "b", "c"]
        xs = [dict(zip(names, row, strict=True)) for row in data.tolist()]
        assert (votes["vote"], n) == benchmark["along"](at.RealStumps(names), xs, labels.tolist())
        contested += n
    assert contested > 40


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("find", "monotone conjunctions"),
        ("find", "parities"),
        ("realizable", "parities"),
        ("realizable", "unions of 2 blocks"),
    ],
)
def test_calls_on_the_page_about_few_queries_are_those_of_today(
    form: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The calls are the same in every run and on every machine; the quick rows of the two tables are counted here."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    benchmark = runpy.run_path(str(ROOT / "benchmarks/query_counts.py"))
    ((build, *horizons),) = [case[1:] for case in benchmark["CLASSES"] if case[0] == name]
    T = horizons[form == "realizable"][-1]
    text = (ROOT / "docs/evidence/oracle-calls.md").read_text(encoding="utf-8")
    part = text.partition("<!-- bits of")[2 * (form == "realizable")]
    for order in ("random", "sorted"):
        queries = benchmark["played"](build(T), order, form)[0].queries
        row = rf"^\| {name} \| {order} \| {T} \| [\d,]+ \| {queries.asked:,} \| {queries.posed:,} \|"
        assert re.search(row, part, flags=re.MULTILINE), (order, queries)
