"""Budgeting: at most Q queries, then a sentence."""

from __future__ import annotations

from typing import Any

from adeptree.core.arguments import check_size
from adeptree.core.errors import BudgetExhausted
from adeptree.oracles.chain import Layer
from adeptree.roles.oracle import Kind, Oracle, Samples


class Budgeting(Layer):
    """Lets ``queries`` queries through (the paper's Q) and raises :class:`BudgetExhausted` beyond.

    A call that does not fit is refused whole: nothing is asked and nothing spent, so that a smaller one
    may still fit, and after :meth:`grant` the same call goes through. A call that was made is paid for, even
    if the oracle fails. Inside a cache, a learner stopped in the middle of a round pays for no answer twice.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle
    >>> oracle = Budgeting(ClassOracle(Thresholds(8)), queries=1)
    >>> oracle.realizable([(3, 1)]), oracle.left
    (True, 0)
    >>> oracle.realizable([(4, 1)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    adeptree.core.errors.BudgetExhausted: the budget of 1 oracle queries is too small: 1 asked, 0 left, 1 wanted; ...
    """

    def __init__(self, oracle: Oracle, *, queries: int) -> None:
        super().__init__(oracle)
        self.queries = check_size("queries", queries, at_least=0)
        """How many may be asked in all."""
        self.asked = 0
        """How many were."""

    @property
    def left(self) -> int:
        """How many may still be asked."""
        return self.queries - self.asked

    def grant(self, queries: int) -> None:
        """Allow that many queries more."""
        with self._lock:
            self.queries += check_size("queries", queries, at_least=0)

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        if len(samples) > self.left:
            raise BudgetExhausted(
                f"the budget of {self.queries} oracle queries is too small: {self.asked} asked, {self.left} left, "
                f"{len(samples)} wanted; allow more with grant(n), or stop here",
                asked=self.asked,
                left=self.left,
                wanted=len(samples),
            )
        self.asked += len(samples)
        try:
            return self.oracle.ask_many(kind, samples)
        except BudgetExhausted:  # another budget, further in: the call was not made
            self.asked -= len(samples)
            raise
