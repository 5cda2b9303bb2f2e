"""Which engine computes the distribution: the first of its family that accepts the problem.

Short runs stay with numpy, so that nobody waits for a compiler; a run that grows long moves on in the middle,
with the same paths and the same numbers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from adeptree.core.errors import InvalidArgument
from adeptree.families.listed import EnumerableClass
from adeptree.families.registry import engines_of
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Engine, Problem

LONG = 30_000_000
"""Work from which another engine pays for its start, counted in paths looked at: a second or two of numpy."""
A_ROUND = 700
"""What a round of numpy costs beside its paths, counted in paths."""


def engine_for(choice: str, problem: Problem, paths: Paths) -> Engine:
    """Return the engine a new learner starts with."""
    if choice != "collapsed":
        return paths
    reasons = []
    for engine in engines_of(problem.concept_class):
        if engine.collapsed:
            reason = engine.accepts(problem)
            if reason is None:
                return engine.of(problem)
            reasons.append(reason)
    why = "; ".join(reasons) or f"{problem.concept_class!r} has no such engine"
    raise InvalidArgument(f'engine="collapsed" cannot be used here: {why}: use engine="auto"')


def rebuilds(choice: str, problem: Problem) -> bool:
    """Whether an engine may be used that is built anew when the rate changes: then rates are kept for stretches."""
    engines = [engine for engine in engines_of(problem.concept_class) if engine.collapsed]
    return choice != "paths" and any(engine.accepts(problem) is None for engine in engines)


def outgrown(paths: Paths, problem_now: Callable[[], Problem], coming: int = 0) -> Engine:
    """Return the engine to go on with, before ``coming`` rounds (0 if that is not known)."""
    if _work(paths, coming) < LONG:
        return paths
    problem = problem_now()
    for engine in engines_of(problem.concept_class):
        if engine.from_the_start:
            continue
        if engine.accepts(problem) is None and not (engine.compiled and not _compiles()):
            return _moved(paths, engine.after(problem, paths.state()))
    return paths


def engine_of(kind: str, problem: Problem, fresh: Engine) -> Engine:
    """Return an engine of the kind a file names, ``fresh`` being the one that a new learner has.

    The same engine, and not just the same numbers to rounding: a run that is resumed goes on to the last bit.
    """
    if fresh.kind == kind:
        return fresh
    for engine in engines_of(problem.concept_class):
        # (Where the compiled ones are not to be had: those whose files are those of the paths can be gone on with.)
        if engine.kind == kind and (engine.collapsed or _compiles()):
            return engine.of(problem)
    return fresh


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


def _work(paths: Paths, coming: int) -> int:
    """Return what was done and what the coming rounds will take, in paths looked at."""
    done = paths.queries.asked // 2 + A_ROUND * paths.rounds
    size = paths.concept_class.size if isinstance(paths.concept_class, EnumerableClass) else math.inf
    reach = min(paths.width + coming, max(size, paths.width))
    return done + int(coming * (A_ROUND + (paths.width + reach) / 2))


def _moved(old: Paths, new: Engine) -> Engine:
    """Hand over the rate and the account; what has been looked at is not asked again."""
    new.rate = old.rate
    if old.looked is not None:
        new.probability(old.looked.extension.children.x)
    new.queries = old.queries  # (the last thing: what the look counted was counted in another account)
    return new
