"""The compiled part of the ordered engine; importing this module needs numba.

The *cells* (paths) of a line, in order, lie in buckets of up to 64 under a binary search tree. A cell is the gap
between two neighbouring points seen, so one number says where it is: the point ``start`` below it. Only the cell
that x falls into is cut; all others left of x say 1, all right of it say 0. A loss on one side is a loss for everybody
and one less on the other, so every round adds -1 or +1 to a prefix of the cells: lazy tags, and they are integers.

A node has ``base``, the least loss below it (its own tag included, those of its ancestors not), and one sum for
each number of mistakes k, of exp(-eta (loss - base)) over its cells: the capacities change every round, the sums
only on one way from the root to a leaf. With the KT prior there is one sum, of mass x exp(-eta (loss - base)). The
sums are always computed anew from integers, so nothing drifts. They are plain doubles as long as no path's mass
is e^600 times smaller than the largest can be; beyond that they are logarithms (``LOGS``).

One array of int64, the header, has the addresses of all others: passing fifteen arrays to small compiled functions
costs more than the work they do. Nothing checks an index here. All of it is in one file because numba's cache on
disk notices changes of the file that a function is in, and of no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

_F = TypeVar("_F", bound=Callable[..., Any])
_numba: Any = import_module("numba")
_types: Any = _numba.types


def _intrinsic(function: Callable[..., Any]) -> Any:
    return import_module("numba.extending").intrinsic(function)


def _fast(function: _F) -> _F:
    """Compile a module-level function; the result is kept on disk for the next process."""
    compiled: _F = _numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled


def _fast_sums(function: _F) -> _F:
    """Compile a sum that may be reordered, so that it uses vector instructions; not where infinities occur."""
    compiled: _F = _numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=True)(function)
    return compiled


BUCKET = 64
DEEPEST = 128
"""Depth is below 60 at 10^9 cells: no child has more than 7/10 of its parent's buckets, or there are under 8."""
LOWEST = -600.0
CACHED = 2048
"""Up to this many buckets (3 MB) the cells are in the cache anyway."""
# The header. CHILD is the left child (the right one is next to it) or, at a leaf, -1 - bucket; KEY is where the right
# child begins.
NODE_ARRAYS = CHILD, TAG, BASE, SIZE, KEY, SUMS = tuple(range(6))
CELL_ARRAYS = COUNT, START, LOSS, MISTAKES, CONTESTED, MASS = tuple(range(6, 12))
TABLE, ROW, WAY = range(12, 15)  # exp(-eta d); capacities by k, and room for as many more; nodes from root to leaf
NODES, BUCKETS, ROOM, COLUMNS, CELLS, ROUNDS, SHIFT, ASKED = range(15, 23)
KT, LOGS, T, M, PLAIN, TABLED, PATIENCE, END, ETA = range(23, 32)
DEPTH, INTO, AT, CUT, GUESS, MASS_ONE, MASS_ZERO, HEADER = range(32, 40)  # where x is, and what its cut would do
NO_NEED, NEED_ROOM, NEED_COLUMNS, NEED_LOGS, NEED_TABLE = range(5)


def _pointer(kind: Any) -> Any:
    pointer = _types.CPointer(kind)

    @_intrinsic
    def at(typingctx: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], context.get_value_type(pointer))

        return pointer(_types.int64), code

    return at


_floats, _longs, _ints, _shorts = map(_pointer, (_types.float64, _types.int64, _types.int32, _types.int16))


@_intrinsic
def _like(typingctx: Any, x: Any, address: Any) -> Any:
    """Return the numbers at an address, of the type of x (int64 or float64)."""
    pointer = _types.CPointer(x)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[1], context.get_value_type(pointer))

    return pointer(x, _types.int64), code


