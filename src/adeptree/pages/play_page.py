"""The playground: one self-contained page on which the reader is the adversary of ADEPT.

Its mathematics is written anew in JavaScript, in the files of the folder ``playground``, with the library's names; a
test plays games in a browser and compares every number with the library's.
"""

from __future__ import annotations

import json
import os

from adeptree.pages.skeleton import beside, document, opening, write_page
from adeptree.theory.coins import Coins

MATHEMATICS = ("classes", "bases", "bounds", "priors", "mixture", "learners", "game", "players")
DRAWING = ("dom", "words", "tree", "panels", "chart", "reset", "lessons", "walking", "main")
TITLE = "You are the adversary"
LEAD = (
    "ADEPT guesses labels, 0 or 1. It is proven that on <em>any</em> stream it errs, in the long run, hardly more "
    "often than the best rule of a class. You choose the stream: an x, and then, knowing the chance that it will guess "
    "1, the label. Make it regret."
)
START = "c=thresholds-8&T=8&rate=paper&prior=paper&g="
"""The game that a page begins with."""


def mathematics() -> str:
    """Return the scripts that compute, without those that draw.

    >>> "class Adept" in mathematics()
    True
    """
    return "\n".join(['"use strict";', f"const SEED = {Coins(0).seed}n;", *map(_script, MATHEMATICS)])


def play_page(start: str = START) -> str:
    """Return the page as HTML; ``start`` is the game that it begins with, as in the page's own links.

    >>> "You are the adversary" in play_page()
    True
    """
    code = "\n".join([mathematics(), f"const START = {json.dumps(start)};", *map(_script, DRAWING)])
    parts = [opening(TITLE, LEAD), beside("playground/playground.html")]
    return document(f"{TITLE}: ADEPT", parts, kind="play", style=beside("playground/playground.css"), code=code)


def write_play_page(path: str | os.PathLike[str], start: str = START) -> None:
    """Write the page, all or nothing."""
    write_page(path, play_page(start))


def _script(name: str) -> str:
    return beside(f"playground/{name}.js")
