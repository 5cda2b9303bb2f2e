"""Games: the protocol, adversaries and transcripts."""

from adeptree.games.adversaries import History as History
from adeptree.games.adversaries import Recorded as Recorded
from adeptree.games.play import play as play
from adeptree.games.transcript import Round as Round
