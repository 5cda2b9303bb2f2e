"""``adeptree play``: write the playground page for the chosen game, and open it in the browser."""

from __future__ import annotations

import json
import os
import re
import tempfile
import webbrowser
from pathlib import Path
from typing import Literal

from adeptree.app.terminal import show, told, unwritable
from adeptree.core.errors import InvalidArgument, StateError

START = "c=thresholds-8&T=8&rate=paper&prior=paper&g="
"""The first game of the built page."""


def play_page(start: str = START) -> str:
    """Return the page as HTML; ``start`` is its first game, in the format of the page's links.

    >>> "You are the adversary" in play_page()
    True
    """
    from adeptree.pages.skeleton import beside

    return beside("playground.html").replace(json.dumps(START), json.dumps(start))


def write_play_page(path: str | os.PathLike[str], start: str = START) -> None:
    """Write the page, all or nothing."""
    from adeptree.pages.skeleton import write_page

    write_page(path, play_page(start))


MOST = {"thresholds": 16, "intervals": 8}
"""Most points of a line that can be drawn and clicked, as in the page."""
MOST_ROWS, MOST_COLUMNS, MOST_ROUNDS, LARGEST_M = 12, 8, 40, 6


def play_command(
    rules: str = "thresholds(n=8)",
    horizon: int = 8,
    prior: Literal["paper", "kt", "mixed"] = "paper",
    mistake_bound: int | None = None,
    html: str | None = None,
) -> None:
    """Be the adversary, in your browser.

    You choose every x and every label. The page needs no network.

    Examples:
      adeptree play
      adeptree play --rules "intervals(n=6)" --horizon 12
    """
    with told():
        if html is not None and (why := unwritable(html)):
            raise StateError(f"--html: {html} could not be written: {why}")
        start = start_of(rules, horizon, prior, mistake_bound)
        if html is not None:
            write_play_page(html, start)
            show(f"Written: {html}")
            return
        path = Path(tempfile.mkdtemp(prefix="adeptree-")) / "playground.html"
        write_play_page(path, start)
        opened = webbrowser.open(path.as_uri())
        show(f"{'Opened' if opened else 'Open it in a browser'}: {path}")


def start_of(rules: str, horizon: int, prior: str, mistake_bound: int | None) -> str:
    """Return the first game of the page, in the format of its links.

    >>> start_of("thresholds(n=8)", 8, "paper", None)
    'c=thresholds-8&T=8&rate=paper&prior=paper&g='
    """
    if not 1 <= horizon <= MOST_ROUNDS:
        raise InvalidArgument(f"--horizon: on the playground a game has 1 to {MOST_ROUNDS} rounds; got {horizon}")
    if mistake_bound is not None and mistake_bound > LARGEST_M:
        raise InvalidArgument(f"--mistake-bound: on the playground M is at most {LARGEST_M}; got {mistake_bound}")
    M = "" if mistake_bound is None else f"&M={mistake_bound}"
    return f"c={_class_of(rules)}&T={horizon}{M}&rate=paper&prior={prior}&g="


def _class_of(rules: str) -> str:
    from adeptree import parse

    spec = repr(parse(rules))
    if (line := re.fullmatch(r"(thresholds|intervals)\(n=(\d+)\)", spec)) and int(line[2]) <= MOST[line[1]]:
        return f"{line[1]}-{line[2]}"
    rows = re.findall(r"'([01]+)'", spec) if re.fullmatch(r"finite\(table=\[[01', ]*\]\)", spec) else []
    if rows and len(rows) <= MOST_ROWS and len(rows[0]) <= MOST_COLUMNS:
        return f"table-{'-'.join(rows)}"
    raise InvalidArgument(
        f"--rules: the playground takes thresholds(n) with n up to {MOST['thresholds']}, intervals(n) up to "
        f"{MOST['intervals']}, and finite(table) up to {MOST_ROWS} rules on {MOST_COLUMNS} points; got {rules}"
    )
