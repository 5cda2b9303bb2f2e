"""The playground: one self-contained page on which the reader is the adversary of ADEPT.

The page is built from the folder ``playground`` of the repository. Its mathematics is in JavaScript, and tests compare
every number with the library's.
"""

from __future__ import annotations

import json
import os

from adeptree.pages.skeleton import beside, write_page

START = "c=thresholds-8&T=8&rate=paper&prior=paper&g="
"""The game that the built page begins with."""


def play_page(start: str = START) -> str:
    """Return the page as HTML; ``start`` is the game that it begins with, as in the page's own links.

    >>> "You are the adversary" in play_page()
    True
    """
    return beside("playground.html").replace(
        f"const START = {json.dumps(START)};", f"const START = {json.dumps(start)};"
    )


def write_play_page(path: str | os.PathLike[str], start: str = START) -> None:
    """Write the page, all or nothing."""
    write_page(path, play_page(start))
