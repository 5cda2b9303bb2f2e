"""Online learners: Algorithm 2, Algorithm 1 and the baselines."""

from adeptree.learners.adept import Adept
from adeptree.learners.base import OnlineLearner
from adeptree.learners.bpss import Bpss
from adeptree.learners.hedge import Hedge
from adeptree.learners.lazy import LazyAdept
from adeptree.learners.loading import load

__all__ = ["Adept", "Bpss", "Hedge", "LazyAdept", "OnlineLearner", "load"]
