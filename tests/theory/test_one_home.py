"""A formula has one home, in theory/; engines may write it again for their speed, and are tested against it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adeptree as at
from adeptree.roles.frontier import Frontier

HOUSE = Path(at.__file__).parent
ENGINES = re.compile(r"families/\w+/\w*(_engine|_kernels?|_compiled|_masses|_memory|_cells|_store|_wide|_passes)\.py")

HOMES = {
    "sums of binomials": (r"sum\((math\.)?comb\([^()]*\) for", "theory/bounds.py"),
    "the tuned rate": (r"math\.sqrt\(8 ", "theory/bounds.py"),
    "ln N": (r"log\(math\.e \* ", "theory/bounds.py theory/mixture.py"),
    "the first-order rate": (r"min\(0\.5, math\.sqrt", "theory/mixture.py"),
    "capacities in logarithms": (r"logaddexp\.accumulate", "theory/mixture.py"),
    "the mixability gap": (r"log1p\(loss \* |expm1\(-(rate|eta)\)", "theory/ledger_kernel.py"),
    "KT's mass": (r"k \+ 0\.5\) /|i \+ first", "theory/priors.py"),
    "Gey's number": (r"comb\((\w+|\w+ \+ 1), \(?\w+( \+ 1\))? // 2\) <=", "families/stumps/stump_vc.py"),
}


@pytest.mark.parametrize("name", HOMES)
def test_a_formula_is_written_in_one_place(name: str) -> None:
    pattern, homes = HOMES[name]
    lines = {
        str(path.relative_to(HOUSE)): [
            line for line in path.read_text(encoding="utf-8").splitlines() if ">>>" not in line
        ]
        for path in HOUSE.rglob("*.py")
    }
    found = {path for path, text in lines.items() if any(re.search(pattern, line) for line in text)}
    assert {path for path in found if not ENGINES.search(f"/{path}")} == set(homes.split())


def test_only_split_asks_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """An oracle that raises if it is queried at any other time, by a learner or its base."""
    inside, split = [False], Frontier.split

    def watched(self: Frontier, x: object) -> object:
        inside[0] = True
        try:
            return split(self, x)
        finally:
            inside[0] = False

    def realizable(sample: object) -> bool:
        assert inside[0], "asked outside of split"
        return at.Thresholds(9).realizable(sample)  # type: ignore[arg-type]

    monkeypatch.setattr(Frontier, "split", watched)
    learner = at.Adept(at.OracleClass(realizable=realizable, littlestone_dimension=3), horizon=12)
    for x, y in [(3, 0), (7, 1), (5, 1), (3, 1), (1, 0)]:
        learner.predict_proba(x)
        learner.learn(x, y)
    learner.certificate()
    assert learner.queries.posed > 0
    with pytest.raises(AssertionError, match="outside"):
        realizable([])
