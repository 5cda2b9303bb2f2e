"""The compiled passes over the paths of intervals; importing this module needs numba.

Rows are columns of small ints, changed in place: a path keeps its row with label 0 (or with its only label), and
the 1-child of a contested path is appended, in row order. A round is two passes and a half:

* *look*: which labels can each row take at x, and what does the base learner say? One ``code`` a row;
* *weigh*: sum e^(-eta (L - L*)), by code and by k; capacities meet the sums afterwards, never a row;
* *commit*: append the children, add the losses, find the new L*.

Everything here is compiled once and kept on disk. It is one file because numba looks only at a function's own file to
see whether what it kept is out of date. Indices are unsigned where it matters: signed ones cost a wrap-around check and
keep the compiler from using wide registers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

import numpy as np

_numba: Any = import_module("numba")
_F = TypeVar("_F", bound=Callable[..., Any])


def _fast(function: _F) -> _F:
    """Compile a module-level function; the result is kept on disk for the next process."""
    compiled: _F = _numba.njit(cache=True, nogil=True)(function)
    return compiled


_u64, _u8 = np.uint64, np.uint8

ZERO, ONE, BOTH, BOTH_BUT_ONE = 0, 1, 2, 3
"""Codes: only 0 is realizable, only 1, both and the base learner says 0, both and it says 1."""

WIDTH, ROUNDS, BEST, SPLITS, SEEN, LINE, DIMENSION, ASKED = range(8)
"""Places in ``head``: rows; rounds committed; L*; contested rows at the last look; points seen before; n of
the line; the Littlestone dimension; queries asked in a batch."""

LOWEST, GAP = 0, 1
"""Places in ``gauge``: ln of the least prior mass a row ever had (KT); the mixability gap of a batch."""

BLOCK = 512
"""Rows looked at together; blocks without a contested row are not looked at twice."""

_BANKS = 4


class Rows(NamedTuple):
    """The paths, column by column; only the first ``head[WIDTH]`` entries mean something."""

    columns: Any
    """The box: first and last start, first and last stop. Row 0 is the blank one: no 1 so far."""
    mistakes: Any
    losses: Any
    codes: Any
    flags: Any
    """One a block of rows: does it hold a contested row?"""
    contested: Any
    """n, touched only where a row is cut."""
    masses: Any
    """pi of the KT prior (else empty)."""


class Weights(NamedTuple):
    """What turns rows into weights."""

    table: Any
    """e^(-eta d) for d = 0, 1, ...; whatever lies beyond weighs as much as the last entry."""
    sums: Any
    """Room for the sums, by bank, code and k."""
    capacities: Any
    """Room for W (paper)."""
    half: Any
    """The tables of the KT prior."""
    factorial: Any
    horizon: int
    """T of the paper's prior; -1 for KT."""


# --- Look ---------------------------------------------------------------------------------------------------


