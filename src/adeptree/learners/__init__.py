"""Online learners: Algorithm 2, Algorithm 1 and the baselines."""

import adeptree.families
import adeptree.ghost  # noqa: F401  (these make the families known)
from adeptree.learners.adept_learner import Adept as Adept
from adeptree.learners.frequency import Frequency as Frequency
from adeptree.learners.loading import load as load
from adeptree.learners.online_learner import OnlineLearner as OnlineLearner
from adeptree.learners.tickets import Ticket as Ticket
