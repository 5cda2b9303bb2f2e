"""Drift on tables: cuts, gaps and single values of all columns, each rule with its weights written out."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared_weights import sequence_losses, step

import adeptree as at
from adeptree.families.line.counting_cuts import value_at
from adeptree.theory import sharing
from adeptree.theory.sharing import Drift

COLUMNS = ("a", "b", "c")


def cell(rng: np.random.Generator, kind: str) -> Any:
    """Draw a number, a text or a gap; every column has some of each."""
    at_random = rng.random()
    if at_random < 0.15:
        return None
    if (at_random < 0.8) == (kind == "a"):
        return float(rng.integers(12))
    return f"value {rng.integers(200)}" if kind == "b" else "uvwxyz"[int(rng.integers(6))]


def laid_out(learner: at.Adept, falls: bool) -> list[tuple[int, Any, float]]:
    """Return every rule after the last round: its column, what it says of a cell, and its part of the prior."""
    members, found = learner.engine.inner.members, list[tuple[int, Any, float]]()  # type: ignore[attr-defined]
    kinds = len(members) * (4 if falls else 3)
    for f, member in enumerate(members):
        slots = member.line.kernel.slots()
        for low, mass in zip(value_at(slots["keys"]).tolist(), slots["mass"].tolist(), strict=True):
            for rises in (True, False)[: 1 + falls]:
                for gap in (0, 1):

                    def cut(x: Any, low: float = low, rises: bool = rises, gap: int = gap) -> int:
                        return int((x > low) == rises) if isinstance(x, float) else gap

                    found.append((f, cut, mass / 2 / kinds))
        met = member.met()
        for i, value in enumerate([*met, object()], 1):
            mass = 1 / i / (i + 1) if i <= len(met) else 1 / i
            for equal in (0, 1):

                def one(x: Any, value: Any = value, equal: int = equal) -> int:
                    return int((not isinstance(x, float) and x == value) == equal)

                found.append((f, one, mass / kinds))
    return found


def cheapest(cells: list[Any], labels: list[int], costs: list[float], falls: bool, met: list[Any]) -> tuple[float, Any]:
    """Return the least loss of a rule about these cells, and what it says; of equals the first here."""
    numbers = sorted({x for x in cells if isinstance(x, float)})
    found: list[tuple[float, Any]] = []
    rules: list[Any] = []
    for rises in (True, False)[: 1 + falls]:
        for low, high in zip([-math.inf, *numbers], [-math.inf, *numbers[1:], math.inf], strict=False):
            for gap in (0, 1):

                def cut(x: Any, low: float = low, high: float = high, rises: bool = rises, gap: int = gap) -> int:
                    if not isinstance(x, float):
                        return gap
                    if x <= low or x >= high:
                        return int((x >= high) == rises)
                    return int((x - low > high - x) == rises)

                rules.append(cut)
    for equal in (0, 1):
        for value in (object(), *(value for value in reversed(met) if value in cells)):

            def one(x: Any, value: Any = value, equal: int = equal) -> int:
                return int((not isinstance(x, float) and x == value) == equal)

            rules.append(one)
    for rule in rules:
        wrong = (cost for x, y, cost in zip(cells, labels, costs, strict=True) if rule(x) != y)
        found.append((math.fsum(wrong), rule))
    return min(found, key=lambda pair: pair[0])


@pytest.mark.parametrize("seed", range(12))
def test_weights_are_those_of_all_rules_written_out(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best rule moves from a number of one column to a value of another; one lane and all of them."""
    monkeypatch.setattr(sharing, "WINDOWS", (5, 60))
    rng = np.random.default_rng(seed)
    one_lane, followers, falls = (bool(seed >> i & 1) for i in range(3))
    T, miss = 160, float(rng.choice([1, 3]))
    rules: at.ConceptClass = at.TableStumps(COLUMNS) if falls else at.TableThresholds(COLUMNS)
    how: dict[str, Any] = {"rate": 0.4} if one_lane else {}
    learner = at.Adept(rules, costs=(miss, 1), drift=followers or "sharing", **how)
    drift = Drift(followers, one_lane, miss)
    rows = [{name: cell(rng, name) for name in COLUMNS} for _ in range(T)]
    # (Sums of such costs are exact, so that equals are equal.)
    weights, found, labels = (rng.integers(32, 65, size=T) / 64).tolist(), list[float](), list[int]()
    for t, (row, w) in enumerate(zip(rows, weights, strict=True)):
        good = row["c"] == "u" if t > T // 2 else isinstance(row["a"], float) and row["a"] >= 5
        labels.append(int(good) ^ int(rng.random() < 0.1))
        found.append(learner.predict_proba(row))
        learner.predict_proba({"a": "new", "b": 3.5, "c": None})  # (a look changes nothing)
        learner.learn(row, labels[-1], weight=w)
    costs = [w * (miss if y else 1) for y, w in zip(labels, weights, strict=True)]
    written = laid_out(learner, falls)
    rates, shares, logs = (np.array(column)[:, None] for column in drift.lanes())
    spans = drift.spans
    prior = np.array([mass * (0.1 if spans else 1.0) for *_, mass in written] + [0.9 / len(spans) for _ in spans])
    assert prior.sum() == pytest.approx(1, abs=1e-12)
    lanes: Any = np.exp(logs) * prior
    followed: list[tuple[int, Any]] = [(0, lambda x: int(isinstance(x, float))) for _ in spans]
    when, said = 1, []
    for t, (row, y, cost) in enumerate(zip(rows, labels, costs, strict=True)):
        for k, span in enumerate(spans):
            if t >= when if span == 0 else t and t % step(span) == 0:
                first = 0 if span == 0 else max(0, t - span)
                past = [
                    cheapest([r[name] for r in rows[first:t]], labels[first:t], costs[first:t], falls, member.met())
                    for name, member in zip(COLUMNS, learner.engine.inner.members, strict=True)  # type: ignore[attr-defined]
                ]
                best = min(range(3), key=lambda i: past[i][0])
                followed[k] = best, past[best][1]
        when = t + step(t) if t >= when else when
        cells = [row[name] for name in COLUMNS]
        says = np.array([rule(cells[f]) for f, rule, _ in written] + [rule(cells[f]) for f, rule in followed])
        said.append(says[: len(written)] != y)
        p = float((rates * lanes * says).sum() / (rates * lanes).sum())
        assert found[t] == pytest.approx(p, abs=1e-12), t
        wrong, loss = says != y, cost / miss * abs(p - y)
        lanes = lanes * (np.exp(-0.4 * cost * wrong) if one_lane else 1 + rates * (loss - cost / miss * wrong))
        total, share = lanes.sum(axis=1, keepdims=True), np.where(shares < 0, 1 / (t + 2), shares)
        lanes = (1 - share) * lanes + share * total * prior
        lanes = lanes / lanes.sum() if one_lane else lanes
    wrong = np.array(said).T
    assert learner.best_loss == pytest.approx((wrong * costs).sum(axis=1).min())
    for m, lost in enumerate(sequence_losses(wrong, costs, 3)):
        assert learner.expected_loss - lost <= learner.sequence_bound(m) + 1e-9


