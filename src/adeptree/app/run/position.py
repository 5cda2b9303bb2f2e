"""Where a run is, as its checkpoint says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adeptree.runner.appended_file import Written


@dataclass(frozen=True)
class Position:
    """Where a run is: rows taken, among them bad ones, unlabelled ones and ones, and what is certain in its files.

    ``labels`` are rows that only brought a label, ``apart`` those of all rows that are not the stream's own.
    """

    taken: int = 0
    bad: int = 0
    unlabelled: int = 0
    ones: int = 0
    digest: int = 0
    predictions: Written = field(default_factory=Written)
    labels: int = 0
    apart: int = 0


def position_of(found: dict[str, Any], rounds: int, waiting: int = 0, decides: bool = False) -> Position:
    """Return what a checkpoint says, if a learner of so many rounds can be there; ValueError and its like if not.

    ``waiting`` are other answers; a learner that ``decides`` answers rows that have no label, too.
    """
    written = found["predictions"]
    counts = [*(found[name] for name in ("taken", "bad", "unlabelled", "ones", "labels", "apart")), written["length"]]
    checks = [found["digest"], written["checksum"]]
    whole = found.keys() == vars(Position()).keys() and written.keys() == vars(Written()).keys()
    whole = whole and all(type(number) is int and number >= 0 for number in [*counts, *checks])
    whole = whole and max(checks) < 1 << 32 and max(counts) < 1 << 63
    # Every row that was taken was learnt, or bad, or had no label, or waits for it, or was one.
    known = rounds + waiting + found["bad"] + found["labels"] + (0 if decides else found["unlabelled"])
    most = rounds + waiting * decides
    if not whole or found["ones"] > most or found["taken"] != known or found["apart"] > found["taken"]:
        raise ValueError
    return Position(**{**found, "predictions": Written(**written)})
