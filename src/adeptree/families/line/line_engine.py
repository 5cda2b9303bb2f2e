"""What engines on a tree of points share: how points become keys, and how the tree is kept and planted again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.core.saved_values import check_counts, is_real, need
from adeptree.core.types import FloatArray, IntArray
from adeptree.families.line.counting_cuts import place_of, value_at
from adeptree.families.line.line_domain import Line, OnALine
from adeptree.families.line.tree_shape import Shape
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.theory.priors import Prior

LARGEST_GRID = 2**62
"""Points are kept as int64."""
SUMS = ("zeros", "charged")
COLUMNS: dict[str, Any] = {"keys": np.int64, "gain": np.float64, "mass": np.float64, "part": np.float64}
COLUMNS |= {"wrong": np.int32, "contested": np.int32, "counts": np.int64, "sizes": np.int64}


class LineEngine(KernelEngine):
    """An engine whose kernel is a ``LineTree``."""

    def __init__(self, concept_class: OnALine, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, prior
        self.line: Line = concept_class.line

    def measure(self) -> tuple[Any, ...]:
        """Return what a tree is made with: kind and ends of the line, and the prior of one cut."""
        first, last = self.keys_of([self.line.before, self.line.end]).tolist()
        shares, betas = zip(*self.prior.parts, strict=True) if self.prior.settled else ((), ())
        return self.line.of_floats, first, last, shares, betas, float(self.prior.counts)

    def keys_of(self, xs: Any) -> IntArray:
        """Return points as the kernel has them: floats by their place among all doubles."""
        points = np.asarray(xs, dtype=self.line.dtype)
        return np.ascontiguousarray(place_of(points) if self.line.of_floats else points, dtype=np.int64)

    def batch(self, xs: Any) -> int:
        """Give the kernel the keys of the points."""
        kernel: Any = self.kernel
        kernel.give(self.keys_of(xs))
        return len(xs)

    def gaps(self) -> dict[str, Any]:
        """Return the gaps from left to right: ``low`` and ``high`` as frontiers have them, and the kernel's columns."""
        kernel: Any = self.kernel
        kept = {name: np.asarray(column) for name, column in kernel.slots().items()}
        ends: NDArray[Any] = np.append(kept["keys"], self.keys_of([self.line.end]))
        ends = value_at(ends) if self.line.of_floats else ends
        return kept | {"low": ends[:-1] + self.line.step, "high": ends[1:]}

    def log_shares(self, gaps: dict[str, Any]) -> FloatArray | None:
        """Return ln of each gap's share of all cuts, where the prior wants to know."""
        if not self.prior.counts:
            return None
        shares: FloatArray = np.log(self.line.count(gaps["low"], gaps["high"])) - np.log(float(self.line.cuts))
        return shares

    # --- Saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the slots, and how they lie in the tree: so every later sum is the same to the last bit."""
        kernel: Any = self.kernel
        kept: dict[str, Any] = {name: np.asarray(column) for name, column in kernel.slots().items()}
        return kept | {"zeros": kernel.zeros, "charged": kernel.charged, "whole": bool(kernel.whole)}

    def restore(self, state: dict[str, Any]) -> None:
        """Plant the same tree again, if it is one."""
        kernel: Any = self.kernel
        kept = {name: np.array(state[name]) for name in COLUMNS}
        cells, parts = len(kept["keys"]), kernel.parts
        for name, kind in COLUMNS.items():
            need(kept[name].dtype == kind and kept[name].ndim == 1, name)
        for name in ("gain", "mass", "wrong", "contested"):
            need(len(kept[name]) == cells and np.isfinite(kept[name]).all(), name)
        need(len(kept["part"]) == cells * parts and (kept["part"] >= 0).all() and (kept["part"] <= 1).all(), "part")
        need((kept["mass"] > 0).all() and (kept["mass"] <= 1).all(), "mass")
        keys = kept["keys"]
        need(cells > 0 and keys[0] == kernel.first and (np.diff(keys.astype(object)) > 0).all(), "keys")
        need(keys[-1] < kernel.last, "keys")
        check_counts("contested", kept["contested"], cells - 1)
        need((kept["wrong"] >= 0).all() and (kept["wrong"] <= kept["contested"]).all(), "wrong")
        for name in SUMS:
            need(is_real(state[name]) and state[name] >= 0, name)
        gain, charged, whole = kept["gain"], state["charged"], state["whole"]
        need(max(float(np.abs(gain).sum()), state["zeros"]) <= charged + 1e-9 * (1 + charged), "charged")
        need(isinstance(whole, bool) and not (whole and (gain != np.floor(gain)).any()), "whole")
        need(not whole or charged <= 2**53, "whole")  # (its losses are looked up in a table)
        shape = Shape(kept["counts"], kept["sizes"])
        shape.check(cells)
        kernel.zeros, kernel.charged, kernel.whole = float(state["zeros"]), float(state["charged"]), state["whole"]
        kernel.plant(kept, *shape.nodes())
