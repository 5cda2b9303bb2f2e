"""The table of verdicts as text, the same for the terminal and for the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from adeptree.experiments.experiment import Verdict

if TYPE_CHECKING:
    from adeptree.experiments.reproduce import Reproduction

COLUMNS: tuple[tuple[str, Literal["left", "right"]], ...] = (
    ("claim", "left"),
    ("bound", "right"),
    ("mean", "right"),
    ("worst", "right"),
    ("spread", "right"),
    ("ratio", "right"),
    ("held", "left"),
)


def cells_of(verdict: Verdict) -> list[str]:
    """Return the columns of one verdict."""
    sign = {"<=": "≤", ">=": "≥", "=": "="}[verdict.relation]
    within = f" ± {verdict.within:g}" if verdict.within else ""
    return [
        verdict.claim,
        f"{sign} {number(verdict.bound)}{within}",
        number(verdict.mean),
        number(verdict.worst),
        f"± {number(verdict.spread)}",
        number(verdict.ratio),
        "held" if verdict.held else "FAILED",
    ]


def number(value: float) -> str:
    """Return a number of about three digits.

    >>> number(0.0), number(0.12345), number(3.14159), number(1234.5), number(83278001.0)
    ('0', '0.123', '3.14', '1,234', '8.33e+07')
    """
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 5e-4:
        return f"{value:.2e}"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def summary(result: Reproduction) -> str:
    """Return the last line: how many claims held, in how many runs."""
    verdicts = [verdict for found in result.verdicts.values() for verdict in found]
    held = sum(verdict.held for verdict in verdicts)
    runs = sum(len(rows) for rows in result.rows.values())
    cpu = result.manifest["cpu_seconds"]
    return f"{held} of {len(verdicts)} checks held; {runs} runs, {cpu:.0f} s of processor time; kept in {result.out}"
