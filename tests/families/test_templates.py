"""Rule templates on a grid: listed, so no solver is needed."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from typing import Any

import numpy as np
import pytest

from adeptree import Adept, FiniteClass, Halving, Hedge
from adeptree.core.errors import InvalidArgument, InvalidInstance, TooLarge
from adeptree.families.templates.template_class import TemplateClass, TemplateTable
from adeptree.families.templates.template_grid import check_grid

GRID = {"a": range(0, 12), "b": range(0, 10)}


def quadrant(x: Any, a: Any, b: Any) -> Any:
    return (x["age"] >= a) & (x["bmi"] < b)


def plain_quadrant(x: Any, a: int, b: int) -> bool:
    return bool(x["age"] >= a and x["bmi"] < b)


def people(n: int, seed: int = 0) -> list[dict[str, int]]:
    rng = random.Random(seed)
    return [{"age": rng.randrange(12), "bmi": rng.randrange(10)} for _ in range(n)]


def test_labels_are_the_rule_at_every_setting() -> None:
    c = TemplateClass(quadrant, GRID, text="age >= {a} and bmi < {b}")
    assert c.size == 120
    for x in people(20):
        assert c.labels(x).tolist() == [int(plain_quadrant(x, a, b)) for a, b in itertools.product(*GRID.values())]
        assert c.labels(x).tolist() == [c.concept(i)(x) for i in range(c.size)]
    assert str(c.concept(37)) == "age >= 3 and bmi < 7"
    assert str(TemplateClass(quadrant, GRID).concept(37)) == "a = 3, b = 7"


def test_a_rule_of_and_or_if_gives_the_same() -> None:
    fast, slow = TemplateClass(quadrant, GRID), TemplateClass(plain_quadrant, GRID)
    for x in people(20, seed=1):
        assert np.array_equal(fast.labels(x), slow.labels(x))


def test_a_rule_that_is_wrong_on_arrays_is_noticed() -> None:
    # Whatever a is, str(a) of an array is not "3": on arrays this rule says 0 everywhere.
    c = TemplateClass(lambda x, a: str(a) == x, {"a": range(4)})
    assert c.labels("3").tolist() == [0, 0, 0, 1]
    # On int64 the product wraps around; on Python's integers it does not.
    big = TemplateClass(lambda x, a: a * x > 0, {"a": [0, 1, 1 << 40]})
    assert big.labels(1 << 40).tolist() == [0, 1, 1]


def test_where_leaves_settings_out() -> None:
    c = TemplateClass(lambda x, a, b: (a <= x) & (x < b), {"a": range(6), "b": range(6)}, where=lambda a, b: a < b)
    assert c.size == 15
    assert all(c.setting(i)["a"] < c.setting(i)["b"] for i in range(c.size))


def test_values_keep_their_types() -> None:
    c = TemplateClass(
        lambda x, feature, cut, above: (x[feature] >= cut) == above,
        {"feature": ["age", "bmi"], "cut": [0.5, 3.5], "above": [False, True]},
        text="{feature} {cut} {above}",
    )
    assert c.labels({"age": 2, "bmi": 4}).tolist() == [0, 1, 1, 0, 0, 1, 0, 1]
    assert str(c.concept(0)) == "age 0.5 False"
    assert [column.dtype.kind for column in check_grid({"a": [1, "x"], "b": [1, 2]}).values()] == ["O", "i"]


def test_from_template_keeps_each_rule_once() -> None:
    points = people(9, seed=2)
    c = FiniteClass.from_template(quadrant, GRID, points, text="age >= {a} and bmi < {b}")
    assert isinstance(c, TemplateTable)
    rows = {tuple(int(plain_quadrant(x, a, b)) for x in c.instances()) for a, b in itertools.product(*GRID.values())}
    assert {tuple(row) for row in c.table.tolist()} == rows and c.size == len(rows)
    for i in range(c.size):
        assert [c.concept(i)(x) for x in c.instances()] == c.table[i].tolist()
    assert c.vc_dimension == 2
    assert isinstance(FiniteClass.from_template(quadrant, GRID), TemplateClass)
    with pytest.raises(InvalidInstance, match=r"one of the \d+ points of the class; got x="):
        c.instance({"age": 99, "bmi": 0})


@pytest.mark.parametrize("listed", [False, True])
def test_learners_agree_with_the_table(listed: bool) -> None:
    points = people(14, seed=3)
    template = FiniteClass.from_template(quadrant, GRID, points if listed else None)
    table = FiniteClass.from_template(quadrant, GRID, points).to_finite()
    plain = FiniteClass(table.table)
    columns = {template.key(x): i for i, x in enumerate(table.instances())}
    adept = Adept(template, horizon=40, base=Halving())
    reference = Adept(plain, horizon=40, base=Halving() if listed else None, mistake_bound=adept.mistake_bound)
    rng = random.Random(4)
    for x in points:
        assert 0 <= adept.predict_proba(x) <= 1
        y = rng.randrange(2)
        adept.learn(x, y)
        reference.learn(columns[template.key(x)], y)
        assert adept.width == reference.width and adept.best_loss == reference.best_loss
        if listed:
            assert adept.expected_loss == pytest.approx(reference.expected_loss)
    best = adept.best_rule()
    assert str(best) and best(points[0]) in (0, 1)


def test_a_million_concepts() -> None:
    # ~1.03 million rules: age in a window, and bmi below a limit.
    grid = {"low": range(128), "high": range(128), "b": range(63)}
    tracemalloc.start()
    c = TemplateClass(lambda x, low, high, b: (x["age"] >= low) & (x["age"] < high) & (x["bmi"] < b), grid)
    assert c.size == 1_032_192 and Halving(c).mistake_bound == 19
    hedge = Hedge(c, horizon=50)
    rng = random.Random(5)
    for _ in range(6):
        x = {"age": rng.randrange(128), "bmi": rng.randrange(63)}
        assert 0 <= hedge.predict_proba(x) <= 1
        hedge.learn(x, int(40 <= x["age"] < 80 and x["bmi"] < 30))
    assert hedge.best_loss == 0
    table = FiniteClass.from_template(c.rule, grid, [{"age": a, "bmi": 20} for a in range(0, 128, 8)])
    assert table.size == 1 + 16 * 17 // 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 250e6


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: TemplateClass(3, GRID), InvalidArgument, r"rule must be a function.*got rule=3 \(int\)"),  # type: ignore[arg-type]
        (lambda: TemplateClass(quadrant, {}), InvalidArgument, "grid must give every constant its values"),
        (lambda: TemplateClass(quadrant, {"a": 7}), InvalidArgument, "grid must give every constant"),  # type: ignore[dict-item]
        (lambda: TemplateClass(quadrant, {"a": []}), InvalidArgument, "grid must give every constant"),
        (lambda: TemplateClass(quadrant, {"a": range(1 << 12), "b": range(1 << 12)}), TooLarge, "16777216 settings"),
        (lambda: TemplateClass(quadrant, GRID, where=lambda a, b: a > 99), InvalidArgument, "leaves no setting"),
        (lambda: TemplateClass(quadrant, GRID, text="{c}"), InvalidArgument, "text must be a format of the constants"),
        (lambda: TemplateClass(quadrant, GRID, text="{a"), InvalidArgument, "text must be a format of the constants"),
        (lambda: TemplateClass(quadrant, GRID).instance(5), InvalidInstance, "the rule raised TypeError.*got x=5"),
        (lambda: TemplateClass(quadrant, GRID).instance({"age": 1}), InvalidInstance, "KeyError: 'bmi'"),
        (lambda: TemplateClass(lambda x, a: 7, {"a": [1]}).instance(0), InvalidInstance, "0 or 1; got label=7"),
        (lambda: next(TemplateClass(quadrant, GRID).instances()), TooLarge, "no list of instances"),
        (lambda: FiniteClass.from_template(quadrant, GRID, []), InvalidArgument, "at least one"),
    ],
)
def test_wrong_input_gets_a_sentence(make: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        make()
