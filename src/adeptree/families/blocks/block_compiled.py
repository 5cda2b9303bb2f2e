"""The functions of ``blocks_kernel``, compiled; importing this module needs numba.

The text of the kernel is used as it is. Only the functions over all degrees, which are array code there,
are loops here (slices take numba seconds to compile).
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

from adeptree.core.types import FloatArray, IntArray
from adeptree.families.blocks import block_kernel as kernel
from adeptree.families.blocks import block_masses as masses
from adeptree.families.blocks import block_wide as wide

_numba: Any = import_module("numba")
_extending: Any = import_module("numba.extending")


def _set_constant(F: FloatArray, X: IntArray, row: int, value: float) -> None:
    for s in range(F.shape[1]):
        F[row, s], X[row, s] = 0.0, wide.EMPTY
    if value != 0.0:
        F[row, 0], X[row, 0] = value, 0


def _copy(F: FloatArray, X: IntArray, out: int, a: int) -> None:
    for s in range(F.shape[1]):
        F[out, s], X[out, s] = F[a, s], X[a, s]


def _multiply(F: FloatArray, X: IntArray, out: int, a: int, b: int) -> None:
    for s in range(F.shape[1]):
        total, top = 0.0, wide.EMPTY
        for i in range(s + 1):
            m = F[a, i] * F[b, s - i]
            if m != 0.0:
                total, top = wide.add_wide(total, top, m, X[a, i] + X[b, s - i])
        F[out, s], X[out, s] = wide.normal(total, top)


def _add_multiple(F: FloatArray, X: IntArray, out: int, a: int, shift: int, m: float, e: int) -> None:
    for s in range(F.shape[1] - 1, shift - 1, -1):  # downwards: row ``out`` may be a
        total, top = wide.add_wide(F[out, s], X[out, s], F[a, s - shift] * m, X[a, s - shift] + e)
        F[out, s], X[out, s] = wide.normal(total, top)


def _replace(plain: Callable[..., Any], loop: Callable[..., Any]) -> None:
    """Let compiled code that calls ``plain`` run ``loop``."""
    _extending.overload(plain, strict=False)(lambda *arguments: loop)


_replace(wide.set_constant, _set_constant)
_replace(wide.copy, _copy)
_replace(wide.multiply, _multiply)
_replace(wide.add_multiple, _add_multiple)

_AS_THEY_ARE: tuple[Callable[..., Any], ...] = (
    wide.exp_wide,
    wide.normal,
    wide.add_wide,
    wide.share,
    wide.dot,
    masses.paper_masses,
    masses.beta_masses,
    kernel.best_loss,
    kernel.look,
    kernel.climb,
    kernel.leaf_without,
    kernel.add_block,
    kernel.settle,
    kernel.count,
    kernel.set_factor,
    kernel.set_leaf,
    kernel.set_node,
    kernel.rebuild,
    kernel.play,
)
for _function in _AS_THEY_ARE:
    _extending.register_jitable(_function)


def _entries(fingerprint: int) -> tuple[Any, Any, Any, Any]:
    """Compile what the engine calls; the result is kept on disk for the next process.

    numba compares only the file of a compiled function and the values it closes over with what was kept. So these
    functions are here and close over a fingerprint of the other files.
    """

    def look(store: kernel.Store, j: int) -> float:
        _ = fingerprint
        return kernel.look(store, j)

    def settle(store: kernel.Store, j: int, label: int, rate: float) -> None:
        _ = fingerprint
        kernel.settle(store, j, label, rate)

    def rebuild(store: kernel.Store, rate: float) -> None:
        _ = fingerprint
        kernel.rebuild(store, rate)

    def play(
        store: kernel.Store,
        blocks: IntArray,
        labels: IntArray,
        out: FloatArray,
        rate: float,
        best: float,
        gap: float,
        so_far: float,
    ) -> tuple[int, float]:
        _ = fingerprint
        return kernel.play(store, blocks, labels, out, rate, best, gap, so_far)

    fast = _numba.njit(cache=True)
    return fast(look), fast(settle), fast(rebuild), fast(play)


_texts = "".join(inspect.getsource(module) for module in (kernel, masses, wide))
look, settle, rebuild, play = _entries(zlib.crc32(_texts.encode()))
