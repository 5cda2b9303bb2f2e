"""Cuts on a line with drift: a weight per gap and lane, and windows of the last rounds.

After each charged round every weight w becomes A w + B pi (fixed share, ``sharing_kernel.py``). These maps are stored
at the nodes of the tree and applied lazily, so that a round takes O(log t). A prediction moves no map and changes
nothing.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log

    from adeptree.core.arrays_kernel import longer
    from adeptree.structures.line_tree_kernel import LineTree, between, value_of
    from adeptree.structures.ordered_tree_kernel import OrderedTree
    from adeptree.structures.sharing_kernel import Window

UNIT = cython.declare(cython.Py_ssize_t, 4)
LOWEST = cython.declare(cython.longlong, -0x7FFFFFFFFFFFFFFF)  # stands for a missing point


class SharedLine(LineTree):
    """Cuts on a line with a weight per lane, for one direction or for both.

    ``share`` is each direction's share of the prior; ``spans`` are the windows, 0 for all rounds; the points of the
    last ``room`` rounds are stored. In a column of a table a round may have no point. With two ``sides`` a rule has a
    label for such rounds, 0 or 1. If the rules are about ``single`` points, a gap represents the rule that is 0 at its
    first point only (or 1 there only); the first gap is that of all future points, of which the newest is the lowest.
    """

    def __init__(
        self,
        measure: Any,
        directions: int,
        share: float,
        lanes: int,
        spans: Any,
        room: int,
        sides: int = 1,
        single: bool = False,
    ) -> None:
        self.lanes, self.directions, self.kinds = lanes, directions, directions * sides
        self.single, self.each, self.side0, self.side1 = single, lanes * self.kinds, 0.0, 0.0
        self.share, self.windows = share, [Window(span) for span in spans]
        self.weights = self.node_weights = self.factors = self.shifts = array("d")
        self.left, self.slope, self.offset = (array("d", bytes(8 * self.each)) for _ in range(3))
        self.sided, self.lone = array("d", bytes(16 * self.each)), np.zeros(2)
        self.ring = array("q", bytes(8 * room))
        # Per node: the prior mass; 1s minus 0s, their least and largest sum from the left; and the split.
        self.sums, self.base, self.stride = array("d"), 0, 5
        LineTree.__init__(self, *measure)

    @cython.locals(i=cython.Py_ssize_t, at=cython.Py_ssize_t)
    def sow(self, v: cython.Py_ssize_t) -> cython.void:
        """Make a node the root of a tree with one gap."""
        LineTree.sow(self, v)
        at = (-1 - self.child[v]) * UNIT
        for i in range(self.each):
            self.weights[at * self.each + i] = self.share

    def make_room(self, room: cython.Py_ssize_t, nodes: cython.Py_ssize_t) -> cython.int:
        """Allocate room for this many units and nodes."""
        self.weights = longer(self.weights, room * UNIT * self.each)
        self.node_weights = longer(self.node_weights, nodes * self.each)
        self.factors, self.shifts = longer(self.factors, nodes * self.each), longer(self.shifts, nodes * self.each)
        return LineTree.make_room(self, room, nodes)

    def reserve(self) -> cython.int:
        """Allocate room for one more point, also in the window of all rounds."""
        if len(self.windows) > 0 and self.windows[0].room <= self.cells + 1:
            self.windows[0].grow(self.cells + (self.cells >> 1) + 8)
        return OrderedTree.reserve(self)

    def rebuild(self) -> cython.void:
        """Sum up a tree without stored maps: a new one, or one from a file."""
        self.sum_all(self.list_nodes(self.root))

    def sum_again(self) -> cython.void:
        """Do nothing: the sums already include the rates so far."""

    @cython.locals(i=cython.Py_ssize_t)
    def copy_slots(self, new: cython.Py_ssize_t, old: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        """Copy points, gaps and weights; source and target may overlap."""
        LineTree.copy_slots(self, new, old, count)
        new, old, count = new * self.each, old * self.each, count * self.each
        for i in range(count):
            if new > old:
                self.weights[new + count - 1 - i] = self.weights[old + count - 1 - i]
            else:
                self.weights[new + i] = self.weights[old + i]

    # --- Sums --------------------------------------------------------------------------------------

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, at=cython.Py_ssize_t, first=cython.Py_ssize_t)
    def push(self, v: cython.Py_ssize_t) -> cython.void:
        """Apply the map of a node to its children or its gaps."""
        at, first = v * self.each, (-1 - self.child[v]) * UNIT
        if self.child[v] >= 0:
            for i in range(self.child[v], self.child[v] + 2):
                for j in range(self.each):
                    self.pass_on(i, j, self.factors[at + j], self.shifts[at + j])
        else:
            for i in range(first, first + self.counts[-1 - self.child[v]]):
                for j in range(self.each):
                    weight = self.factors[at + j] * self.weights[i * self.each + j]
                    self.weights[i * self.each + j] = weight + self.shifts[at + j] * self.mass[i]
        for j in range(self.each):
            self.factors[at + j], self.shifts[at + j] = 1.0, 0.0

    def pass_on(self, v, j, factor, shift):
        """Map all weights w of a lane below a node to factor w + shift pi."""
        at: cython.Py_ssize_t = v * self.each + j
        self.node_weights[at] = factor * self.node_weights[at] + shift * self.sums[v * 5]
        self.shifts[at] = factor * self.shifts[at] + shift
        self.factors[at] = factor * self.factors[at]

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, at=cython.Py_ssize_t, first=cython.Py_ssize_t)
    @cython.locals(mass=cython.double, over=cython.double, least=cython.double, most=cython.double)
    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the gaps of a bucket that has no stored map."""
        at, first = v * self.each, (-1 - self.child[v]) * UNIT
        mass, over, least, most = 0.0, 0.0, inf, -inf
        for j in range(self.each):
            self.node_weights[at + j], self.factors[at + j], self.shifts[at + j] = 0.0, 1.0, 0.0
        for i in range(first, first + self.counts[-1 - self.child[v]]):
            mass += self.mass[i]
            over = self.gain[i] if self.single else over + self.gain[i]
            least, most = over if over < least else least, over if over > most else most
            for j in range(self.each):
                self.node_weights[at + j] += self.weights[i * self.each + j]
        over = 0.0 if self.single else over
        self.sums[v * 5], self.sums[v * 5 + 1], self.sums[v * 5 + 2], self.sums[v * 5 + 3] = mass, over, least, most

    @cython.locals(j=cython.Py_ssize_t, at=cython.Py_ssize_t, a=cython.Py_ssize_t, b=cython.Py_ssize_t)
    @cython.locals(least=cython.double, most=cython.double)
    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the children of a node that has no stored map."""
        at, a = v * self.each, self.child[v] * self.each
        b = a + self.each
        for j in range(self.each):
            self.node_weights[at + j] = self.node_weights[a + j] + self.node_weights[b + j]
        for j in range(self.each):
            self.factors[at + j], self.shifts[at + j] = 1.0, 0.0
        at, a = v * 5, self.child[v] * 5
        least, most = self.sums[a + 1] + self.sums[a + 7], self.sums[a + 1] + self.sums[a + 8]
        self.sums[at], self.sums[at + 1] = self.sums[a] + self.sums[a + 5], self.sums[a + 1] + self.sums[a + 6]
        self.sums[at + 2] = self.sums[a + 2] if self.sums[a + 2] < least else least
        self.sums[at + 3] = self.sums[a + 3] if self.sums[a + 3] > most else most

    @cython.locals(i=cython.Py_ssize_t)
    def regrow(self, root: cython.Py_ssize_t) -> cython.void:
        """Apply all maps of a subtree before it is rebuilt."""
        for i in range(self.list_nodes(root)):
            self.push(self.order[i])
        LineTree.regrow(self, root)

    # --- A round -----------------------------------------------------------------------------------

    def divide(self) -> cython.void:
        """Compute the division of the gap's mass; the i-th single point has 1/(i (i + 1))."""
        if not self.single:
            LineTree.divide(self)
            return
        self.mass0, self.guess = self.mass[self.at] / (self.cells + 1.0), False
        self.mass1 = self.mass0 * self.cells

    @cython.locals(d=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, v=cython.Py_ssize_t)
    @cython.locals(at=cython.Py_ssize_t, child=cython.Py_ssize_t, mass=cython.double, part=cython.double)
    def look_lanes(self, one: cython.double[::1], whole: cython.double[::1]) -> cython.void:
        """Add the weight that predicts 1 at x, and all weight, per lane."""
        self.locate()
        v = self.root
        for j in range(self.each):
            self.left[j], self.slope[j], self.offset[j] = 0.0, 1.0, 0.0
        for d in range(self.depth + 1):
            at, child = v * self.each, self.child[v]
            for j in range(self.each):  # the composed map from here to the root
                self.offset[j] += self.slope[j] * self.shifts[at + j]
            for j in range(self.each):
                self.slope[j] *= self.factors[at + j]
            if d < self.depth:
                v = self.way[d + 1]
                if v != child:
                    mass, at = self.sums[child * 5], child * self.each
                    for j in range(self.each):
                        self.left[j] += self.slope[j] * self.node_weights[at + j] + self.offset[j] * mass
        part = self.mass1 / (self.mass1 + self.mass0) if self.cut else 0.0
        part = 1.0 - part if self.single else part
        mass, at = part * self.mass[self.at], self.at * self.each
        for j in range(self.each):
            self.sided[j] = part * self.weights[at + j]
        for i in range(self.at if self.single else self.bucket * UNIT, self.at):
            mass += self.mass[i]
            for j in range(self.each):
                self.sided[j] += self.weights[i * self.each + j]
        at = self.root * self.each
        for j in range(self.each):
            part = self.slope[j] * self.sided[j] + self.offset[j] * mass
            self.left[j] = self.node_weights[at + j] - part if self.single else self.left[j] + part
        for d in range(self.kinds):
            for j in range(self.lanes):
                i = d * self.lanes + j
                one[j] += self.node_weights[at + i] - self.left[i] if d % self.directions else self.left[i]
                whole[j] += self.node_weights[at + i]

    @cython.locals(d=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, v=cython.Py_ssize_t)
    @cython.locals(at=cython.Py_ssize_t, side=cython.Py_ssize_t, L=cython.Py_ssize_t, part=cython.double)
    def take_lanes(self, label, cost, right1, right0, place):
        """Add x; multiply the weights that predict 1 there by one factor per lane, the others by another."""
        L, v = self.each, self.root
        for d in range(self.kinds):
            for j in range(self.lanes):  # factors to the left of x, then to the right of it
                i = d * self.lanes + j
                self.sided[i], self.sided[L + i] = right1[j], right0[j]
                if d % self.directions:
                    self.sided[i], self.sided[L + i] = right0[j], right1[j]
        for d in range(1, self.depth + 1):
            self.pass_down(v, self.way[d], self.child[v])
            v = self.way[d]
        for i in range(self.bucket * UNIT, self.bucket * UNIT + self.counts[self.bucket]):
            at, side = i * L, 0 if i < self.at or (self.single and i > self.at) else L
            if i == self.at and self.cut:
                for j in range(L):
                    weight = self.factors[v * L + j] * self.weights[at + j]
                    self.weights[at + j] = weight + self.shifts[v * L + j] * self.mass[i]
            else:
                for j in range(L):
                    weight = self.factors[v * L + j] * self.weights[at + j] + self.shifts[v * L + j] * self.mass[i]
                    self.weights[at + j] = self.sided[side + j] * weight
        if self.cut:
            part = self.mass1 / (self.mass1 + self.mass0)
            self.insert()
            at = self.at * L
            for j in range(L):
                self.weights[at + j] = (1.0 - part) * self.sided[L + j] * self.weights[at - L + j]
                self.weights[at - L + j] = part * self.sided[j] * self.weights[at - L + j]
        self.charge(label, cost)
        if place >= 0:
            self.ring[place] = self.x
        self.climb()
        self.seen = self.known = False

    @cython.locals(j=cython.Py_ssize_t, at=cython.Py_ssize_t, side=cython.Py_ssize_t, other=cython.Py_ssize_t)
    @cython.locals(to=cython.Py_ssize_t, mass=cython.double)
    def pass_down(self, v: cython.Py_ssize_t, way: cython.Py_ssize_t, child: cython.Py_ssize_t) -> cython.void:
        """Apply a node's map to the child on the path (its sum is updated later) and, with a factor, to the other."""
        other, side = 2 * child + 1 - way, 0 if way != child or self.single else self.each
        mass, at, to, v = self.sums[other * 5], other * self.each, way * self.each, v * self.each
        for j in range(self.each):
            weight = self.factors[v + j] * self.node_weights[at + j] + self.shifts[v + j] * mass
            self.node_weights[at + j] = self.sided[side + j] * weight
        for j in range(self.each):
            shift = self.factors[v + j] * self.shifts[at + j] + self.shifts[v + j]
            self.shifts[at + j] = self.sided[side + j] * shift
        for j in range(self.each):
            self.factors[at + j] = self.sided[side + j] * self.factors[v + j] * self.factors[at + j]
        for j in range(self.each):
            self.shifts[to + j] = self.factors[v + j] * self.shifts[to + j] + self.shifts[v + j]
        for j in range(self.each):
            self.factors[to + j] = self.factors[v + j] * self.factors[to + j]

    # --- A separate round, at one rate: parts that each share on their own clock -----------------------------

    def look(self) -> cython.void:
        """Compute the odds of this line."""
        self.lone[0] = self.lone[1] = 0.0
        self.look_lanes(self.lone[:1], self.lone[1:])
        self.p = min(1.0, max(0.0, self.lone[0] / self.lone[1]))
        self.log_odds = log(self.p) - log(1.0 - self.p) if 0.0 < self.p < 1.0 else inf if self.p > 0.5 else -inf

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add x, charge the rules that are wrong there, and share 1/(t + 1) after t charged rounds."""
        wrong: cython.double = exp(-self.eta * cost)
        self.lone[0], self.lone[1] = (1.0, wrong) if label else (wrong, 1.0)
        self.take_lanes(label, cost, self.lone[:1], self.lone[1:], -1)
        if cost > 0.0:
            self.clock += 1.0
            wrong = self.node_weights[self.root]
            self.log_z += log(wrong)
            self.pass_on(self.root, 0, self.clock / (self.clock + 1.0) / wrong, 1.0 / (self.clock + 1.0))

    def log_total(self) -> cython.double:
        """Return ln of all weight, relative to the least loss."""
        return self.log_z + self.eta * self.least()

    @cython.locals(d=cython.Py_ssize_t, j=cython.Py_ssize_t)
    def add_lanes(self, whole: cython.double[::1]) -> cython.void:
        """Add all weights, per lane."""
        for d in range(self.root * self.kinds, (self.root + 1) * self.kinds):
            for j in range(self.lanes):
                whole[j] += self.node_weights[d * self.lanes + j]

    @cython.locals(d=cython.Py_ssize_t, j=cython.Py_ssize_t)
    def share_lanes(self, kept: cython.double[::1], dealt: cython.double[::1]) -> cython.void:
        """Replace every weight w by kept w + dealt pi, where pi is its share of the prior."""
        for d in range(self.kinds):
            for j in range(self.lanes):
                self.pass_on(self.root, d * self.lanes + j, kept[j], dealt[j] * self.share)

    # --- Rounds without a point ------------------------------------------------------------------

    def apart(self, d: cython.Py_ssize_t) -> cython.bint:
        """Return the prediction of a kind of rules: that of not being a single point, or the label of their side."""
        return d == 0 if self.single else d >= self.directions

    @cython.locals(d=cython.Py_ssize_t, j=cython.Py_ssize_t, at=cython.Py_ssize_t)
    def look_apart(self, one: cython.double[::1], whole: cython.double[::1]) -> cython.void:
        """Add the weight that predicts 1, and all weight, per lane."""
        for d in range(self.kinds):
            at = (self.root * self.kinds + d) * self.lanes
            for j in range(self.lanes):
                one[j] += self.node_weights[at + j] if self.apart(d) else 0.0
                whole[j] += self.node_weights[at + j]

    @cython.locals(d=cython.Py_ssize_t, j=cython.Py_ssize_t)
    def take_apart(self, label, cost, right1, right0, place):
        """Charge a round, and multiply the weights."""
        for d in range(self.kinds):
            for j in range(self.lanes):
                self.pass_on(self.root, d * self.lanes + j, right1[j] if self.apart(d) else right0[j], 0.0)
        if self.single:
            self.charged += cost
            self.zeros += 0.0 if label else cost
        self.side0 += cost if label else 0.0
        self.side1 += 0.0 if label else cost
        if place >= 0:
            self.ring[place] = LOWEST

    # --- Windows -----------------------------------------------------------------------------------

    @cython.locals(t=cython.longlong, i=cython.Py_ssize_t, j=cython.Py_ssize_t, v=cython.Py_ssize_t)
    def refresh(self, k, since, until, labels, costs):
        """Add these rounds to a window and remove others; return the least loss of a rule there."""
        window: Window = self.windows[k]
        window.side0 = window.side1 = 0.0
        if window.span == 0:
            window.count, window.side0, window.side1 = 0, self.side0, self.side1
            for i in range(self.list_nodes(self.root)):
                v = -1 - self.child[self.order[i]]
                for j in range(v * UNIT, v * UNIT + self.counts[v] if v >= 0 else v * UNIT):
                    window.keys[window.count], window.gains[window.count] = self.keys[j], self.gain[j]
                    window.count += 1
        for t in range(since, until):
            i = t % len(self.ring)
            window.enter(self.ring[i], costs[i] if labels[i] else -costs[i], t)
        if until > since:
            window.merge(until)
        window.choose(self.directions == 2, self.single)
        if window.span == 0:
            return self.least() if self.single else self.least() + min(self.side0, self.side1)
        return window.loss

    @cython.locals(middle=cython.double)
    def says(self, k: cython.Py_ssize_t) -> cython.bint:
        """Return the prediction at x of the best rule of a window; within the gap of its cut the nearer end decides."""
        window: Window = self.windows[k]
        if self.single:
            return (self.x != window.low) == window.rises
        if self.x <= window.low or self.x >= window.high:
            return (self.x >= window.high) == window.rises
        if self.floats:
            middle = value_of(self.x)
            return (middle - value_of(window.low) > value_of(window.high) - middle) == window.rises
        return (between(window.low, self.x) > between(self.x, window.high)) == window.rises

    def says_apart(self, k: cython.Py_ssize_t) -> cython.bint:
        """Return the prediction of the best rule of a window for a round without a point."""
        window: Window = self.windows[k]
        return window.rises if self.single else window.side1 < window.side0

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the least loss of a rule over all rounds."""
        at: cython.Py_ssize_t = self.root * 5
        if self.directions == 2:
            return self.zeros + min(self.sums[at + 2], self.charged - 2.0 * self.zeros - self.sums[at + 3])
        return self.zeros + self.sums[at + 2]

    def count(self) -> cython.longlong:
        """Return the number of rules."""
        return self.directions * self.cells

    def floor(self, v: cython.Py_ssize_t, falls: cython.bint) -> cython.double:
        """Return -inf: nodes do not know the least loss under them."""
        return inf if falls and self.directions == 1 else -inf

    def held_columns(self) -> dict[str, Any]:
        """Return the fields of the slots by name, with the weights."""
        weights: Any = np.asarray(self.weights).reshape(self.room * UNIT, self.each)
        return LineTree.held_columns(self) | {"weights": weights}

    def of_nodes(self) -> dict[str, Any]:
        """Return the fields of the nodes by name, as views."""
        kept: dict[str, Any] = {"node_weights": self.node_weights, "factors": self.factors, "shifts": self.shifts}
        return {name: np.asarray(column).reshape(self.node_room, self.each) for name, column in kept.items()}

    def slots(self) -> dict[str, Any]:
        """Return the slots and the fields of all nodes in preorder, so that every later sum is bit for bit the same."""
        kept: dict[str, Any] = LineTree.slots(self)
        order: Any = np.asarray(self.order)[: self.list_nodes(self.root)]
        kept |= {name: column[order] for name, column in self.of_nodes().items()}
        ends = [(window.low, window.high, window.rises) for window in self.windows]
        sides = [(window.side0, window.side1) for window in self.windows]
        kept |= {"of_windows": np.array([(self.side0, self.side1), *sides])}
        return kept | {"ring": np.array(self.ring), "ends": np.array(ends, dtype=np.int64).reshape(len(ends), 3)}

    def plant(self, kept: dict[str, Any], numbers: Any, children: Any, beyond: Any) -> None:
        """Restore the checked result of :meth:`slots`."""
        LineTree.plant(self, kept, numbers, children, beyond)
        order: Any = np.asarray(self.order)[: self.list_nodes(self.root)]
        for name, column in self.of_nodes().items():
            column[order] = kept[name]
        self.ring = kept["ring"].copy()
        (self.side0, self.side1), *sides = kept["of_windows"].tolist()
        for window, (low, high, rises), both in zip(self.windows, kept["ends"].tolist(), sides, strict=True):
            window.low, window.high, window.rises = low, high, bool(rises)
            window.side0, window.side1 = both
