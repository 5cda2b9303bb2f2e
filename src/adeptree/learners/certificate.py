"""The certificate of a learner: its losses, its regret and the bounds proven for them, without an oracle query.

The regret is the expected loss minus the loss L* of the best rule; both are known exactly. A bound has one of four
scopes. *Now* (``bound``): ln(1/pi)/eta + Delta + drift, from the rounds so far. *In advance* (``in_advance``): for
every stream of T rounds, from the largest price of a rule. *At the end* (``final``): for every way in which this stream
may continue. *Drawn* (``realised_bound``): for the drawn actions, with a probability, at all times at once.

``Certificate`` has the fields and their text; ``certify`` collects them from a learner.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from adeptree.core.display import card, line, pictures, standing
from adeptree.core.escaping import counted, more_at_most
from adeptree.core.escaping import rounded_up as rounded_up

if TYPE_CHECKING:
    from adeptree.learners.account import Account


SELECTIVE = (
    "Labels seem to depend on the decision: nearly all answers with a label had other decisions (0, 1 or review) than "
    "nearly all answers without one. The account covers labelled rounds only; Adept(feedback=...) is made for this."
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
    """Number of labelled rounds; all other numbers refer to these."""
    answered: int
    waiting: int
    """Number of answers whose labels are pending."""
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
    """Expected loss minus the best rule's loss, exactly."""
    realised_regret: float
    bound: float
    """Bound on ``regret`` *now*, from the data seen: ln(1/pi)/eta + Delta + drift, pi the best path's prior mass."""
    in_advance: float | None
    """Bound for *every* stream of T rounds (without a horizon: the rounds answered), known before the first."""
    in_advance_note: str
    """Reason why ``in_advance`` is None, or a remark on it."""
    final: float | None
    """With a horizon: the regret at the end is at most this if labels come at once, with weights up to max_weight."""
    final_note: str
    """Reason why ``final`` is None although there is a horizon."""
    realised_bound: float
    """With probability ``confidence``, ``realised_regret`` is at most this at all times at once."""
    confidence: float
    max_weight: float | None
    most_segments: int | None
    """The announced limits: ``in_advance``, ``final`` and ``forever`` cover weights and segments up to these."""
    forever: float | None
    """With review, if the rules can be counted: the guarantee in advance for any number of rounds."""
    review: float | None
    """The cost of a review; None if the learner always decides alone."""
    delay: int
    """With review: the other labels that may come between an answer and its own, as announced."""
    selective: bool
    """True if labels seem to depend on the decision; then all numbers refer to the labelled rounds only."""
    reviews: int
    """Cases handed to a person so far. Without ``Review(at_most=...)`` their number is not bounded."""
    most_reviews: int | None
    """The limit on the number of reviews, if there is one."""
    switches: tuple[tuple[int, float], ...] | None
    """With drift: numbers of changes of the best rule, each with the current bound on the regret to such a sequence."""
    feedback: str | None
    """"all", or "reviewed" or "asked": then only some labels are seen, and all losses are estimates."""
    labels: int
    """With ``feedback="reviewed"`` or "asked": number of cases whose label was wanted so far."""
    average_bound: float | None
    """With such feedback, averaged over the coins: the cost is at most that of any rule fixed in advance plus this."""
    length: int
    """Number of rounds that the guarantee in advance covers."""
    segments: int | None
    """With ``by``: the number of segments so far."""
    pooled_rule: str | None
    """With ``by``: the best common rule of all segments. ``best_rule`` is often one rule per segment."""
    pooled_loss: float | None
    pooled_bound: float | None
    """Current bound: the expected loss is at most ``pooled_loss`` plus this."""
    pooled_leads: bool | None
    """With ``by``: True if the learner follows common rules, which cost less so far than one rule per segment."""
    drift: float
    """Cost of late labels: losses as answered minus losses as of just before the labels came.

    With review it is 0, because the bound includes the cost of late labels without separating it."""
    cost_of_miss: float
    cost_of_false_alarm: float
    """Costs of a miss and of a false alarm; losses and bounds are in these units, times the weight of a round."""
    weighed: bool
    """True if costs or weights differ, so that losses are not numbers of mistakes."""
    prior: str | None
    """The prior, the rate and the current eta; None if the learner does not weigh paths."""
    rate: str | None
    eta: float | None
    base: str | None
    """The base learner; None if none runs."""
    mistake_bound: int | None
    mistakes: int | None
    """k*: mistakes of the base learner on the best path; None if no base learner runs."""
    contested: int | None
    """n*: rounds of the best path at which both labels were realizable; None if no base learner runs."""
    width: int
    engine: str | None
    asked: int
    posed: int
    inferred: int
    dropped_paths: int
    dropped_mass: float
    best_is_kept: bool | None
    """True if the best kept path is certainly a best one of the class: always, unless paths were dropped."""

    def keys(self) -> Iterator[str]:
        """Return the names of the fields, so that ``dict(certificate)`` works."""
        return iter(asdict(self))

    def __getitem__(self, name: str) -> Any:
        return asdict(self)[name]

    def plot(self, ax: Any = None) -> Any:
        """Plot the losses, and the regret next to its bounds; return matplotlib's axes (needs the extra ``plot``)."""
        return pictures("account_plots").plot_certificate(self, ax)

    def _facts(self) -> dict[str, object]:
        warning = {"warning": SELECTIVE.partition(":")[0]} if self.selective else {}
        stands = standing(self.rounds, self.expected_loss, self.best_rule, self.best_loss, self.bound, self.horizon)
        return {**stands, **warning, **({"losses": "estimates"} if self.feedback in ("reviewed", "asked") else {})}

    def __repr__(self) -> str:
        return line("Certificate", self._facts())

    def _repr_html_(self) -> str:
        promises = {"proven of what is drawn": self.realised_bound, "proven in advance": self.in_advance}
        bounds = {name: rounded_up(value) for name, value in promises.items() if value not in (None, math.inf)}
        asked = f"{self.asked:,} asked, {self.posed:,} posed"
        more = {"drawn": self.realised_loss, **bounds, "width": self.width, "queries": asked}
        return card("Certificate", {**self._facts(), **more})

    def __str__(self) -> str:
        partial = self.feedback in ("reviewed", "asked")
        first = [self._estimated() if partial else self._so_far(), SELECTIVE if self.selective else ""]
        now = [self._pooled()] if partial else [self._now(), self._pooled(), self._sequences()]
        rest = [] if partial else [self._before(), self._later(), self._drawn()]
        return " ".join(filter(None, [*first, *now, *rest, self._rests_on(), self._kept()]))

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
            f'and "{self.best_constant}" has {self.constant_loss:,.10g}; {regret} {self.regret:,.2f}, exactly.{handed}'
        )

    def _estimated(self) -> str:
        n = self.labels
        seen = f"asked for {counted(n, 'label')}" if self.feedback == "asked" else f"handed {n:,} of them to a person"
        text = (
            f"The learner answered {counted(self.answered, 'case')} and {seen}. Labels are known for these only, so "
            f"losses are estimates: such a case counts 1/q times, q being the chance of its label. The estimated cost "
            f"is {self.expected_loss:,.2f}; the best rule, {self.best_rule}, has {self.best_loss:,.2f}; so the "
            f"estimated regret is {self.regret:,.2f}."
        )
        if self.average_bound is None:
            return f"{text} Nothing is proven of it: {self.in_advance_note}."
        scope, sure = "on average over the coins, against any rule fixed in advance", rounded_up(self.average_bound)
        text = f"{text} Proven {scope}: the expected cost is at most {sure} more than that of the rule."
        before = f"nothing is proven: {self.in_advance_note}"
        if self.in_advance is not None:
            before = f"with prompt labels{self._limits()}: at most {rounded_up(self.in_advance)}"
        return f"{text} In advance, {before}. A single run may differ widely."

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

    def _pooled(self) -> str:
        if self.pooled_bound is None or (self.feedback != "all" and self.average_bound is None):
            return ""
        its, kind = ("", "expected") if self.feedback == "all" else ("an estimated ", "estimated")
        return (
            f"The best rule for all of the {counted(self.segments or 0, 'segment')}, {self.pooled_rule}, has "
            f"{its}{self.pooled_loss:,.10g}; the {kind} cost is {more_at_most(self.pooled_bound, 2)} than that."
            f" The learner follows {'one rule for all segments' if self.pooled_leads else 'one rule per segment'}."
        )

    def _sequences(self) -> str:
        if not self.switches or self.switches[0][1] == math.inf:
            return ""
        bounds = [f"{rounded_up(bound)} with {counted(m, 'change')}" for m, bound in self.switches]
        return f"To any sequence of rules the regret is at most {', '.join(bounds)}."

    def _before(self) -> str:
        T = self.length
        if not T:
            return ""
        if self.in_advance is None:
            return f"In advance nothing is proven: {self.in_advance_note}."
        coin = f", {self.in_advance_note}" if self.in_advance_note else ""
        if self.review is not None:
            return self._before_with_review(T)
        scope = f"any stream of {counted(T, 'round')} with prompt labels{self._limits()}"
        return f"In advance, for {scope}: at most {rounded_up(self.in_advance)}{coin}."

    def _before_with_review(self, T: int) -> str:
        prompt = "every label before the next answer"
        if self.delay:
            prompt = f"at most {counted(self.delay, 'other label')} between an answer and its own"
        length, most = f"of {counted(T, 'round')} with {prompt}", self.in_advance or 0.0
        if self.forever is not None:
            length, most = f"with {prompt}, forever", self.forever
        more = f"at most {rounded_up(most)} more than the best rule"
        return f"In advance, on average over the coins, for any stream {length}{self._limits()}: {more}."

    def _limits(self) -> str:
        of = "" if self.most_segments is None else f", of at most {counted(self.most_segments, 'segment')}"
        return of if self.max_weight is None else f"{of}, with weights up to {self.max_weight:g}"

    def _later(self) -> str:
        if self.horizon == self.rounds:
            return ""
        if self.final is None:
            return f"Of the end nothing is proven: {self.final_note}." if self.final_note else ""
        late = ", if labels come as announced" if self.delay else "" if self.overlaps else ", if labels come at once"
        end = f"After all {self.horizon:,} rounds it will be at most {rounded_up(self.final)}"
        return f"{end}, whatever rounds come{self._limits()}{late}."

    def _drawn(self) -> str:
        by = f"The drawn loss exceeds the best rule's by {self.realised_regret:,.10g}"
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
        rate = "many rates at once" if self.rate == "lanes" else rate
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
        may_be = "a dropped rule may be better than the best kept one"
        surely = "the best rule is among the kept" if self.best_is_kept else may_be
        return (
            f"{counted(self.dropped_paths, 'path')} with {self.dropped_mass:.3g} of the prior mass were dropped to "
            f"keep the width or M: the bounds hold against every rule whose path was kept; {surely}."
        )


OF_SEGMENTS = "feedback average_bound segments pooled_rule pooled_loss pooled_bound pooled_leads most_segments"
MISSING = "forever review most_reviews switches final prior rate eta base mistake_bound mistakes contested engine"
NO_GROUNDS = dict.fromkeys([*MISSING.split(), *OF_SEGMENTS.split(), "best_is_kept", "max_weight"]) | {
    "final_note": "",
    "dropped_paths": 0,
    "dropped_mass": 0.0,
    **dict.fromkeys(("delay", "reviews", "labels"), 0),
    "switches": (),
}
"""Fields of the certificate of a learner that does not weigh paths."""


def certify(learner: Account, confidence: float = 0.95) -> Certificate:
    """Return the certificate of a learner, made of its attributes of the same names and its grounds."""
    queries, constant, best_loss = learner.queries, learner.best_constant(), learner.best_loss
    computed: dict[str, Any] = {
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
        "selective": learner.tickets.selective(),
        **NO_GROUNDS,
        **learner.grounds(),
    }
    own = {field.name: getattr(learner, field.name) for field in fields(Certificate) if field.name not in computed}
    return Certificate(**own, **computed)
