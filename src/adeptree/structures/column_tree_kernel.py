"""Thresholds of both directions, a rising and a falling one per gap of a line: a B-tree of weights that are kept.

A falling rule is wrong wherever the rising rule with the same cut is right, so both share a tree. The loss of a rising
rule is the cost of all 0s, plus the gains (1s minus 0s) left of its cut. The loss of a falling rule is the cost of all
1s, minus these gains. Both rules of a gap have the prior mass of its cut.

**Weights are kept.** Each slot, and each of the up to 16 entries of a node, holds its weight in both directions,
relative to a loss of its bucket or node (``REF``). A label multiplies the weights right of x by e^-eta in one direction
and by e^eta in the other. The entry of the parent is multiplied by new sum / old sum. So a round reads and writes one
bucket, and one node per level.

**Weights are computed again** from the gains, relative to the least loss, after 200 visits of a bucket or node, so that
rounding errors stay below 1e-13. A visit that multiplies by e^step counts as 1 + step: up to then, no sum of weights
overflows, and a weight that has become 0 is still too small to matter. Every visit computes the weights again if all
masses are tiny (``SMALL``), or if the step is above ``STEEP``. The least losses are exact after every round.

Entry v = 16 n + j is the j-th of node n; entry 0 belongs to the root. ``sums`` holds the entries of a node field by
field: the first key below, the two weights in the node, and for all slots below: the gain, the two least losses (as if
its first point were the first of all), the two sums of weights, the two losses that these refer to, and the visits.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if cython.compiled:
    from cython.cimports.adeptree._compiled.arrays_kernel import prefetch
    from cython.cimports.libc.string import memmove
else:
    from math import exp, inf, log

    from adeptree.structures.line_tree_kernel import LineTree, is_plain
    from adeptree.theory.ledger_kernel import word_of_float
    from adeptree.theory.mass_kernel import log_plus

UNIT = cython.declare(cython.Py_ssize_t, 4)
BUCKET = cython.declare(cython.Py_ssize_t, 32)
FAN = cython.declare(cython.Py_ssize_t, 16)
FIELDS = cython.declare(cython.Py_ssize_t, 11)
# Offsets of the fields in a node: weights, gains, least losses, sums, their references, and visits.
UP, DOWN = cython.declare(cython.Py_ssize_t, 16), cython.declare(cython.Py_ssize_t, 32)
OVER = cython.declare(cython.Py_ssize_t, 48)
LEAST_UP, LEAST_DOWN = cython.declare(cython.Py_ssize_t, 64), cython.declare(cython.Py_ssize_t, 80)
SUM_UP, SUM_DOWN = cython.declare(cython.Py_ssize_t, 96), cython.declare(cython.Py_ssize_t, 112)
REF_UP, REF_DOWN = cython.declare(cython.Py_ssize_t, 128), cython.declare(cython.Py_ssize_t, 144)
AGE = cython.declare(cython.Py_ssize_t, 160)
OLDEST = cython.declare(cython.double, 200.0)
STEEP = cython.declare(cython.double, 20.0)
SMALL = cython.declare(cython.double, 1e-200)


class ColumnTree(LineTree):
    """The tree; ``measure`` holds the arguments of ``LineTree``: the line, and the prior of one cut."""

    def __init__(self, measure: Any) -> None:
        self.sums, self.base, self.stride = array("d"), 0, FIELDS
        self.up, self.down, self.firsts_below = array("d"), array("d"), array("q")
        self.step, self.less, self.more = 0.0, 1.0, 1.0  # eta times the last cost, e^-step and e^step
        self.weight_up = self.weight_down = self.log_weight = 0.0
        self.built = -1.0  # the rate of the stored weights
        self.walked = False  # True if the path leads to x
        LineTree.__init__(self, *measure, 2)

    # --- The tree ----------------------------------------------------------------------------------

    def sow(self, v: cython.Py_ssize_t) -> cython.void:
        """Make the root a tree with one gap."""
        LineTree.sow(self, v)
        self.size[v], self.nodes = 0, FAN

    def make_room(self, room: cython.Py_ssize_t, nodes: cython.Py_ssize_t) -> cython.int:
        """Allocate room for this many units and entries. If that fails, nothing changes."""
        LineTree.make_room(self, room, (nodes + 15) // 16 * 16)
        reals = memoryview(self.held).cast("B").cast("d")
        self.up, self.down = reals[self.words - 2 :: self.words], reals[self.words - 1 :: self.words]
        self.firsts_below = memoryview(self.sums).cast("B").cast("q")
        return 0

    def reserve(self) -> cython.int:
        """Allocate room for one more point: each level, and one above, may need a new node."""
        if self.nodes + FAN * (self.depth + 3) > self.node_room:
            self.make_room(self.room, self.node_room + (self.node_room >> 3) + FAN * (self.depth + 3))
        return LineTree.reserve(self)

    def walk(self) -> cython.void:
        """Find the bucket of x, and prefetch it."""
        v = d = 0
        if self.walked:
            return
        self.way[0] = 0
        while self.child[v] >= 0:
            at, end = 176 * self.child[v], 176 * self.child[v] + self.size[v]
            v = 16 * self.child[v]
            for i in range(at + 1, end):
                v += self.firsts_below[i] <= self.x  # without a branch, which would be mispredicted
            d += 1
            self.way[d] = v
        self.depth, self.bucket, self.walked = d, -1 - self.child[v], True
        if cython.compiled:
            self.warm_bucket(self.bucket)
            for i in range(11 * (v & -16), 11 * (v & -16) + 176, 8):
                prefetch(cython.address(self.sums[i]))

    def aim(self, x: cython.longlong) -> cython.void:
        """Make x the current point, and prefetch its bucket while other columns are searched."""
        self.walked = False
        LineTree.aim(self, x)
        self.walk()

    def warm_ways(self, count: cython.Py_ssize_t) -> cython.void:
        """Read the nodes above the buckets of the coming points level by level, so that no read waits for another."""
        level = 0
        for i in range(count):
            self.ways[i] = 0
        while level < self.depth:
            for i in range(count):
                v = self.child[self.ways[i]]
                at, end = 176 * v, 176 * v + self.size[self.ways[i]]
                v *= 16
                for j in range(at + 1, end):
                    v += self.firsts_below[j] <= self.coming[i]
                self.ways[i] = v
                if level + 1 < self.depth:
                    prefetch(cython.address(self.firsts_below[176 * self.child[v]]))
                    prefetch(cython.address(self.firsts_below[176 * self.child[v] + 15]))
            level += 1

    def key_after(self) -> cython.longlong:
        """Return the first key after the bucket of x."""
        d = self.depth
        while d > 0:
            if (self.way[d] & 15) + 1 < self.size[self.way[d - 1]]:
                return self.firsts_below[place_of(self.way[d]) + 1]
            d -= 1
        return self.last

    def list_nodes(self, root: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """List the entries in ``order``, each before those below it, left before right; return how many."""
        found, waiting = 0, 1
        self.firsts[0] = root
        while waiting:
            waiting -= 1
            v = self.firsts[waiting]
            self.order[found] = v
            found += 1
            for i in range(self.size[v]):
                self.firsts[waiting + i] = 16 * self.child[v] + self.size[v] - 1 - i
            waiting += self.size[v]
        return found

    def move_entries(self, new: cython.Py_ssize_t, old: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        """Copy entries; source and target may overlap."""
        to, at = place_of(new), place_of(old)
        for f in range(FIELDS):
            if cython.compiled:
                memmove(
                    cython.address(self.firsts_below[to + FAN * f]),
                    cython.address(self.firsts_below[at + FAN * f]),
                    8 * count,
                )
            else:
                words = memoryview(self.firsts_below)
                words[to + FAN * f : to + FAN * f + count] = words[at + FAN * f : at + FAN * f + count]
        for f in range(count):
            i = count - 1 - f if new > old else f
            self.child[new + i], self.size[new + i] = self.child[old + i], self.size[old + i]

    def split_nodes(self) -> cython.void:
        """Make room after the leaf of x; full nodes on the way are split, from the top down."""
        d = self.depth
        while d > 0 and self.size[self.way[d - 1]] == FAN:
            d -= 1
        if d == 0:  # all are full, so the tree grows by a level
            for i in range(self.depth, 0, -1):
                self.way[i + 1] = self.way[i]
            d, new = 1, self.nodes
            self.move_entries(new, 0, 1)
            self.firsts_below[place_of(new)] = self.first
            self.child[0], self.size[0], self.way[1] = new >> 4, 1, new
            self.depth, self.nodes = self.depth + 1, new + FAN
        while True:
            v, above = self.way[d], self.way[d - 1]
            self.move_entries(v + 2, v + 1, 16 * self.child[above] + self.size[above] - v - 1)
            self.size[above] += 1
            if d == self.depth:
                return
            new, half = self.nodes, 16 * self.child[v] + 8
            self.nodes += FAN
            self.move_entries(new, half, 8)
            self.child[v + 1], self.size[v], self.size[v + 1] = new >> 4, 8, 8
            self.firsts_below[place_of(v) + 1] = self.firsts_below[place_of(new)]
            self.sum_node(v)
            self.sum_node(v + 1)
            self.sum_node(above)
            if self.way[d + 1] >= half:
                self.way[d] += 1
                self.way[d + 1] += new - half
            d += 1

    def halve(self, v: cython.Py_ssize_t) -> cython.void:
        """Split the leaf of x, whose bucket is full."""
        old, low, high = self.bucket, self.block(max(self.smallest, 4)), self.block(max(self.smallest, 4))
        self.split_nodes()
        v = self.way[self.depth]
        self.copy_slots(low * UNIT, old * UNIT, 16)
        self.copy_slots(high * UNIT, old * UNIT + 16, 16)
        self.counts[low] = self.counts[high] = 16
        self.release(old, BUCKET // UNIT)
        self.child[v], self.child[v + 1], self.size[v + 1] = -1 - low, -1 - high, 0
        self.firsts_below[place_of(v) + 1] = self.keys[high * UNIT]
        self.sum_leaf(v)
        self.sum_leaf(v + 1)
        self.sum_node(self.way[self.depth - 1])

    # --- Sums --------------------------------------------------------------------------------------

    def relative(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss), also for a negative loss."""
        return self.shrunk(loss) if loss >= 0.0 else exp(-self.eta * loss)

    def add_up(self, v: cython.Py_ssize_t) -> cython.void:
        """Set the gain, the least losses and the sums of weights of an entry from the slots or entries below it."""
        over = up = down = 0.0
        least = fall = inf
        if self.child[v] < 0:
            first = (-1 - self.child[v]) * UNIT
            for i in range(first, first + self.counts[-1 - self.child[v]]):
                over += self.gain[i]
                least, fall = over if over < least else least, -over if -over < fall else fall
                up += self.up[i]
                down += self.down[i]
        else:
            first = 176 * self.child[v]
            for i in range(first, first + self.size[v]):
                rising, falling = self.sums[i + LEAST_UP] + over, self.sums[i + LEAST_DOWN] - over
                least, fall = rising if rising < least else least, falling if falling < fall else fall
                over += self.sums[i + OVER]
                up += self.sums[i + UP]
                down += self.sums[i + DOWN]
        at = place_of(v)
        self.sums[at + OVER] = over
        self.sums[at + LEAST_UP], self.sums[at + LEAST_DOWN] = least, fall
        self.sums[at + SUM_UP], self.sums[at + SUM_DOWN] = up, down

    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Compute the weights of a bucket from gains."""
        self.add_up(v)
        at, first, over = place_of(v), (-1 - self.child[v]) * UNIT, 0.0
        least, fall = self.sums[at + LEAST_UP], self.sums[at + LEAST_DOWN]
        for i in range(first, first + self.counts[-1 - self.child[v]]):
            over += self.gain[i]
            self.up[i] = self.mass[i] * self.shrunk(over - least)
            self.down[i] = self.mass[i] * self.shrunk(-over - fall)
        self.sums[at + REF_UP], self.sums[at + REF_DOWN], self.sums[at + AGE] = least, fall, 0.0
        self.add_up(v)

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Compute the weights of a node from the sums of its entries."""
        self.add_up(v)
        at, first, over = place_of(v), 176 * self.child[v], 0.0
        least, fall = self.sums[at + LEAST_UP], self.sums[at + LEAST_DOWN]
        for i in range(first, first + self.size[v]):
            self.sums[i + UP] = self.sums[i + SUM_UP] * self.relative(self.sums[i + REF_UP] + over - least)
            self.sums[i + DOWN] = self.sums[i + SUM_DOWN] * self.relative(self.sums[i + REF_DOWN] - over - fall)
            over += self.sums[i + OVER]
        self.sums[at + REF_UP], self.sums[at + REF_DOWN], self.sums[at + AGE] = least, fall, 0.0
        self.add_up(v)

    def sum_again(self) -> cython.void:
        """Compute all weights if the rate has changed."""
        if self.eta != self.built:
            self.built = -1.0
            self.sum_all(self.list_nodes(0))
            self.built = self.eta
        self.weigh_root()

    def weigh_root(self) -> cython.void:
        """Set the factors of the sums of both directions relative to L*, and ln of the total weight."""
        low = self.least()
        self.weight_up = self.relative(self.zeros + self.sums[REF_UP] - low)
        self.weight_down = self.relative(self.charged - self.zeros + self.sums[REF_DOWN] - low)
        self.log_weight = log(self.weight_up * self.sums[SUM_UP] + self.weight_down * self.sums[SUM_DOWN])

    # --- A round -----------------------------------------------------------------------------------

    def look(self) -> cython.void:
        """Sum up the rules that predict 1 at x: the rising ones left of it, and the falling ones right of it."""
        one_up = one_down = 0.0
        scale_up = scale_down = 1.0  # from the weights of a node to those of the root
        self.locate()
        for d in range(1, self.depth + 1):
            up = down = 0.0
            at, first = place_of(self.way[d]), 11 * (self.way[d] & -16)
            for i in range(first, at):
                up += self.sums[i + UP]
            for i in range(at + 1, first + self.size[self.way[d - 1]]):
                down += self.sums[i + DOWN]
            one_up += scale_up * up
            one_down += scale_down * down
            scale_up *= self.sums[at + UP] / self.sums[at + SUM_UP]
            scale_down *= self.sums[at + DOWN] / self.sums[at + SUM_DOWN]
        up, first = self.up[self.at] * (self.mass1 / self.mass[self.at]) if self.cut else 0.0, self.bucket * UNIT
        down = self.down[self.at] * (self.mass0 / self.mass[self.at] if self.cut else 1.0)
        for i in range(first, self.at):
            up += self.up[i]
        for i in range(self.at + 1, first + self.counts[self.bucket]):
            down += self.down[i]
        one_up = self.weight_up * (one_up + scale_up * up)
        one_down = self.weight_down * (one_down + scale_down * down)
        up, down = self.weight_up * self.sums[SUM_UP], self.weight_down * self.sums[SUM_DOWN]
        self.p = min(1.0, (one_up + one_down) / (up + down))

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add x, which divides the weights of its gap like its mass, and charge the rules that are wrong there."""
        self.walked = False
        if self.cut:
            up, down, mass = self.up[self.at], self.down[self.at], self.mass[self.at]
            self.insert()
            for i in range(self.at - 1, self.at + 1):
                self.up[i], self.down[i] = up * (self.mass[i] / mass), down * (self.mass[i] / mass)
        self.charge(label, cost)
        if self.eta * cost != self.step:
            self.step = self.eta * cost
            self.less, self.more = exp(-min(self.step, STEEP)), exp(min(self.step, STEEP))
        self.multiply(label)
        if self.counts[self.bucket] == BUCKET:
            self.halve(0)
        self.weigh_root()

    def multiply(self, label: cython.int) -> cython.void:
        """Multiply the weights right of x, from its bucket to the root."""
        less, more = (self.less, self.more) if label else (self.more, self.less)
        for i in range(self.at, self.bucket * UNIT + self.counts[self.bucket]):
            self.up[i] *= less
            self.down[i] *= more
        for d in range(self.depth, -1, -1):
            at = place_of(self.way[d])
            up, down = self.sums[at + SUM_UP], self.sums[at + SUM_DOWN]
            self.add_up(self.way[d])
            rising, falling = self.sums[at + SUM_UP], self.sums[at + SUM_DOWN]
            self.sums[at + AGE] += 1.0 + self.step
            if self.sums[at + AGE] >= OLDEST or self.step > STEEP or rising < SMALL or falling < SMALL:
                if self.child[self.way[d]] < 0:
                    self.sum_leaf(self.way[d])
                else:
                    self.sum_node(self.way[d])
            if d > 0:
                self.sums[at + UP] *= rising / up
                self.sums[at + DOWN] *= falling / down
                for i in range(at + 1, 11 * (self.way[d] & -16) + self.size[self.way[d - 1]]):
                    self.sums[i + UP] *= less
                    self.sums[i + DOWN] *= more

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x, exact even if one side is negligible, from losses and sums."""
        one = zero = -inf
        # Losses left of the path, relative to L*, because rate times loss may have too few digits.
        rise = self.zeros - self.least()
        fall = rise + self.charged - 2.0 * self.zeros
        for d in range(1, self.depth + 1):
            at, first, up, down = place_of(self.way[d]), 11 * (self.way[d] & -16), rise, fall
            for i in range(first, first + self.size[self.way[d - 1]]):
                if i == at:
                    rise, fall = up, down
                else:
                    left = log(self.sums[i + SUM_UP]) - self.eta * (up + self.sums[i + REF_UP])
                    right = log(self.sums[i + SUM_DOWN]) - self.eta * (down + self.sums[i + REF_DOWN])
                    one, zero = log_plus(one, left if i < at else right), log_plus(zero, right if i < at else left)
                up += self.sums[i + OVER]
                down -= self.sums[i + OVER]
        first = self.bucket * UNIT
        for i in range(first, first + self.counts[self.bucket]):
            rise += self.gain[i]
            fall -= self.gain[i]
            left, right = (self.mass[i], 0.0) if i < self.at else (0.0, self.mass[i])
            if i == self.at and self.cut:
                left, right = self.mass1, self.mass0
            up, down = -self.eta * rise, -self.eta * fall
            if left > 0.0:
                one, zero = log_plus(one, log(left) + up), log_plus(zero, log(left) + down)
            if right > 0.0:
                one, zero = log_plus(one, log(right) + down), log_plus(zero, log(right) + up)
        return one - zero

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        return min(self.zeros + self.sums[LEAST_UP], self.charged - self.zeros + self.sums[LEAST_DOWN])

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass, 1 of either direction, times e^(-eta (loss - L*))."""
        return self.log_weight

    def floor(self, v: cython.Py_ssize_t, falls: cython.bint) -> cython.double:
        """Return the least loss below an entry, as if its first point were the first of all."""
        return self.sums[place_of(v) + (LEAST_DOWN if falls else LEAST_UP)]

    def over_of(self, v: cython.Py_ssize_t) -> cython.double:
        """Return the 1s minus 0s below an entry."""
        return self.sums[place_of(v) + OVER]

    def below(self, v: Any, end: Any) -> list[tuple[int, int]]:
        """Return the entries of a node that ends at this key, from right to left, each with the key where it ends."""
        first = 16 * self.child[v]
        ends = [self.firsts_below[11 * first + i] for i in range(1, self.size[v])] + [end]
        return [(first + i, ends[i]) for i in range(len(ends) - 1, -1, -1)]

    def count(self) -> cython.longlong:
        """Return the number of rules: two per gap."""
        return 2 * self.cells

    # --- Saved state -------------------------------------------------------------------------------

    def slots(self) -> dict[str, Any]:
        """Return the slots, the number of entries of each node (a leaf has none), and the fields of all entries."""
        kept: dict[str, Any] = LineTree.slots(self)
        order: Any = np.asarray(self.order)[: len(kept["sizes"])]
        return kept | {"sums": np.asarray(self.sums).reshape(-1, 11, 16)[order >> 4, 1:, order & 15]}

    def held_columns(self) -> dict[str, Any]:
        """Return the fields of the slots by name, as views."""
        return LineTree.held_columns(self) | {"up": np.asarray(self.up), "down": np.asarray(self.down)}

    def plant(self, kept: dict[str, Any], numbers: Any, children: Any, beyond: Any) -> None:
        """Restore the checked result of :meth:`slots`, its weights unchanged if they are of the current rate."""
        self.units, self.depth, self.walked = 0, 0, False
        self.nodes = FAN * int(max(0, children.max()) + 1)
        for i in range(len(self.spare)):
            self.spare[i] = -1
        buckets: Any = self.plant_buckets(kept, self.nodes)
        below: Any = np.where(children >= 0, children, -1 - buckets[beyond])
        np.asarray(self.size)[numbers], np.asarray(self.child)[numbers] = kept["sizes"], below
        firsts: Any = np.asarray(self.keys)[buckets[beyond] * UNIT]
        np.asarray(self.firsts_below).reshape(-1, 11, 16)[numbers >> 4, 0, numbers & 15] = firsts
        np.asarray(self.sums).reshape(-1, 11, 16)[numbers >> 4, 1:, numbers & 15] = kept["sums"]
        self.rebuild()


class RankedLine(ColumnTree):
    """The line of a feature with given cuts, in order: the point of a value is the number of cuts that it reaches."""

    def __init__(self, measure: Any, cuts: Any) -> None:
        self.cuts, self.given, self.value = array("d", cuts), array("d"), 0.0
        ColumnTree.__init__(self, measure)

    def place(self, x: object) -> cython.bint:
        """Make x the current point if it is a plain finite number."""
        if not is_plain(x):
            return False
        self.meet(x)  # type: ignore[arg-type]
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th value of the batch the current one."""
        self.meet(self.given[i])
        return 0

    def give(self, values: Any) -> None:
        """Set the values of a batch."""
        self.given = memoryview(values)

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Do nothing: the tree is small."""

    def meet(self, value: cython.double) -> cython.void:
        """Make a value the current one if it differs."""
        if value == self.value and self.x != self.first:
            return
        low, high = 0, len(self.cuts)
        while low < high:
            middle = (low + high) // 2
            if self.cuts[middle] <= value:
                low = middle + 1
            else:
                high = middle
        self.x = self.first  # until all of it is set
        self.value = value
        self.aim(low)

    def locate(self) -> cython.void:
        """Find the slot of the point; the coin belongs to the value."""
        LineTree.locate(self)
        self.word = word_of_float(self.value)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def place_of(v: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the index in ``sums`` of the first field of an entry."""
    return (v >> 4) * 176 + (v & 15)
