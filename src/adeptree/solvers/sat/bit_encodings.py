"""Encodings over n bits: disjunctive normal forms, decision lists and decision trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_SET, check_size, check_whole
from adeptree.core.types import Instance
from adeptree.families.bits.bit_rules import as_bits
from adeptree.solvers.sat.encoding import AddClause, Gates, Model, NewVar


@dataclass(unsafe_hash=True)
class OnBits(Gates):
    """Instances are tuples of n zeros and ones."""

    n: int

    def __post_init__(self) -> None:
        self.n = check_size("n", self.n, at_most=LARGEST_SET)

    def instance(self, x: Any) -> tuple[int, ...]:
        """Return x as a tuple of n ints 0/1."""
        return as_bits(x, self.n)

    def random_instance(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Draw n fair bits."""
        return tuple(rng.integers(2, size=self.n).tolist())


@dataclass(unsafe_hash=True)
class OfKParts(OnBits):
    """Rules of at most k parts."""

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self.k = check_size("k", self.k)
        check_whole(f"a rule of k={self.k} on n={self.n} bits", self.n * self.k)


def literal_text(literal: int) -> str:
    """Return i as "bit i is 1", ~i as "bit i is 0".

    >>> literal_text(2), literal_text(~2)
    ('x2', 'not x2')
    """
    return f"x{literal}" if literal >= 0 else f"not x{~literal}"


def holds(literal: int, x: tuple[int, ...]) -> bool:
    """Does the literal hold at x?"""
    return x[literal] == 1 if literal >= 0 else x[~literal] == 0


@lru_cache(maxsize=1 << 16)
def _number(x: tuple[int, ...]) -> int:
    return sum(1 << i for i, bit in enumerate(x) if bit)


@dataclass(frozen=True)
class Dnf:
    """A formula that is 1 if some term holds; a term is a tuple of literals: i for "bit i is 1", ~i for "bit i is 0".

    >>> str(Dnf(((0, ~2), (1,)))), str(Dnf(())), str(Dnf(((),)))
    ('(x0 and not x2) or (x1)', 'never', 'always')
    """

    terms: tuple[tuple[int, ...], ...]

    @cached_property
    def _words(self) -> list[tuple[int, int]]:
        """For each term that can hold its bits, and those that must be 1: a rule labels by whole words, often."""
        possible = [set(term) for term in self.terms if not any(~i in term for i in term)]
        return [(sum(1 << max(i, ~i) for i in term), sum(1 << i for i in term if i >= 0)) for term in possible]

    def __call__(self, x: Instance) -> int:
        """Return 1 iff a term holds at x."""
        return self.labels([x])[0]

    def labels(self, xs: Sequence[Instance]) -> list[int]:
        """Return 1 for each x where a term holds."""
        numbers, labels = [_number(tuple(x)) for x in xs], [0] * len(xs)
        for bits, ones in self._words:
            labels = [1 if n & bits == ones else y for n, y in zip(numbers, labels, strict=True)]
        return labels

    def __str__(self) -> str:
        if () in self.terms:
            return "always"
        return " or ".join(f"({' and '.join(map(literal_text, term))})" for term in self.terms) or "never"


