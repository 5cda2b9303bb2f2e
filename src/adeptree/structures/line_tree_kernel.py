"""A balanced tree of sorted points with aggregated sums; the base of every cut-based rule.

A slot holds a point and the gap after it, up to the next point; a sentinel stands before the first point. The fields of
a slot are adjacent in memory (``held``), and ``keys``, ``gain``, ``mass`` and so on are views of its columns. All
points are whole numbers: those of a grid unchanged, floats by their rank among all doubles, so that the number of cuts
in a gap is a difference. A gap has the prior mass of one cut, which a new point divides between the two parts: the beta
priors (``parts``) by the base learner's prediction there, the counted prior by counting.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if cython.compiled:
    from cython.cimports.adeptree._compiled.arrays_kernel import prefetch
    from cython.cimports.libc.string import memcpy, memmove
else:
    import struct
    from math import exp, floor, inf, isfinite

    from adeptree.core.arrays_kernel import longer, stretched
    from adeptree.structures.ordered_tree_kernel import OrderedTree
    from adeptree.theory.ledger_kernel import word_of_float

UNIT = cython.declare(cython.Py_ssize_t, 4)
NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0
LONGEST = cython.declare(cython.double, 65536.0)  # entries of the table of e^(-eta k)
EXACT = cython.declare(cython.double, 9007199254740992.0)  # 2^53: whole numbers up to here are doubles
FLOOR = cython.declare(cython.double, 1e-290)  # least mass, small enough that no sum depends on it


def value_of(key: cython.longlong) -> cython.double:
    """Return the double with this rank among all doubles."""
    top: cython.longlong = 0x7FFFFFFFFFFFFFFF  # typed, because in an expression it would be a Python int
    bits: cython.longlong = key if key >= 0 else -top - 1 - key
    value: cython.double = 0.0
    if cython.compiled:
        memcpy(cython.address(value), cython.address(bits), 8)
    else:
        value = struct.unpack("<d", struct.pack("<q", bits))[0]
    return value


def key_of(value: cython.double) -> cython.longlong:
    """Return the rank of a double among all doubles; -0.0 has the rank of 0.0."""
    bits: cython.longlong = 0
    top: cython.longlong = 0x7FFFFFFFFFFFFFFF
    value = value + 0.0
    if cython.compiled:
        memcpy(cython.address(bits), cython.address(value), 8)
    else:
        bits = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -top - 1 - bits


def between(low: cython.longlong, high: cython.longlong) -> cython.double:
    """Return the number of cuts in (low, high], of up to 64 bits, as a double."""
    return cython.cast(cython.double, cython.cast(cython.ulonglong, high) - cython.cast(cython.ulonglong, low))


def is_plain(value: object) -> cython.bint:
    """Return True if x is plainly a finite number that fits a double."""
    if type(value) is float:
        return isfinite(value)
    return type(value) is int and -EXACT <= value <= EXACT


class LineTree(OrderedTree):
    """A tree of points and gaps; a subclass defines the sums (``sum_leaf``, ``sum_node``, ``make_room``) and ``look``.

    ``shares`` and ``betas`` are the parts of the prior of one cut (``Prior.parts``), ``count_share`` is the share that
    is distributed by counting cuts.
    """

    def __init__(
        self, floats: bool, first: Any, last: Any, shares: Any, betas: Any, count_share: float, more: int = 0
    ) -> None:
        self.floats = floats
        self.first, self.last = first, last
        self.parts = len(shares)
        self.shares, self.betas = array("d", [*shares, 0.0]), array("d", [*betas, 0.0])
        self.upto, self.beyond = array("d", self.shares), array("d", self.shares)  # mass per part in x's gap
        self.alone = count_share == 0.0 and tuple(shares) == (1.0,)  # a single part has all of the mass
        self.count_share = count_share
        self.per_cut = count_share / between(first, last)
        self.whole = True  # all losses are whole numbers
        self.zeros = 0.0  # cost of all 0s
        self.charged = 0.0  # cost of all rounds
        self.clock = self.log_z = 0.0
        self.table = 0  # entries of decay, e^(-eta k)
        self.nothing = inf  # weights of larger losses underflow to 0
        self.x = first
        self.above = last
        self.cut = self.guess = False
        self.mass1 = self.mass0 = 0.0
        self.decay, self.longest = array("d", bytes(8)), LONGEST  # 0 if the rate changes too often for a table
        self.lead = None  # another line at the same rate, whose table is shared
        # A slot holds its key, gain, mass, wrong and contested, and the part if it differs from the mass.
        # A subclass may want ``more``.
        self.words = (4 if self.alone or self.parts > 1 else 5) + more
        self.part, self.held = array("d"), array("q")
        OrderedTree.__init__(self)
        self.sow(0)
        self.rebuild()

    def sow(self, v: cython.Py_ssize_t) -> cython.void:
        """Make a node the root of a tree with one gap."""
        u: cython.Py_ssize_t = self.block(self.smallest)
        self.child[v] = -1 - u
        self.counts[u] = self.size[v] = 1
        self.keys[u * UNIT], self.gain[u * UNIT], self.mass[u * UNIT] = self.first, 0.0, 1.0
        self.wrong[u * UNIT] = self.contested[u * UNIT] = 0
        for i in range(self.parts):
            self.part[u * UNIT * self.parts + i] = self.shares[i]

    def new_root(self) -> cython.Py_ssize_t:
        """Create another tree with one gap in the same arrays; return its root."""
        OrderedTree.reserve(self)
        v = self.nodes
        self.nodes += 2  # pairs of siblings begin at an odd number
        self.sow(v)
        self.sum_leaf(v)
        return v

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make x the current point if it is an int of the grid, or a finite number."""
        key: cython.longlong
        if self.floats:
            if not is_plain(x):
                return False
            key = key_of(x)  # type: ignore[arg-type]
        else:
            if type(x) is not int or not (self.first < x < self.last):
                return False
            key = x
        if key != self.x:
            self.aim(key)
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th point of the batch the current one."""
        key: cython.longlong = self.points[i]
        if key != self.x:
            self.aim(key)
        return 0

    def aim(self, x: cython.longlong) -> cython.void:
        """Make another point the current one."""
        self.x = x
        self.seen = self.known = False

    def give(self, keys: Any) -> None:
        """Set the keys of the points of a batch."""
        self.points = memoryview(keys)

    def warm_bucket(self, bucket: cython.Py_ssize_t) -> cython.void:
        """Prefetch a bucket: its count, and as many slots as most buckets have."""
        i: cython.Py_ssize_t
        prefetch(cython.address(self.counts[bucket]))
        for i in range(bucket * UNIT * self.words, (bucket * UNIT + 24) * self.words, 8):
            prefetch(cython.address(self.held[i]))
        if self.parts > 1:
            for i in range(bucket * UNIT * self.parts, (bucket * UNIT + 24) * self.parts, 8):
                prefetch(cython.address(self.part[i]))

    def walk(self) -> cython.void:
        """Find the bucket of x."""
        x: cython.longlong = self.x
        d: cython.Py_ssize_t = self.set_out(x)
        v: cython.Py_ssize_t = self.way[d]
        while self.child[v] >= 0:
            v = self.child[v] + (x >= self.splits[v])
            d += 1
            self.way[d] = v
        self.depth = d
        self.bucket = -1 - self.child[v]

    def key_after(self) -> cython.longlong:
        """Return the first key after the bucket of x."""
        d: cython.Py_ssize_t = self.depth
        while d > 0 and self.way[d] != self.child[self.way[d - 1]]:
            d -= 1  # up to the last left turn of the path
        return self.splits[self.way[d - 1]] if d > 0 else self.last

    def locate(self) -> cython.void:
        """Find the slot of x, the last one whose point is not above x; ``cut`` is True if x divides its gap."""
        x: cython.longlong = self.x
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        self.walk()
        at: cython.Py_ssize_t = self.bucket * UNIT - 1
        end: cython.Py_ssize_t = at + 1 + self.counts[self.bucket]
        for i in range(at + 1, end):
            at += self.keys[i] <= x  # without a branch, which would be mispredicted
        self.at = at
        self.above = self.keys[at + 1] if at + 1 < end else self.key_after()
        self.cut = self.keys[at] != x
        self.word = word_of_float(value_of(x)) if self.floats else cython.cast(cython.ulonglong, x) & mask
        if self.cut:
            self.divide()

    def divide(self) -> cython.void:
        """Compute the base learner's prediction at x, and the gap's mass up to x, ``mass1``, and beyond, ``mass0``."""
        low: cython.longlong = self.keys[self.at]
        k: cython.double = self.wrong[self.at]
        n: cython.double = self.contested[self.at]
        if self.floats:
            value = value_of(self.x)
            self.guess = value_of(self.above) / 2 - value / 2 < value / 2 - value_of(low) / 2
        else:
            self.guess = self.above - self.x < self.x - low
        self.mass1 = self.per_cut * between(low, self.x)
        self.mass0 = self.per_cut * between(self.x, self.above)
        for i in range(self.parts):
            agree = self.part[self.at * self.parts + i] / (n + 0.5 + self.betas[i])
            against = agree * (k + 0.5)
            agree = agree * (n - k + self.betas[i])
            self.upto[i] = agree if self.guess else against
            self.beyond[i] = against if self.guess else agree
            self.mass1 += self.upto[i]
            self.mass0 += self.beyond[i]

    def insert(self) -> cython.void:
        """Divide the gap of x: the part up to x keeps its slot, and a new slot holds x and the part beyond it."""
        self.widen()
        at: cython.Py_ssize_t = self.at
        parts: cython.Py_ssize_t = self.parts
        j: cython.Py_ssize_t = at + 1
        self.copy_slots(at + 2, at + 1, self.bucket * UNIT + self.counts[self.bucket] - at - 1)
        for i in range(0 if self.alone else parts):
            self.part[at * parts + i] = max(self.upto[i], FLOOR)
            self.part[j * parts + i] = max(self.beyond[i], FLOOR)
        self.keys[j] = self.x
        self.gain[j] = 0.0
        self.mass[at] = max(self.mass1, FLOOR)
        self.mass[j] = max(self.mass0, FLOOR)
        self.wrong[j] = self.wrong[at] + self.guess
        self.wrong[at] += 1 - self.guess
        self.contested[at] += 1
        self.contested[j] = self.contested[at]
        self.counts[self.bucket] += 1
        self.cells += 1
        self.at = j

    # --- Losses ------------------------------------------------------------------------------------

    def charge(self, label: cython.int, cost: cython.double) -> cython.void:
        """Count a label at the point of slot ``at``: its 1s minus 0s, and the total of all 0s."""
        self.charged += cost
        if cost != floor(cost) or self.charged > EXACT:
            self.whole = False
        if label:
            self.gain[self.at] += cost
        else:
            self.gain[self.at] -= cost
            self.zeros += cost

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add x and charge the rules that are wrong there."""
        if self.cut:
            self.insert()
        self.charge(label, cost)
        self.climb()

    def lengthen(self) -> cython.int:
        """Extend the table of e^(-eta k), or the lead's, to all differences of losses whose weight is not 0."""
        lead: LineTree = self if self.lead is None else self.lead
        reach: cython.double = min(min(lead.nothing, self.longest), 2.0 * self.charged + 64.0)
        size: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, reach) + 2
        if size > len(lead.decay):
            lead.decay = longer(lead.decay, size)
        for i in range(lead.table, size):
            lead.decay[i] = exp(-lead.eta * i)
        lead.table = max(lead.table, size)
        self.decay, self.table = lead.decay, lead.table
        return 0

    def shrunk(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss)."""
        if self.whole and loss < self.table:
            i = cython.cast(cython.Py_ssize_t, loss)
            return self.decay[i]
        return 0.0 if loss > self.nothing else exp(-self.eta * loss)

    def copy_slots(self, new: cython.Py_ssize_t, old: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        """Copy points and gaps; source and target may overlap."""
        w: cython.Py_ssize_t = self.words
        p: cython.Py_ssize_t = self.parts
        if cython.compiled:
            memmove(cython.address(self.held[w * new]), cython.address(self.held[w * old]), 8 * w * count)
            if p > 1:
                memmove(cython.address(self.part[p * new]), cython.address(self.part[p * old]), 8 * p * count)
        else:
            held = memoryview(self.held)
            held[w * new : w * (new + count)] = held[w * old : w * (old + count)]
            if p > 1:
                self.part[p * new : p * (new + count)] = self.part[p * old : p * (old + count)]

    def make_room(self, room: cython.Py_ssize_t, nodes: cython.Py_ssize_t) -> cython.int:
        """Allocate room for this many units and nodes. If that fails, nothing changes."""
        slots: cython.Py_ssize_t = room * UNIT
        w: cython.Py_ssize_t = self.words
        self.held = stretched(self.held, w * slots)
        words = memoryview(self.held)
        reals, halves = words.cast("B").cast("d"), words.cast("B").cast("i")
        self.keys, self.gain, self.mass = words[::w], reals[1::w], reals[2::w]
        self.wrong, self.contested = halves[6 :: 2 * w], halves[7 :: 2 * w]
        self.part = (
            self.mass if self.alone else longer(self.part, slots * self.parts) if self.parts > 1 else reals[4::w]
        )
        return OrderedTree.make_room(self, room, nodes)

    def reserve(self) -> cython.int:
        """Allocate room for one more bucket, and extend the table for one more round."""
        OrderedTree.reserve(self)
        if self.charged + 2.0 > self.table and self.table < self.nothing and self.table < self.longest:
            self.lengthen()
        return 0

    def rebuild(self) -> cython.void:
        """Recompute the sums that depend on the rate."""
        self.nothing = NOTHING / self.eta if self.eta > 0.0 else inf
        self.table = 0
        self.lengthen()
        self.sum_again()

    def sum_again(self) -> cython.void:
        """Sum up the current tree at another rate."""
        self.sum_all(self.list_nodes(self.root))

    # --- The best rules ------------------------------------------------------------------------------

    def floor(self, v: cython.Py_ssize_t, falls: cython.bint) -> cython.double:
        """Return the least loss of rising or falling rules under a node, as if its first point were the first of all.

        It is infinite if there are none, and -inf if nodes do not know it.
        """
        return inf if falls else -inf

    def over_of(self, v: cython.Py_ssize_t) -> cython.double:
        """Return the 1s minus 0s under a node."""
        return 0.0

    def below(self, v: Any, end: Any) -> list[tuple[int, int]]:
        """Return the nodes below a node that ends at this key, from right to left, each with the key where it ends."""
        return [(self.child[v] + 1, end), (self.child[v], self.splits[v])]

    def heavier(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
        """Return True if a gap has more prior mass than another."""
        return self.mass[i] > self.mass[j]

    @cython.locals(v=cython.Py_ssize_t, at=cython.Py_ssize_t, last=cython.Py_ssize_t, lost=cython.double)
    def within(self, reach: float) -> list[tuple[float, int, int, bool, int]]:
        """Return the rules that lose at most ``reach``: loss, ends of the gap, True if the rule falls, and the slot.

        Rising rules come first, each kind from left to right. The search enters no subtree in vain.
        """
        found = []
        for falls in (False, True):
            lost = self.charged - self.zeros if falls else self.zeros
            waiting = [(self.root, self.last)]
            while waiting:
                v, end = waiting.pop()
                if lost + self.floor(v, falls) > reach:
                    lost += -self.over_of(v) if falls else self.over_of(v)
                elif self.child[v] >= 0:
                    waiting += self.below(v, end)
                else:
                    at = (-1 - self.child[v]) * UNIT
                    last = at + self.counts[-1 - self.child[v]]
                    while at < last:
                        lost += -self.gain[at] if falls else self.gain[at]
                        if lost <= reach:
                            high = self.keys[at + 1] if at + 1 < last else end
                            found.append((lost, self.keys[at], high, falls, at))
                        at += 1
        return found

    @cython.locals(best=cython.Py_ssize_t)
    def leader(self) -> tuple[float, int, int, float]:
        """Return loss, k, n and mass of the gap of least loss; among equals, the one with the largest prior mass."""
        slack = 0.0 if self.whole else 1e-12 * self.charged  # sums in another order differ by rounding
        near = self.within(self.least() + slack)
        best = near[0][4]
        for rule in near:
            best = rule[4] if self.heavier(rule[4], best) else best
        return (self.least(), self.wrong[best], self.contested[best], self.mass[best])

    # --- Saved state ------------------------------------------------------------------------------

    def slots(self) -> dict[str, Any]:
        """Return the slots from left to right as arrays, and the shape of the tree over them."""
        order: Any = np.asarray(self.order)[: self.list_nodes(self.root)]
        children: Any = np.asarray(self.child)[order]
        buckets: Any = -1 - children[children < 0]
        counts: Any = np.asarray(self.counts)[buckets]
        at: Any = places(buckets, counts)
        part: Any = np.asarray(self.part)[at[:, None] * self.parts + np.arange(self.parts)].ravel()
        kept: dict[str, Any] = {name: column[at] for name, column in self.held_columns().items()}
        return kept | {
            "part": part,
            "counts": counts.astype(np.int64),
            "sizes": np.asarray(self.size)[order].astype(np.int64),
        }

    def held_columns(self) -> dict[str, Any]:
        """Return the fields of the slots by name, as views."""
        kept: dict[str, Any] = {"keys": self.keys, "gain": self.gain, "mass": self.mass}
        kept |= {"wrong": self.wrong, "contested": self.contested}
        return {name: np.asarray(column) for name, column in kept.items()}

    def plant(self, kept: dict[str, Any], numbers: Any, children: Any, beyond: Any) -> None:
        """Restore the checked result of :meth:`slots`; its nodes in preorder are numbered as by ``Shape.nodes``."""
        inner: Any = children >= 0
        if self.root == 0:
            self.units, self.nodes = 0, 1
            for i in range(len(self.spare)):
                self.spare[i] = -1
        else:
            self.release(-1 - self.child[self.root], self.smallest)
        buckets: Any = self.plant_buckets(kept, self.nodes + 2 * len(kept["counts"]))
        nodes: Any = np.where(numbers > 0, self.nodes - 1 + numbers, self.root)
        np.asarray(self.size)[nodes] = kept["sizes"]
        np.asarray(self.child)[nodes] = np.where(
            inner, self.nodes - 1 + children, -1 - buckets[np.where(inner, 0, -1 - children)]
        )
        np.asarray(self.splits)[nodes[inner]] = np.asarray(self.keys)[buckets[beyond[inner]] * UNIT]
        self.nodes += len(nodes) - 1
        self.rebuild()

    def plant_buckets(self, kept: dict[str, Any], nodes: int) -> Any:
        """Restore the slots, with room for this many nodes; return the buckets."""
        counts: Any = kept["counts"]
        units: Any = np.maximum(self.smallest, -(-counts // UNIT))
        self.make_room(max(self.room, self.units + units.sum()), max(self.node_room, nodes))
        buckets: Any = self.units + np.cumsum(units) - units
        at: Any = places(buckets, counts)
        part: Any = kept["part"].reshape(len(at), self.parts)
        np.asarray(self.part)[at[:, None] * self.parts + np.arange(self.parts)] = part
        for name, column in self.held_columns().items():  # if the part equals the mass, the mass counts
            column[at] = kept[name]
        np.asarray(self.counts)[buckets] = counts
        self.units += units.sum()
        self.cells, self.ways_known = len(at), 0
        self.seen = self.known = False
        self.x = self.first
        return buckets


def places(buckets: Any, counts: Any) -> Any:
    """Return the slots of these buckets, one after the other."""
    return np.repeat(buckets * UNIT - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
