"""The pipeline of the reproduction on tiny settings: it runs, resumes, survives killed workers, and can fail."""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from adeptree.core.errors import DamagedFile, StateError
from adeptree.core.json_lines import seal, unseal
from reproduction.claims import EXPERIMENTS, experiment
from reproduction.experiment import Cell, Row, key_of
from reproduction.journal import Journal, lone_lines
from reproduction.reproduce import Progress, Reproduction, reproduce
from reproduction.runner import RunFailed, run_tasks
from reproduction.stats import at_least, at_most, exponent_near, fitted, like_coins, mean_at_least, near

FAST = "width"
"""An experiment whose tiny cells take no time."""


# --- The whole pipeline ------------------------------------------------------------------------------


def test_every_experiment_runs_and_holds(tiny: Reproduction) -> None:
    assert list(tiny.verdicts) == list(EXPERIMENTS)
    failed = [(name, v.claim, v.mean, v.note) for name, found in tiny.verdicts.items() for v in found if not v.held]
    assert not failed
    assert tiny.held
    weak = [(name, v.claim) for name, found in tiny.verdicts.items() for v in found if v.outcome != "held"]
    assert not weak, "no mutant makes these rows fail"


def test_files_say_how_the_results_came_about(tiny: Reproduction) -> None:
    manifest = json.loads((tiny.out / "manifest.json").read_text())
    assert manifest["level"] == "tiny"
    assert set(manifest["versions"]) == {"adeptree", "numpy", "python", "platform"}
    for name in EXPERIMENTS:
        lines = [json.loads(line) for line in (tiny.out / f"{name}.jsonl").read_text().splitlines()]
        assert lines.pop(0)["experiment"] == name
        told = manifest["experiments"][name]
        assert len(lines) == told["cells"] == len(told["settings"])
        assert [line["cell"] for line in lines] == told["settings"]
        assert {line["cell"]["seed"] for line in lines} == set(told["seeds"])


@pytest.mark.parametrize("level", ["tiny", "quick", "full"])
def test_cells_are_plain_and_different(level: str) -> None:
    for name, known in EXPERIMENTS.items():
        cells = known.cells(level)
        assert json.loads(json.dumps(cells)) == cells
        assert len({key_of(name, cell, "1") for cell in cells}) == len(cells)


def test_a_run_is_a_pure_function_of_its_cell(tiny: Reproduction) -> None:
    for name, known in EXPERIMENTS.items():
        cell = known.cells("tiny")[-1]
        again = json.loads(json.dumps(known.row(cell)))
        assert again == next(row for row in tiny.rows[name] if all(row[k] == v for k, v in cell.items()))


# --- Checks that can fail -----------------------------------------------------------------------------


def worse(factor: float) -> Callable[[Any], Any]:
    return lambda value: value * factor


