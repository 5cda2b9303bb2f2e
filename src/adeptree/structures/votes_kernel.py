"""A model's vote as a rule: 1 if a score reaches a cut. The label for missing scores is part of the rule.

There are two paths, one per label of missing scores. Each has half of the mass once a score was missing.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger, softplus, word_of_float


class VoteKernel(RoundKernel):
    """The losses of a vote: ``lost`` for present scores, and those of predicting 0 or 1 for missing ones."""

    def __init__(self, cut: float) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.cut, self.score = cut, 0.0
        self.missing = False
        self.ever_missing = False
        self.lost = self.zeros = self.ones = 0.0
        self.begin(1.0, 1, (), 1)

    def begin(self, share: float, lanes: int, spans: Any, room: int) -> None:
        """Keep weights of sequences, with this share of the prior, and windows of these spans (0: all rounds)."""
        self.lanes, self.share, self.spans = lanes, share / 2, array("q", [*spans, 0])
        self.weights = array("d", [share / 2] * (2 * lanes))  # of the rules with label 0, then 1, for missing scores
        self.ring = array("i", bytes(4 * room))  # votes of the last rounds, 2 if missing
        self.of_windows = array("d", bytes(16 * len(self.spans)))  # per window, the losses of 0 and 1 at missing scores

    def place(self, x: object) -> cython.bint:
        """Make a score, a float or None, the current one."""
        if x is not None and type(x) is not float:
            return False
        self.put(x is None, 0.0 if x is None else x)  # type: ignore[arg-type]
        return True

    def put(self, missing: cython.bint, score: cython.double) -> cython.void:
        """Set the current score."""
        if missing != self.missing or score != self.score:
            self.seen = self.known = False
        self.missing, self.score = missing, score
        self.word = 0 if missing else word_of_float(score)

    def look(self) -> cython.void:
        """Predict like the score; if it is missing, compute the odds of the two paths."""
        if self.missing:
            self.log_odds = self.eta * (self.zeros - self.ones)
            self.p = exp(-softplus(-self.log_odds))
        else:
            self.p = 1.0 if self.score >= self.cut else 0.0
            self.log_odds = inf if self.score >= self.cut else -inf

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Charge the wrong paths."""
        if self.missing:
            self.ever_missing = True
            if label:
                self.zeros += cost
            else:
                self.ones += cost
        elif (self.score >= self.cut) != label:
            self.lost += cost

    def least(self) -> cython.double:
        """L*: the loss of the better path."""
        return self.lost + min(self.zeros, self.ones)

    def log_total(self) -> cython.double:
        """Return ln of the mean of e^(-eta (loss - L*)) over the two paths."""
        further: cython.double = self.zeros - self.ones if self.zeros > self.ones else self.ones - self.zeros
        return log(0.5 + 0.5 * exp(-self.eta * further))

    def count(self) -> cython.longlong:
        """Return the number of paths."""
        return 2 if self.ever_missing else 1

    # --- Drift (``sharing_kernel.py``) -----------------------------------------

    def vote(self, gap: cython.int) -> cython.int:
        """Return the prediction at the current score of the rule with this label for missing scores."""
        return gap if self.missing else self.score >= self.cut

    @cython.locals(gap=cython.int, j=cython.Py_ssize_t)
    def look_lanes(self, one: cython.double[::1], whole: cython.double[::1]) -> cython.void:
        """Add the weight that predicts 1, and all weight, per lane."""
        for gap in range(2):
            for j in range(self.lanes):
                whole[j] += self.weights[gap * self.lanes + j]
                one[j] += self.weights[gap * self.lanes + j] if self.vote(gap) else 0.0

    @cython.locals(gap=cython.int, j=cython.Py_ssize_t)
    def take_lanes(self, label, cost, right1, right0, place):
        """Charge the wrong paths, and multiply the weight of each by the factor of its prediction."""
        for gap in range(2):
            for j in range(self.lanes):
                self.weights[gap * self.lanes + j] *= right1[j] if self.vote(gap) else right0[j]
        if place >= 0:
            self.ring[place] = 2 if self.missing else self.vote(0)
        self.take(label, cost)
        self.seen = self.known = False

    @cython.locals(j=cython.Py_ssize_t)
    def add_lanes(self, whole: cython.double[::1]) -> cython.void:
        """Add all weights, per lane."""
        for j in range(self.lanes):
            whole[j] += self.weights[j] + self.weights[self.lanes + j]

    @cython.locals(j=cython.Py_ssize_t)
    def share_lanes(self, kept: cython.double[::1], dealt: cython.double[::1]) -> cython.void:
        """Replace every weight w by kept w + dealt pi."""
        for j in range(self.lanes):
            self.weights[j] = kept[j] * self.weights[j] + dealt[j] * self.share
            self.weights[self.lanes + j] = kept[j] * self.weights[self.lanes + j] + dealt[j] * self.share

    @cython.locals(t=cython.longlong, i=cython.Py_ssize_t, lost=cython.double, zeros=cython.double, ones=cython.double)
    def refresh(self, k, since, until, labels, costs):
        """Sum up the rounds of a window; return the loss of the better rule there."""
        lost, zeros, ones = (self.lost, self.zeros, self.ones) if self.spans[k] == 0 else (0.0, 0.0, 0.0)
        for t in range(max(0, until - self.spans[k]), until):
            i = t % len(self.ring)
            if self.ring[i] == 2:
                zeros += costs[i] if labels[i] else 0.0
                ones += 0.0 if labels[i] else costs[i]
            elif self.ring[i] != labels[i]:
                lost += costs[i]
        self.of_windows[2 * k], self.of_windows[2 * k + 1] = zeros, ones
        return lost + min(zeros, ones)

    def says(self, k: cython.Py_ssize_t) -> cython.bint:
        """Return the prediction of the better rule of a window."""
        return self.vote(self.of_windows[2 * k + 1] < self.of_windows[2 * k])