@_intrinsic
def _prefetch(typingctx: Any, address: Any) -> Any:
    """Ask for the cache line at an address; nobody waits for it."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        ir = import_module("llvmlite.ir")
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [builder.inttoptr(values[0], byte), flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return _types.none(_types.int64), code


# --- Masses ------------------------------------------------------------------------------------------------------


@_fast
def kt_log_mass(k: Any, n: Any) -> Any:
    """Return ln B(k + 1/2, n - k + 1/2) / B(1/2, 1/2), to the last digits for any n."""
    few = min(k, n - k)
    many = n - few
    # The mass of ``many`` rights in a row, Gamma(m + 1/2) / (sqrt(pi) m!) ...
    p = 1.0
    if many < 20:
        for i in range(1, many + 1):
            p *= (i - 0.5) / i
    else:
        z = many + 0.25
        y = 1.0 / (z * z)
        series = 1.0 + y * (-1 / 64 + y * (21 / 8192 + y * (-671 / 524288 + y * (180323 / 134217728))))
        p = series / math.sqrt(math.pi * z)
    # ... and the shares of the others.
    log = 0.0
    for i in range(few):
        p *= (i + 0.5) / (n - i)
        if p < 1e-280:
            log += math.log(p)
            p = 1.0
    return log + math.log(p)


@_fast
def _capacities(n: Any, M: Any, columns: Any, row: Any, logs: Any) -> None:
    """Set row[k] to W(n, M - k) up to a common power of two, or to its logarithm. All terms are positive."""
    for k in range(M, columns):  # no mistakes left; more than M there are only where n = 0 and every W is 1
        row[k] = 0.0 if logs else 1.0
    c = 1.0
    s = 1.0
    scaled = 0.0
    for r in range(1, M + 1):
        c *= max(0.0, (n - r + 1.0) / r)
        s += c
        if s > 1e280:
            c *= 2.0**-900
            s *= 2.0**-900
            scaled += 900 * math.log(2.0)
            if not logs:
                for k in range(M - r + 1, columns):
                    row[k] *= 2.0**-900
        if M - r < columns:
            row[M - r] = math.log(s) + scaled if logs else s


# --- Sums --------------------------------------------------------------------------------------------------------


@_fast
def _add_logs(a: Any, b: Any) -> Any:
    low, high = min(a, b), max(a, b)
    return high if high - low > 40.0 or low == -math.inf else high + math.log1p(math.exp(low - high))


@_fast
def _sum_leaf(h: Any, v: Any) -> None:
    """Set base and sums of a leaf from its cells."""
    H = _longs(h)
    loss = _ints(H[LOSS])
    bucket = -1 - _ints(H[CHILD])[v]
    first = np.uint64(bucket * BUCKET)
    last = first + np.uint64(_ints(H[COUNT])[bucket])
    base = loss[first]
    for q in range(first, last):
        base = min(base, loss[q])
    _ints(H[BASE])[v] = base + _ints(H[TAG])[v]
    sums = _floats(H[SUMS] + 8 * v * H[COLUMNS])
    if H[LOGS]:
        _sum_leaf_logs(h, first, last, base, sums)
        return
    top = np.uint32(H[TABLED])
    table = _floats(H[TABLE])
    if H[KT]:
        mass = _floats(H[MASS])
        total = 0.0
        for q in range(first, last):
            total += mass[q] * table[min(np.uint32(loss[q] - base), top)]
        sums[0] = total
    else:
        mistakes = _shorts(H[MISTAKES])
        for k in range(np.uint64(H[COLUMNS])):
            sums[k] = 0.0
        for q in range(first, last):
            sums[np.uint64(mistakes[q])] += table[min(np.uint32(loss[q] - base), top)]


@_fast
def _sum_leaf_logs(h: Any, first: Any, last: Any, base: Any, sums: Any) -> None:
    H = _longs(h)
    eta = _floats(h)[ETA]
    loss, mistakes, mass = _ints(H[LOSS]), _shorts(H[MISTAKES]), _floats(H[MASS])
    largest = _floats(H[ROW] + 8 * H[COLUMNS])
    for k in range(H[COLUMNS]):
        sums[k] = 0.0
        largest[k] = -math.inf
    for q in range(first, last):
        column = np.int64(0 if H[KT] else mistakes[q])
        largest[column] = max(largest[column], (mass[q] if H[KT] else 0.0) - eta * (loss[q] - base))
    for q in range(first, last):
        column = np.int64(0 if H[KT] else mistakes[q])
        sums[column] += math.exp((mass[q] if H[KT] else 0.0) - eta * (loss[q] - base) - largest[column])
    for k in range(H[COLUMNS]):
        sums[k] = largest[k] + math.log(sums[k]) if sums[k] > 0.0 else -math.inf


@_fast_sums
def _add_scaled(columns: Any, out: Any, a: Any, b: Any, scale_a: Any, scale_b: Any) -> None:
    for k in range(columns):
        s = scale_a * a[k] + scale_b * b[k]
        out[k] = s if s > 1e-290 else 0.0  # denormal numbers are very slow


@_fast
def _sum_node(h: Any, v: Any) -> None:
    """Set base and sums of a node from its children's."""
    H = _longs(h)
    base = _ints(H[BASE])
    a = np.int64(_ints(H[CHILD])[v])
    b = a + 1
    low = min(base[a], base[b])
    more_a, more_b = base[a] - low, base[b] - low
    base[v] = low + _ints(H[TAG])[v]
    stride = 8 * H[COLUMNS]
    out, sums_a, sums_b = _floats(H[SUMS] + stride * v), _floats(H[SUMS] + stride * a), _floats(H[SUMS] + stride * b)
    if H[LOGS]:
        eta = _floats(h)[ETA]
        for k in range(H[COLUMNS]):
            out[k] = _add_logs(sums_a[k] - eta * more_a, sums_b[k] - eta * more_b)
    else:
        top = np.uint32(H[TABLED])
        table = _floats(H[TABLE])
        scale_a, scale_b = table[min(np.uint32(more_a), top)], table[min(np.uint32(more_b), top)]
        _add_scaled(np.uint64(H[COLUMNS]), out, sums_a, sums_b, scale_a, scale_b)


