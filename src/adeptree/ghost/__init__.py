"""``Ghost``, a realizable learner that needs only an oracle (``docs/theory/ghost.md``)."""

from adeptree.ghost.ghost_learner import Ghost as Ghost
from adeptree.ghost.ghost_plans import mistake_bound as mistake_bound