DOCTORED: list[tuple[str, str, Callable[[Any], Any], dict[str, Any]]] = [
    ("regret", "regret", lambda _: 1e6, {"part": "bound"}),
    ("regret", "worst_over_time", lambda _: 1.01, {}),
    ("regret", "regret", lambda _: float("nan"), {"part": "bound"}),
    ("regret", "regret", worse(40), {"part": "growth", "T": 400}),
    ("width", "width", worse(1e6), {}),
    ("width", "worst_ratio", lambda _: 1.001, {}),
    ("queries", "asked", lambda value: value + 1, {}),
    ("queries", "asked", worse(3), {"part": "asked", "T": 64}),
    ("queries", "posed", worse(50), {"part": "posed"}),
    ("oracle-efficiency", "worst_share", lambda _: 1.1, {}),
    ("oracle-efficiency", "calls", lambda value: value + 1, {}),
    ("soa-memory", "width", lambda _: 1e6, {"part": "width"}),
    ("soa-memory", "regret", lambda _: 1e6, {}),
    ("soa-memory", "gap_to_deleting", lambda _: 1e-3, {"part": "experts"}),
    ("first-order", "regret", lambda _: 1e6, {"rate": "first-order"}),
    ("first-order", "mistakes", worse(4), {"part": "growth", "T": 600, "rate": "first-order"}),
    ("first-order", "best_loss", lambda _: 1, {"part": "growth"}),
    ("tradeoff", "asked", worse(10), {"part": "calls"}),
    ("tradeoff", "asked", worse(1.5), {"part": "calls"}),
    ("tradeoff", "asked", worse(3), {"part": "calls", "T": 576}),
    ("tradeoff", "regret", worse(1e4), {"part": "regret", "c": 0.9}),
    ("lower-bound", "regrets", lambda values: [v / 3 for v in values], {"learner": "recent leader", "Q": 1}),
    ("lower-bound", "most_queries", lambda value: value + 1, {"learner": "leader"}),
    ("dimension-bound", "regrets", lambda values: [v / 3 for v in values], {"learner": "leader", "d": 2}),
    ("dimension-bound", "regrets", lambda values: [v * 3 for v in values], {"learner": "ADEPT, Ghost", "d": 2}),
    ("dimension-bound", "fewest_queries", lambda _: 0, {"learner": "leader"}),
    ("cited", "mistakes", lambda value: value - 1, {"part": "made up", "learner": "Ghost"}),
    ("cited", "dimension", lambda value: value + 1, {"part": "made up", "d": 2}),
    ("cited", "mistakes", lambda value: value + 1, {"part": "probing", "learner": "Ghost", "d": 1}),
    ("cited", "mistakes", lambda _: 272, {"part": "probing", "learner": "MajorityPruning"}),
    ("cited", "mistakes", lambda _: 300, {"part": "probing", "learner": "WeightedVote"}),
    ("cited", "added", lambda _: 1, {"part": "calls", "learner": "Consistent"}),
    ("cited", "strange", lambda _: 1, {"part": "calls"}),
    ("cited", "blind", lambda _: 1e-6, {"part": "regret"}),
    ("cited", "seeing", lambda _: 0.0, {"part": "regret"}),
    ("cited", "regret", lambda _: 1e6, {"part": "regret"}),
    ("frontier", "regret", worse(0.2), {"part": "low", "Q": 1}),
    ("frontier", "regret", worse(1e4), {"part": "high"}),
    ("frontier", "queries", worse(1e4), {"part": "high"}),
    ("frontier", "added", lambda _: 1, {"part": "cited"}),
    ("frontier", "queries", worse(1e4), {"part": "posed"}),
    ("adversaries", "flips", lambda value: value + 1, {"stream": "Drifting"}),
    ("adversaries", "flips", worse(2), {"stream": "Stochastic"}),
    ("adversaries", "uneven", lambda value: value + 5, {}),
    ("adversaries", "same", lambda value: value + 1, {"part": "targets"}),
    ("adversaries", "first", lambda value: value + 1, {"T": 40}),
    ("adversaries", "unfit", lambda _: 1, {"part": "targets"}),
    ("adversaries", "likely", lambda _: 1, {}),
    ("adversaries", "missed", lambda _: 1, {}),
    ("adversaries", "ones", lambda value: value + 1, {"learner": "guesser"}),
    ("adversaries", "changes", worse(2), {"learner": "guesser"}),
    ("adversaries", "broken", lambda _: 1, {}),
    ("adversaries", "lied", lambda _: 1, {}),
    ("adversaries", "best", lambda _: 1, {}),
    ("algorithms", "differs", lambda _: 1, {"base": "WeightedVote"}),
    ("algorithms", "p_gap", lambda _: 1e-6, {"part": "cited"}),
    ("transfer", "coins", worse(2), {"part": "sampling"}),
    ("anytime", "regret", worse(4), {"part": "compare"}),
    ("adversaries", "asked", lambda value: value + 9, {"learner": "leader"}),
    ("adversaries", "fresh", lambda value: value - 9, {"learner": "leader"}),
    ("quantities", "share", lambda _: 1.01, {"part": "memory", "base": "Ghost"}),
    ("quantities", "kept", lambda _: 1.01, {}),
    ("quantities", "share", lambda _: 1.01, {"part": "asking"}),
    ("quantities", "own", worse(4), {"base": "Pairwise"}),
    ("quantities", "heard", lambda value: value + 1, {}),
    ("quantities", "most", lambda value: value - 1, {"family": "every class"}),
    ("quantities", "calls", lambda _: 1000, {"part": "experts"}),
    ("transfer", "apart", lambda _: 1e-3, {"part": "alike"}),
    ("neighbours", "p_gap", lambda _: 1e-6, {"engine": "paths"}),
    ("neighbours", "loss_gap", lambda _: 1, {"engine": "paths"}),
    ("neighbours", "share", lambda _: 1.01, {"part": "transductive"}),
    ("neighbours", "asked_later", lambda _: 1, {}),
    ("neighbours", "mistakes", worse(9), {"part": "order"}),
    ("neighbours", "calls", worse(20), {"part": "order", "n": 200}),
    ("neighbours", "kept", lambda _: 0.76, {}),
    ("neighbours", "dimension_gap", lambda _: 0.25, {}),
    ("neighbours", "share", lambda _: 1.01, {"part": "coins"}),
    ("half-planes", "apart", lambda value: value + 1, {"points": "line"}),
    ("half-planes", "p_gap", lambda _: 1e-6, {}),
    ("half-planes", "loss_gap", lambda _: 1, {}),
    ("half-planes", "share", lambda _: 1.01, {"stream": "greedy"}),
    ("half-planes", "stated", lambda _: 1e-6, {}),
    ("half-planes", "lost", worse(0.8), {"stream": "bisecting"}),
    ("half-planes", "k", lambda _: 60, {"points": "circle"}),
    ("half-planes", "loss", lambda _: 1, {"part": "drawn"}),
]


