"""Half-planes in the plane, exactly and without a solver: all labellings of the points so far, one row for each.

A row can take both labels at a new point x if a line through x separates its 1s from its 0s. The directions from x to
the other points, taken without sign, divide the turn of such a line: t directions leave 2t gaps, and in each gap a line
through x misses all other points. These 2t labellings are the contested rows. From gap to gap the points in one
direction change their labels. Rows are found by a hash of their labels, 64 random bits per point. Each gap must be
found exactly once; otherwise all rounds are played again with other bits.

Each row has a line, which predicts where the row is contested. After a mistake the new row takes the line through x in
the gap; ``closed`` is the label of points on the line, such as x. A line is a base point and two points between whose
directions it runs, so it is exact for all coordinates.

Signs are computed in doubles. They are exact if all coordinates are whole numbers of at most 2^24. Otherwise a sign
counts if it exceeds the rounding error; if not, integers of any size decide.
"""

from __future__ import annotations

from array import array
from fractions import Fraction
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import fabs, log

    from adeptree.core.arrays_kernel import longer
    from adeptree.structures.partition_kernel import RowsKernel
    from adeptree.theory.ledger_kernel import mixed
    from adeptree.theory.mass_kernel import Masses

ROWS = {
    **dict.fromkeys(("normal_x", "normal_y", "losses", "log_mass", "weight", "part"), "d"),
    **dict.fromkeys(("through", "before", "after", "mistakes", "contested"), "i"),
    **{"closed": "B", "say": "B", "hashes": "Q"},
}
POINTS = {
    **dict.fromkeys(("px", "py", "ux", "uy", "angle", "gap_x", "gap_y"), "d"),
    **dict.fromkeys(("gap_before", "gap_after"), "i"),
    **{"turned": "B", "marks": "Q"},
}
EVENTS = {"came": "i", "labels": "B", "costs": "d", "rates": "d"}
SMALL = cython.declare(cython.int, 2)  # grade of points with whole coordinates up to 2^24; 1: doubles; 0: others
ERROR = cython.declare(cython.double, 4e-15)  # bound on the relative rounding error of signs
LARGE = cython.declare(cython.double, 1e300)  # beyond, a product may be infinite
REBUILT = cython.declare(cython.int, 2)  # in the label of an event: the weights were computed again before it


