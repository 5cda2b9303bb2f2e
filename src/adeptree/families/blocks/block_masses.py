"""The prior's mass of a path by its number of mistakes, as a row of wide numbers; compiled with the kernel."""

from __future__ import annotations

from adeptree.core.types import FloatArray, IntArray
from adeptree.families.blocks.block_wide import add_wide, normal, set_constant


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


def beta_masses(F: FloatArray, X: IntArray, row: int, n: int, central: FloatArray, betas: FloatArray) -> None:
    """Set coefficient k of a row to the sum over the parts of B(k + 1/2, n - k + b) / B(1/2, b) (0 beyond n).

    ``central[i, n]`` is part i's share of the mass, times its mass of no mistake in n rounds. KT is one part, b = 1/2.
    """
    set_constant(F, X, row, 0.0)
    for i in range(len(betas)):
        m, x = central[i, n], 0
        for k in range(min(n + 1, F.shape[1])):
            total, top = add_wide(F[row, k], X[row, k], m, x)
            F[row, k], X[row, k] = normal(total, top)
            m, x = normal(m * (k + 0.5) / (n - k - 1 + betas[i]), x)
