"""The table of families and decisions: each cell is yes, or a refusal whose reason is spelt out here.

A yes means: batches equal single calls, late labels, costs and weights, bounds that hold, near-best rules, and the same
numbers after loading. docs/theory/decide.md includes the table.
"""

from __future__ import annotations

import math
import re
import tempfile
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shipped_families import shipped

import adeptree as at
from adeptree.core.errors import UnsupportedCombination
from adeptree.families.registry import columns_of
from adeptree.families.specs import parse
from adeptree.roles.near_rules import RankedRule

ROOT = Path(__file__).parents[2]
SPECS = {family.name: family.small or family.example for family in shipped()}
SPECS["table_stumps, sets of values"] = "table_stumps(features=('age', 'sex'), values=2)"
NAMES = [*SPECS, "a | b", "own oracle"]
MODES: dict[str, dict[str, Any]] = {
    "plain": {},
    "review": {"review": 0.2},
    "reviewed labels": {"review": 0.2, "feedback": "reviewed", "horizon": 400},
    "asked labels": {"feedback": "asked", "horizon": 400},
    "drift": {"drift": True},
    "drift, review": {"drift": True, "review": 0.2},
    "drift, reviewed labels": {"drift": True, "review": 0.2, "feedback": "reviewed", "horizon": 400},
    "by": {"by": "tenant"},
    "by, review": {"by": "tenant", "review": 0.2},
    "by, reviewed labels": {"by": "tenant", "segments": 4, "review": 0.2, "feedback": "reviewed", "horizon": 400},
    "by, asked labels": {"by": "tenant", "segments": 4, "feedback": "asked", "horizon": 400},
    "by, drift": {"by": "tenant", "drift": True},
    "by, drift, review": {"by": "tenant", "drift": True, "review": 0.2},
}
NO_PRICE = "needs a price of every rule"
NO_DRIFT = "drift= without review= needs one rate"
ALONE = "has no structure that combines with others"
PROBABLE = "is compared with its most probable rule, so that it does not combine with other rules"
PRODUCTS = {
    *("intervals", "real_intervals", "unions", "real_unions", "real_steps", "blocks", "table_intervals"),
    *("table_unions", "table_steps", "table_stumps, sets of values"),
}
"""Rules whose weights are products, of cuts or of values."""
LISTED = {"finite", "conjunctions", "disjunctions", "parities"}
"""Rules that share on paths only, which do not combine with other rules."""


def reason(name: str, mode: str) -> str:
    """Return why a combination is refused; empty if it works."""
    if mode.startswith("by") and (name.endswith("steps") or name == "own oracle"):
        return PROBABLE if name.endswith("steps") else ALONE
    if (name.endswith("steps") or name == "own oracle") and "labels" in mode:
        return NO_PRICE
    refused = PRODUCTS if mode == "drift" else PRODUCTS | LISTED if mode == "by, drift" else ()
    return NO_DRIFT if name in refused else ""


@cache
def rules(name: str) -> Any:
    def fits(sample: Any) -> bool:
        ones, zeros = [x for x, y in sample if y], [x for x, y in sample if not y]
        return not ones or not zeros or min(ones) > max(zeros)

    if name == "a | b":
        return at.RealThresholds().on("a") | at.Experts("a", "b") | at.TableStumps(["a", "b"])
    return at.OracleClass(realizable=fits, vc_dimension=1) if name == "own oracle" else parse(SPECS[name])


@cache
def named(name: str) -> bool:
    """Return whether the rules name the columns that they read."""
    return columns_of(rules(name)).names(rules(name)) is not None


def build(name: str, mode: str, **other: Any) -> at.Adept:
    """Build the learner; with segments, rules about a value read it from a column."""
    by = mode.startswith("by") and not named(name)
    return at.Adept(rules(name).on("x") if by else rules(name), **{**MODES[mode], **other})


def pairs(name: str, mode: str, seed: int, T: int) -> list[tuple[Any, int]]:
    """Return instances and labels; with segments, rows that name one of three."""
    found, rng = points(name, seed, T), np.random.default_rng(seed)
    if not mode.startswith("by"):
        return found
    segments = ["abc"[k] for k in rng.integers(3, size=T)]
    return [
        ({**(x if named(name) else {"x": x}), "tenant": s}, y ^ int(s == "c"))
        for (x, y), s in zip(found, segments, strict=True)
    ]


