"""The account of a learner's rounds: losses, the cost of mixing, late labels; and the coin of a round.

:meth:`Ledger.charge` is the only place that adds to these sums. Structures charge the ledger in the same call that
commits the round, so that neither is ever ahead of the other: compiled, such a call cannot be interrupted.
"""

from __future__ import annotations

from typing import Any

from adeptree.core import cython_shim as cython
from adeptree.core.compiled import of_kernel

if cython.compiled:
    from cython.cimports.libc.string import memcpy
else:
    import struct
    from math import exp, expm1, fabs, floor, fmod, log1p

FIELDS = (
    *("rounds", "answered", "overlaps", "waiting", "expected_loss", "realised_loss", "variance", "excess", "drift"),
    "beyond_mix",
    *("heaviest", "last_rate", "late", "weighed", "loss_of_zeros", "loss_of_ones", "picked", "longest_delay"),
    *("missed", "alarmed"),
)


class Ledger:
    """The sums of a learner's account: answers, losses and the terms of its bounds.

    >>> ledger = Ledger()
    >>> ledger.charge(0.75, 0.0, 1, 1, 1.0, 0.0, 0.75, -1.1, 0.5)
    >>> ledger.rounds, ledger.expected_loss, ledger.realised_loss
    (1, 0.25, 0.0)
    """

    def __init__(self) -> None:
        self.rounds = 0  # labels that came
        self.answered = 0
        self.overlaps = 0  # D: other labels between the answer and the label of each round
        self.waiting = 0  # answers whose label is pending
        self.picked = 0  # answers that were reviewed, or whose label was asked for
        # With labels of some rounds only: the most that all rounds cost beyond their mix losses. Once a label is late,
        # the part settled before is subtracted, and ``excess`` must be added.
        self.beyond_mix = 0.0
        self.longest_delay = 0  # most labels between an answer and its label
        self.expected_loss = 0.0  # sum of |p - y| times cost, with p as it was answered
        self.missed = 0.0  # expected loss in rounds of label 1: misses
        self.alarmed = 0.0  # and of label 0: false alarms; the rest is reviews
        self.realised_loss = 0.0
        self.loss_of_zeros = 0.0  # loss of "always 0" (NaN: not in the file)
        self.loss_of_ones = 0.0  # loss of "always 1"
        self.variance = 0.0  # sum of cost^2 p (1 - p): variance of the drawn loss
        self.excess = 0.0  # Lambda, signed: cost as answered minus mix loss as settled; all bounds use it
        self.drift = 0.0  # its part due to late labels: as answered minus as of just before the label
        self.heaviest = 0.0  # largest cost of a round so far
        self.last_rate = 0.0  # eta of the last round played
        self.last_cost = 0.0  # its cost
        self.shrink = 0.0  # its e^(-eta cost) - 1
        self.own_gap = -1.0  # gap of the next charge, if a structure's experts have real losses
        self.late = False  # a round was answered while another was pending
        self.weighed = False  # a round had a cost other than 1

    def answer(self, picked: cython.bint, beyond: cython.double, unseen: cython.bint) -> cython.void:
        """Count an answer and its cost ``beyond`` its mix loss; ``unseen`` if no label will be seen."""
        self.answered += 1
        self.picked += picked
        if self.waiting > 0 and not self.late:
            self.late = True
            self.beyond_mix -= self.excess  # from now on settled rounds count: docs/theory/decide.md
        if unseen or not self.late:
            self.beyond_mix += beyond

    def delayed(self, overlaps: cython.longlong) -> cython.void:
        """Count the labels that came between an answer and its label."""
        self.overlaps += overlaps
        if overlaps > self.longest_delay:
            self.longest_delay = overlaps

    def charge(self, p, r, action, label, cost, handed, now, log_odds, rate):
        """Charge a labelled round: action 1 had probability p, a review had probability r and cost ``handed``.

        ``now`` is the share of 1 just before the label came; ``log_odds`` are the log-odds against the label.
        """
        loss: cython.double = max(0.0, 1.0 - p - r) if label else p  # never below 0 by rounding
        loss_now: cython.double = 1.0 - now if label else now
        paid: cython.double = cost * loss
        scatter: cython.double = cost * cost * p * (1.0 - p)
        if handed > 0.0:
            paid += r * handed
            scatter = cost * cost * loss + r * handed * handed - paid * paid
        self.rounds += 1
        self.expected_loss += paid
        if action == 2:
            self.realised_loss += handed
        elif action != label:
            self.realised_loss += cost
        if label:
            self.loss_of_zeros += cost
            self.missed += cost * loss
        else:
            self.loss_of_ones += cost
            self.alarmed += cost * loss
        self.variance += scatter if scatter > 0.0 else 0.0
        moved: cython.double = 0.0
        if handed > 0.0:  # with review, the cost of late labels is not separated
            self.excess += paid - cost * loss_now
        elif p != now:
            moved = cost * (loss - loss_now)
        if rate != self.last_rate or cost != self.last_cost:
            self.last_rate, self.last_cost = rate, cost
            self.shrink = expm1(-rate * cost)
        self.drift += moved
        if self.own_gap < 0.0:
            self.own_gap = gap_at(loss_now, log_odds, rate * cost, cost, self.shrink)
        self.excess += moved + self.own_gap
        self.own_gap = -1.0
        if cost != 1.0:
            self.weighed = True
        if cost > self.heaviest:
            self.heaviest = cost

    @property
    def gap(self) -> float:
        """Delta: expected loss minus mix loss, both as of just before the labels came."""
        return self.excess - self.drift

    def copy(self) -> list[Any]:
        """Return all sums, for :meth:`back_to`."""
        return [getattr(self, name) for name in FIELDS]

    def back_to(self, sums: list[Any]) -> None:
        """Restore the sums that :meth:`copy` returned."""
        self.last_cost = 0.0
        for i in range(len(FIELDS)):
            setattr(self, FIELDS[i], sums[i])

    def __reduce__(self) -> Any:
        return (of_kernel, ("adeptree.theory.ledger_kernel", "ledger_of", self.copy()))