class HalfPlaneKernel(RowsKernel):
    """All rows, for the parts (share and b) of a prior. ``read`` returns a point in integers and in doubles."""

    def __init__(self, parts: Any, read: Any, word_of: Any) -> None:
        RowsKernel.__init__(self, Masses(1, parts, 0.0))
        self.read, self.word_of, self.parts = read, word_of, len(parts)
        self.shares, self.betas = array("d", [share for share, _ in parts]), array("d", [b for _, b in parts])
        self.salt = self.narrowed = 0  # ``narrowed``: bits removed from marks, for tests
        self.begin()

    def begin(self) -> None:
        """Reset to one row and no points."""
        self.arrays = {name: array(kind) for name, kind in {**ROWS, **POINTS, **EVENTS}.items()}
        self.points, self.raw = [], None
        self.number = self.events = self.parted = self.groups = self.rounds = 0
        self.grade, self.size_x, self.size_y, self.width, self.best = SMALL, 0.0, 0.0, 1, 0.0
        self.make_room(64, 16, 16)
        self.part[: self.parts] = self.shares
        self.rebuild()

    # --- Points ------------------------------------------------------------------------------------

    def quick(self, x: object) -> cython.bint:
        """Return False, because the learner must check every point."""
        return False

    @cython.locals(j=cython.Py_ssize_t, n=cython.Py_ssize_t, grade=cython.int)
    def place(self, x: object) -> cython.bint:
        """Compute the answer of every row at x, and the contested rows. Everything that may raise is here."""
        same = self.raw is not None and x == self.raw
        self.word = self.word_of(x)
        if same:
            return True
        self.raw, n = None, self.number  # the code below may be interrupted
        self.seen = self.known = False
        self.points[n], self.px[n], self.py[n], grade = self.read(x)
        self.grade_now = min(self.grade, grade)
        self.x_now, self.y_now = max(self.size_x, fabs(self.px[n])), max(self.size_y, fabs(self.py[n]))
        self.slack, self.floor = (0.0, 0.0) if self.grade_now == SMALL else (ERROR, 1e-290)
        # Coordinates that were rounded: their error is this times a rounding error, also near zero.
        self.rough_x = 0.0 if self.grade_now else 2.0 * self.x_now + 1e-290
        self.rough_y = 0.0 if self.grade_now else 2.0 * self.y_now + 1e-290
        self.at, self.parted = n, 0
        for j in range(n):
            if self.px[j] == self.px[n] and self.py[j] == self.py[n]:
                if self.grade_now or self.points[j] == self.points[n]:
                    self.at = j
        self.sides()
        if self.at == n:
            self.sort_directions()
            if not self.match():  # a hash occurs twice: play all rounds again with other marks
                self.salt, self.narrowed, self.torn = self.salt + 1, 0, True
                self.replay(*self.past())
                self.torn = False
                return self.place(x)
        self.raw = x
        return True

    def sides(self) -> cython.int:
        """Compute the side of every line on which the current point lies."""
        x, y = self.px[self.at], self.py[self.at]
        for r in range(self.width):
            j, wx, wy = self.through[r], self.normal_x[r], self.normal_y[r]
            dx, dy = x - self.px[j], y - self.py[j]
            s = wx * dx + wy * dy
            self.say[r] = s > 0.0
            dx = (fabs(wx) + fabs(wy)) * (fabs(dx) + fabs(dy) + self.slack * (self.rough_x + self.rough_y))
            dx += fabs(wx) * self.rough_x + fabs(wy) * self.rough_y
            if not (self.slack * dx + self.floor < fabs(s) < LARGE):
                self.say[r] = self.closed[r] if self.slack == 0.0 or j == self.at else self.exact_side(r)
        return 0

    def exact_side(self, r: cython.Py_ssize_t) -> cython.int:
        """Return the side, computed in integers."""
        a, b, c = self.line(r)
        x, y, d = self.points[self.at]
        value = a * x + b * y + c * d
        return self.closed[r] if value == 0 else value > 0

    def line(self, r: cython.Py_ssize_t) -> tuple[int, int, int]:
        """Return integers a, b, c: a row predicts 1 where a x + b y + c > 0, and its ``closed`` where it is 0."""
        i = self.before[r]
        if i == 0:
            return 0, 0, 0  # one label for all points
        x, y, d = self.points[self.through[r]]
        wx, wy = normal(self.points, (x, y, d), i, self.after[r])
        return wx * d, wy * d, -(wx * x + wy * y)

    # --- Directions at x -----------------------------------------------------------------------------

    def sort_directions(self) -> cython.int:
        """Sort the directions to all points, without sign, and group equal ones."""
        n = self.number
        x, y = self.px[n], self.py[n]
        for j in range(n):
            dx, dy = self.px[j] - x, self.py[j] - y
            # Rounding keeps the order, so only equal doubles may be wrong.
            below = self.py[j] < y or (self.py[j] == y and self.px[j] < x)
            if not self.grade_now and (self.py[j] == y or self.px[j] == x):
                below = is_below(self.points[j], self.points[n])
            self.turned[j] = below
            self.ux[j], self.uy[j] = (-dx, -dy) if below else (dx, dy)
            self.angle[j] = -self.ux[j] / max(fabs(dx) + fabs(dy), 1e-300)
        self.order = array("i", np.argsort(np.asarray(self.angle)[:n], kind="stable").tolist())
        for i in range(1, n):
            j = i
            while j > 0 and self.across(self.order[j - 1], self.order[j]) < 0:
                self.order[j - 1], self.order[j] = self.order[j], self.order[j - 1]
                j -= 1
        first: list = [i for i in range(n) if i == 0 or self.across(self.order[i - 1], self.order[i]) != 0]
        self.groups = len(first)
        self.first = array("i", [*first, n])
        return self.divide_turn()

    def across(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.int:
        """Return the sign of the angle between two directions, 0 if they are equal."""
        c = self.ux[i] * self.uy[j] - self.uy[i] * self.ux[j]
        far = (fabs(self.ux[i]) + self.rough_x) * (fabs(self.uy[j]) + self.rough_y)
        far += (fabs(self.uy[i]) + self.rough_y) * (fabs(self.ux[j]) + self.rough_x)
        if self.slack * far + self.floor < fabs(c) < LARGE:
            return 1 if c > 0.0 else -1
        if self.slack == 0.0:
            return 0
        ax, ay, _ = direction(self.points[i], self.points[self.number])
        bx, by, _ = direction(self.points[j], self.points[self.number])
        value = ax * by - ay * bx
        sign = (value > 0) - (value < 0)
        return -sign if self.turned[i] != self.turned[j] else sign

    def divide_turn(self) -> cython.int:
        """Compute a line for each gap of the first half turn. The second half has the same lines, reversed."""
        self.gap_before[0] = self.gap_after[0] = 0  # without other points: one label for all points
        self.gap_x[0] = self.gap_y[0] = 0.0
        for g in range(self.groups):
            i, j = self.order[self.first[(g if g > 0 else self.groups) - 1]], self.order[self.first[g]]
            ax, ay, bx, by = self.ux[i], self.uy[i], self.ux[j], self.uy[j]
            if g == 0:
                ax, ay = -ax, -ay
            self.gap_before[g] = -i - 1 if self.turned[i] != (g == 0) else i + 1
            self.gap_after[g] = -j - 1 if self.turned[j] else j + 1
            # At a right angle to the first direction if the gap is wider, else along the sum, without cancellation.
            most = (fabs(ax) + fabs(ay)) * (fabs(bx) + fabs(by))
            exact = self.slack > 0.0 and (self.rough_x > 0.0 or not 1e-290 < most < 1e290)  # products may underflow
            wide = ax * bx + ay * by < -0.01 * most
            ax, ay = (-ax, -ay) if wide else (-(ay + by), ax + bx)
            most = max(fabs(ax), fabs(ay))
            if self.slack == 0.0:
                self.gap_x[g], self.gap_y[g] = ax, ay
            elif not exact and 1e-290 < most < 1e290:
                self.gap_x[g], self.gap_y[g] = ax / most, ay / most
            else:
                wide, self.gap_x[g], self.gap_y[g] = self.exact_gap(self.gap_before[g], self.gap_after[g])
            if wide:
                self.gap_after[g] = 0
        return 0

    def exact_gap(self, i: int, j: int) -> tuple[bool, float, float]:
        """Return whether a gap is wider than a right angle, and the normal of its line, computed in integers."""
        x = self.points[self.number]
        (ax, ay, _), (bx, by, _) = signed(self.points, x, i), signed(self.points, x, j)
        wide = ax * bx + ay * by < 0
        wx, wy = normal(self.points, x, i, 0 if wide else j)
        most = max(abs(wx), abs(wy))
        return wide, wx / most, wy / most

    def match(self) -> cython.bint:
        """Find the row of every gap by its hash; return False if a hash occurs twice."""
        half, count, size, found = self.groups, max(1, 2 * self.groups), 64, 0
        here = every = 0  # ``here``: hash of the current gap, 1s on the left of the line
        while size < 16 * count:
            size *= 2
        mask = size - 1
        slot: cython.int[::1] = array("i", bytes(4 * size))  # number of the gap plus 1, 0 if empty
        self.keys, self.row = array("Q", bytes(8 * count)), array("i", [-1]) * count
        for i in range(self.number):
            every ^= self.marks[i]
            here ^= 0 if self.turned[i] else self.marks[i]
        for g in range(half):
            self.keys[g], self.keys[half + g] = here, here ^ every
            for i in range(self.first[g], self.first[g + 1]):
                here ^= self.marks[self.order[i]]
        for g in range(count):
            i = cython.cast(cython.Py_ssize_t, self.keys[g] & mask)
            while slot[i] > 0:
                if self.keys[slot[i] - 1] == self.keys[g]:
                    return False
                i = cython.cast(cython.Py_ssize_t, (i + 1) & mask)
            slot[i] = g + 1
        for r in range(self.width):
            i = cython.cast(cython.Py_ssize_t, self.hashes[r] & mask)
            while slot[i] > 0:
                g = slot[i] - 1
                if self.keys[g] == self.hashes[r]:
                    if self.row[g] >= 0:
                        return False
                    self.row[g] = r
                    found += 1
                    break
                i = cython.cast(cython.Py_ssize_t, (i + 1) & mask)
        if found < count:
            raise RuntimeError(f"{count - found} of {count} gaps between directions have no row: please report this")
        for g in range(count):
            self.say[self.row[g]] |= 2
        self.parted = count
        return True

    # --- A round -----------------------------------------------------------------------------------

    def share(self, r: cython.Py_ssize_t, wrong: cython.bint) -> cython.double:
        """Return the share of a contested row's mass for the label its line predicts, or for the other."""
        total = 0.0
        for i in range(r * self.parts, (r + 1) * self.parts):
            total += self.part[i] * self.share_of_part(r, i % self.parts, wrong)
        return total

    def share_of_part(self, r: cython.Py_ssize_t, i: cython.Py_ssize_t, wrong: cython.bint) -> cython.double:
        """Return the share of one part, after k mistakes in n contested rounds."""
        k, n = self.mistakes[r], self.contested[r]
        return (k + 0.5 if wrong else n - k + self.betas[i]) / (n + 0.5 + self.betas[i])

    def log_part(self, c: cython.Py_ssize_t, label: cython.int) -> cython.double:
        """Return ln of the mass of the nonempty part of a row with this label."""
        return self.log_mass[c] + (log(self.share(c, self.say[c] - 2 != label)) if self.say[c] > 1 else 0.0)

    def divide(self, r: cython.Py_ssize_t, g: cython.Py_ssize_t) -> cython.void:
        """Divide a contested row: it keeps its line, and a new row takes the line of the gap."""
        new = self.width
        sign = 1 if g < max(1, self.groups) else -1
        g -= 0 if sign > 0 else self.groups
        self.through[new], self.before[new], self.after[new] = (
            self.at,
            sign * self.gap_before[g],
            sign * self.gap_after[g],
        )
        self.normal_x[new], self.normal_y[new] = sign * self.gap_x[g], sign * self.gap_y[g]
        self.say[r] -= 2
        self.say[new] = self.closed[new] = 1 - self.say[r]
        self.losses[new], self.hashes[new] = self.losses[r], self.hashes[r]
        wrong, kept = self.share(r, True), self.share(r, False)
        for i in range(self.parts):
            here = self.part[r * self.parts + i]
            self.part[new * self.parts + i] = here * self.share_of_part(r, i, True) / wrong
            self.part[r * self.parts + i] = here * self.share_of_part(r, i, False) / kept
        self.log_mass[new], self.weight[new] = self.log_mass[r] + log(wrong), self.weight[r] * wrong
        self.log_mass[r], self.weight[r] = self.log_mass[r] + log(kept), self.weight[r] * kept
        self.mistakes[new] = self.mistakes[r] + 1
        self.contested[r] += 1
        self.contested[new] = self.contested[r]
        self.width += 1

    @cython.locals(g=cython.Py_ssize_t, r=cython.Py_ssize_t, i=cython.Py_ssize_t, mark=cython.ulonglong)
    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Record the round, divide contested rows if the point is new, and charge the wrong rows."""
        i = self.events
        self.came[i], self.costs[i], self.rates[i] = self.at, cost, self.eta
        self.labels[i] = label + (0 if self.since else REBUILT)
        self.events += 1
        if self.at == self.number:
            for g in range(self.parted):
                self.divide(self.row[g], g)
            mark = self.marks[self.at]
            for r in range(self.width):
                self.hashes[r] ^= mark * self.say[r]
            self.grade, self.number, self.parted = self.grade_now, self.number + 1, 0
            self.size_x, self.size_y = self.x_now, self.y_now
        self.charge_rows(label, cost)

    # --- Room --------------------------------------------------------------------------------------

    @cython.locals(rows=cython.Py_ssize_t, points=cython.Py_ssize_t, events=cython.Py_ssize_t)
    def reserve(self) -> cython.int:
        """Allocate space for the new rows, another point and another event."""
        rows, points, events = self.width + self.parted, len(self.px), len(self.costs)
        if rows > self.room or self.number + 2 > points or self.events == events:
            rows = self.room if rows <= self.room else rows + rows // 2
            self.make_room(rows, points * (1 + (self.number + 2 > points)), events * (1 + (self.events == events)))
        return 0

    def make_room(self, rows: cython.Py_ssize_t, points: cython.Py_ssize_t, events: cython.Py_ssize_t) -> None:
        """Allocate space for these numbers of rows, points and events."""
        held: dict[str, Any] = {}
        for names, size in ((ROWS, rows), (POINTS, points), (EVENTS, events)):
            for name in names:
                held[name] = longer(self.arrays[name], size * self.parts if name == "part" else size)
        marks: cython.ulonglong[::1] = held["marks"]
        for j in range(points):
            marks[j] = mixed(mixed(self.salt + 1) + j) >> self.narrowed
        more = self.points + [None] * (points - len(self.points))
        # No statement below fails.
        self.arrays, self.points, self.room = held, more, rows
        for name, column in held.items():
            setattr(self, name, column)

    def past(self) -> tuple[Any, ...]:
        """Return the arguments of :meth:`replay`: points, events, rate, and True if the weights are fresh."""
        events = [np.array(self.arrays[name])[: self.events] for name in EVENTS]
        return self.points[: self.number], *events, self.eta, self.since == 0

    def replay(
        self, points: list[Any], came: Any, labels: Any, costs: Any, rates: Any, rate: float, fresh: bool
    ) -> None:
        """Play recorded rounds again: the same sums in the same order, so the same bits."""
        self.begin()
        instances = [instance_of(x) for x in points]
        for j, label, cost, eta in zip(came.tolist(), labels.tolist(), costs.tolist(), rates.tolist(), strict=True):
            self.place(instances[j])
            self.reserve()
            self.eta = eta
            if label & REBUILT:
                self.rebuild()
            self.take(label & 1, cost)
        self.eta = rate
        if fresh:
            self.rebuild()
        self.raw = None


# --- A point in integers: x, y and a common denominator ------------------------------------------------------------


def instance_of(x: tuple[int, int, int]) -> tuple[Fraction, Fraction]:
    """Return the point with these integers: x and y times a denominator, and the denominator."""
    return Fraction(x[0], x[2]), Fraction(x[1], x[2])


def is_below(p: tuple[int, int, int], x: tuple[int, int, int]) -> bool:
    """Return True if a point is below x, or at the same height and left of x."""
    dx, dy, _ = direction(p, x)
    return dy < 0 or (dy == 0 and dx < 0)


def direction(p: tuple[int, int, int], x: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the vector from x to p, times both denominators; and the denominator of p."""
    return p[0] * x[2] - x[0] * p[2], p[1] * x[2] - x[1] * p[2], p[2]


def signed(points: list[Any], x: tuple[int, int, int], i: int) -> tuple[int, int, int]:
    """Return the vector from x to the i-th point, counted from 1; reversed if i is negative."""
    dx, dy, d = direction(points[abs(i) - 1], x)
    return (dx, dy, d) if i > 0 else (-dx, -dy, d)


def normal(points: list[Any], x: tuple[int, int, int], i: int, j: int) -> tuple[int, int]:
    """Return the normal of a line through x: along the sum of two vectors, or at a right angle to one (j = 0)."""
    ax, ay, da = signed(points, x, i)
    if j == 0:
        return -ax, -ay
    bx, by, db = signed(points, x, j)
    return -(ay * db + by * da), ax * db + bx * da
