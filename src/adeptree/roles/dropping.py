"""Limit the width of a frontier: choose the paths to drop, and account for them in the guarantee."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from adeptree.core.errors import FrontierEmpty, MistakeBoundExceeded
from adeptree.core.types import BoolArray, FloatArray, IntArray
from adeptree.theory.losses import Losses


@dataclass(frozen=True)
class Dropped:
    """The paths dropped so far.

    The remaining paths still carry a flow prior, so every bound holds against each path that was kept. The rules of a
    dropped path have lost at least ``least_loss``, so a kept path that has lost no more is a best one.
    """

    paths: int = 0
    mass: float = 0.0
    """Their share of the prior mass, whose total is 1."""
    least_loss: float | None = None
    """The least loss of a dropped path at the time it was dropped."""

    def and_also(self, log_mass: FloatArray, losses: Losses) -> Dropped:
        """Return the account with these paths dropped as well.

        >>> Dropped().and_also(np.log([0.25, 0.125]), np.array([7, 5]))
        Dropped(paths=2, mass=0.375, least_loss=5)
        """
        least = losses.min().item()
        if self.least_loss is not None:
            least = min(least, self.least_loss)
        return Dropped(self.paths + len(losses), self.mass + float(np.exp(log_mass).sum()), least)

    def state(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)


def heaviest(log_weight: FloatArray, losses: Losses, width: int) -> BoolArray:
    """Return a mask of the ``width`` heaviest paths; a path of least loss is always among them.

    >>> heaviest(np.array([0.0, -9.0, -1.0]), np.array([4, 3, 5]), 2).tolist()
    [True, True, False]
    """
    kept = np.zeros(len(losses), dtype=np.bool_)
    order = np.argsort(-log_weight, kind="stable")
    kept[order[: width - 1]] = True
    best = losses == losses.min()
    kept[int(np.where(best, log_weight, -np.inf).argmax()) if not kept[best].any() else order[width - 1]] = True
    return kept


def within_bound(mistakes: IntArray, M: int, t: int, base: Any, advice: str | None) -> BoolArray:
    """Return the paths that mistake pruning keeps in round t; raise an error if M is too small."""
    if advice is not None:
        raise MistakeBoundExceeded(
            f"round {t}: a realizable path has k={int(mistakes.max())} mistakes of {base!r}, more than M={M}; so M (or "
            f"the oracle) is wrong: {advice}"
        )
    kept: BoolArray = mistakes <= M
    if not kept.any():
        raise FrontierEmpty(f"round {t}: mistake pruning at M={M} left no path; give a larger mistake_bound=")
    return kept