def build(**how: Any) -> at.Adept:
    return at.Adept(at.TableStumps(COLUMNS), costs=(3, 1), drift=True, **how)


@pytest.mark.parametrize("how", [{}, {"review": 0.2}], ids=repr)
def test_late_labels_and_files(how: dict[str, Any], tmp_path: Path) -> None:
    """The certificate holds, and a learner that was saved in the middle has the same bits for ever."""
    learner, rng = build(**how), np.random.default_rng(2)
    waiting: list[at.Ticket] = []
    for _ in range(200):
        waiting.append(learner.answer({name: cell(rng, name) for name in COLUMNS}))
        if rng.random() < 0.9:
            ticket = waiting.pop(int(rng.integers(len(waiting))))
            learner.learn(ticket, int(ticket.p < 0.5))
            assert learner.regret <= learner.bound + 1e-9
    learner.save(tmp_path / "it.adept")
    again, copied = at.load(tmp_path / "it.adept"), pickle.loads(pickle.dumps(learner))
    assert dict(again.certificate()) == dict(learner.certificate())
    for _ in range(150):
        x: Any = waiting.pop() if waiting else {name: cell(rng, name) for name in COLUMNS}
        y, row = int(rng.random() < 0.4), {name: cell(rng, name) for name in COLUMNS}
        for one in (learner, again, copied):
            one.learn(x, y)
        assert again.predict_proba(row) == learner.predict_proba(row) == copied.predict_proba(row)
    assert again.expected_loss == learner.expected_loss == copied.expected_loss
    near = again.rules_within(1)
    assert str(near[0].rule) == str(again.best_rule()) and near[0].loss == again.best_loss


def test_an_altered_file_is_refused() -> None:
    learner, rng = build(), np.random.default_rng(2)
    for _ in range(60):
        learner.learn({name: cell(rng, name) for name in COLUMNS}, int(rng.random() < 0.4))
    state = learner.engine.state()
    column = state["inner"]["columns"][2]
    for part, field, value in [
        (column, "picked", column["picked"] + 2),
        (column["singles"], "weights", -column["singles"]["weights"]),
        (column["singles"], "gain", column["singles"]["gain"] + 1),
        (column["line"], "of_windows", column["line"]["of_windows"][:-1]),
        (column["line"], "ring", np.full_like(column["line"]["ring"], 2**63 - 16)),
    ]:
        kept = part[field]
        part[field] = value
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            build().engine.restore(state)
        part[field] = kept
    build().engine.restore(state)


def test_the_best_rule_may_change_its_column() -> None:
    """From a cut on a number to a value of a text: a plain learner pays for it, this one does not."""
    rng, losses = np.random.default_rng(5), []
    rows = [{name: cell(rng, name) for name in COLUMNS} for _ in range(1500)]
    for drift in (False, "sharing", True):
        learner = at.Adept(at.TableStumps(COLUMNS), drift=drift)
        for t, row in enumerate(rows):
            learner.learn(row, int(row["c"] == "u" if t >= 750 else isinstance(row["a"], float) and row["a"] >= 5))
        losses.append(learner.expected_loss)
    assert losses[1] < 120 and losses[2] < 120 < 220 < losses[0], losses


def test_unions_share_with_tables_too() -> None:
    rules = at.TableStumps(["a", "c"]) | at.Experts("model")
    learner, rng = at.Adept(rules, drift=True), np.random.default_rng(1)
    for t in range(600):
        row = {"a": cell(rng, "a"), "c": cell(rng, "c"), "model": float(rng.random())}
        learner.learn(row, int(row["model"] >= 0.5 if t < 300 else row["c"] == "u"))
    assert learner.expected_loss < 80 and learner.regret <= learner.bound + 1e-9
