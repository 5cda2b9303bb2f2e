"""The column of measured numbers: written from verdicts, and each of its rows exists."""

from __future__ import annotations

from reproduction.mutants.mutation_testing import key, power
from reproduction.report.known_table import MEASURED, PAGE, filled


def test_the_column_is_written_from_the_verdicts() -> None:
    verdicts: dict[str, list[dict[str, object]]] = {}
    for number, (experiment, claim, _) in enumerate(MEASURED.values()):
        row = {"claim": claim, "relation": "<=", "mean": 0.5, "worst": 100 + number, "bound": 1000}
        verdicts.setdefault(experiment, []).append(row)
    before = PAGE.read_text(encoding="utf-8")
    page = filled(before, verdicts)
    assert page.count("|") == before.count("|")
    for number, (start, (_, _, what)) in enumerate(MEASURED.items()):
        (line,) = [line for line in page.split("\n") if line.startswith(f"| {start}")]
        assert line.endswith(f"{what}: {100 + number} (≤ 1,000) |")


def test_every_row_of_it_is_known_to_fail() -> None:
    assert [claim for experiment, claim, _ in MEASURED.values() if key(experiment, claim) not in power()] == []
