"""Classes as text."""

from __future__ import annotations

from typing import Any

import pytest

import adeptree as at
from adeptree.core.errors import InvalidSpec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thresholds(n=256)", at.Thresholds(256)),
        ("thresholds(256)", at.Thresholds(256)),
        ("  intervals( n = 7 )\n", at.Intervals(7)),
        ("blocks(d=2, block='sender')", at.BlockUnions(2, block="sender")),
        ("conjunctions(n=3, monotone=True)", at.Conjunctions(3, monotone=True)),
        ("disjunctions(3)", at.Disjunctions(3)),
        ("parities(n=4)", at.Parities(4)),
        ("stumps(cuts={'age': [30, 50]})", at.Stumps({"age": [50, 30.0]})),
        ("finite(table=['01', '11'], points=['a', ('b', 1)])", at.FiniteClass([[0, 1], [1, 1]], ["a", ("b", 1)])),
        ("finite([[0, 1], [1, 1]])", at.FiniteClass(["01", "11"])),
    ],
)
def test_texts_that_are_specs(text: str, expected: at.ConceptClass) -> None:
    assert at.parse(text) == expected
    assert at.parse(repr(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "thresholds",
        "thresholds(",
        "thresholds(n=0)",
        "thresholds(n=n)",
        "thresholds(m=3)",
        "thresholds(1, 2)",
        "thresholds(n=1, n=2)",
        "thresholds(n=1+1j)",
        "thresholds(**{'n': 3})",
        "thresholds(*[3])",
        "thresholds(n={[]: 1})",
        "thresholds(n=[].append(1))",
        "at.Thresholds(n=3)",
        "(lambda: 0)()",
        "oracle(name='mine')",
        "stumps(cuts={'a': 5})",
        "finite(table=[])",
        "finite(table=['01'], points=[{'a'}, {'b'}])",
        "thresholds(n=" + "(" * 5000 + ")" * 5000 + ")",
        "a\0b",
        "1 + 1",
        "thresholds(n=3); thresholds(n=4)",
    ],
    ids=lambda text: repr(text)[:40],
)
def test_texts_that_are_not(text: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        at.parse(text)
    assert len(str(caught.value).split()) >= 4


@pytest.mark.parametrize("value", [None, 3, b"thresholds(n=3)", at.Thresholds(3)])
def test_only_texts_are_read(value: Any) -> None:
    with pytest.raises(InvalidSpec, match="a spec is a text"):
        at.parse(value)


def test_nothing_is_executed() -> None:
    with pytest.raises(InvalidSpec):
        at.parse("thresholds(n=__import__('os').getpid())")


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(InvalidSpec, match='did you mean "intervals"'):
        at.parse("interval(n=3)")
    with pytest.raises(InvalidSpec, match="known are blocklist, blocks, conjunctions"):
        at.parse("xyz(n=3)")