def points(name: str, seed: int, T: int) -> list[tuple[Any, int]]:
    rng = np.random.default_rng(seed)
    if name in SPECS:
        xs, target = [rules(name).random_instance(rng) for _ in range(T)], rules(name).random_concept(rng)
    elif name == "a | b":
        xs = [{"a": float(a), "b": float(b) if b < 5 else None} for a, b in rng.integers(6, size=(T, 2))]
        target = lambda x: x["a"] >= 3  # noqa: E731
    else:
        xs, target = rng.integers(6, size=T).tolist(), lambda x: x >= 3
    return [(x, int(target(x)) ^ int(rng.random() < 0.1)) for x in xs]


def play(name: str, mode: str) -> None:
    """Play a game with late labels, costs and weights, and check all that a yes means."""
    learner, rng = build(name, mode, costs=(3, 1), max_weight=2), np.random.default_rng(1)
    waiting = list[tuple[at.Ticket, int]]()
    for x, y in pairs(name, mode, 2, 120):
        ticket = learner.answer(x)
        assert ticket.action in ((0, 1, "review") if "review" in mode else (0, 1))
        assert ticket.ask == ("reviewed" not in mode or ticket.action == "review") or "asked" in mode
        if ticket.ask:
            waiting.append((ticket, y))
        if waiting and rng.random() < 0.7:
            late, label = waiting.pop(int(rng.integers(len(waiting))))
            learner.learn(late, label, weight=float(rng.random() * 2))
        assert learner.regret <= learner.bound + 1e-9
    if mode.startswith("by"):
        told = learner.certificate()
        assert told.segments == len(learner.by_segment()) == 3 and told.pooled_loss is not None
        assert told.pooled_bound is not None and told.expected_loss - told.pooled_loss <= told.pooled_bound + 1e-9
        assert sum(loss for _, _, loss in learner.by_segment()) == pytest.approx(told.best_loss)
    assert learner.overlaps and learner.weighed and learner.scale == 6
    told = learner.certificate()
    assert str(told) and math.isfinite(told.bound) and told.in_advance is None and told.in_advance_note
    near = [RankedRule(learner.best_rule(), learner.best_loss)]
    if "steps" not in name:  # (there are too many near ones to list, which the error tells)
        near = learner.rules_within(1)
    assert near[0].loss == pytest.approx(learner.best_loss) and str(near[0].rule) == str(learner.best_rule())
    if name != "own oracle":  # (its file needs the function again)
        with tempfile.TemporaryDirectory() as folder:
            learner.save(Path(folder) / "it.adept")
            again = at.load(Path(folder) / "it.adept")
        for x, y in pairs(name, mode, 4, 20):
            assert again.predict_proba(x) == learner.predict_proba(x)
            for one in (learner, again):
                one.learn(x, y)
    single, batch = build(name, mode), build(name, mode)
    xs, ys = zip(*pairs(name, mode, 3, 60), strict=True)
    for x, y in zip(xs, ys, strict=True):
        single.learn(x, y)
    batch.learn_many(list(xs), list(ys))
    assert batch.expected_loss == single.expected_loss and batch.bound == single.bound


def test_that_is_all() -> None:
    assert {name for name, mode in product(NAMES, MODES) if reason(name, mode)} < set(NAMES)


@pytest.mark.parametrize(("name", "mode"), list(product(NAMES, MODES)))
def test_every_cell_is_yes_or_has_a_reason(name: str, mode: str) -> None:
    if why := reason(name, mode):
        with pytest.raises(UnsupportedCombination, match=re.escape(why)):
            build(name, mode)
    else:
        play(name, mode)


def test_the_docs_have_the_table() -> None:
    page = (ROOT / "docs" / "theory" / "decide.md").read_text(encoding="utf-8")
    for name in NAMES:
        cells = ("refused" if reason(name, mode) else "yes" for mode in MODES)
        assert (line := f"| {name} | {' | '.join(cells)} |") in page, line
