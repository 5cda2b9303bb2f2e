"""The end summary reads what a family says of its rules, and knows no kind of class itself."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.pages import record, standing, summary
from adeptree.pages.record import Record, windowed
from adeptree.pages.standing import RunFacts, Standing, graded, rule_text


@pytest.mark.parametrize(
    ("concept_class", "pairs", "columns", "text"),
    [
        (at.Thresholds(8), [(4, 0), (5, 1)], ["speed"], "speed >= 5"),
        (at.Intervals(8), [(4, 0), (5, 1), (6, 0)], ["speed"], "5 <= speed < 6"),
        (at.BlockUnions(1), [("a", 1), ("b", 0)], ["block x"], "block x in {'a'}"),
        (at.Conjunctions(2), [((1, 0), 1), ((1, 1), 0), ((0, 0), 0)], ["old", "x0"], "old and not x0"),
        (at.Stumps(cuts={"x": [1]}), [({"x": 0}, 0), ({"x": 2}, 1)], ["other"], "x >= 1"),
        (at.RealStumps(["x0"]), [({"x0": 0.0}, 0), ({"x0": 2.0}, 1)], ["other"], "x0 >= 1"),
        (
            at.FiniteClass(np.array([[0, 1], [1, 0]]), points=["x", "x1"]),
            [("x", 0), ("x1", 1)],
            ["is"],
            "concept 0: 1 on {'x1'}",
        ),
    ],
)
def test_a_rule_is_told_with_the_names_of_the_columns(
    concept_class: Any, pairs: list[tuple[Any, int]], columns: list[str], text: str
) -> None:
    learner = at.Adept(concept_class)
    for x, y in pairs:
        learner.learn(x, y)
    assert rule_text(learner, columns) == text


@pytest.mark.parametrize(
    ("extra", "usual", "said"),
    [
        (0.49, 9.0, "level with the best rule after 1,000 rows."),  # 0.049 per 100 rows are shown as 0.0
        (-0.49, 9.0, "level with the best rule"),
        (-0.51, 9.0, "0.1 mistakes per 100 rows ahead of the best rule"),
        (9.0, 9.0, "0.9 mistakes per 100 rows behind the best rule, as expected after 1,000 rows."),
        (9.1, 9.0, "0.9 mistakes per 100 rows behind the best rule, more than expected after 1,000 rows."),
        (9.1, None, "0.9 mistakes per 100 rows behind the best rule after 1,000 rows."),
    ],
)
def test_the_gap_is_graded(extra: float, usual: float | None, said: str) -> None:
    assert said in graded(extra, 1000, "mistakes", usual)


def _hints(learner: Any, xs: Any = None, ys: Any = None, **account: Any) -> str:
    kept = None
    if xs is not None:
        kept = Record(learner.costs)
        kept.note(xs, ys)
    return " ".join(Standing(learner, RunFacts("f.csv", "rules", ["x"], record=kept, **account)).hints)


@pytest.mark.parametrize(
    ("c", "stream", "helps"),
    [
        (at.Thresholds(4), [(0, 0), (3, 1)] * 50, True),
        (at.BlockUnions(1), [("a", 1), ("b", 1), ("c", 1)] * 20, False),
        (at.Thresholds(4), [(0, 1), (3, 0)] * 50, False),
        (at.Thresholds(4), [(0, 1), (0, 0), (0, 0)] * 99 + [(3, 1)] * 2 + [(3, 0)], False),  # 100 next to 101
        (at.Thresholds(4), [(0, 1), (0, 0), (0, 0)] * 99 + [(3, 1)] * 3 + [(3, 0)], True),
    ],
)
def test_rules_that_do_not_help_are_named(c: Any, stream: list[tuple[Any, int]], helps: bool) -> None:
    learner = at.Adept(c)
    learner.learn_many([x for x, _ in stream], [y for _, y in stream])
    constant = learner.best_constant().loss
    assert (learner.best_loss <= 0.99 * constant) == helps
    said = "No rule of this class helps here; try "
    assert (f"{said}--rules steps." in _hints(learner)) == (not helps)
    assert (f"{said}RealSteps()." in _hints(learner, options=False)) == (not helps)


@pytest.mark.parametrize(
    ("settings", "wider"),
    [
        ({}, "RealSteps()"),
        ({"review": 0.2}, "RealSteps()"),
        ({"drift": True, "review": 0.2}, "RealSteps()"),
        ({"drift": True, "rate": 0.1}, "RealSteps()"),
        ({"drift": True}, "RealIntervalUnions(3) with rate=0.1"),
        ({"by": "t"}, "RealIntervalUnions(3)"),
        ({"by": "t", "drift": True}, "RealIntervalUnions(3) with rate=0.1"),
        ({"by": "t", "drift": True, "review": 0.2}, "RealIntervalUnions(3)"),
        ({"feedback": "asked"}, "RealIntervalUnions(3)"),
        ({"feedback": "reviewed", "review": 0.2}, "RealIntervalUnions(3)"),
    ],
    ids=str,
)
def test_the_rules_that_a_hint_names_go_with_the_settings(settings: dict[str, Any], wider: str) -> None:
    learner = at.Adept(at.RealThresholds().on("v"), **settings)
    rows = [{"v": 0.5, "t": "a"}] * 40
    learner.learn_many(rows, [0, 1] * 20)
    assert f"No rule of this class helps here; try {wider}." in _hints(learner, options=False)
    command = wider.replace("RealSteps()", "--rules steps").replace("RealIntervalUnions(3)", '--rules "unions(m=3)"')
    assert f"try {command.replace('rate=', '--rate ')}." in _hints(learner)
    rules, _, rate = wider.partition(" with rate=")
    named = eval(f"at.{rules}").on("v") if "by" in settings else eval(f"at.{rules}")
    again = at.Adept(named, **{**settings, **({"rate": float(rate)} if rate else {})})
    again.learn_many(rows if "by" in settings else [0.5] * 40, [0, 1] * 20)
    account = RunFacts("f.csv", repr(again.rules), ["x"], options=False)
    said = "try RealSteps()" if settings == {"drift": True} else "the columns may not tell 0 from 1"
    assert said in " ".join(Standing(again, account).hints)  # (with a rate, steps go with drift)


def _slowly_windowed(scores: Any, gains: Any, span: int) -> list[bool]:
    said = []
    for t in range(len(scores)):
        window = range(max(0, t - span), t)
        best, cut = 0.0, np.inf
        for c in sorted({scores[s] for s in window}, reverse=True):
            if (loss := sum(gains[s] for s in window if scores[s] >= c)) < best:
                best, cut = loss, c
        said.append(bool(scores[t] >= cut))
    return said


@pytest.mark.parametrize(
    ("n", "span", "values"), [(300, 50, 8), (200, 1, 5), (63, 500, 20), (200, 64, 99), (129, 65, 7)]
)
def test_the_window_takes_the_best_threshold_of_its_rows(n: int, span: int, values: int) -> None:
    rng = np.random.default_rng(n)
    scores = rng.integers(0, values, n) / values
    gains = np.where(rng.random(n) < scores, -5.0, 1.0) * rng.integers(1, 4, n)
    assert windowed(scores, gains, span).tolist() == _slowly_windowed(scores, gains, span)


@pytest.mark.parametrize("by", [None, "t"])
def test_the_table_is_what_a_slow_count_says(by: str | None) -> None:
    """Misses and false alarms of the best rule and of thresholds, with costs and weights; the rest of ours."""
    rng = np.random.default_rng(1)
    scores, weights = rng.random(400).round(2), rng.integers(1, 4, 400)
    ys = (rng.random(400) < scores).astype(int)
    rows = [{"s": float(s), "t": "ab"[t % 2]} for t, s in enumerate(scores)] if by else scores.tolist()
    learner = at.Adept(at.RealThresholds().on("s") if by else at.RealThresholds(), costs=(5, 1), max_weight=3, by=by)
    ps, kept = [], Record(learner.costs, by=by)
    for row, y, w in zip(rows, ys.tolist(), weights.tolist(), strict=True):
        ps.append(learner.predict_proba(row))
        learner.learn(row, y, weight=w)
        kept.note([row], [y], [w], ps[-1:])

    def split(said: Any, some: Any = slice(None)) -> tuple[float, float]:
        wrong_1, wrong_0 = 5 * weights * ys * (1 - np.array(said)), weights * (1 - ys) * np.array(said)
        return float(wrong_1[some].sum()), float(wrong_0[some].sum())

    found = Standing(learner, RunFacts("f.csv", "rules", ["s"], record=kept))
    gains = weights * np.where(ys == 1, -5, 1)
    best = min(((scores >= c) * gains).sum() for c in [*scores, 2]) + 5 * (weights * ys).sum()
    said = [ps, [learner.best_rule()(row) for row in rows], None, scores >= 0.5, None]
    said.append(_slowly_windowed(scores.tolist(), gains.tolist(), record.WINDOW))
    for line, answers in zip(found.lines, said, strict=True):
        if answers is not None:
            assert (line.missed, line.alarmed) == pytest.approx(split(answers)), line.name
            assert line.loss == pytest.approx(sum(split(answers))), line.name
    assert found.lines[1].loss == learner.best_loss and found.lines[4].loss == best
    assert found.lines[2][:2] == (f"best constant: {learner.best_constant().rule}", learner.best_constant().loss)
    for name, n, line in found.segments():
        some = np.arange(400) % 2 == "ab".index(name)
        assert n == 200 and (line.missed, line.alarmed) == pytest.approx(split(ps, some))
    assert len(found.segments()) == (2 if by else 0)
    text = learner.summary(rows, ys, weights)
    assert "window of 500" in text and ("by t" in text) == bool(by) and "(no row)" not in text


def test_reviews_are_no_misses() -> None:
    learner, kept = at.Adept(at.Thresholds(16), costs=(5, 1), review=0.4), Record((5, 1), 0.4)
    rng, chances = np.random.default_rng(0), 0.0
    for _ in range(200):
        ticket = learner.answer(int(rng.integers(16)))
        y, chances = int(rng.random() < ticket.x / 16), chances + ticket.r
        learner.learn(ticket, y)
        kept.note([ticket.x], [y], None, [ticket.p], [ticket.r])
    assert kept.ours() == pytest.approx((learner.expected_loss, learner.ledger.missed, learner.ledger.alarmed))
    shown = learner.summary()
    assert f"{learner.certificate().reviews} rows went to review, at 0.4 each." in shown and "reviews" in shown
    for rows in (None, kept):
        ours = Standing(learner, RunFacts("f.csv", "rules", ["x"], record=rows)).ours
        assert ours.reviews == pytest.approx(0.4 * chances)  # (expected, as the other parts are: they add up)
        assert ours.loss == pytest.approx((ours.missed or 0) + (ours.alarmed or 0) + (ours.reviews or 0))


def test_the_best_threshold_is_that_of_the_best_rule() -> None:
    for ys in ([0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]):
        learner, kept = at.Adept(at.RealThresholds()), Record((1, 1))
        learner.learn_many([0.1, 0.2, 0.7, 0.8], ys)
        kept.note([0.1, 0.2, 0.7, 0.8], ys)
        best, other = (Standing(learner, RunFacts("f.csv", "rules", ["x"], record=kept)).lines[i] for i in (1, 4))
        assert other.name == f"best threshold: {learner.best_rule()}" and other[1:] == best[1:]
    kept = Record((1, 1))
    kept.note([0.1, 0.2], [0, 0])
    assert [name for name, _ in kept.thresholds()][1] == "best threshold: always 0"


def test_numbers_of_rows_that_were_not_learnt_are_known_from_the_file() -> None:
    learner = at.Adept(at.Thresholds(16), 300, costs=(5, 1), review=0.4, feedback="reviewed")
    kept, rng, lost = Record((5, 1), 0.4), np.random.default_rng(0), 0.0
    for _ in range(300):
        x = int(rng.integers(16))
        ticket, y = learner.answer(x), int(rng.random() < x / 16)
        if ticket.ask:
            learner.learn(ticket, y)
        kept.note([x], [y], None, [ticket.p], [ticket.r])
        lost += 0.4 * ticket.r + (5 * (1 - ticket.p - ticket.r) if y else ticket.p)
    found = Standing(learner, RunFacts("f.csv", "rules", ["x"], record=kept))
    assert found.ours.loss == pytest.approx(lost) and found.from_file and found.rows == 300
    assert "are known from the file" in " ".join(found.hints) and "estimates" in learner.summary()


@pytest.mark.parametrize("rows", [500, 5000])
def test_drift_is_named_where_tenths_save_a_tenth(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tenths are those of a slow reference, also where every second row was forgotten; noise is not drift."""
    monkeypatch.setattr(record, "LIMIT", 2000)
    rng = np.random.default_rng(0)
    xs, cut = rng.random(rows), np.where(np.arange(rows) < rows // 2, 0.3, 0.5)
    for ys, drifts in ((xs >= cut) ^ (rng.random(rows) < 0.1), True), ((xs >= 0.4) ^ (rng.random(rows) < 0.1), False):
        learner, kept = at.Adept(at.RealThresholds()), Record((1, 1))
        learner.learn_many(xs, ys.astype(int))
        for start in range(0, rows, 77):
            kept.note(xs[start : start + 77], ys[start : start + 77])
        some = slice(None, None, kept.step)
        x, y = xs[some], ys[some]

        def least(x: Any, y: Any) -> int:
            return int(min(((x >= c) != y).sum() for c in [*x, 2]))

        ends = np.linspace(0, len(x), 11).astype(int)
        together, best = sum(least(x[a:b], y[a:b]) for a, b in pairwise(ends)), least(x, y)
        saved = kept.saved_by_tenths(learner)
        assert saved == (pytest.approx(1 - together / best) if drifts else 0)
        hint = _hints(learner, xs, ys) if kept.step == 1 else ""
        assert not hint or (f"{100 * saved:.0f} % less than the best single rule; try --drift." in hint) == drifts
        assert kept.whole(rows) == (rows == 500)


def test_a_record_is_the_same_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "LIMIT", 100)
    rng = np.random.default_rng(0)
    xs, ys, ps = rng.random(430), rng.integers(0, 2, 430), rng.random(430)
    whole, other = Record((5, 1)), Record((5, 1))
    whole.note(xs, ys, None, ps)
    for start in range(0, 430, 7):
        part = slice(start, start + 7)
        other.note(xs[part].tolist(), ys[part].tolist(), None, ps[part].tolist())
        again = Record((5, 1))
        again.restore(other.state(), at.RealThresholds())
        other = again
    assert whole.step == other.step == 8
    assert list(whole.state()["rows"]) == list(other.state()["rows"]) == xs[::8].tolist()
    assert (whole.state()["numbers"] == other.state()["numbers"]).all()