# --- One round ---------------------------------------------------------------------------------------------------


@_fast
def _locate(h: Any, x: Any) -> None:
    """Find the last cell that starts below x and the way to it; does x cut it, and what would that do?"""
    H = _longs(h)
    key, child, way = _like(x, H[KEY]), _ints(H[CHILD]), _ints(H[WAY])
    v, depth = 0, 0
    way[0] = 0
    above = _like(x, h)[END]
    # (No branches in these loops: which way to go is a toss-up, and a wrong guess of the processor costs more.)
    while child[v] >= 0:
        right = x > key[v]
        above = above if right else key[v]
        v = child[v] + right
        depth += 1
        way[depth] = v
    bucket = np.int64(-1 - child[v])
    first, count = bucket * BUCKET, np.int64(_ints(H[COUNT])[bucket])
    start = _like(x, H[START] + 8 * first)
    at = 0
    for i in range(np.uint64(1), np.uint64(count)):
        at += start[i] < x
    if at + 1 < count:
        above = start[at + 1]
    H[DEPTH], H[INTO], H[AT] = depth, bucket, at
    H[CUT] = start[at] < x and x < above
    H[GUESS] = above - x < x - start[at]  # the base learner: as the nearest point, 0 if it is a tie
    if H[CUT] and H[KT]:
        k, n = np.int64(_shorts(H[MISTAKES])[first + at]), np.int64(_ints(H[CONTESTED])[first + at]) + 1
        _floats(h)[MASS_ONE] = kt_log_mass(k + 1 - H[GUESS], n)
        _floats(h)[MASS_ZERO] = kt_log_mass(k + H[GUESS], n)


@_fast_sums
def _dot(columns: Any, a: Any, b: Any) -> Any:
    total = 0.0
    for k in range(columns):
        total += a[k] * b[k]
    return total


