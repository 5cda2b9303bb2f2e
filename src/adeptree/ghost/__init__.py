"""``Ghost``, a realizable learner by an oracle alone (``docs/theory/ghost.md``)."""

from adeptree.ghost.ghost_learner import Ghost as Ghost
from adeptree.ghost.plans import mistake_bound as mistake_bound
