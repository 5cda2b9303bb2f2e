"""A layer that compares two oracles."""

from __future__ import annotations

from typing import Any

from adeptree.core.errors import ContradictoryOracle
from adeptree.core.types import Sample
from adeptree.oracles.chain import Layer
from adeptree.oracles.sources import errors_of
from adeptree.roles.oracle import Kind, Oracle, Samples, check_oracle, known


class Checking(Layer):
    """Asks both oracles, returns the first one's answers, and raises where they differ.

    ``realizable`` and ``find`` must agree on what is realizable (the second may have bits only), and
    every concept found must fit; ``best`` must agree on the number of errors. Each oracle gets the whole
    question, so this costs twice the queries: it is for tests, and for oracles you do not trust yet.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle, FunctionOracle
    >>> lying = FunctionOracle(realizable=lambda sample: True, name="optimist")
    >>> Checking(lying, ClassOracle(Thresholds(8))).realizable([(2, 1), (5, 0)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    adeptree.core.errors.ContradictoryOracle: on [(2, 1), (5, 0)] FunctionOracle(name='optimist') says realizable, ...
    """

    def __init__(self, oracle: Oracle, against: Oracle) -> None:
        super().__init__(oracle)
        self.against = check_oracle(against, "best" if "best" in self.oracle.answers else "realizable")

    def __repr__(self) -> str:
        return f"Checking({self.oracle!r}, {self.against!r})"

    def _release(self) -> None:
        try:
            self.oracle.close()
        finally:
            self.against.close()

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        ours = known(self.oracle.ask_many(kind, samples))
        second: Kind = kind if kind in self.against.answers else "realizable"
        theirs = known(self.against.ask_many(second, samples))
        for sample, mine, other in zip(samples, ours, theirs, strict=True):
            first_says, second_says = verdict(kind, mine, sample), verdict(second, other, sample)
            if first_says != second_says:
                raise ContradictoryOracle(
                    f"on {list(sample)} {self.oracle!r} says {first_says}, {self.against!r} says {second_says}; "
                    f"at least one of them is wrong"
                )
        return ours


def verdict(kind: Kind, answer: Any, sample: Sample) -> str:
    """Describe the claim of an answer; equal claims have equal texts.

    >>> verdict("realizable", True, []), verdict("find", None, []), verdict("best", lambda x: 1, [(3, 0)])
    ('realizable', 'not realizable', 'errors=1')
    """
    if kind == "realizable":
        return "realizable" if answer else "not realizable"
    if answer is None:
        return "not realizable"
    errors = errors_of(answer, sample)
    if kind == "best":
        return f"errors={errors}"
    return "realizable" if errors == 0 else f"realizable, with a concept that misses {errors} of the labels"