@_fast
def _flag(codes: Any, flags: Any, start: Any, stop: Any) -> bool:
    """Note and return whether the block holds a contested row."""
    either = _u8(0)
    for i in range(start, stop):
        either |= codes[i]
    flags[start // _u64(BLOCK)] = either & _u8(BOTH)
    return bool(either & _u8(BOTH))


@_fast
def _most_starts(low: Any, high: Any, x: Any) -> int:
    return 1 if np.int64(x) - low + 1 > np.int64(high) - x else 0


@_fast
def _most_stops(low: Any, high: Any, x: Any) -> int:
    return 1 if np.int64(high) - x > np.int64(x) - low + 1 else 0


@_fast
def look(rows: Rows, head: Any, seen: Any, x: Any) -> None:
    """Fill in the codes at x."""
    first_start, last_start, first_stop, last_stop = rows.columns[0], rows.columns[1], rows.columns[2], rows.columns[3]
    codes, flags, width, splits = rows.codes, rows.flags, head[WIDTH], 0
    for start in range(_u64(0), _u64(width), _u64(BLOCK)):
        stop = min(_u64(width), start + _u64(BLOCK))
        for i in range(start, stop):
            can, must = (first_start[i] <= x) & (last_stop[i] > x), (last_start[i] <= x) & (first_stop[i] > x)
            codes[i] = 2 * can - must
        if _flag(codes, flags, start, stop):
            for i in range(start, stop):
                if codes[i] == BOTH:
                    splits += 1
                    if x < last_start[i]:
                        codes[i] = BOTH + _most_starts(first_start[i], last_start[i], x)
                    else:
                        codes[i] = BOTH + _most_stops(first_stop[i], last_stop[i], x)
    # Row 0 is the blank one, without a 1 so far. Its box is 0 throughout: no 1 was found to be possible above.
    place = _place(seen, head, x)
    if place == head[SEEN] or seen[place] != x:
        splits += 1
        flags[0] = BOTH
        below, above = _gap(seen, head, place)
        codes[0] = BOTH + _dares(head, rows.mistakes[0], below, above, x)
    else:
        codes[0] = ZERO
    head[SPLITS] = splits


@_fast
def _place(seen: Any, head: Any, x: Any) -> int:
    """Return how many of the points seen lie below x. (numba's own search takes seconds to compile.)"""
    low, high = 0, head[SEEN]
    while low < high:
        middle = (low + high) // 2
        if seen[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@_fast
def _gap(seen: Any, head: Any, place: int) -> Any:
    """Return the nearest points seen below and above a new x (-1 and n at the ends)."""
    below = seen[place - 1] if place > 0 else -1
    above = seen[place] if place < head[SEEN] else head[LINE]
    return np.int64(below), np.int64(above)


@_fast
def _dares(head: Any, mistakes: Any, below: int, above: int, x: Any) -> int:
    """Would a 1 at x leave a box whose dimension is all the mistakes that are left?"""
    dimension = -2
    for side in (np.int64(x) - below, above - np.int64(x)):
        while side > 0:
            side >>= 1
            dimension += 1
    return 1 if dimension >= head[DIMENSION] - np.int64(mistakes) else 0


# --- Weigh --------------------------------------------------------------------------------------------------


@_fast
def weigh(rows: Rows, head: Any, weights: Weights) -> float:
    """Return the share that says 1 at the point looked at."""
    if weights.horizon < 0:
        return _weigh_kt(rows, head, weights)
    return _weigh_paper(rows, head, weights)


@_fast
def _weigh_paper(rows: Rows, head: Any, weights: Weights) -> float:
    codes, mistakes, losses = rows.codes, rows.mistakes, rows.losses
    table, sums = weights.table, weights.sums
    sums[:] = 0.0
    K = _u64(head[DIMENSION] + 1)
    last, best = _u64(len(table) - 1), np.int64(head[BEST])
    for i in range(_u64(head[WIDTH])):
        place = ((i % _u64(_BANKS)) * _u64(4) + _u64(codes[i])) * K + _u64(mistakes[i])
        sums[place] += table[min(_u64(losses[i] - best), last)]
    return _meet_capacities(head, weights)


@_fast
def _meet_capacities(head: Any, weights: Weights) -> float:
    """Multiply the sums by W_t: the child that contradicts the base learner counts with k + 1."""
    K, M = head[DIMENSION] + 1, len(weights.capacities) - 1
    _fill_capacities(weights.capacities, max(0, weights.horizon - head[ROUNDS] - 1))
    zeros, ones = 0.0, 0.0
    for k in range(K):
        capacity = weights.capacities[max(0, M - k)]
        after = weights.capacities[max(0, M - k - 1)]
        for bank in range(_BANKS):
            place = bank * 4 * K + k
            zero, one = weights.sums[place], weights.sums[place + K]
            both, but_one = weights.sums[place + 2 * K], weights.sums[place + 3 * K]
            zeros += (zero + both) * capacity + but_one * after
            ones += (one + but_one) * capacity + both * after
    return ones / (zeros + ones)


@_fast
def _fill_capacities(capacities: Any, n: int) -> None:
    """W for r = 0..M mistakes left and n rounds to come; all terms are positive, so no digits are lost."""
    term = total = capacities[0] = 1.0
    for r in range(1, len(capacities)):
        term = term * (n - r + 1) / r if r <= n else 0.0
        total += term
        capacities[r] = total


@_fast
def _weigh_kt(rows: Rows, head: Any, weights: Weights) -> float:
    codes, losses, masses = rows.codes, rows.losses, rows.masses
    table, sums = weights.table, weights.sums
    sums[:] = 0.0
    last, best = _u64(len(table) - 1), np.int64(head[BEST])
    for i in range(_u64(head[WIDTH])):
        place = (i % _u64(_BANKS)) * _u64(4) + _u64(codes[i])
        sums[place] += table[min(_u64(losses[i] - best), last)] * masses[i]
    zeros = sums[0] + sums[4] + sums[8] + sums[12]
    ones = sums[1] + sums[5] + sums[9] + sums[13]
    for start in range(0, head[WIDTH] if head[SPLITS] else 0, BLOCK):
        if rows.flags[start // BLOCK]:
            for i in range(start, min(start + BLOCK, head[WIDTH])):
                if codes[i] >= BOTH:
                    k, n = np.int64(rows.mistakes[i]), np.int64(rows.contested[i])
                    share = table[min(_u64(losses[i] - best), last)] * masses[i] / (n + 1)
                    against, agreeing = share * (k + 0.5), share * (n - k + 0.5)
                    zeros += agreeing if codes[i] == BOTH else against
                    ones += against if codes[i] == BOTH else agreeing
    return float(ones / (zeros + ones))


@_fast
def ask(rows: Rows, head: Any, seen: Any, weights: Weights, x: Any) -> float:
    """Look and weigh: one call from Python costs as much as a thousand paths."""
    look(rows, head, seen, x)
    return weigh(rows, head, weights)


# --- Commit -------------------------------------------------------------------------------------------------


@_fast
def commit(rows: Rows, head: Any, gauge: Any, seen: Any, weights: Weights, x: Any, label: int) -> None:
    """Append the children of the contested rows looked at and charge every row; there must be room."""
    end = head[WIDTH]
    for start in range(0, end if head[SPLITS] else 0, BLOCK):
        if rows.flags[start // BLOCK]:
            for i in range(start, min(start + BLOCK, head[WIDTH])):
                if rows.codes[i] >= BOTH:
                    _narrow(rows.columns, head, seen, i, end, x)
                    _share(rows, gauge, weights, i, end)
                    end += 1
    _remember(head, seen, x)
    head[WIDTH], head[ROUNDS] = end, head[ROUNDS] + 1
    head[BEST] = _charge(rows.codes, rows.losses, end, label)


@_fast
def _narrow(box: Any, head: Any, seen: Any, i: int, child: int, x: Any) -> None:
    """Write the box of the 1-child, and narrow the row itself to its 0-child."""
    for c in range(4):
        box[c, child] = box[c, i]
    if i == 0:
        below, above = _gap(seen, head, _place(seen, head, x))
        box[0, child], box[1, child], box[2, child], box[3, child] = below + 1, x, x + 1, above
    elif x < box[1, i]:
        box[1, child], box[0, i] = x, x + 1
    else:
        box[2, child], box[3, i] = x + 1, x


@_fast
def _share(rows: Rows, gauge: Any, weights: Weights, i: int, child: int) -> None:
    """Divide the row's record between its children: the one that contradicts the base learner has k + 1."""
    guess = rows.codes[i] - BOTH
    k = np.int64(rows.mistakes[i])
    rows.mistakes[i], rows.mistakes[child] = k + guess, k + 1 - guess
    rows.losses[child] = rows.losses[i]
    rows.codes[i], rows.codes[child] = ZERO, ONE
    rows.contested[i] += 1
    rows.contested[child] = rows.contested[i]
    if weights.horizon < 0:
        for row in (i, child):
            k, n = np.int64(rows.mistakes[row]), np.int64(rows.contested[row])
            log_mass = weights.half[k] + weights.half[n - k] - weights.factorial[n]
            rows.masses[row] = math.exp(log_mass)
            gauge[LOWEST] = min(gauge[LOWEST], log_mass)


@_fast
def _remember(head: Any, seen: Any, x: Any) -> None:
    place = _place(seen, head, x)
    if place == head[SEEN] or seen[place] != x:
        for i in range(head[SEEN], place, -1):
            seen[i] = seen[i - 1]
        seen[place] = x
        head[SEEN] += 1


@_fast
def _charge(codes: Any, losses: Any, width: int, label: int) -> int:
    """Add 1 to the loss of every row that did not say the label; return the least loss."""
    best, truth = np.int32(2**31 - 1), _u8(label)
    for start in range(_u64(0), _u64(width), _u64(BLOCK)):
        stop = min(_u64(width), start + _u64(BLOCK))
        for i in range(start, stop):
            losses[i] += codes[i] ^ truth
        for i in range(start, stop):
            best = np.int32(min(best, losses[i]))
    return int(best)


# --- Batches ------------------------------------------------------------------------------------------------


@_fast
def run(
    rows: Rows, head: Any, gauge: Any, seen: Any, weights: Weights,
    xs: Any, labels: Any, probabilities: Any, rate: float, best_limit: float, gap_limit: float, lowest: float,
) -> int:  # fmt: skip
    """Play rounds until the data, a limit, the room or the range of doubles ends; return how many."""
    shrink = math.expm1(-rate)
    for t in range(len(xs)):
        x, label = xs[t], labels[t]
        p = ask(rows, head, seen, weights, x)
        if head[WIDTH] + head[SPLITS] > len(rows.losses) or gauge[LOWEST] < lowest:
            return t
        probabilities[t] = p
        head[ASKED] += 2 * head[WIDTH]
        commit(rows, head, gauge, seen, weights, x, label)
        loss = abs(p - label)
        if rate > 0.0:
            gauge[GAP] += max(0.0, loss + math.log1p(loss * shrink) / rate)
        if head[BEST] >= best_limit or gauge[GAP] >= gap_limit:
            return t + 1
    return len(xs)
