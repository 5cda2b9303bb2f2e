"""The last column of docs/theory/known-and-new.md: what one run measured.

After ``python3 make.py reproduce``: ``python -m reproduction.report.known_table results/verdicts.json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from reproduction.reproduce import number

PAGE = Path(__file__).resolve().parents[2] / "docs" / "theory" / "known-and-new.md"
SIGNS = {"<=": "≤", ">=": "≥", "=": "="}
MEASURED: dict[str, tuple[str, str, str]] = {
    "Regret $": ("regret", "expected regret / proven bound, worst round of any run", "regret / bound"),
    "Memory and queries per path": ("quantities", "queries of ADEPT and A / |V| (2 + max Q_A(t))", "queries / formula"),
    "$Q_T$ over a family": (
        "quantities",
        "Q_T over the family / 2 x sum of Sauer's numbers, every class on 3 points of dimension at most 2",
        "maximum / formula",
    ),
    "Algorithm 1": (
        "quantities", "exponent in T of the oracle calls of Algorithm 1, blocks(d=2)", "exponent of its calls, M = 9"
    ),
    "Lazy rollback": ("tradeoff", "expected regret / formula of the theorem, greedy", "regret / formula"),
    "Theorem P": ("deferred", "queries / 2 sum of Sauer(r, VC), r < K", "queries / bound"),
    "$Q$ ERM queries": ("lower-bound", "mean regret against BlockReset(d=1), leader", "mean regret of a leader"),
    "Theorem W": (
        "weak-queries", "distance of the attaining learner from (T - rounds with a query)/2", "distance of the learner"
    ),
    "Ghost": ("oracle-efficiency", "oracle calls added by Ghost", "calls added"),
    "$3^d$": ("dimension-bound", "mean regret against MadeUp(2, coined), leader", "mean regret of a leader, d = 2"),
    "Few calls": (
        "queries", "what is said and kept, cubes frontier, less the literal one's", "difference in p and rows"
    ),
    "Guarantees without": ("anytime", "expected regret / bound of the certificate", "regret / certificate"),
    "The mixed prior": ("anytime", "cost of mixing / (0.725 sqrt(kappa T) + 1/2)", "cost / bound"),
    "Review": ("decide", "regret with review / ln(number of rules)/eta*", "regret / bound"),
    "Theorems S and Q": (
        "decide", "mean regret with reviewed labels / 2 sqrt(c K T/eta*)", "regret / bound"
    ),
    "Composition": ("decide", "difference in p, a union and all its rules", "difference in p"),
    "Half-planes": (
        "half-planes", "mean mistakes of a fixed half-plane / sum of Theorem 4", "mistakes / bound"
    ),
    "Drift": (
        "neighbours", "regret to the best sequence / what is proven, drift at all rates, engine auto", "regret / bound"
    ),
}  # fmt: skip
"""By the beginning of a line of the table: the experiment, its row, and what the number is."""


def filled(page: str, verdicts: dict[str, list[dict[str, Any]]]) -> str:
    """Return the page with the measured numbers in the last column."""
    lines = page.split("\n")
    for start, (experiment, claim, what) in MEASURED.items():
        (place,) = [i for i, line in enumerate(lines) if line.startswith(f"| {start}")]
        (found,) = [verdict for verdict in verdicts[experiment] if verdict["claim"] == claim]
        shown = found["mean"] if found["relation"] == ">=" else found["worst"]
        cells = lines[place].split(" | ")
        cells[-1] = f"{what}: {number(shown)} ({SIGNS[found['relation']]} {number(found['bound'])}) |"
        lines[place] = " | ".join(cells)
    return "\n".join(lines)


if __name__ == "__main__":
    results = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