@pytest.mark.parametrize(("name", "column", "change", "where"), DOCTORED)
def test_a_doctored_row_makes_the_check_fail(
    tiny: Reproduction, name: str, column: str, change: Callable[[Any], Any], where: dict[str, Any]
) -> None:
    rows = [dict(row) for row in tiny.rows[name]]
    chosen = [row for row in rows if column in row and all(row.get(k) == v for k, v in where.items())]
    assert chosen
    for row in chosen:
        row[column] = change(row[column])
    assert not all(verdict.held for verdict in experiment(name).verdicts(rows))


def test_a_single_doctored_run_is_noticed(tiny: Reproduction) -> None:
    rows = [dict(row) for row in tiny.rows["regret"]]
    rows[0]["regret"] = 1e6
    assert not all(verdict.held for verdict in experiment("regret").verdicts(rows))


def test_nothing_measured_is_nothing_shown() -> None:
    assert [verdict.held for verdict in experiment("regret").verdicts([])] == [False]


def test_verdicts_of_numbers() -> None:
    assert at_most("", [1.0, 2.0], 2.0).held
    assert not at_most("", [1.0, 2.1], 2.0).held
    assert not at_most("", [float("nan"), 1.0], 2.0).held
    assert at_least("", [2.0, 3.0], 2.0).held
    assert not at_least("", [1.0, 3.0], 2.0).held
    assert mean_at_least("", [0.0, 2.0, 1.0], 1.5).held
    assert not mean_at_least("", [0.9, 1.0, 1.1], 1.5).held
    assert near("", 1.0, 1.29, error=0.1, runs=2).held
    assert not near("", 1.0, 1.31, error=0.1, runs=2).held
    assert [v.held for v in like_coins("", [-1.0, 1.0, 0.5, -0.5, 1.4, -1.4])] == [True, True]
    assert [v.held for v in like_coins("", [2.0, 2.1, 1.9, 2.0, 2.2, 1.8] * 3)] == [False, False]


