"""The table of combinations: decisions by rows, what works with them by columns; a None has its reason.

docs/theory/decide.md includes the table.
"""

from __future__ import annotations

import math
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import good, write
from serving import Inside, sent

import adeptree as at

ROOT = Path(__file__).parents[2]
MODES: dict[str, dict[str, Any]] = {
    "plain": {},
    "review": {"review": 0.2},
    "reviewed labels": {"review": 0.2, "feedback": "reviewed", "horizon": 400},
    "asked labels": {"feedback": "asked", "horizon": 400},
}
WITH: dict[str, dict[str, Any]] = {
    "": {},
    "drift": {"drift": True},
    "by": {"by": "tenant", "segments": 2},
    "by and drift": {"by": "tenant", "segments": 2, "drift": True},
}
NOTHING_IN_ADVANCE = {"by and drift": "with by= and drift= together nothing is proven in advance"}
COLUMNS = (
    *("late labels", "costs and weights", "certificate", "in advance", "near-best rules", "save and resume"),
    *("run", "serve"),
)
NAMES = list(product(MODES, WITH))


def build(mode: str, more: str, **other: Any) -> at.Adept:
    return at.Adept(at.Thresholds(9).on("score"), **{**MODES[mode], **WITH[more], **other})


def rows(seed: int, T: int) -> list[tuple[dict[str, Any], int]]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(T):
        tenant, score = "ab"[int(rng.integers(2))], int(rng.integers(9))
        found.append(
            ({"tenant": tenant, "score": score}, int(score >= (3 if tenant == "a" else 6)) ^ (rng.random() < 0.1))
        )
    return found


def cells(mode: str, more: str) -> dict[str, str]:
    """Return a row of the table: "yes", or the reason why not. Every yes is checked here."""
    found = {}
    learner = build(mode, more, costs=(3, 1), max_weight=2, review=MODES[mode].get("review"))
    rng, waiting = np.random.default_rng(1), list[tuple[at.Ticket, int]]()
    for row, y in rows(2, 150):
        ticket = learner.answer(row)
        if ticket.ask:
            waiting.append((ticket, y))
        if waiting and rng.random() < 0.7:
            late, label = waiting.pop(int(rng.integers(len(waiting))))
            learner.learn(late, label, weight=float(rng.random() * 2))
        assert learner.regret <= learner.bound + 1e-9
    found["late labels"] = "yes" if learner.overlaps > 5 else "no label was late"
    found["costs and weights"] = "yes" if learner.weighed and learner.scale == 6 else "they were not taken"
    told = learner.certificate()
    assert told.bound >= told.regret and told.in_advance is None and told.in_advance_note
    found["certificate"] = "yes" if str(told) and math.isfinite(told.bound) else "none"
    prompt = build(mode, more)
    for row, y in rows(3, 100):
        prompt.learn(row, y)
    note = prompt.certificate().in_advance_note
    found["in advance"] = "yes" if prompt.in_advance is not None else "None"
    assert (prompt.in_advance is None) == (more in NOTHING_IN_ADVANCE) and NOTHING_IN_ADVANCE.get(more, "") in note
    near = prompt.rules_within(2)
    assert near[0].loss == pytest.approx(prompt.best_loss) and str(near[0].rule) == str(prompt.best_rule())
    found["near-best rules"] = "yes"
    with tempfile.TemporaryDirectory() as folder:
        learner.save(Path(folder) / "it.adept")
        again = at.load(Path(folder) / "it.adept")
    for row, y in rows(4, 40):
        assert again.predict_proba(row) == learner.predict_proba(row)
        again.learn(row, y)
        learner.learn(row, y)
    found["save and resume"] = "yes" if again.expected_loss == learner.expected_loss else "other numbers"
    found["run"] = "yes" if by_command(mode, more) else "other numbers"
    found["serve"] = "yes" if over_http(mode, more) else "other numbers"
    return found


def by_command(mode: str, more: str) -> bool:
    """Return whether ``adeptree run`` has the numbers of the library, for prompt labels."""
    options = {**MODES[mode], **WITH[more]}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value)) if value is not True]
    words += [f"--{name}" for name, value in options.items() if value is True]
    pairs = rows(5, 60)
    lines = [f"{row['tenant']},{row['score']}.5,{int(y)}" for row, y in pairs]
    with tempfile.TemporaryDirectory() as folder:
        file = write(f"{folder}/cases.csv", "tenant,score,y", *lines)
        good("run", file, "--rules", "thresholds(score)", *words, "--quiet", "--save", f"{folder}/kept")
        kept = at.load(f"{folder}/kept/checkpoint")
    assert isinstance(kept, at.Adept)
    learner = at.Adept(kept.rules, **options, prior=kept.prior.name)
    for row, y in pairs:
        ticket = learner.answer({"tenant": row["tenant"], "score": row["score"] + 0.5})
        if ticket.ask:
            learner.learn(ticket, y)
    same = [(one.rounds, one.expected_loss, one.best_loss, one.bound, one.realised_loss) for one in (kept, learner)]
    return kept.rounds > 9 and same[0] == pytest.approx(same[1], rel=1e-12)


def over_http(mode: str, more: str) -> bool:
    """Return whether ``adeptree serve`` replies what the library answers."""
    options = {**MODES[mode], **WITH[more]}
    with Inside(decisions=options, main="thresholds(score)") as inside:
        learner = at.Adept(inside.served["main"].learner.rules, **options)
        for row, y in rows(6, 40):
            ticket = learner.answer(row)
            if inside.ask("/answer", {"x": row}).body != sent(ticket):
                return False
            if ticket.ask:
                learner.learn(ticket, y)
                inside.ask("/learn", {"ticket": ticket.id, "y": int(y)})
        told = inside.ask("/certificate").body
    return learner.rounds > 5 and bool(told["regret"] == learner.regret)


def table() -> list[str]:
    """Return the table in Markdown."""
    lines = [f"| | {' | '.join(COLUMNS)} |", "|---|" + "---|" * len(COLUMNS)]
    for mode, more in NAMES:
        name = f"{mode}, {more}" if more else mode
        found = cells(mode, more)
        lines.append(f"| {name} | {' | '.join(found[column] for column in COLUMNS)} |")
    return lines


@pytest.mark.parametrize(("mode", "more"), NAMES)
def test_every_cell_is_yes_or_has_a_reason(mode: str, more: str) -> None:
    found = cells(mode, more)
    assert set(found) == set(COLUMNS)
    for column, cell in found.items():
        assert cell == ("None" if column == "in advance" and more in NOTHING_IN_ADVANCE else "yes"), column


def test_the_docs_have_the_table() -> None:
    page = (ROOT / "docs" / "theory" / "decide.md").read_text(encoding="utf-8")
    for line in table():
        assert line in page, line
