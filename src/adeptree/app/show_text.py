"""A small game for the terminal: the tree of each round from left to right, one line per path."""

from __future__ import annotations

import textwrap
from collections import namedtuple
from collections.abc import Callable, Sequence

from adeptree.pages.show_game import (
    Labels,
    Path,
    Pruned,
    Shown,
    Step,
    account,
    growth,
    heading,
    promise,
    reason,
    verdict,
)

WIDTH = 88
CELL = 5
"""Columns of a round: ``─┬─0─``."""


Pens = namedtuple("Pens", "root line fork down last cross bar")
"""The strokes of the tree."""
FINE, PLAIN = Pens(*"●─┬│└✗█"), Pens(*"*-+|+x#")
"""The second set is for ASCII terminals."""

Paint = Callable[[str, str], str]
"""Gives a text the colour of its role: ``cut``, ``zero``, ``one`` or ``title``."""


def _unpainted(text: str, role: str) -> str:
    return text


def show_text(game: Shown, ascii: bool = False, paint: Paint = _unpainted) -> str:
    """Return the game as text, round by round; in ASCII if asked for."""
    pens = PLAIN if ascii else FINE
    parts = [_folded(heading(game)), *(_step(game, step, pens, paint) for step in game.steps), _legend(game)]
    return "\n\n".join(parts)


def _step(game: Shown, step: Step, pens: Pens, paint: Paint) -> str:
    title = paint(f"Round {step.t}: x = {step.x}", "title")
    after = map(_folded, (verdict(step), account(step)))
    return "\n".join([title, _folded(growth(step)), "", *_tree(game, step, pens, paint), "", *after])


def _tree(game: Shown, step: Step, pens: Pens, paint: Paint) -> list[str]:
    """Return the drawing: active paths with their numbers, cut branches with the reason."""
    ends: list[Path | Pruned] = sorted([*step.paths, *step.pruned], key=lambda end: end.labels)
    mass = "W" if game.prior == "paper" else "mass"
    lines = [f" {_columns(game.steps[: step.t])}    k  {mass:>5}   L  weight  for"]
    for i, end in enumerate(ends):
        before = ends[i - 1].labels if i else None
        drawn = _branch(end.labels, before, [other.labels for other in ends[i + 1 :]], pens)
        if isinstance(end, Pruned):
            cut = f"{pens.cross}{end.labels[-1]}    {reason(end, game.mistake_bound)}"
            lines.append(f"{drawn[:-2]}{paint(cut, 'cut')}")
        else:
            lines.append(f"{drawn}    {paint(_numbers(end, pens), 'one' if end.labels[-1] else 'zero')}")
    return lines


def _columns(steps: Sequence[Step]) -> str:
    """Return the names of the rounds above the tree: x if it is short."""
    short = all(len(step.x) <= 2 for step in steps)
    names = [f"x={step.x}" if short else f"t={step.t}" for step in steps]
    return "".join(f"{name:>{CELL - 1}} " for name in names)[:-1]


def _numbers(path: Path, pens: Pens) -> str:
    mass = f"{path.capacity:>5}" if path.capacity is not None else f"{path.mass:>5.3f}"
    bar = pens.bar * round(20 * path.share)
    return f"{path.mistakes:>1}  {mass}  {path.loss_before:>2}  {path.share:>5.1%}   {path.labels[-1]}  {bar}".rstrip()


def _branch(labels: Labels, before: Labels | None, after: list[Labels], pens: Pens) -> str:
    """Return the strokes of one line, without those shared with the line above."""
    shared = -1
    if before is not None:
        shared = next(d for d in range(len(labels)) if labels[d] != before[d])
    text = pens.root if before is None else " "
    for depth, label in enumerate(labels):
        twin = any(other[:depth] == labels[:depth] and other[depth] != label for other in after)
        if depth < shared:
            text += f" {pens.down if twin else ' '}   "
        elif depth == shared:
            text += f" {pens.last}{pens.line}{label}{pens.line}"
        else:
            text += f"{pens.line}{pens.fork if twin else pens.line}{pens.line}{label}{pens.line}"
    return text[:-1]


def _legend(game: Shown) -> str:
    mass = (
        "W is the capacity: how many schedules of mistakes are still open to the path"
        if game.prior == "paper"
        else "mass is the Krichevsky-Trofimov prior of the path"
    )
    weight = "W" if game.prior == "paper" else "mass"
    return _folded(
        f"k counts what the base learner got wrong on the path; {mass}; L is its loss before this round's label; its "
        f"weight is {weight} exp(-rate L), here as a share of all. {promise(game)}"
    )


def _folded(text: str) -> str:
    return textwrap.fill(text, WIDTH)
