"""Finite automata of at most k states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.core.arguments import check_size, check_whole
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.types import Instance
from adeptree.solvers.sat.encoding import AddClause, Gates, Model, NewVar

LONGEST_DRAWN = 8


@dataclass(frozen=True)
class Dfa:
    """An automaton that starts in state 0; ``moves[q][i]`` is where letter i leads from state q.

    >>> print(Dfa("ab", moves=((0, 1), (1, 0)), accepting=(False, True)))
    state   a b
    > 0     0 1
      1 yes 1 0
    """

    alphabet: Sequence[Any]
    moves: tuple[tuple[int, ...], ...]
    accepting: tuple[bool, ...]

    @cached_property
    def _next(self) -> list[dict[Any, int]]:
        return [dict(zip(self.alphabet, row, strict=True)) for row in self.moves]

    def __call__(self, x: Instance) -> int:
        """Return 1 iff the word is accepted."""
        moves, state = self._next, 0
        for letter in x:
            state = moves[state][letter]
        return int(self.accepting[state])

    def __str__(self) -> str:
        rows = [
            (">" if q == 0 else " ", str(q), "yes" if yes else "", *map(str, row))
            for q, (row, yes) in enumerate(zip(self.moves, self.accepting, strict=True))
        ]
        letters = [str(letter) for letter in self.alphabet]
        lines = [f"state   {' '.join(letters)}"]
        for mark, name, yes, *targets in rows:
            cells = (target.ljust(len(letter)) for target, letter in zip(targets, letters, strict=True))
            lines.append(f"{mark} {name:<1} {yes:<3} {' '.join(cells)}".rstrip())
        return "\n".join(lines)

    def minimal(self) -> Dfa:
        """Return the smallest automaton with the same language, its states in breadth-first order."""
        groups: list[int] = [int(yes) for yes in self.accepting]
        while True:
            kinds = [(groups[q], *(groups[r] for r in row)) for q, row in enumerate(self.moves)]
            names = {kind: i for i, kind in enumerate(dict.fromkeys(kinds))}
            finer = [names[kind] for kind in kinds]
            if len(names) == len(set(groups)):
                break
            groups = finer
        met = [0]  # one state of each group, in breadth-first order
        place = {finer[0]: 0}
        for q in met:  # grows as we go
            for r in self.moves[q]:
                if place.setdefault(finer[r], len(met)) == len(met):
                    met.append(r)
        moves = tuple(tuple(place[finer[r]] for r in self.moves[q]) for q in met)
        return Dfa(self.alphabet, moves, tuple(self.accepting[q] for q in met))


@dataclass(unsafe_hash=True)
class Dfas(Gates):
    """Automata with at most ``states`` states over words: strings, or tuples of letters of any kind.

    >>> from adeptree.solvers.sat import SatClass
    >>> words = [("", 0), ("a", 1), ("aa", 0), ("ab", 1), ("aba", 0)]
    >>> print(SatClass(Dfas(states=2, alphabet="ab")).find(words))
    state   a b
    > 0     1 0
      1 yes 0 1
    """

    spec_name = "dfas"

    states: int
    alphabet: Sequence[Any]

    def __post_init__(self) -> None:
        self.states = check_size("states", self.states)
        if not isinstance(self.alphabet, str):
            self.alphabet = tuple(self.alphabet)
        if not self.alphabet or len(set(self.alphabet)) < len(self.alphabet):
            raise InvalidArgument(f'alphabet must be letters, each once, e.g. "ab"; {got("alphabet", self.alphabet)}')
        check_whole(f"an automaton of states={self.states}", self.states**2 * len(self.alphabet))
        self.call_cost = 100e-6 if self.states < 4 else 300e-6 if self.states == 4 else None

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Make the variables: transitions of each state, and accepting states."""
        super().start(new_var, add_clause)
        size, letters = self.states, range(len(self.alphabet))
        self.moves = [[self.exactly_one(size) for _ in letters] for _ in range(size)]
        self.accepts = [new_var() for _ in range(size)]
        yes = new_var()
        add_clause(yes)
        first = [yes] + [-yes] * (size - 1)
        self.reached: dict[Any, list[int]] = {self.alphabet[:0]: first}
        """Prefix of a word -> one literal per state: the prefix leads to this state"""
        self._number_states(first)

    def _number_states(self, met: list[int]) -> None:
        """Break the symmetry: states are numbered in breadth-first order, and unreachable ones are equal.

        Every automaton has exactly one such numbering, so no language is lost.
        """
        for q in range(self.states):
            turn = met[q]  # a state not reached by its turn is unreachable
            self.add_clause(turn, -self.accepts[q])
            for moves in self.moves[q]:
                self.add_clause(turn, moves[0])
                for r in range(1, self.states):
                    self.add_clause(-moves[r], met[r - 1])
                met = [self.any_of([met[r], moves[r]]) for r in range(self.states)]

    def label(self, x: Instance) -> int:
        """Return the literal of a word; words with a common prefix share its variables."""
        label = self.new_var()
        for here, accepts in zip(self._state_after(x), self.accepts, strict=True):
            self.add_clause(-here, -accepts, label)
            self.add_clause(-here, accepts, -label)
        return label

    def _state_after(self, word: Any) -> list[int]:
        known = len(word)
        while word[:known] not in self.reached:
            known -= 1
        here = self.reached[word[:known]]
        for end in range(known + 1, len(word) + 1):
            here = self._step(here, self.alphabet.index(word[end - 1]))
            self.reached[word[:end]] = here
        return here

    def _step(self, here: list[int], letter: int) -> list[int]:
        # A word leads to one state only: this is implied, but the solver does not propagate it from the end.
        there = self.exactly_one(len(here))
        for q, at in enumerate(here):
            for move, to in zip(self.moves[q][letter], there, strict=True):
                self.add_clause(-at, -move, to)
                self.add_clause(-at, move, -to)
        return there

    def decode(self, model: Model) -> Dfa:
        """Read the reachable states (which come first)."""
        moves = [tuple(next(r for r, to in enumerate(row) if model(to)) for row in rows) for rows in self.moves]
        q = last = 0
        while q <= last:
            last = max(last, *moves[q])
            q += 1
        return Dfa(self.alphabet, tuple(moves[:q]), tuple(model(literal) for literal in self.accepts[:q]))

    def instance(self, x: Any) -> Instance:
        """Return the word as a string (if the alphabet is one) or a tuple."""
        try:
            letters = tuple(x)
            known = set(letters) <= set(self.alphabet)
        except TypeError:
            known = False
        if not known:
            raise InvalidInstance(f"x must be a word over the alphabet {self.alphabet!r}; {got('x', x)}")
        return "".join(letters) if isinstance(self.alphabet, str) else letters

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a length up to 8, then fair letters."""
        length = int(rng.integers(LONGEST_DRAWN + 1))
        return self.instance([self.alphabet[i] for i in rng.integers(len(self.alphabet), size=length).tolist()])
