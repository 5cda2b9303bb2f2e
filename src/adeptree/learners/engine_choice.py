"""Which engine computes the distribution: the fastest exact one.

Short runs stay with numpy, so that nobody waits for a compiler; a run that grows long moves on in the middle,
with the same paths and the same numbers.
"""

from __future__ import annotations

import math
import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import IntArray
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_engine import BlocksEngine
from adeptree.families.blocks.block_frontier import BlockFrontier
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.families.finite.version_space import Halving
from adeptree.families.line.interval_bases import IntervalSearch
from adeptree.families.line.thresholds import Bisection, NearestLabel, ThresholdFrontier
from adeptree.learners.adept import Paths
from adeptree.learners.rates import FirstOrder, RateRule
from adeptree.roles.engine import Engine
from adeptree.theory.mixture import SAFE_RATE

LONG = 30_000_000
"""Work from which another engine pays for its start, counted in paths looked at: a second or two of numpy."""
A_ROUND = 700
"""What a round of numpy costs beside its paths, counted in paths."""
LARGEST_GRID = 2**62


def engine_for(choice: str, paths: Paths, rule: RateRule, plain: bool) -> Engine:
    """Return the engine a new learner starts with; ``plain``: every round weighs 1 and is labelled at once."""
    if choice != "collapsed":
        return paths
    if not plain or not _known(paths, rule):
        raise InvalidArgument(
            f'engine="collapsed" knows the priors "paper" and "kt", rates up to {SAFE_RATE:g} and rounds of weight 1; '
            f'got prior={paths.prior.name!r} and rate {rule.eta:g}: use engine="auto"'
        )
    if isinstance(paths.base, DefaultZero) and _never_prunes(paths):
        return _polynomials(paths)
    if _on_a_line(paths):
        return _collapsed(paths)
    raise InvalidArgument(
        f'engine="collapsed" is for thresholds, real_thresholds and blocks with their natural base learner, all '
        f'paths kept; {paths.concept_class!r} with {paths.base!r} has none here: use engine="auto"'
    )


def outgrown(engine: Engine, rule: RateRule, coming: int = 0) -> Engine:
    """Return the engine to go on with, before ``coming`` rounds (0 if that is not known)."""
    if type(engine) is not Paths or not _known(engine, rule):
        return engine
    if _work(engine, coming) < LONG or not _never_prunes(engine):
        return engine
    if isinstance(engine.base, DefaultZero) and not _moves_every_round(rule):
        return _moved(engine, _polynomials(engine))  # this one needs no compiler, but is slow without
    if not _compiles():
        return engine
    if _on_a_line(engine) and not _moves_every_round(rule):
        return _moved(engine, _collapsed(engine))
    if isinstance(engine.base, (Bisection, IntervalSearch, DefaultZero)) and engine.prior.name != "mixed":
        return _moved(engine, _swept(engine))
    if _listed(engine):
        return _moved(engine, _partitioned(engine))
    return engine


def engine_of(kind: str, fresh: Engine) -> Engine:
    """Return an engine of the kind a file names, ``fresh`` being the one that a new learner has.

    The same engine, and not just the same numbers to rounding: a run that is resumed goes on to the last bit.
    """
    if not isinstance(fresh, Paths):
        return fresh
    makers = {"ordered": _collapsed, "blocks": _polynomials, "sweep": _swept, "finite": _partitioned}
    if kind in ("sweep", "finite") and not _compiles():
        return fresh  # their files are those of the paths
    return makers[kind](fresh) if kind in makers else fresh