@_fast
def _weigh(h: Any) -> Any:
    """Return P(1) at the x just located; its cell is cut in thought only."""
    H = _longs(h)
    if H[LOGS]:
        return _weigh_logs(h)
    child, tag, base, way = _ints(H[CHILD]), _ints(H[TAG]), _ints(H[BASE]), _ints(H[WAY])
    columns, table, row = H[COLUMNS], _floats(H[TABLE]), _floats(H[ROW])
    top = np.uint32(H[TABLED])
    row[0] = 1.0
    if not H[KT]:
        _capacities(max(0, H[T] - H[ROUNDS] - 1), H[M], columns + 1, row, False)
    weight0, weight1 = 0.0, 0.0
    more = tag[0] - base[0]  # losses beyond the best
    for d in range(H[DEPTH]):
        right = way[d + 1] - child[way[d]]
        other = np.int64(way[d + 1] + 1 - 2 * right)
        weight = table[min(np.uint32(base[other] + more), top)]
        weight *= _dot(np.uint64(columns), row, _floats(H[SUMS] + 8 * columns * other))
        weight1 += weight * right
        weight0 += weight * (1 - right)
        more += tag[way[d + 1]]
    first = H[INTO] * BUCKET
    at = first + H[AT]
    weight1 += _weigh_cells(h, first, at, more)
    weight0 += _weigh_cells(h, at + 1, first + _ints(H[COUNT])[H[INTO]], more)
    if H[CUT]:
        k = np.int64(_shorts(H[MISTAKES])[at])
        scale = table[min(np.uint32(_ints(H[LOSS])[at] + more), top)]
        weight1 += scale * (math.exp(_floats(h)[MASS_ONE]) if H[KT] else row[k + 1 - H[GUESS]])
        weight0 += scale * (math.exp(_floats(h)[MASS_ZERO]) if H[KT] else row[k + H[GUESS]])
    else:
        weight1 += _weigh_cells(h, at, at + 1, more)
    return weight1 / (weight0 + weight1)


@_fast
def _weigh_cells(h: Any, first: Any, last: Any, more: Any) -> Any:
    H = _longs(h)
    loss, table = _ints(H[LOSS]), _floats(H[TABLE])
    top = np.uint32(H[TABLED])
    total = 0.0
    if H[KT]:
        mass = _floats(H[MASS])
        for q in range(np.uint64(first), np.uint64(last)):
            total += mass[q] * table[min(np.uint32(loss[q] + more), top)]
    else:
        mistakes, row = _shorts(H[MISTAKES]), _floats(H[ROW])
        for q in range(np.uint64(first), np.uint64(last)):
            total += row[np.uint64(mistakes[q])] * table[min(np.uint32(loss[q] + more), top)]
    return total


@_fast
def _add_term(largest: Any, total: Any, log: Any) -> Any:
    """Add e^log to a sum kept as total x e^largest."""
    if log <= largest:
        return largest, total + math.exp(log - largest) if log > largest - 45.0 else total
    return log, total * math.exp(largest - log) + 1.0


@_fast
def _weigh_logs(h: Any) -> Any:
    """Do the same where masses span more than a double."""
    H = _longs(h)
    child, tag, base, way = _ints(H[CHILD]), _ints(H[TAG]), _ints(H[BASE]), _ints(H[WAY])
    columns, row, eta = H[COLUMNS], _floats(H[ROW]), _floats(h)[ETA]
    row[0] = 0.0
    if not H[KT]:
        _capacities(max(0, H[T] - H[ROUNDS] - 1), H[M], columns + 1, row, True)
    largest0, total0, largest1, total1 = -math.inf, 0.0, -math.inf, 0.0
    more = tag[0] - base[0]
    for d in range(H[DEPTH]):
        to_left = way[d + 1] == child[way[d]]
        other = np.int64(way[d + 1] + 1 if to_left else way[d + 1] - 1)
        sums = _floats(H[SUMS] + 8 * columns * other)
        for k in range(columns):
            if sums[k] > -math.inf:
                log = row[k] + sums[k] - eta * (base[other] + more)
                if to_left:
                    largest0, total0 = _add_term(largest0, total0, log)
                else:
                    largest1, total1 = _add_term(largest1, total1, log)
        more += tag[way[d + 1]]
    loss, mistakes, mass = _ints(H[LOSS]), _shorts(H[MISTAKES]), _floats(H[MASS])
    first = H[INTO] * BUCKET
    for q in range(first, first + _ints(H[COUNT])[H[INTO]]):
        scale = -eta * (loss[q] + more)
        wrong = np.int64(mistakes[q])
        if q == first + H[AT] and H[CUT]:
            one = _floats(h)[MASS_ONE] if H[KT] else row[wrong + 1 - H[GUESS]]
            zero = _floats(h)[MASS_ZERO] if H[KT] else row[wrong + H[GUESS]]
            largest1, total1 = _add_term(largest1, total1, one + scale)
            largest0, total0 = _add_term(largest0, total0, zero + scale)
        elif q <= first + H[AT]:
            largest1, total1 = _add_term(largest1, total1, (mass[q] if H[KT] else row[wrong]) + scale)
        else:
            largest0, total0 = _add_term(largest0, total0, (mass[q] if H[KT] else row[wrong]) + scale)
    return 1.0 / (1.0 + math.exp(largest0 - largest1) * total0 / total1)


