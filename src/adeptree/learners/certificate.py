"""Where a learner stands, and what is proven about it: numbers to act on. No oracle is asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from adeptree.core.display import card, line, standing
from adeptree.core.escaping import counted
from adeptree.core.escaping import rounded_up as rounded_up
from adeptree.learners.account_plots import plot_certificate

if TYPE_CHECKING:
    from adeptree.learners.account import Account


SELECTIVE = (
    "Labels seem to depend on the guess: nearly all answers without a label had one guess, and nearly all answers "
    "with a label did not. The account covers labelled rounds only."
)


@dataclass(frozen=True, repr=False)
class Certificate:
    """The account of a learner at one moment. ``str()`` is a paragraph, ``dict()`` is for machines.

    >>> from adeptree import Adept, Thresholds
    >>> learner = Adept(Thresholds(16))
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     learner.learn(x, y)
    >>> certificate = learner.certificate()
    >>> certificate.best_rule, certificate.best_loss, certificate.regret <= certificate.bound
    ('x >= 6', 0, True)
    >>> dict(certificate)["prior"]
    'mixed'
    """

    rounds: int
    """Rounds whose label came: all numbers are about these."""
    waiting: int
    """Answers whose label has not come."""
    overlaps: int
    """D: for every labelled round the labels of others that came between its answer and its own."""
    horizon: int | None
    expected_loss: float
    realised_loss: float
    best_rule: str
    best_loss: float
    best_constant: str
    """The better of "always 0" and "always 1"."""
    constant_loss: float
    regret: float
    """Expected loss minus the best rule's, exactly."""
    realised_regret: float
    bound: float
    """Proven of ``regret`` *now*, from what was seen: ln(1/pi)/eta + Delta + drift, pi the best path's prior mass."""
    in_advance: float | None
    """True of *every* stream of T rounds (without a horizon: of as many as were answered), known before the first."""
    in_advance_note: str
    """Why it is None, or what is to be said of it."""
    final: float | None
    """With a horizon: the regret at the end will be at most this, whatever comes, if labels come at once."""
    final_note: str
    """Why it is None, with a horizon."""
    realised_bound: float
    """With probability ``confidence``, at all times at once, ``realised_regret`` is at most this."""
    confidence: float
    forever: float | None
    """With review, where the rules can be counted: the guarantee in advance for any number of rounds."""
    review: float | None
    """The cost of a review; None if the learner always decides alone."""
    delay: int
    """With review: the other labels that may come between an answer and its own, as announced."""
    selective: bool
    """Whether labels seem to depend on the guess; then all numbers are about the labelled rounds only."""
    reviews: int
    """Cases handed to a person so far. Without ``Review(at_most=...)`` their number is not bounded."""
    most_reviews: int | None
    """The limit on them, if one was given."""
    drift: float
    """What late labels cost: losses as answered minus as they would have been just before the labels came. With review
    it is 0: the bound includes the cost of late labels without telling it apart."""
    cost_of_miss: float
    cost_of_false_alarm: float
    """All losses and bounds are in the units of these two, times the weight of the round."""
    weighed: bool
    """Whether costs or weights differ, so that losses are no mistakes."""
    prior: str | None
    """The prior, the rate and eta now; None if the learner does not weigh paths."""
    rate: str | None
    eta: float | None
    base: str | None
    """The base learner; None where no base learner runs."""
    mistake_bound: int | None
    mistakes: int | None
    """k*: what the base learner got wrong on the best path; None where no base learner runs."""
    contested: int | None
    """n*: rounds of the best path at which both labels were realizable; None where no base learner runs."""
    width: int
    engine: str | None
    asked: int
    posed: int
    inferred: int
    dropped_paths: int
    dropped_mass: float
    best_is_kept: bool | None
    """Whether the best kept path is surely a best one of the class: always, unless paths were dropped."""

    def keys(self) -> Iterator[str]:
        """Name the fields, so that ``dict(certificate)`` works."""
        return iter(asdict(self))

    def __getitem__(self, name: str) -> Any:
        return asdict(self)[name]

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses, and the regret beside what is proven of it; return matplotlib's axes (extra ``plot``)."""
        return plot_certificate(self, ax)

    def _facts(self) -> dict[str, object]:
        warning = {"warning": SELECTIVE.partition(":")[0]} if self.selective else {}
        stands = standing(self.rounds, self.expected_loss, self.best_rule, self.best_loss, self.bound, self.horizon)
        return {**stands, **warning}

    def __repr__(self) -> str:
        return line("Certificate", self._facts())

    def _repr_html_(self) -> str:
        promises = {"proven of what is drawn": self.realised_bound, "proven in advance": self.in_advance}
        told = {name: rounded_up(value) for name, value in promises.items() if value not in (None, math.inf)}
        asked = f"{self.asked:,} asked, {self.posed:,} posed"
        more = {"drawn": self.realised_loss, **told, "width": self.width, "queries": asked}
        return card("Certificate", {**self._facts(), **more})

    def __str__(self) -> str:
        parts = [self._now(), self._before(), self._later(), self._drawn(), self._rests_on(), self._kept()]
        return " ".join(filter(None, [self._so_far(), SELECTIVE if self.selective else "", *parts]))

    def _so_far(self) -> str:
        miss, alarm = self.cost_of_miss, self.cost_of_false_alarm
        costs = f"in costs (miss {miss:g}, false alarm {alarm:g}, times the weight of the round)"
        unit = costs if self.weighed else "mistakes"
        whose = "" if not self.waiting else f" whose labels came ({self.waiting:,} wait)"
        of_all = self.best_is_kept or not self.dropped_paths
        regret = "so the regret is" if of_all else "so the regret to the rules that were kept is"
        handed = "" if self.review is None else self._reviews()
        return (
            f"After {counted(self.rounds, 'round')}{whose} the learner expects {self.expected_loss:,.2f} {unit} "
            f"(drawn: {self.realised_loss:,.10g}); the best rule, {self.best_rule}, has {self.best_loss:,.10g}, "
            f'and "{self.best_constant}" has {self.constant_loss:,.10g}; '
            f"{regret} {self.regret:,.2f}, exactly.{handed}"
        )

    def _reviews(self) -> str:
        limit = "is not bounded" if self.most_reviews is None else f"is at most {self.most_reviews:,} in all"
        return (
            f" It handed {counted(self.reviews, 'case')} to a person, at a cost of {self.review:g} each, times the "
            f"weight of the round; the number of reviews {limit}."
        )

    def _now(self) -> str:
        drift = "" if self.review is not None else f", drift {self.drift:,.2f}"
        late = f" (late labels: {counted(self.overlaps, 'overlap')}{drift})" if self.overlaps else ""
        if self.bound == math.inf:
            return "Nothing is proven of it now."
        return f"Proven now, from what was seen: at most {rounded_up(self.bound)}{late}."

    def _before(self) -> str:
        T = self.rounds + self.waiting if self.horizon is None else self.horizon
        if not T:
            return ""
        if self.in_advance is None:
            return f"In advance nothing is proven: {self.in_advance_note}."
        coin = f", {self.in_advance_note}" if self.in_advance_note else ""
        if self.review is not None:
            return self._before_with_review(T)
        scope = f"any stream of {counted(T, 'round')} with prompt labels"
        return f"In advance, for {scope}: at most {rounded_up(self.in_advance)}{coin}."

    def _before_with_review(self, T: int) -> str:
        prompt = "every label before the next answer"
        if self.delay:
            prompt = f"at most {counted(self.delay, 'other label')} between an answer and its own"
        length, most = f"of {counted(T, 'round')} with {prompt}", self.in_advance or 0.0
        if self.forever is not None:
            length, most = f"with {prompt}, forever", self.forever
        more = f"at most {rounded_up(most)} more than the best rule"
        return f"In advance, on average over the coins, for any stream {length}: {more}."

    def _later(self) -> str:
        if self.horizon == self.rounds:
            return ""
        if self.final is None:
            return f"Of the end nothing is proven: {self.final_note}." if self.final_note else ""
        if_prompt = "" if self.overlaps else ", if labels come at once"
        end = f"After all {self.horizon:,} rounds it will be at most {rounded_up(self.final)}"
        return f"{end}, whatever comes{if_prompt}."

    def _drawn(self) -> str:
        by = f"What was drawn exceeds the best rule's by {self.realised_regret:,.10g}"
        if self.realised_bound == math.inf:
            return f"{by}."
        return (
            f"{by}: with probability {100 * self.confidence:g} %, at all times at once, by at most "
            f"{rounded_up(self.realised_bound)}, if x, y and the weight are chosen without knowing the round's coin."
        )

    def _rests_on(self) -> str:
        kept = f"Width {self.width:,}; queries asked {self.asked:,}, posed {self.posed:,}."
        if self.prior is None:
            return kept
        prior, rate = f"the prior {self.prior!r}", f"the rate {self.rate!r} (now {self.eta:.4g})"
        rests_on = f"{prior} and {rate}; no base learner runs"
        if self.base is not None:
            M = "no mistake bound" if self.mistake_bound is None else f"mistake bound {self.mistake_bound:,}"
            if self.mistakes is not None and self.contested is not None:
                record = f"{counted(self.mistakes, 'mistake')} in {counted(self.contested, 'contested round')}"
                M = f"{M}; {record} of the best path"
            rests_on = f"{prior}, {rate} and the base learner {self.base} ({M})"
        return f"This rests on {rests_on}. {kept}"

    def _kept(self) -> str:
        if not self.dropped_paths:
            return ""
        surely = (
            "the best rule is among the kept"
            if self.best_is_kept
            else "a dropped rule may be better than the best kept one"
        )
        return (
            f"{counted(self.dropped_paths, 'path')} with {self.dropped_mass:.3g} of the prior mass were dropped to "
            f"keep the width or M: the bounds hold against every rule whose path was kept; {surely}."
        )