@dataclass(unsafe_hash=True)
class KTermDnf(OfKParts):
    """Or of at most k conjunctions of literals over n bits; "never" and "always" included.

    >>> from adeptree.solvers.sat import SatClass
    >>> SatClass(KTermDnf(n=2, k=1)).realizable([((0, 1), 1), ((1, 0), 1), ((0, 0), 0)])
    False
    """

    spec_name = "dnf"
    call_cost = 60e-6

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Make the variables: for each term, its literals, and a flag that it is present."""
        super().start(new_var, add_clause)
        self.needs = [[(new_var(), new_var()) for _ in range(self.n)] for _ in range(self.k)]
        """``needs[j][i][b]``: term j asks bit i to be b."""
        self.absent = [new_var() for _ in range(self.k)]
        for term in self.needs:
            for zero, one in term:
                add_clause(-zero, -one)
        for first, second in zip(self.absent, self.absent[1:], strict=False):
            add_clause(-first, second)  # present terms come first
        for gone, term in zip(self.absent, self.needs, strict=True):
            for pair in term:
                for variable in pair:
                    add_clause(-gone, -variable)  # an absent term has only one form

    def label(self, x: Instance) -> int:
        """Return the literal: a term holds unless it is absent or requires another value of some bit."""
        terms = (
            -self.any_of([gone, *(pair[1 - bit] for pair, bit in zip(term, x, strict=True))])
            for gone, term in zip(self.absent, self.needs, strict=True)
        )
        return self.any_of(list(terms))

    def decode(self, model: Model) -> Dnf:
        """Read the terms."""
        return Dnf(
            tuple(
                tuple(i if model(one) else ~i for i, (zero, one) in enumerate(term) if model(zero) or model(one))
                for gone, term in zip(self.absent, self.needs, strict=True)
                if not model(gone)
            )
        )


@dataclass(frozen=True)
class DecisionList:
    """A decision list: the label of the first rule whose literal holds, else the default.

    >>> str(DecisionList(((0, 1), (~3, 0)), 1))
    'if x0 then 1 elif not x3 then 0 else 1'
    """

    rules: tuple[tuple[int, int], ...]
    default: int

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
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
class DecisionLists(OfKParts):
    """At most k rules "if (not) x_i then b", one after the other, and a default.

    >>> from adeptree.solvers.sat import SatClass
    >>> SatClass(DecisionLists(n=2, k=1)).realizable([((0, 1), 0), ((1, 1), 1), ((0, 0), 0), ((1, 0), 0)])
    False
    """

    spec_name = "decision_lists"
    call_cost = 100e-6

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Make the variables: for each rule one of 2n literals, and a label; shorter lists repeat a rule."""
        super().start(new_var, add_clause)
        self.literals = [*range(self.n), *(~i for i in range(self.n))]
        self.tests = [self.exactly_one(2 * self.n) for _ in range(self.k)]
        self.labels = [new_var() for _ in range(self.k + 1)]

    def label(self, x: Instance) -> int:
        """Return the literal, from the default backwards: each rule decides, or leaves it to the next rules."""
        true = [holds(literal, x) for literal in self.literals]
        value = self.labels[-1]
        for test, label in zip(reversed(self.tests), self.labels[-2::-1], strict=True):
            fires = self.chosen(test, true)
            value = self.if_then_else(fires, label, value)
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
                default = rules.pop()[1]  # one of the two always holds, so later rules are unreachable
                break
        while rules and rules[-1][1] == default:
            rules.pop()
        return DecisionList(tuple(rules), default)


Node = int | tuple[int, "Node", "Node"]
"""A label, or (bit tested, what follows 0, what follows 1)."""


@dataclass(frozen=True)
class DecisionTree:
    """A decision tree, which tests one bit after the other.

    >>> str(DecisionTree((0, 1, (2, 0, 1))))
    'if x0 then (if x2 then 1 else 0) else 1'
    """

    root: Node

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
        node = self.root
        while isinstance(node, tuple):
            node = node[1 + x[node[0]]]
        return node

    def __str__(self) -> str:
        return _text(self.root) if isinstance(self.root, tuple) else f"always {self.root}"


def _text(node: Node) -> str:
    if isinstance(node, int):
        return str(node)
    bit, zero, one = node
    inner = [f"({_text(child)})" if isinstance(child, tuple) else str(child) for child in (one, zero)]
    return f"if x{bit} then {inner[0]} else {inner[1]}"


@dataclass(unsafe_hash=True)
class DecisionTrees(OnBits):
    """Trees that test at most ``depth`` of n bits on the way to a label.

    >>> from adeptree.solvers.sat import SatClass
    >>> xor = [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 0)]
    >>> [SatClass(DecisionTrees(n=2, depth=depth)).realizable(xor) for depth in (1, 2)]
    [False, True]
    """

    spec_name = "decision_trees"

    depth: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self.depth = check_size("depth", self.depth, at_least=0, at_most=20)
        check_whole(f"a tree of depth={self.depth} on n={self.n} bits", self.n << self.depth)
        self.call_cost = 80e-6 if self.depth < 3 else 600e-6 if self.depth == 3 else None

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Make the variables of a full tree, where node m has the children 2m + 1 and 2m + 2."""
        super().start(new_var, add_clause)
        inner = 2**self.depth - 1
        self.tests = [self.exactly_one(self.n) for _ in range(inner)]
        self.leaves = [new_var() for _ in range(inner + 1)]

    def label(self, x: Instance) -> int:
        """Return the literal, from the leaves up: a node has the value of the child that its bit selects."""
        ones = [bit == 1 for bit in x]
        values = [0] * len(self.tests) + self.leaves
        for node in reversed(range(len(self.tests))):
            right = self.chosen(self.tests[node], ones)
            then, other = values[2 * node + 2], values[2 * node + 1]
            values[node] = self.if_then_else(right, then, other)
        return values[0]

    def decode(self, model: Model) -> DecisionTree:
        """Read the tree, without redundant tests."""
        nodes: list[Node] = [*[0] * len(self.tests), *(int(model(leaf)) for leaf in self.leaves)]
        for node in reversed(range(len(self.tests))):
            zero, one = nodes[2 * node + 1], nodes[2 * node + 2]
            bit = next(i for i, choice in enumerate(self.tests[node]) if model(choice))
            nodes[node] = zero if zero == one else (bit, zero, one)
        return DecisionTree(nodes[0])
