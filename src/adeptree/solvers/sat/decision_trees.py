"""Decision trees of bounded depth."""

from __future__ import annotations

from dataclasses import dataclass

from adeptree.core.arguments import check_size, check_whole
from adeptree.core.types import Instance
from adeptree.solvers.sat.bit_words import OnBits
from adeptree.solvers.sat.encoding import AddClause, Model, NewVar, chosen, exactly_one, if_then_else

Node = int | tuple[int, "Node", "Node"]
"""A label, or (bit tested, what follows 0, what follows 1)."""


@dataclass(frozen=True)
class DecisionTree:
    """Tests one bit after the other.

    >>> str(DecisionTree((0, 1, (2, 0, 1))))
    'if x0 then (if x2 then 1 else 0) else 1'
    """

    root: Node

    def __call__(self, x: Instance) -> int:
        """Go down the tree."""
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

    @property
    def call_cost(self) -> float | None:
        """A tenth of a millisecond for shallow trees, then some times more for every level."""
        return 80e-6 if self.depth < 3 else 600e-6 if self.depth == 3 else None

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """A full tree, node m having the children 2m + 1 and 2m + 2; equal leaves make it a smaller one."""
        super().start(new_var, add_clause)
        inner = 2**self.depth - 1
        self.tests = [exactly_one(new_var, add_clause, self.n) for _ in range(inner)]
        self.leaves = [new_var() for _ in range(inner + 1)]

    def label(self, x: Instance) -> int:
        """From the leaves up: the value of a node is that of the child that its bit leads to."""
        ones = [bit == 1 for bit in x]
        values = [0] * len(self.tests) + self.leaves
        for node in reversed(range(len(self.tests))):
            right = chosen(self.new_var, self.add_clause, self.tests[node], ones)
            then, other = values[2 * node + 2], values[2 * node + 1]
            values[node] = if_then_else(self.new_var, self.add_clause, right, then, other)
        return values[0]

    def decode(self, model: Model) -> DecisionTree:
        """Read the tree, without tests that do not matter."""
        nodes: list[Node] = [*[0] * len(self.tests), *(int(model(leaf)) for leaf in self.leaves)]
        for node in reversed(range(len(self.tests))):
            zero, one = nodes[2 * node + 1], nodes[2 * node + 2]
            bit = next(i for i, choice in enumerate(self.tests[node]) if model(choice))
            nodes[node] = zero if zero == one else (bit, zero, one)
        return DecisionTree(nodes[0])