def test_rows_that_came_in_columns_are_kept_in_columns() -> None:
    rules, kept = at.TableStumps(["age", "sex"]), Record((1, 1))
    kept.note(rules.instances_of([{"age": 3, "sex": "f"}, {"sex": "m"}]), [0, 1])
    kept.note(rules.instances_of([{"age": 5.5}, {}]), [1, 1])
    again = Record((1, 1))
    again.restore(kept.state(), rules)
    assert again._rows() == kept._rows() == [{"age": 3.0, "sex": "f"}, {"sex": "m"}, {"age": 5.5}, {}]
    assert type(again.chunks[0][0]).__name__ == "TableCells"


@pytest.mark.parametrize(
    "change",
    [{"step": 0}, {"rounds": -1}, {"rounds": 9}, {"numbers": np.ones((4, 2))}, {"numbers": np.full((4, 3), 2.0)}],
)
def test_a_record_that_no_run_kept_is_refused(change: dict[str, Any]) -> None:
    kept = Record((1, 1))
    kept.note([0.1, 0.2, 0.3], [0, 1, 1], None, [0.5] * 3)
    with pytest.raises(ValueError):
        kept.restore(kept.state() | change, at.RealThresholds())


def test_losses_that_are_weighed_are_costs() -> None:
    learner = at.Adept(at.Thresholds(4), costs=(5, 1))
    learner.learn_many([0, 3, 2, 1] * 30, [0, 1, 1, 0] * 30)
    shown = summary.summary(learner, RunFacts("f.csv", "rules", ["x"]), verbose=True)
    assert "mistakes" not in shown.partition("certificate: ")[0] and "A miss costs 5, a false alarm 1." in shown
    assert "best constant: always 1    60          50.0       0            60" in shown
    assert "within 3.6 of the best" in " ".join(shown.split())