def test_exponents_are_fitted_to_the_means_over_seeds() -> None:
    rows: list[Row] = [{"T": T, "seed": seed, "v": (1 + seed) * T**2} for T in (10, 100) for seed in range(3)]
    assert fitted(rows, "v") == pytest.approx((2.0, 0.0))
    assert exponent_near("", rows, "v", 2.0).held
    assert not exponent_near("", rows, "v", 2.001).held
    assert not exponent_near("", [{**row, "v": 0.0} for row in rows], "v", 2.0).held


# --- Resuming -----------------------------------------------------------------------------------------


def test_finished_cells_are_not_run_again(tmp_path: Path) -> None:
    first = reproduce(level="tiny", only=FAST, out=tmp_path)
    before = (tmp_path / f"{FAST}.jsonl").read_bytes()
    seen: list[Progress] = []
    second = reproduce(level="tiny", only=FAST, out=tmp_path, on_progress=seen.append)
    assert (tmp_path / f"{FAST}.jsonl").read_bytes() == before
    assert [p.finished for p in seen] == [len(first.rows[FAST])]
    assert second.rows == first.rows
    assert second.manifest["kept_from_before"] == len(first.rows[FAST])


def test_a_torn_last_line_is_run_again(tmp_path: Path) -> None:
    first = reproduce(level="tiny", only=FAST, out=tmp_path)
    path = tmp_path / f"{FAST}.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    second = reproduce(level="tiny", only=FAST, out=tmp_path)
    assert second.rows == first.rows
    assert second.manifest["kept_from_before"] == len(first.rows[FAST]) - 1
    assert reproduce(level="tiny", only=FAST, out=tmp_path).manifest["kept_from_before"] == len(first.rows[FAST])


