"""One useful line for every object, and a notebook card that names cannot break."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from browser import Reader

import adeptree as at
from adeptree.core.display import card

HOSTILE = "<script>alert(1)</script>\x1b[31m\n\u202e&\"'"


@cache
def objects() -> list[Any]:
    learner = at.Adept(at.BlockUnions(2), 60)
    learner.learn_many([HOSTILE, "b", HOSTILE, "a"], [1, 0, 1, 0])
    run = at.play(at.Hedge(at.FiniteClass(["01", "10"], points=[HOSTILE, "b"]), 3), [("b", 1), (HOSTILE, 1), ("b", 0)])
    classes = [at.Thresholds(9), at.FiniteClass(["01"], points=[HOSTILE, "b"]), at.RealStumps([HOSTILE])]
    lazy = (
        at.FollowTheLeader(at.Thresholds(9), 5),
        at.Adept(at.Thresholds(9), drift=True),
        at.Bpss(at.Thresholds(9), 90),
    )
    return [learner, learner.certificate(), run, *lazy, at.LazyAdept(at.Thresholds(9), 99, commits=5), *classes]


@pytest.mark.parametrize("which", range(10))
def test_a_line_and_a_card(which: int) -> None:
    thing = objects()[which]
    said = repr(thing)
    assert "\n" not in said and "\x1b" not in said and "object at 0x" not in said
    page = thing._repr_html_()
    reader = Reader()
    reader.feed(page)
    assert not reader.wrong and not reader.open and reader.tags["script"] == 0
    assert "color:inherit" in page and "#" not in page.replace("&#x27;", "")  # the colours of the notebook
    assert "\x1b" not in page and "\u202e" not in page and type(thing).__name__ in page


def test_the_line_says_where_the_learner_stands() -> None:
    learner = at.Adept(at.Thresholds(16), horizon=2000)
    learner.learn_many([3, 12, 8, 5], [0, 1, 1, 0])
    loss, bound = learner.expected_loss, learner.certificate().bound
    said = repr(learner)
    assert said.startswith("<Adept: class thresholds(n=16), rounds 4 of 2,000, expected loss ")
    assert f"best rule x >= 6, best loss 0, regret {loss:.2f}, proven at most " in said
    assert float(said.rsplit(" ", 1)[1].rstrip(">")) >= bound - 1e-9
    assert repr(learner.certificate()) == said.replace("Adept: class thresholds(n=16), ", "Certificate: ")
    assert "Littlestone dimension" in at.Thresholds(16)._repr_html_() and "16" in at.Thresholds(16)._repr_html_()


def test_a_line_asks_no_oracle_and_computes_no_best_rule() -> None:
    learner = at.FollowTheLeader(at.Thresholds(9), 5)
    learner.learn(3, 1)
    asked = learner.queries.asked
    assert "best" not in repr(learner) and learner.queries.asked == asked


def test_long_values_are_shortened() -> None:
    assert len(card("x", {"rule": "a" * 10_000})) < 2000
