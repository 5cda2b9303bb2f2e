"""How often a run was unsure, and how often it was wrong then: a line of its summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.declared_state import is_real, need

LOW, HIGH = 0.25, 0.75
"""A round is unsure if p is from the one to the other, both included."""


class Sureness:
    """Counts rounds by whether p was unsure, and sums up |p - y|: whoever has the predictions can count again.

    >>> sureness = Sureness()
    >>> sureness.note([0.5, 0.75, 0.9, 0.125], [1, 0, 1, 0])
    >>> sureness.line()
    'Unsure (p 0.25 to 0.75): 2 of 4 rounds, 62.5 % guessed wrong on average; of the others 11.2 %.'
    """

    def __init__(self) -> None:
        self.rounds = [0, 0]
        """Sure ones, and unsure ones."""
        self.losses = [0.0, 0.0]

    def note(self, ps: Any, ys: Any) -> None:
        """Count rounds that were answered with these chances and had these labels."""
        chances = np.asarray(ps, dtype=np.float64)
        wrong, unsure = np.abs(chances - ys), (chances >= LOW) & (chances <= HIGH)
        for kind in (0, 1):
            some = wrong[unsure == kind]
            self.rounds[kind] += len(some)
            # (added one by one, so that it does not matter how many come at a time)
            self.losses[kind] = float(np.cumsum(np.append(self.losses[kind], some))[-1])

    def line(self) -> str:
        """Return it as a sentence."""
        sure, unsure = self.rounds
        if not sure or not unsure:
            return f"Unsure (p {LOW} to {HIGH}): {'no round' if sure else 'every round'}."
        others, ours = (100 * loss / rounds for loss, rounds in zip(self.losses, self.rounds, strict=True))
        return (
            f"Unsure (p {LOW} to {HIGH}): {unsure:,} of {sure + unsure:,} rounds, {ours:.1f} % guessed wrong "
            f"on average; of the others {others:.1f} %."
        )

    def state(self) -> list[list[float]]:
        """Return it as plain values."""
        return [list(self.rounds), list(self.losses)]

    def restore(self, state: list[list[float]], rounds: int) -> None:
        """Take over what :meth:`state` returned; ValueError and its like if it is not that of so many rounds."""
        counts, losses = state
        need(len(counts) == len(losses) == 2 and all(type(count) is int and count >= 0 for count in counts), "rounds")
        need(sum(counts) == rounds and all(map(is_real, losses)), "rounds")
        need(all(0 <= loss <= count for loss, count in zip(losses, counts, strict=True)), "losses")
        self.rounds, self.losses = list(map(int, counts)), list(map(float, losses))