def test_an_interrupt_loses_only_what_was_under_way(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.finished == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(level="tiny", only=FAST, out=tmp_path, on_progress=stop)
    assert len((tmp_path / f"{FAST}.jsonl").read_text().splitlines()) == 1 + 3  # with the header
    assert reproduce(level="tiny", only=FAST, out=tmp_path).manifest["kept_from_before"] == 3


def test_another_version_is_another_key(tmp_path: Path) -> None:
    old = Journal(tmp_path, "regret", "1.0")
    old.add({"seed": 0}, {"seed": 0, "regret": 1.0}, 0.1)
    assert Journal(tmp_path, "regret", "1.0").row({"seed": 0}) == {"seed": 0, "regret": 1.0}
    assert Journal(tmp_path, "regret", "1.1").row({"seed": 0}) is None


def test_lone_lines_need_no_others() -> None:
    lines = [seal(json.dumps({"note": i})) for i in range(4)]
    content = "\n".join([lines[3], "torn", lines[1][:-5], lines[0], "", lines[2]]).encode() + b"\n\xff"
    assert [row["note"] for row in lone_lines(content)] == [3, 0, 2]
    with pytest.raises(ValueError, match="checksum"):
        unseal(lines[0], before=lines[1])


# --- Processes ----------------------------------------------------------------------------------------


def test_two_processes_give_what_one_gives(tiny: Reproduction, tmp_path: Path) -> None:
    both = reproduce(level="tiny", only=[FAST, "lower-bound"], jobs=2, out=tmp_path)
    assert both.rows == {name: tiny.rows[name] for name in (FAST, "lower-bound")}


def killed_once(name: str, cell: Cell) -> Row:
    """Kill the worker at one cell, the first time it is met."""
    marker = Path(cell["marker"])
    if cell["number"] == 2 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": cell["number"]}


def killed_always(name: str, cell: Cell) -> Row:
    if cell["number"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": cell["number"]}


def broken(name: str, cell: Cell) -> Row:
    raise ZeroDivisionError("no such luck")


def cells(tmp_path: Path) -> list[tuple[str, Cell]]:
    return [("any", {"number": n, "marker": str(tmp_path / "killed")}) for n in range(5)]


@pytest.mark.skipif(os.name == "nt", reason="a process is killed by a POSIX signal")
def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path) -> None:
    rows: list[Row] = []
    run_tasks(cells(tmp_path), lambda task, row, seconds: rows.append(row), jobs=2, work=killed_once)
    assert sorted(row["number"] for row in rows) == [0, 1, 2, 3, 4]


@pytest.mark.skipif(os.name == "nt", reason="a process is killed by a POSIX signal")
def test_a_cell_that_always_kills_is_given_up(tmp_path: Path) -> None:
    rows: list[Row] = []
    with pytest.raises(RunFailed, match="killed 2 times"):
        run_tasks(cells(tmp_path), lambda task, row, seconds: rows.append(row), jobs=2, work=killed_always, retries=1)
    assert 2 not in [row["number"] for row in rows]


def numbered(name: str, cell: Cell) -> Row:
    return {"number": cell["number"]}


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_runs_the_cells(tmp_path: Path, pool: Callable[[int], Executor]) -> None:
    rows: list[Row] = []
    with pool(2) as executor:
        run_tasks(cells(tmp_path), lambda task, row, seconds: rows.append(row), executor, work=numbered)
        assert executor.submit(pow, 2, 2).result() == 4, "the executor is left open"
    assert sorted(row["number"] for row in rows) == [0, 1, 2, 3, 4]


def test_the_manifest_names_an_executor(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as executor:
        result = reproduce(level="tiny", only=FAST, jobs=executor, out=tmp_path)
    assert result.held and result.manifest["jobs"] == "ThreadPoolExecutor"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_that_raises_is_named(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(RunFailed, match=r"any .*'number': 0.*ZeroDivisionError: no such luck"):
        run_tasks(cells(tmp_path)[:1], lambda task, row, seconds: None, jobs=jobs, work=broken)


# --- Altered files, and folders that cannot be used ---------------------------------------


def test_rows_of_one_case_have_the_same_columns(tmp_path: Path) -> None:
    reproduce(level="tiny", only="regret", out=tmp_path)
    path = tmp_path / "regret.jsonl"
    entries = [unseal(line) for line in path.read_text().splitlines()[1:]]
    changed = next(entry for entry in entries if entry["cell"]["seed"] == 1)
    for change in ({"more": 1}, {"regret": "much"}, {"regret": True}, {"regret": [1.0]}):
        texts = [json.dumps({**e, "row": {**e["row"], **(change if e is changed else {})}}) for e in entries]
        path.write_text("".join(f"{seal(text)}\n" for text in texts))
        with pytest.raises(DamagedFile, match=r"the rows of regret do not hold what it measures.*delete regret\.jsonl"):
            reproduce(level="tiny", only="regret", out=tmp_path)


def test_a_row_without_its_cell_or_a_measurement_is_run_again(tmp_path: Path) -> None:
    for row in ({}, {"seed": 0}, {"regret": 1.0, "gap": 1.0}, {"seed": 0, "curve": {"t": [1, float("nan")]}}):
        journal = Journal(tmp_path, "regret", "1.0")
        journal.add({"seed": 0}, {"seed": 0, "regret": 1.0}, 0.5)
        entry = unseal(journal.path.read_text().splitlines()[1])
        journal.path.write_text(seal(json.dumps({**entry, "row": row})) + "\n")
        assert Journal(tmp_path, "regret", "1.0").rows == {}
        journal.path.unlink()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere; Windows has no such bits")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(StateError, match="choose another folder with --out"):
        reproduce(level="tiny", only=FAST, out=tmp_path / "sub")


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(StateError, match="choose another folder with --out"):
        reproduce(level="tiny", only=FAST, out=tmp_path / "taken")
