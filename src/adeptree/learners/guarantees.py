"""Bounds on the regret, each with its scope: now, in advance, at the end (``docs/theory/anytime.md``).

*Now* bounds the regret of the rounds so far, from the data seen. *In advance* holds for every stream of T rounds and is
known before the first. *Final* bounds the regret at the end, whatever comes next.
"""

from __future__ import annotations

import math
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from adeptree.core.arguments import LARGEST_LINE, check_number, check_size
from adeptree.core.errors import InvalidArgument, PromiseEnded
from adeptree.core.escaping import counted
from adeptree.learners.rates import ConstantRate

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.learners.online_learner import OnlineLearner


def theorem_one(learner: Adept) -> float:
    """Theorem 1 with late labels: regret <= ln(1/pi) / eta + Delta + drift, pi the mass of the best paths."""
    engine = learner.engine
    alone = not (learner.late or learner.waiting)
    log_prior = engine.leader().log_prior
    if not alone:
        # All best paths together have at least the mass of one; a structure that cannot list them knows only one.
        with suppress(InvalidArgument):
            log_prior = engine.rows().log_best_mass()
    return engine.proven(engine.sequence_price(-log_prior, learner.rounds), learner.best_loss)


def to_sequences(learner: Adept, switches: int) -> float:
    """Return the bound on the regret so far to any sequence of rules with at most this many switches."""
    engine, trivial = learner.engine, learner.rounds * max(learner.scale, learner.heaviest_round)
    price = learner.prior.price(max(1, learner.answered))
    with suppress(InvalidArgument):  # if the paths can be listed, the lightest one has the largest price
        lightest = float(-engine.rows().log_mass.min())
        price = lightest if price is None else min(price, lightest)
    if not switches or price is None or learner.concept_class.one_rate:
        return now(learner) if not switches else math.inf
    price = engine.sequence_price(price, learner.rounds, switches)
    return float(min(engine.proven(price, engine.sequence_loss(switches)), trivial))


def now(learner: Adept) -> float:
    """Return the bound on the regret so far."""
    trivial = learner.rounds * max(learner.scale, learner.heaviest_round)
    return float(not_rounded_below(learner.regret, min(theorem_one(learner), trivial), trivial))


def not_rounded_below(regret: float, proven: float, most: float) -> float:
    """Return a bound, or the regret if only rounding put the bound below it.

    A larger difference is kept, so that tests find it.

    >>> not_rounded_below(1.0, 1.0 - 1e-14, 10), not_rounded_below(1.0, 0.999999, 10)
    (1.0, 0.999999)
    """
    return regret if proven < regret <= proven + 1e-10 * most else proven


def in_advance(learner: Adept, T: int) -> float | None:
    """Return the bound for every stream of T rounds with prompt labels and weights up to the announced limit."""
    price = learner.prior.price(T)
    ends = [most for most in (learner.horizon, learner.max_labels) if most is not None]
    if price is None or lapsed(learner) or min(ends, default=T) < T:
        return None
    value = learner.rate_rule.in_advance(T, learner.engine.sequence_price(price, T), learner.scale)
    return None if value is None else min(value + learner.prior.further(T, learner.scale), float(T * learner.scale))


def grounds(learner: Adept) -> dict[str, Any]:
    """Return the certificate's fields about the prior, the rate and the paths, without an oracle query."""
    engine, leader, dropped = learner.engine, learner.engine.leader(), learner.engine.dropped
    return {
        "in_advance_note": note(learner),
        "forever": forever(learner),
        **_picked(learner),
        "switches": None
        if learner.drift_of is None or learner.concept_class.one_rate
        else tuple((m, to_sequences(learner, m)) for m in (1, 3, 10)),
        **pooled(learner),
        "feedback": learner.feedback,
        "average_bound": on_average(learner),
        "final": learner.final,
        "final_note": final_note(learner),
        "prior": learner.prior.name,
        "rate": str(learner.rate),
        "eta": learner.learning_rate,
        "base": type(learner.base).__name__ if engine.runs_base else None,
        "mistake_bound": learner.mistake_bound,
        "mistakes": leader.mistakes,
        "contested": leader.contested,
        "engine": engine.kind,
        "dropped_paths": dropped.paths,
        "dropped_mass": dropped.mass,
        "best_is_kept": dropped.least_loss is None or learner.best_loss <= dropped.least_loss,
    }


