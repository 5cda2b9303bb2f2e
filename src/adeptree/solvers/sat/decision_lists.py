"""Decision lists of at most k rules."""

from __future__ import annotations

from dataclasses import dataclass

from adeptree.core.arguments import check_size, check_whole
from adeptree.core.types import Instance
from adeptree.solvers.sat.bit_words import OnBits, holds, literal_text
from adeptree.solvers.sat.encoding import AddClause, Model, NewVar, chosen, exactly_one, if_then_else


@dataclass(frozen=True)
class DecisionList:
    """The label of the first rule whose literal holds, else the default.

    >>> str(DecisionList(((0, 1), (~3, 0)), 1))
    'if x0 then 1 elif not x3 then 0 else 1'
    """

    rules: tuple[tuple[int, int], ...]
    default: int

    def __call__(self, x: Instance) -> int:
        """Go through the rules."""
        for literal, label in self.rules:
            if holds(literal, x):
                return label
        return self.default

    def __str__(self) -> str:
        if not self.rules:
            return f"always {self.default}"
        rules = " elif ".join(f"{literal_text(literal)} then {label}" for literal, label in self.rules)
        return f"if {rules} else {self.default}"


@dataclass(unsafe_hash=True)
class DecisionLists(OnBits):
    """At most k rules "if (not) x_i then b", one after the other, and a default.

    >>> from adeptree.solvers.sat import SatClass
    >>> SatClass(DecisionLists(n=2, k=1)).realizable([((0, 1), 0), ((1, 1), 1), ((0, 0), 0), ((1, 0), 0)])
    False
    """

    spec_name = "decision_lists"

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self.k = check_size("k", self.k)
        check_whole(f"a rule of k={self.k} on n={self.n} bits", self.n * self.k)

    @property
    def call_cost(self) -> float:
        """A tenth of a millisecond."""
        return 100e-6

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """For each rule one of 2n literals, and a label; shorter lists say a rule twice."""
        super().start(new_var, add_clause)
        self.literals = [*range(self.n), *(~i for i in range(self.n))]
        self.tests = [exactly_one(new_var, add_clause, 2 * self.n) for _ in range(self.k)]
        self.labels = [new_var() for _ in range(self.k + 1)]

    def label(self, x: Instance) -> int:
        """From the default backwards: each rule decides, or leaves it to the rules after it."""
        true = [holds(literal, x) for literal in self.literals]
        value = self.labels[-1]
        for test, label in zip(reversed(self.tests), self.labels[-2::-1], strict=True):
            fires = chosen(self.new_var, self.add_clause, test, true)
            value = if_then_else(self.new_var, self.add_clause, fires, label, value)
        return value

    def decode(self, model: Model) -> DecisionList:
        """Read the rules, without those that never decide anything."""
        default = int(model(self.labels[-1]))
        rules: list[tuple[int, int]] = []
        for test, label in zip(self.tests, self.labels, strict=False):
            literal = next(name for name, choice in zip(self.literals, test, strict=True) if model(choice))
            if literal not in [known for known, _ in rules]:
                rules.append((literal, int(model(label))))
            if ~literal in [known for known, _ in rules]:
                default = rules.pop()[1]  # one of the two always holds, so nothing comes after
                break
        while rules and rules[-1][1] == default:
            rules.pop()
        return DecisionList(tuple(rules), default)
