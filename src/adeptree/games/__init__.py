"""Games: the protocol, adversaries and transcripts."""

from adeptree.games.adversaries import Adversary, Drifting, Greedy, LittlestoneTree, Recorded, Stochastic
from adeptree.games.block_reset import BlockReset
from adeptree.games.play import play
from adeptree.games.transcript import Round, Transcript

__all__ = [
    "Adversary",
    "BlockReset",
    "Drifting",
    "Greedy",
    "LittlestoneTree",
    "Recorded",
    "Round",
    "Stochastic",
    "Transcript",
    "play",
]