def _picked(learner: Adept) -> dict[str, Any]:
    review, picked = learner.review, learner.ledger.picked
    told: dict[str, Any] = {"labels": picked if learner.partial else 0, "max_weight": learner.max_weight}
    if review is not None:
        told |= {"review": review.cost, "reviews": picked, "delay": review.delay, "most_reviews": review.at_most}
    return told


def on_average(learner: Adept) -> float | None:
    """Return the bounds on the average regret if only some labels are seen (Theorems S and Q)."""
    price = learner.prior.price(max(1, learner.answered))
    if not learner.partial or price is None or _beyond_lateness(learner):
        return None
    beyond = learner.ledger.beyond_mix + (learner.ledger.excess if learner.late else 0.0)
    price = learner.engine.sequence_price(price, learner.answered)
    known, most = price / learner.learning_rate if price else 0.0, float(learner.answered * learner.scale)
    if known < most:
        return known + beyond
    # Replace only bounds that do not depend on the coins: the mean of a minimum may be too small.
    return max(known + beyond, most) if learner.late else most


def pooled(learner: Adept) -> dict[str, Any]:
    """Return the certificate's fields about the best common rule of all segments."""
    found = learner.engine.pooled()
    if found is None:
        return {}
    rule, loss, price, better = found
    bound = float(learner.engine.proven(price, loss))
    told: dict[str, Any] = {"segments": learner.engine.segments(), "most_segments": learner.segments}
    return {**told, "pooled_rule": str(rule), "pooled_loss": loss, "pooled_bound": bound, "pooled_leads": better}


