"""Review, the third action next to 0 and 1: the rates at which it has a guarantee (``docs/theory/decide.md``).

A miss costs a, a false alarm b and a review c. Up to the rate of :func:`review_rate` the game is mixable: there are
probabilities of the three actions that cost at most the mix loss for either label (Theorem R).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adeptree.core.arguments import check_number, check_size, one_of
from adeptree.core.errors import InvalidArgument, got

POLICIES = ("fewest", "cheapest")
LONGEST_DELAY = 10**9
ROUNDED = 2e-15
"""Relative rounding error allowed in a condition, so that a rate is never too large."""
DRAWN = 2
"""The number of the policy of ``promise="drawn"``, after the named ones."""
REVIEWED, ASKED = 3, 4
"""The numbers of the policies of ``feedback="reviewed"`` and ``feedback="asked"``."""
PROMISES = ("average", "drawn")


@dataclass(frozen=True)
class Review:
    """A third action of the learner: hand the case to a person.

    Parameters
    ----------
    cost
        The cost of a review in a round of weight 1, in the units of ``costs``. It must be below ab/(a + b), where a is
        the cost of a miss and b the cost of a false alarm. A more expensive review never pays off.
    policy
        The choice among probabilities that keep the guarantee. "fewest": the smallest probability of a review.
        "cheapest": the least expected cost, if the label is 1 with the probability that ``predict_proba`` returns.
    at_most
        The largest number of reviews in all. Afterwards the learner decides alone. The bound so far then includes this
        cost, and there is no guarantee in advance.
    delay
        The largest number of other labels that may come between an answer and its label. 0: every label comes before
        the next answer.
    promise
        "average": the guarantee covers the expected cost, over the coins of the learner. "drawn": the cost of the drawn
        actions also has a bound, ``realised_bound``, at a lower rate and for prompt labels.

    Examples
    --------
    >>> from adeptree import Adept, Review, Thresholds
    >>> learner = Adept(Thresholds(1024), costs=(5, 1), review=Review(0.5, policy="cheapest"))
    >>> ticket = learner.answer(512)
    >>> ticket.action in (0, 1, "review"), round(ticket.r, 2)
    (True, 0.72)

    """

    cost: float
    policy: str = "fewest"
    at_most: int | None = None
    delay: int = 0
    promise: str = "average"

    def __post_init__(self) -> None:
        check_number("the cost of a review", self.cost, "a number above 0", lambda cost: 0 < cost < math.inf)
        one_of("policy", self.policy, POLICIES)
        one_of("promise", self.promise, PROMISES)
        check_size("delay", self.delay, at_least=0, at_most=LONGEST_DELAY)
        if self.at_most is not None:
            check_size("at_most", self.at_most, at_least=0)
        if self.promise == "drawn" and (self.delay or self.at_most is not None or self.policy != "fewest"):
            raise InvalidArgument(
                'promise="drawn" is proven for prompt labels, without a limit and with policy="fewest" only; '
                f'use promise="average"; {got("promise", self.promise)}'
            )

    def rate(self, miss: float, alarm: float) -> float:
        """Return the rate with the best guarantee."""
        if self.promise == "drawn":
            return drawn_rate(miss, alarm, self.cost)
        return review_rate(miss, alarm, self.cost, self.delay)

    def put_on(self, kernel: Any, weight: float) -> None:
        """Enable reviews in a kernel, for rounds of up to this weight."""
        policy = DRAWN if self.promise == "drawn" else POLICIES.index(self.policy)
        most = math.inf if self.at_most is None else self.at_most
        kernel.set_policy(self.cost, weight, policy, self.delay, most)


def largest_review(miss: float, alarm: float) -> float:
    """Return ab/(a + b): a review that costs this much or more never pays off.

    >>> largest_review(1, 1), round(largest_review(5, 1), 4)
    (0.5, 0.8333)
    """
    return miss * (alarm / (miss + alarm))


def review_rate(miss: float, alarm: float, review: float, delay: int = 0) -> float:
    """Return eta*, the largest rate at which expected cost is at most mix loss, with delays of up to ``delay`` labels.

    >>> round(review_rate(1, 1, 0.25), 6) == round(math.log(3), 6)
    True
    >>> round(review_rate(1, 1, 0.25) / review_rate(1, 1, 0.25, delay=3), 6)
    7.0
    """

    def sides(a: float, b: float, c: float, eta: float) -> tuple[float, float]:
        slack = 2 * delay * max(a, b) * eta
        return c * math.expm1(eta * a) * math.exp(slack), (a - c) * -math.expm1(-eta * b)

    return _largest(miss, alarm, review, sides)


def drawn_rate(miss: float, alarm: float, review: float) -> float:
    """Return the largest rate at which the same holds for exponential moments, which bounds drawn costs too.

    >>> round(drawn_rate(1, 1, 0.25), 3)
    0.74
    """

    def sides(a: float, b: float, c: float, eta: float) -> tuple[float, float]:
        grown = math.expm1(eta * c) * math.exp(eta * a) * math.expm1(eta * a)
        return grown, math.exp(eta * c) * math.expm1(eta * (a - c)) * -math.expm1(-eta * b)

    return _largest(miss, alarm, review, sides)


def _largest(miss: float, alarm: float, review: float, sides: Callable[..., tuple[float, float]]) -> float:
    """Return the largest rate that meets both conditions, in units of the larger cost (scale does not matter)."""
    largest = largest_review(miss, alarm)
    unit = max(miss, alarm)
    a, b, c = miss / unit, alarm / unit, review / unit

    def fits(eta: float) -> bool:
        try:
            both = sides(a, b, c, eta), sides(b, a, c, eta)
        except OverflowError:
            return False
        return all(less * (1 + ROUNDED) <= more for less, more in both)

    low, high = 0.0, 1e-20  # the least result of a difference of two doubles below 1
    while review < largest and fits(high):
        low, high = high, 2 * high
    while low and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if fits(middle) else (low, middle)
    if not low:
        raise InvalidArgument(
            f"a review must cost less than {largest:.6g}, which is ab/(a+b) for a miss of {miss:g} and a false alarm "
            f"of {alarm:g}: a more expensive review never pays off; {got('review', review)}; give a smaller cost, or "
            f"leave review out"
        )
    return low / unit