MISSING = "forever review most_reviews final prior rate eta base mistake_bound mistakes contested engine best_is_kept"
NO_GROUNDS = dict.fromkeys(MISSING.split()) | {"final_note": "", "dropped_paths": 0, "dropped_mass": 0.0, "delay": 0}
"""What a certificate tells of a learner that does not weigh paths."""


def certify(learner: Account, confidence: float = 0.95) -> Certificate:
    """Return the certificate of a learner: of its own numbers those of the same name, and these."""
    queries, constant, best_loss = learner.queries, learner.best_constant(), learner.best_loss
    told: dict[str, Any] = {
        "best_rule": str(learner.best_rule()),
        "best_constant": str(constant.rule),
        "constant_loss": constant.loss,
        "realised_regret": learner.realised_loss - best_loss,
        "realised_bound": learner.realised_bound(confidence),
        "confidence": confidence,
        "cost_of_miss": learner.costs[0],
        "cost_of_false_alarm": learner.costs[1],
        "asked": queries.asked,
        "posed": queries.posed,
        "inferred": queries.inferred,
        "reviews": learner.ledger.reviews,
        "selective": learner.tickets.selective(),
        **NO_GROUNDS,
        **learner.grounds(),
    }
    own = {field.name: getattr(learner, field.name) for field in fields(Certificate) if field.name not in told}
    return Certificate(**own, **told)