@_fast
def _needs(h: Any) -> Any:
    """What must be made larger before the round at the x just located can be committed?"""
    H = _longs(h)
    if H[BUCKETS] >= H[ROOM]:
        return NEED_ROOM
    if H[ROUNDS] + 1 >= H[PATIENCE]:
        return NEED_TABLE
    if H[CUT]:
        if H[KT]:
            if not H[LOGS] and min(_floats(h)[MASS_ONE], _floats(h)[MASS_ZERO]) < LOWEST:
                return NEED_LOGS
        else:
            k = _shorts(H[MISTAKES])[H[INTO] * BUCKET + H[AT]] + 1
            if k >= H[COLUMNS]:
                return NEED_COLUMNS
            if k > H[PLAIN] and not H[LOGS]:
                return NEED_LOGS
    return NO_NEED


@_fast
def _cut(h: Any, x: Any) -> None:
    """Cut the cell just located: the part up to x stays in its place, the part beyond follows it."""
    H = _longs(h)
    start, mass = _like(x, H[START]), _floats(H[MASS])
    loss, mistakes, contested = _ints(H[LOSS]), _shorts(H[MISTAKES]), _ints(H[CONTESTED])
    at = H[INTO] * BUCKET + H[AT]
    for q in range(H[INTO] * BUCKET + _ints(H[COUNT])[H[INTO]], at, -1):
        start[q], loss[q] = start[q - 1], loss[q - 1]
        mistakes[q], contested[q] = mistakes[q - 1], contested[q - 1]
        if H[KT]:
            mass[q] = mass[q - 1]
    start[at + 1] = x
    mistakes[at] += 1 - H[GUESS]
    mistakes[at + 1] += H[GUESS]
    contested[at] += 1
    contested[at + 1] += 1
    if H[KT]:
        one, zero = _floats(h)[MASS_ONE], _floats(h)[MASS_ZERO]
        mass[at] = one if H[LOGS] else math.exp(one)
        mass[at + 1] = zero if H[LOGS] else math.exp(zero)
    _ints(H[COUNT])[H[INTO]] += 1
    H[CELLS] += 1


@_fast
def _halve(h: Any, v: Any) -> None:
    """Make a leaf whose bucket is full a node with two leaves."""
    H = _longs(h)
    child, size, count = _ints(H[CHILD]), _ints(H[SIZE]), _ints(H[COUNT])
    start, mass = _longs(H[START]), _floats(H[MASS])  # (starts may be floats: their bits are copied)
    loss, mistakes, contested = _ints(H[LOSS]), _shorts(H[MISTAKES]), _ints(H[CONTESTED])
    bucket, new, half = H[INTO], H[BUCKETS], BUCKET // 2
    for q in range(new * BUCKET, new * BUCKET + half):
        p = q + (bucket - new) * BUCKET + half
        start[q], loss[q], mistakes[q], contested[q] = start[p], loss[p], mistakes[p], contested[p]
        if H[KT]:
            mass[q] = mass[p]
    a, b = H[NODES], H[NODES] + 1
    H[BUCKETS] += 1
    H[NODES] += 2
    count[bucket], count[new] = half, half
    child[v], child[a], child[b] = a, -1 - bucket, -1 - new
    _longs(H[KEY])[v] = start[new * BUCKET]
    _ints(H[TAG])[a], _ints(H[TAG])[b] = 0, 0
    size[a], size[b] = 1, 1
    for d in range(H[DEPTH] + 1):
        size[_ints(H[WAY])[d]] += 1
    _sum_leaf(h, a)
    _sum_leaf(h, b)
    _sum_node(h, v)