def test_of_a_class_whose_paths_were_dropped_no_more_is_said_than_is_known() -> None:
    """The one path that is kept loses 21 here, always 0 loses 7, and "x >= 60", which was dropped, 2."""
    learner, whole = at.Adept(at.Thresholds(64), max_width=1), at.Adept(at.Thresholds(64))
    for each in (learner, whole):
        each.learn_many([10, 60, *[11, 20, 30, 40, 50] * 4, *[60, 61] * 3], [1, 0, *[0] * 20, *[1] * 6])
    assert (learner.best_loss, whole.best_loss, learner.certificate().best_is_kept) == (21, 2, False)
    told = " ".join(Standing(learner, RunFacts("f.csv", "rules", ["x"])).hints)
    assert "No rule that was kept helps here; try --rules steps." in told and "Paths were dropped" in told
    shown = summary.summary(learner, RunFacts("f.csv", "rules", ["x"]), verbose=True)
    dropped = learner.certificate().dropped_paths
    assert f"dropped paths: {dropped:,}\ndropped mass: {learner.certificate().dropped_mass:,.10g}" in shown and dropped
    unlimited = summary.summary(_learnt(at.Adept(at.Thresholds(64))), RunFacts("f.csv", "rules", ["x"]), verbose=True)
    assert "dropped paths: 0" in unlimited


