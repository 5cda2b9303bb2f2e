"""Which engine computes the distribution: the fastest exact one."""

from __future__ import annotations

from adeptree.errors import InvalidArgument
from adeptree.learners.adept import Paths
from adeptree.learners.engines.base import Engine
from adeptree.learners.rates import RateRule


def engine_for(choice: str, paths: Paths, rule: RateRule) -> Engine:
    """Return the engine a new learner starts with."""
    if choice != "collapsed":
        return paths
    raise InvalidArgument(f"{paths.concept_class!r} has no collapsed engine; use engine=\"auto\"")


def outgrown(engine: Engine, rule: RateRule, coming: int = 0) -> Engine:
    """Return the engine to go on with, before ``coming`` rounds (0 if that is not known)."""
    return engine


def engine_of(kind: str, fresh: Engine) -> Engine:
    """Return an engine of the kind a file names, ``fresh`` being the one a new learner has."""
    return fresh
