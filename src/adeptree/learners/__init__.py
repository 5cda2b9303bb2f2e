"""Online learners: Algorithm 2, Algorithm 1 and the baselines."""

import adeptree.families
import adeptree.ghost  # noqa: F401  (these make the families known)
from adeptree.learners.adept_learner import Adept as Adept
from adeptree.learners.bpss import Bpss as Bpss
from adeptree.learners.budgeted import BudgetedLeader as BudgetedLeader
from adeptree.learners.budgeted import Guesser as Guesser
from adeptree.learners.budgeted import Rationed as Rationed
from adeptree.learners.budgeted import budgeted_lazy_adept as budgeted_lazy_adept
from adeptree.learners.certificate import Certificate as Certificate
from adeptree.learners.frequency import Frequency as Frequency
from adeptree.learners.hedge import Hedge as Hedge
from adeptree.learners.lazy import LazyAdept as LazyAdept
from adeptree.learners.leaders import FollowTheLeader as FollowTheLeader
from adeptree.learners.leaders import FollowThePerturbedLeader as FollowThePerturbedLeader
from adeptree.learners.loading import load as load
from adeptree.learners.online_learner import OnlineLearner as OnlineLearner
from adeptree.learners.rand_soa import RandSOA as RandSOA
from adeptree.learners.tickets import Ticket as Ticket
from adeptree.learners.tracking import Tracking as Tracking
from adeptree.learners.tracking_anytime import TrackingAnytime as TrackingAnytime
from adeptree.learners.transductive import Transductive as Transductive
from adeptree.learners.unknown_order import UnknownOrder as UnknownOrder