def _learnt(learner: at.Adept) -> at.Adept:
    learner.learn_many([3, 40, 20], [0, 1, 1])
    return learner


def test_steps_say_nothing_of_what_is_near() -> None:
    learner = at.Adept(at.RealSteps())
    learner.learn_many([0.5, 1.5] * 30, [0, 1] * 30)
    assert "of the best: " not in summary.summary(learner, RunFacts("f.csv", "rules", ["x"]))


@pytest.mark.parametrize(
    "learner", [at.Hedge(at.Thresholds(4)), at.Bpss(at.Thresholds(4), 9), at.LazyAdept(at.Thresholds(4), 9)]
)
def test_every_learner_has_a_summary(learner: Any) -> None:
    assert learner.summary().endswith("no label has come yet.")
    for x, y in [(0, 0), (3, 1), (1, 1)]:
        learner.learn(x, y)
    shown = learner.summary()
    assert f"{learner.expected_loss:,.1f}" in shown and "Guaranteed: " in shown and "adeptree (expected)" in shown


def test_no_kind_of_class_is_named() -> None:
    tree = ast.parse(inspect.getsource(summary) + inspect.getsource(standing))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and ".families." in name} == {"adeptree.families.registry"}


def test_long_rules_are_folded_and_rules_as_good_as_the_best_are_said_so() -> None:
    learner = at.Adept(at.RealIntervalUnions(8))
    learner.learn_many([i / 16 for i in range(16)] * 9, [0, 1] * 72)
    said = Standing(learner, RunFacts("f.csv", "unions(x)", ["x"])).assessment()
    assert "The best rule is: 0.05 <= x < 0.1 or 0.15 <= x < 0.2 or 0.3 <= x < 0.35 and 5 more intervals." in said
    tiny = at.Adept(at.RealThresholds(), costs=(0.01, 0.01))
    tiny.learn_many([0.1, 0.2, 0.3], [0, 1, 0])
    assert " as good as the best: " in Standing(tiny, RunFacts("f.csv", "rules", ["x"])).near()


