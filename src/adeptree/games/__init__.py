"""Games: the protocol, adversaries and transcripts."""

from adeptree.games.adversaries import Adversary as Adversary
from adeptree.games.adversaries import Drifting as Drifting
from adeptree.games.adversaries import Greedy as Greedy
from adeptree.games.adversaries import History as History
from adeptree.games.adversaries import LittlestoneTree as LittlestoneTree
from adeptree.games.adversaries import Recorded as Recorded
from adeptree.games.adversaries import Stochastic as Stochastic
from adeptree.games.block_reset import BlockReset as BlockReset
from adeptree.games.made_up import MadeUp as MadeUp
from adeptree.games.play import play as play
from adeptree.games.transcript import Round as Round
from adeptree.games.transcript import Transcript as Transcript
