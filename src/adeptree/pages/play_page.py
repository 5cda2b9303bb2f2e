"""The playground: one self-contained page on which the reader is the adversary of ADEPT.

Its mathematics is written anew in JavaScript, in the files of the folder ``playground``, with the library's names; a
test plays games in a browser and compares every number with the library's.
"""

from __future__ import annotations

from adeptree.pages.skeleton import beside
from adeptree.theory.coins import Coins

MATHEMATICS = ("classes", "bases", "bounds", "priors", "mixture", "learners", "game")


def mathematics() -> str:
    """Return the scripts that compute, without those that draw.

    >>> "class Adept" in mathematics()
    True
    """
    return "\n".join([f"const SEED = {Coins(0).seed}n;", *(beside(f"playground/{name}.js") for name in MATHEMATICS)])