def test_a_hint_of_drift_names_a_rate_where_one_is_needed() -> None:
    xs, ys = [i / 50 for i in range(50)] * 8, ([0] * 25 + [1] * 25) * 4 + ([1] * 25 + [0] * 25) * 4
    for c, more in ((at.RealThresholds(), ""), (at.RealIntervals(), ", rate=0.1")):
        learner = at.Adept(c)
        learner.learn_many(xs, ys)
        assert f"; try drift=True{more}." in _hints(learner, xs, ys, options=False)
        at.Adept(c, drift=True, rate=0.1 if more else None)


def test_the_reviews_of_all_segments_are_those_of_the_whole() -> None:
    learner = at.Adept(at.RealThresholds().on("v"), by="t", costs=(5, 1), review=0.4)
    kept, rng = Record.of(learner), np.random.default_rng(2)
    for _ in range(150):
        row: dict[str, Any] = {"v": round(rng.random(), 2), "t": "abc"[int(rng.integers(3))]}
        ticket, y = learner.preview(row), int(rng.random() < row["v"])
        learner.learn(row, y)
        kept.note([ticket.x], [y], None, [ticket.p], [ticket.r])
    found = Standing(learner, RunFacts("f.csv", "rules", ["v"], record=kept))
    head, *rows = summary.segment_cells(found)
    assert head[2:6] == ["cost", "misses", "false alarms", "reviews"] and len(rows) == 3
    losses = [[float(cell) for cell in row[2:6]] for row in rows]
    assert [cost for cost, *_ in losses] == pytest.approx([sum(parts) for _, *parts in losses], abs=0.16)
    assert sum(reviews for *_, reviews in losses) == pytest.approx(found.ours.reviews, abs=0.16)
