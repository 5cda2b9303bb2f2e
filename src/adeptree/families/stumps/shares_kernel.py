"""How the prior divides the mass of a path: from k and n alone, so that no path has to keep the parts of its mass."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.mass_kernel import Masses
else:
    from adeptree.theory.mass_kernel import Masses


class Shares(Masses):
    """How a path's mass is divided where it is contested: by the parts of the prior; each cut has ``per_cut`` more."""

    def __init__(self, parts: Any, per_cut: float) -> None:
        Masses.__init__(self, 1, parts, 0.0)
        self.per_cut = per_cut
        self.agree = self.against = 0.0
        self.longest = 0  # the largest n of a path
        self.singles = 0  # paths that one cell alone follows
        self.reserve(1)

    def divide(self, k: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Set what the child that agrees with the base learner gets of a path with k mistakes in n, and the other."""
        i: cython.Py_ssize_t
        mass: cython.double
        self.agree = self.against = 0.0
        for i in range(self.parts):
            mass = self.part(i, k, n) / (n + 0.5 + self.betas[i])
            self.agree += mass * (n - k + self.betas[i])
            self.against += mass * (k + 0.5)
