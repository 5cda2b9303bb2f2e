"""The prior's mass of a path by its number of mistakes, as a row of wide numbers; compiled with the kernel."""

from __future__ import annotations

from adeptree.learners.engines.blocks_wide import add_wide, normal, set_constant
from adeptree.types import FloatArray, IntArray


def paper_masses(F: FloatArray, X: IntArray, row: int, n: int, M: int) -> None:
    """Set coefficient k of a row to W = sum_{i <= M - k} C(n, i) (0 beyond M)."""
    d = F.shape[1] - 1
    set_constant(F, X, row, 0.0)
    term, x = 1.0, 0
    total, top = 1.0, 0
    for i in range(M + 1):
        if i > 0:
            # Beyond n mistakes the term is 0, and stays 0.
            term, x = normal(term * max(0, n - i + 1) / i, x)
            total, top = add_wide(total, top, term, x)
            total, top = normal(total, top)
        if M - i <= d:
            F[row, M - i], X[row, M - i] = total, top


def kt_masses(F: FloatArray, X: IntArray, row: int, n: int, central: float) -> None:
    """Set coefficient k of a row to B(k + 1/2, n - k + 1/2) / B(1/2, 1/2) (0 beyond n)."""
    set_constant(F, X, row, 0.0)
    m, x = central, 0
    for k in range(min(n + 1, F.shape[1])):
        F[row, k], X[row, k] = m, x
        m, x = normal(m * (k + 0.5) / (n - k - 0.5), x)