def ledger_of(sums: list[Any]) -> Ledger:
    """Return a ledger with these sums."""
    ledger = Ledger()
    ledger.back_to(sums)
    return ledger


def mixability_gap(
    loss: cython.double, log_odds: cython.double, rate: cython.double, weight: cython.double
) -> cython.double:
    """Return l - delta, the excess of Hedge's expected loss over its mix loss in a round of this weight.

    The experts lose 0 or w. Those that lose have the share ``loss`` of the mass, with log-odds ``log_odds``. The mix
    loss is -ln(1 - l + l e^(-eta w)) / eta. At rates above 4, 1 - l may have lost its digits while e^-eta has not, so
    the formula uses the log-odds (``docs/theory/anytime.md``).

    >>> round(mixability_gap(0.5, 0.0, 1.0, 1.0), 6), mixability_gap(0.3, -0.85, 0.0, 1.0)
    (0.120115, 0.0)
    >>> round(mixability_gap(1.0, 40.0, 40.0, 1.0), 6)  # 1 - l is 4e-18, and it matters
    0.017329
    """
    return gap_at(loss, log_odds, rate * weight, weight, expm1(-rate * weight))


@cython.cfunc
@cython.exceptval(check=False)
def gap_at(
    loss: cython.double, log_odds: cython.double, eta: cython.double, weight: cython.double, shrink: cython.double
) -> cython.double:
    """Return the gap; ``eta`` is rate times weight, and ``shrink`` is e^-eta - 1, which many rounds share."""
    gap: cython.double
    rest: cython.double
    if eta == 0.0:
        return 0.0
    if eta <= 4.0 or log_odds <= 0.0:
        gap = loss + log1p(loss * shrink) / eta if loss < 1.0 else 0.0
    elif log_odds >= eta:
        rest = exp(-log_odds)
        gap = (log1p(exp(eta - log_odds)) - log1p(rest)) / eta - rest / (1.0 + rest)
    else:
        gap = 1.0 / (1.0 + exp(-log_odds)) - (softplus(log_odds) - softplus(log_odds - eta)) / eta
    return weight * gap if gap > 0.0 else 0.0  # rounding may make it negative


def softplus(z: cython.double) -> cython.double:
    """Return ln(1 + e^z)."""
    return (z if z > 0.0 else 0.0) + log1p(exp(-fabs(z)))


# --- Coins: a well-mixed hash of seed, round and point (the finaliser of SplitMix64) ------------------------------


def mixed(z: cython.ulonglong) -> cython.ulonglong:
    """Mix 64 bits: each bit of the result depends on all bits of the input."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    one: cython.ulonglong = 0xBF58476D1CE4E5B9
    two: cython.ulonglong = 0x94D049BB133111EB
    z = ((z ^ (z >> 30)) * one) & mask
    z = ((z ^ (z >> 27)) * two) & mask
    return z ^ (z >> 31)


def coin(seed: cython.ulonglong, t: cython.longlong, word: cython.ulonglong) -> cython.double:
    """Return the coin of round t at the point with this word, uniform in [0, 1)."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    golden: cython.ulonglong = 0x9E3779B97F4A7C15
    drawn: cython.ulonglong = mixed(mixed((seed + t * golden) & mask) ^ word) >> 11
    return drawn * (1.0 / 9007199254740992.0)


def bits_of(x: cython.double) -> cython.ulonglong:
    """Return the 64 bits of a double."""
    bits: cython.ulonglong = 0
    if cython.compiled:
        memcpy(cython.address(bits), cython.address(x), 8)
    else:
        bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    return bits


def word_of_float(x: cython.double) -> cython.ulonglong:
    """Return 64 bits that represent a float: 1.0 and 1 are one point, so whole numbers are taken modulo 2^64."""
    whole: cython.ulonglong
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    if floor(x) != x:
        return bits_of(x)
    whole = cython.cast(cython.ulonglong, fmod(fabs(x), 18446744073709551616.0))
    return whole if x >= 0.0 else (mask - whole + 1) & mask