@cache
def _compiles() -> bool:
    """Whether compiled code can be used; where numba is there and fails, that is said once."""
    if find_spec("numba") is None:
        return False
    try:
        import_module("adeptree.families.line.line_kernels")
    except (ImportError, RuntimeError, OSError) as error:
        warnings.warn(
            f"compiled code is not used, so that long runs are slower: {' '.join(str(error).split())}; if numba finds "
            f"no place to keep what it compiles, set NUMBA_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


def _known(paths: Paths, rule: RateRule) -> bool:
    """Whether some other engine has this prior, at rates at which a rounded loss is enough."""
    mixed = isinstance(paths.base, DefaultZero) and not paths.prior.counts
    return (paths.prior.name in ("paper", "kt") or mixed) and rule.eta <= SAFE_RATE


def _work(paths: Paths, coming: int) -> int:
    """Return what was done and what the coming rounds will take, in paths looked at."""
    done = paths.queries.asked // 2 + A_ROUND * paths.rounds
    size = getattr(paths.concept_class, "size", None) or math.inf
    reach = min(paths.width + coming, max(size, paths.width))
    return done + int(coming * (A_ROUND + (paths.width + reach) / 2))


def _never_prunes(paths: Paths) -> bool:
    """Whether no path will ever be dropped: the compiled engines have no way to."""
    M, proven = paths.mistake_bound, paths.base.mistake_bound
    return paths.max_width is None and (M is None or (proven is not None and proven <= M))


def _moves_every_round(rule: RateRule) -> bool:
    """Whether the rate may change in any round, which costs a collapsed engine a rebuild each time."""
    return isinstance(rule, FirstOrder) and not rule.grid


def _on_a_line(paths: Paths) -> bool:
    grid = getattr(paths.concept_class, "n", 0)
    return isinstance(paths.base, (Bisection, NearestLabel)) and grid <= LARGEST_GRID and _never_prunes(paths)


def _listed(paths: Paths) -> bool:
    base = paths.base
    return (
        isinstance(paths.frontier, PartitionFrontier)
        and type(base) is Halving
        and base.concept_class == paths.concept_class
    )


def _polynomials(paths: Paths) -> Engine:
    frontier = paths.frontier
    if not isinstance(frontier, BlockFrontier):
        return paths
    engine = BlocksEngine(frontier.concept_class, paths.prior)
    if frontier.number:
        engine.restore({"blocks": list(frontier.number)} | _labels_of_blocks(frontier, paths.losses.astype(np.int64)))
    return engine


def _labels_of_blocks(frontier: BlockFrontier, losses: IntArray) -> dict[str, IntArray]:
    """Return how many 0s and 1s each block received, as far as losses tell: differences and sums are right."""
    none = int(losses[frontier.count == 0][0])  # the path without blocks errs on every 1
    alone = np.flatnonzero(frontier.count == 1)
    gain = np.zeros(len(frontier.number), dtype=np.int64)
    gain[frontier.members[alone, 0]] = none - losses[alone]
    ones = np.maximum(gain, 0)
    ones[0] += none - ones.sum()
    return {"zeros": ones - gain, "ones": ones}


def _collapsed(paths: Paths) -> Engine:
    from adeptree.families.line.line_cells import Cells
    from adeptree.families.line.line_engine import OrderedEngine

    frontier = paths.frontier
    if not isinstance(frontier, ThresholdFrontier):
        return paths
    cells = Cells(frontier.low, frontier.high, paths.mistakes, paths.contested, paths.losses.astype(np.int64))
    return OrderedEngine.from_cells(paths.concept_class, paths.prior, cells, paths.rounds)


def _swept(paths: Paths) -> Engine:
    from adeptree.learners.sweep.sweep_engine import SweepEngine

    engine = SweepEngine(paths.concept_class, paths.prior)
    engine.restore(paths.state())
    return engine


def _partitioned(paths: Paths) -> Engine:
    from adeptree.families.finite.partition_engine import FiniteEngine

    frontier = paths.frontier
    if not isinstance(frontier, PartitionFrontier):
        return paths
    engine = FiniteEngine(frontier.partition.concept_class, paths.prior)
    engine.restore(paths.state())
    return engine


def _moved(old: Paths, new: Engine) -> Engine:
    """Hand over the rate and the account; what has been looked at is not asked again."""
    new.rate = old.rate
    if old.looked is not None:
        new.probability(old.looked.children.x)
    new.queries = old.queries  # (the last thing: what the look counted was counted in another account)
    return new
