"""Subclasses that answer for themselves, and samples that can be read only once."""

from __future__ import annotations

from typing import Any

import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument, MistakeBoundExceeded


def threshold(sample: Any) -> Any:
    low = max([x for x, y in sample if not y], default=-1)
    high = min([x for x, y in sample if y], default=8)
    return (lambda x, a=high: int(x >= a)) if low < high else None


class Narrower(at.OracleClass):
    """Only the thresholds from 2 to 6."""

    def find(self, sample: Any) -> Any:
        return super().find([*sample, (1, 0), (6, 1)])

    def realizable(self, sample: Any) -> bool:
        return self.find(sample) is not None


def test_a_method_of_a_subclass_is_what_is_asked() -> None:
    learner = at.Adept(Narrower(find=threshold), base=at.Ghost(3))
    for i, x in enumerate((3, 5, 1, 7, 3, 4, 6, 2)):
        if x in (1, 7):
            assert learner.predict_proba(x) == (x == 7)
        learner.learn(x, i % 2)
    assert learner.width == 5


def test_samples_may_be_iterators() -> None:
    pairs = [(1, 0), (6, 1)]
    classes: list[Any] = [at.Thresholds(8), at.OracleClass(find=threshold)]
    for c in classes:
        assert c.realizable(iter(pairs)) is True
        found = c.find(iter(pairs))
        assert found is not None and [found(x) for x, _ in pairs] == [0, 1]


def test_advice_names_arguments_that_there_are() -> None:
    bits = [tuple(map(int, f"{i:05b}")) for i in range(32)]
    learner = at.Adept(at.Conjunctions(5), 40, prior="kt", mistake_bound=1, drift=True, engine="paths")
    with pytest.raises(MistakeBoundExceeded, match=r"give a larger mistake_bound=, another base, or on_excess="):
        for i, x in enumerate(bits):
            learner.learn(x, i % 2)
    with pytest.raises(InvalidArgument, match="a concept class such as"):
        at.vc_dimension(3)  # type: ignore[call-overload]
