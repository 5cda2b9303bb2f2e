"""Online learners: Algorithm 2, Algorithm 1 and the baselines."""

import adeptree.families
import adeptree.ghost  # noqa: F401  (these make the families known)
from adeptree.learners.adept_learner import Adept
from adeptree.learners.bpss import Bpss
from adeptree.learners.budgeted import BudgetedLeader, Guesser, Rationed, budgeted_lazy_adept
from adeptree.learners.certificate import Certificate
from adeptree.learners.hedge import Hedge
from adeptree.learners.lazy import LazyAdept
from adeptree.learners.leaders import FollowTheLeader, FollowThePerturbedLeader
from adeptree.learners.loading import load
from adeptree.learners.online_learner import OnlineLearner
from adeptree.learners.tickets import Ticket
from adeptree.learners.tracking import Tracking

__all__ = [
    "Adept",
    "Bpss",
    "BudgetedLeader",
    "Certificate",
    "FollowTheLeader",
    "FollowThePerturbedLeader",
    "Guesser",
    "Hedge",
    "LazyAdept",
    "OnlineLearner",
    "Rationed",
    "Ticket",
    "Tracking",
    "budgeted_lazy_adept",
    "load",
]
