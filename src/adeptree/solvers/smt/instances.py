"""Instances as a template reads them: plain Python values, told apart by type where z3 does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.solvers.smt.compiling import Compiled
from adeptree.solvers.smt.terms import Part, Term


@dataclass(frozen=True)
class Known:
    """An instance that was met: the template there, its parts, and its Python form (None if there is none)."""

    x: Any
    key: Hashable
    term: Term
    inside: Sequence[Part]
    run: Compiled | None


def plain(x: Any) -> Any:
    """Return x with NumPy's numbers as Python's, which is what z3 compares with.

    >>> plain({"age": np.int64(41), "weights": np.array([1.5, 2.0])})
    {'age': 41, 'weights': (1.5, 2.0)}
    """
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, np.ndarray):
        return plain(x.tolist())
    if isinstance(x, Mapping):
        return {name: plain(value) for name, value in x.items()}
    return tuple(map(plain, x)) if isinstance(x, (list, tuple)) else x


def tagged(x: Any) -> Any:
    """Return plain data with 4, 4.0 and True made different, as z3 divides and compares them differently."""
    if isinstance(x, dict):
        return {name: tagged(value) for name, value in x.items()}
    if isinstance(x, tuple):
        return tuple(map(tagged, x))
    return (type(x).__name__, x) if isinstance(x, (float, bool)) else x
