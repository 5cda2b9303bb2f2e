"""Put what a benchmark measured into its page of docs/evidence, between two comments that name the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence"


def put(page: str, name: str, text: str) -> None:
    """Replace the part of a page that has a name.

    The part begins with ``<!-- name -->`` and ends with ``<!-- end of name -->``.
    """
    path = EVIDENCE / page
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str = "") -> str:
    """Return a table; ``sides`` has an l or an r for each column.

    >>> print(table(["class", "calls"], [["thresholds", "889"]], "lr"))
    | class | calls |
    |:--|--:|
    | thresholds | 889 |
    """
    rule = "|".join({"l": ":--", "r": "--:"}[side] for side in sides or "l" * len(head))
    return "\n".join([f"| {' | '.join(head)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)])