@_fast
def _take(h: Any, x: Any, y: Any) -> None:
    """Commit label y at the x just located."""
    H = _longs(h)
    child, tag, base, way = _ints(H[CHILD]), _ints(H[TAG]), _ints(H[BASE]), _ints(H[WAY])
    leaf, first = np.int64(way[H[DEPTH]]), H[INTO] * BUCKET
    if H[CUT]:
        _cut(h, x)
    # With label 1 the cells above x lose: all lose one more, and those below x one less.
    delta = np.int32(-1 if y else 1)
    H[SHIFT] += y
    loss = _ints(H[LOSS])
    for q in range(np.uint64(first), np.uint64(first + H[AT] + 1)):
        loss[q] += delta
    full = _ints(H[COUNT])[H[INTO]] == BUCKET
    if full:
        _halve(h, leaf)
    else:
        _sum_leaf(h, leaf)
    for d in range(H[DEPTH] - 1, -1, -1):
        v = np.int64(way[d])
        gone_right = np.int32(way[d + 1] - child[v])
        base[child[v]] += delta * gone_right
        tag[child[v]] += delta * gone_right
        _sum_node(h, v)
    H[ROUNDS] += 1
    if full:
        _rebalance(h)


# --- The tree as a whole -----------------------------------------------------------------------------------------


@_fast
def _rebalance(h: Any) -> None:
    """Rebuild the highest subtree on the way that has become lopsided, so that no rotations are needed."""
    H = _longs(h)
    child, size, way = _ints(H[CHILD]), _ints(H[SIZE]), _ints(H[WAY])
    for d in range(H[DEPTH] + 1):
        v = way[d]
        if size[v] >= 8 and 10 * max(size[child[v]], size[child[v] + 1]) > 7 * size[v]:
            _rebuild(h, np.int64(v))
            for e in range(d - 1, -1, -1):
                _sum_node(h, np.int64(way[e]))
            return


@_fast
def preorder(h: Any, root: Any) -> Any:
    """Return the nodes of a subtree, each before those below it, left before right."""
    H = _longs(h)
    child = _ints(H[CHILD])
    nodes = np.empty(2 * _ints(H[SIZE])[root] - 1, np.int64)
    waiting = np.empty(DEEPEST, np.int64)
    waiting[0] = root
    open_ = 1
    for i in range(len(nodes)):
        open_ -= 1
        v = waiting[open_]
        nodes[i] = v
        if child[v] >= 0:
            waiting[open_], waiting[open_ + 1] = child[v] + 1, child[v]
            open_ += 2
    return nodes


@_fast
def settle(h: Any, root: Any) -> Any:
    """Move the tags below (and not at) the root of a subtree into its cells' losses; return its nodes."""
    H = _longs(h)
    child, tag, base = _ints(H[CHILD]), _ints(H[TAG]), _ints(H[BASE])
    loss, count = _ints(H[LOSS]), _ints(H[COUNT])
    nodes = preorder(h, root)
    for v in nodes:
        own = 0 if v == root else tag[v]
        if v != root:
            tag[v] = 0
        if child[v] >= 0:
            for below in range(child[v], child[v] + 2):
                tag[below] += own
                base[below] += own
        else:
            first = (-1 - child[v]) * BUCKET
            for q in range(first, first + count[-1 - child[v]]):
                loss[q] += own
    return nodes


@_fast
def _rebuild(h: Any, root: Any) -> None:
    """Give a subtree the best shape; its nodes and buckets are used again."""
    H = _longs(h)
    child, size, key, start = _ints(H[CHILD]), _ints(H[SIZE]), _longs(H[KEY]), _longs(H[START])
    old = settle(h, root)
    leaves, pairs = np.empty(size[root], np.int64), np.empty(size[root], np.int64)
    found, paired = 0, 0
    for v in old:
        if child[v] < 0:
            leaves[found] = child[v]
            found += 1
        else:
            pairs[paired] = child[v]
            paired += 1
    # From the root down, level by level; ``first`` is the leftmost leaf below a node.
    nodes, first = np.empty(len(old), np.int64), np.zeros(len(old), np.int64)
    nodes[0] = root
    used = 0
    for i in range(len(nodes)):
        v = nodes[i]
        if size[v] == 1:
            child[v] = leaves[first[i]]
            continue
        a, half = pairs[used], size[v] // 2
        child[v] = a
        size[a], size[a + 1] = half, size[v] - half
        nodes[2 * used + 1], nodes[2 * used + 2] = a, a + 1
        first[2 * used + 1], first[2 * used + 2] = first[i], first[i] + half
        key[v] = start[(-1 - leaves[first[i] + half]) * BUCKET]
        used += 1
    _sum_all(h, nodes)