def forever(learner: Adept) -> float | None:
    """Return the guarantee in advance for any number of rounds, if there is one that stops growing (with review)."""
    ends = learner.horizon is not None or learner.drift_of is not None or learner.partial
    if learner.review is None or ends or learner.prior.price(LARGEST_LINE) is None:
        return None
    value = in_advance(learner, LARGEST_LINE)
    return value if value == in_advance(learner, LARGEST_LINE // 2) else None


def drawn(learner: Adept, confidence: float) -> float:
    """Return the bound on drawn costs of ``Review(promise="drawn")``, valid at all times (Theorem R-drawn)."""
    review = learner.review
    if review is None or review.promise != "drawn" or learner.late or learner.waiting or not learner.rounds:
        return math.inf
    price = learner.engine.sequence_price(-learner.engine.leader().log_prior, learner.rounds)
    return (math.log(1 / (1 - confidence)) + price) / learner.last_rate


def lapsed(learner: Adept) -> str:
    """Return all reasons why there is no guarantee in advance, or no longer; empty if there is one."""
    return "; ".join(filter(None, [*_beyond_lateness(learner), _too_late(learner)]))


def _too_late(learner: Adept) -> str:
    """Return the reason why late labels void the guarantee in advance; empty if they do not."""
    longest, review = learner.ledger.longest_delay, learner.review
    if review is None or learner.partial:
        return "the promise ended when a round was answered while another waited for its label" if learner.late else ""
    if learner.drift_of is not None and longest:  # pending labels: see below
        return "with drift= the guarantee in advance is proven for prompt labels only"
    if longest > review.delay:
        return f"{counted(longest, 'label')} came between an answer and its own; delay={review.delay} was announced"
    behind = learner.rounds - min((ticket.arrivals for ticket in learner.tickets), default=learner.rounds)
    if behind <= review.delay:
        return ""
    return f"{counted(behind, 'label')} came after an answer that waits for its own; delay={review.delay} was announced"


def _beyond_lateness(learner: Adept) -> list[str]:
    """Return the reasons that void every statement about future rounds, even if labels may be late."""
    found, proven = [], learner.base.mistake_bound if learner.on_excess == "prune" else 0
    if learner.max_width is not None:
        found.append(f"with max_width={learner.max_width} rules may be dropped, and of those nothing is promised")
    if proven is None or proven > (learner.mistake_bound or 0):
        found.append('with on_excess="prune" rules beyond M may be dropped, and of those nothing is promised')
    heaviest, scale = learner.heaviest_round, learner.scale
    if heaviest > scale and not learner.partial:
        found.append(f"the promise ended when a round cost {heaviest:g}, more than the {scale:g} announced")
    if learner.review is not None and learner.review.at_most is not None:
        found.append(f"after {counted(learner.review.at_most, 'review')} the learner decides alone")
    if learner.partial and (missing := learner.waiting if learner.late else learner.tickets.given_up.number):
        found.append(f"{counted(missing, 'label')} that the learner wanted did not come, or not yet")
    found += filter(None, [learner.engine.exceeded()])
    if learner.weighed and not learner.rate_rule.weighs:
        found.append(f"the rate {learner.rate!r} promises nothing for rounds of different weights")
    return found


def final_note(learner: Adept) -> str:
    """Return all reasons why there is no bound at the horizon; empty if there is one."""
    falls = "the comparison is with the most probable rule, whose loss may fall" if learner.engine.best_may_fall else ""
    return "; ".join(filter(None, [falls, *_beyond_lateness(learner)])) if learner.horizon is not None else ""


def why_nothing(learner: Adept) -> str:
    """Return the reason why there is no guarantee in advance."""
    if learner.prior.price(1) is None:
        if not learner.engine.runs_base:
            return learner.engine.exceeded() or learner.prior.unknown
        return "neither a mistake bound of the base learner nor the number of rules is known"
    if (ended := lapsed(learner)) or learner.max_labels is None or learner.max_labels >= learner.length:
        return ended or f"the rate {learner.rate!r} has no such bound here"
    return f"after {counted(learner.max_labels, 'label')} it asks for no more, and a case adds all that it can cost"


def note(learner: Adept) -> str:
    """Return a note if there is no guarantee in advance or none better than random guessing; else an empty text."""
    T = learner.length
    if learner.in_advance is None:
        return why_nothing(learner)
    return "" if not T or beats_a_coin(learner.in_advance, T, learner.scale) else "a coin guarantees as much"


MOST = 1e300
"""Largest loss: a larger int may not fit a float."""


def for_best_loss(learner: Adept, best_loss: float, rounds: int | None) -> float | None:
    """Return the bound for every stream of this many rounds whose best rule loses at most ``best_loss``."""
    check_number("best_loss", best_loss, "a number, at least 0", lambda loss: 0 <= loss <= MOST)
    T = learner.horizon if rounds is None else check_size("rounds", rounds, at_least=0, at_most=LARGEST_LINE)
    if T is None:
        raise InvalidArgument("bound_for needs rounds=, the length of the stream, as the learner has no horizon")
    anyway = in_advance(learner, T)
    return None if anyway is None else min(anyway, learner.rate_rule.given_best_loss(best_loss))


def final(learner: Adept) -> float | None:
    """Return the smallest proven bound on the regret at the horizon; None if there is none.

    Three bounds hold. The best loss never falls, so a round adds at most its weight. The guarantee in advance still
    holds. At a constant rate, U_t = regret + (ln Z_t + K)/eta + (T - t) eta/8 never grows, where K is the largest price
    of a path at the end.
    """
    T = learner.horizon
    if T is None or final_note(learner) or learner.partial:
        return None
    rest = T - learner.rounds
    proven = [learner.regret + rest * learner.scale]
    if (promised := in_advance(learner, T)) is not None:
        proven.append(promised)
    eta, price = learner.learning_rate, learner.prior.price(T)
    steady = isinstance(learner.rate_rule, ConstantRate) and learner.plain and learner.drift_of is None
    if rest and steady and eta and price is not None:
        proven.append(learner.regret + (learner.engine.log_potential() + price) / eta + rest * eta / 8)
    return min(proven)


def beats_a_coin(value: float | None, T: int, scale: float = 1.0) -> bool:
    """Return True if a bound is below that of random guessing, whose regret is at most T/2.

    >>> beats_a_coin(49.0, 100), beats_a_coin(50.0, 100), beats_a_coin(None, 100)
    (True, False, False)
    """
    return value is not None and value < T * scale / 2


def warn_if_over(learner: OnlineLearner, cost: float) -> None:
    """Warn before the first round that voids the guarantee; raise an error if its factor would be negative."""
    lanes = learner.drift_of is not None and not learner.drift_of.one_lane
    if cost > learner.scale and (lanes or learner.partial):
        raise InvalidArgument(
            f"a round costs {cost:g}, more than the {learner.scale:g} announced by max_weight and costs; with "
            f"{'drift' if lanes else 'feedback'}= build with a larger max_weight="
        )
    if cost > learner.scale >= learner.heaviest_round:
        warnings.warn(
            f"a round costs {cost:g}, more than the {learner.scale:g} announced by max_weight and costs: what was "
            f"promised in advance ends with it; build with a larger max_weight=",
            PromiseEnded,
            stacklevel=4,
        )