@_fast
def _sum_all(h: Any, nodes: Any) -> None:
    """Compute nodes anew, children (which come later in the list) first."""
    child = _ints(_longs(h)[CHILD])
    for i in range(len(nodes) - 1, -1, -1):
        if child[nodes[i]] < 0:
            _sum_leaf(h, nodes[i])
        else:
            _sum_node(h, nodes[i])


@_fast
def refresh(h: Any) -> None:
    """Compute all masses and sums anew: the rate, the cells or the kind of sums have changed."""
    H = _longs(h)
    nodes = preorder(h, 0)
    if H[KT]:
        mistakes, contested, mass = _shorts(H[MISTAKES]), _ints(H[CONTESTED]), _floats(H[MASS])
        for bucket in range(H[BUCKETS]):
            for q in range(bucket * BUCKET, bucket * BUCKET + _ints(H[COUNT])[bucket]):
                log = kt_log_mass(np.int64(mistakes[q]), np.int64(contested[q]))
                mass[q] = log if H[LOGS] else math.exp(log)
    _sum_all(h, nodes)


# --- What the engine calls ---------------------------------------------------------------------------------------


@_fast
def look(h: Any, x: Any) -> Any:
    """Return P(1) at x."""
    _locate(h, x)
    return _weigh(h)


@_fast
def look_many(h: Any, xs: Any, probabilities: Any) -> None:
    """Set P(1) at every x."""
    for i in range(len(xs)):
        probabilities[i] = look(h, xs[i])


@_fast
def commit(h: Any, x: Any, y: Any, located: Any) -> Any:
    """Take over a round; return 2 L* + [a cell was cut], or -1 - need, having done nothing.

    ``located`` says that x was the last point looked at, with nothing in between.
    """
    H = _longs(h)
    if not located:
        _locate(h, x)
    need = _needs(h)
    if need != NO_NEED:
        return -1 - need
    _take(h, x, y)
    return 2 * (_ints(H[BASE])[0] + H[SHIFT]) + H[CUT]


@_fast
def _foresee(h: Any, x: Any) -> None:
    """Have the bucket of a later round brought into the cache."""
    H = _longs(h)
    key, child = _like(x, H[KEY]), _ints(H[CHILD])
    v = 0
    while child[v] >= 0:
        v = child[v] + (x > key[v])
    first = np.int64(-1 - child[v]) * BUCKET
    for line in range(0, 8 * BUCKET, 64):
        _prefetch(H[START] + 8 * first + line)
        if H[KT]:
            _prefetch(H[MASS] + 8 * first + line)
    for line in range(0, 4 * BUCKET, 64):
        _prefetch(H[LOSS] + 4 * first + line)
        _prefetch(H[CONTESTED] + 4 * first + line)
    for line in range(0, 2 * BUCKET, 64):
        _prefetch(H[MISTAKES] + 2 * first + line)


@_fast
def run(h: Any, xs: Any, ys: Any, probabilities: Any, best: Any, gap: Any) -> Any:
    """Play rounds until the data end, L* >= best, the mixability gap >= gap, or something is needed.

    Returns the number of rounds played, the gap, and the need.
    """
    H = _longs(h)
    eta, base = _floats(h)[ETA], _ints(H[BASE])
    shrink = math.expm1(-eta)
    gapped = 0.0
    for i in range(len(xs)):
        _locate(h, xs[i])
        need = _needs(h)
        if need != NO_NEED:
            return i, gapped, need
        if H[BUCKETS] > CACHED and i + 1 < len(xs):
            _foresee(h, xs[i + 1])
        p = _weigh(h)
        probabilities[i] = p
        H[ASKED] += 2 * H[CELLS]
        _take(h, xs[i], ys[i])
        if gap < math.inf and eta > 0.0:
            loss = abs(p - ys[i])
            gapped += max(0.0, loss + math.log1p(loss * shrink) / eta)
        if base[0] + H[SHIFT] >= best or gapped >= gap:
            return i + 1, gapped, NO_NEED
    return len(xs), gapped, NO_NEED
