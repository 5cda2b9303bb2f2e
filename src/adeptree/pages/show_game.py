"""Play a small game and record everything that the drawings of ``adeptree show`` need."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import counted, visible
from adeptree.core.types import Sample, label_of
from adeptree.games.adversaries import History, as_adversary, listening
from adeptree.games.transcript import Round
from adeptree.learners.adept_learner import Adept
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Expansion
from adeptree.theory.mixture import log_sum, log_weights

Labels = tuple[int, ...]

MOST_ROUNDS = 8
MOST_PATHS = 64
"""Largest tree; a larger one would not be readable."""


@dataclass(frozen=True)
class Path:
    """An active path u of a round: k(u), its loss before and after the label, its mass and its share."""

    labels: Labels
    mistakes: int
    loss_before: int
    loss: int
    mass: float
    """The prior mass, as a share of the initial total."""
    capacity: int | None
    """W(u), the paper's mass; None with another prior."""
    share: float
    """Share of the total weight, which this path adds to the probability of its last label."""
    wrong_guess: bool
    """True if the base learner predicted the other label in this round."""


@dataclass(frozen=True)
class Pruned:
    """A branch that was cut off: by the oracle (then ``conflict`` is the sample no rule fits), or beyond M."""

    labels: Labels
    conflict: tuple[tuple[str, int], ...] = ()

    @property
    def beyond(self) -> bool:
        """True if it was cut for its mistakes, and not by the oracle."""
        return not self.conflict


@dataclass(frozen=True)
class Step:
    """One round, and the account after it."""

    t: int
    x: str
    p: float
    guess: int
    y: int
    paths: tuple[Path, ...]
    """The paths in the order of the tree: label 0 before label 1."""
    pruned: tuple[Pruned, ...]
    asked: int
    expected_loss: float
    best_loss: float
    best_rule: str


@dataclass(frozen=True)
class Shown:
    """The whole game."""

    rules: str
    opponent: str
    base: str
    prior: str
    horizon: int | None
    mistake_bound: int | None
    steps: tuple[Step, ...]
    bound: float
    in_advance: float | None

    @property
    def labels(self) -> Labels:
        """The true labels."""
        return tuple(step.y for step in self.steps)


def shown(
    learner: Adept,
    adversary: Any,
    rounds: int,
    seed: int = 0,
    *,
    opponent: str = "",
    rules: str = "",
) -> Shown:
    """Play a game and return its record. The learner must list its paths.

    >>> from adeptree import Adept, Thresholds
    >>> game = shown(Adept(Thresholds(8), horizon=2, engine="paths"), [(3, 1), (5, 0)], rounds=2)
    >>> [path.labels for path in game.steps[1].paths], game.steps[1].pruned[0].conflict
    ([(0, 0), (0, 1), (1, 1)], (('3', 1), ('5', 0)))
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InvalidArgument(f"a tree that can be read has 1 to {MOST_ROUNDS} rounds; got rounds={rounds}")
    enemy = as_adversary(adversary)
    enemy.start(rounds, seed)
    history = History()
    nodes: list[Labels] = [()]
    xs: list[Any] = []
    steps = []
    with listening(enemy, learner) as calls:
        for t in range(1, rounds + 1):
            x = learner.concept_class.instance(enemy.instance(history))
            step, nodes = _round(learner, nodes, xs, x, partial(enemy.label, history, x))
            asked, posed = learner.queries.asked, learner.queries.posed
            row = Round(t, x, step.p, step.guess, step.y, learner.width, asked, posed, learner.best_loss)
            history.add(row, calls)
            xs.append(x)
            steps.append(step)
    return Shown(
        visible(rules) or repr(learner.concept_class),
        visible(opponent) or type(enemy).__name__,
        type(learner.base).__name__,
        learner.prior.name,
        learner.horizon,
        learner.mistake_bound,
        tuple(steps),
        learner.bound,
        learner.in_advance,
    )


def _round(
    learner: Adept, nodes: list[Labels], xs: list[Any], x: Any, answer: Callable[[float], int]
) -> tuple[Step, list[Labels]]:
    """Play one round; return it, and the labels of the rows after it."""
    asked = learner.queries.asked
    p = learner.predict_proba(x)
    looked = learner.paths.looked
    if looked is None or len(looked.extension.children.parent) > MOST_PATHS:
        raise InvalidArgument(
            f"round {learner.rounds + 1} has more paths than can be drawn (at most {MOST_PATHS}); "
            f"take fewer rounds or smaller rules"
        )
    row = looked.extension.children.row
    pruned = [
        Pruned((*nodes[v], b), _conflict(learner.concept_class, [*zip(xs, nodes[v], strict=True), (x, b)]))
        for v in range(len(nodes))
        for b in (0, 1)
        if row[b, v] < 0
    ]
    y, guess = label_of(answer(p)), learner.predict(x)
    paths = _paths(learner, looked, nodes, y)
    learner.learn(x, y)
    step = Step(
        learner.rounds,
        written(x),
        p,
        guess,
        y,
        tuple(sorted(paths, key=lambda path: path.labels)),
        tuple(sorted(pruned, key=lambda cut: cut.labels)),
        learner.queries.asked - asked,
        learner.expected_loss,
        learner.best_loss,
        visible(str(learner.best_rule())),
    )
    return step, [path.labels for path in paths]


def _paths(learner: Adept, looked: Expansion, nodes: list[Labels], y: int) -> list[Path]:
    """Return the paths of a round with their weights, in the order of the rows."""
    engine, prior = learner.paths, learner.prior
    parent, label = looked.extension.children.parent, looked.extension.children.label
    before = engine.losses[parent]
    log_mass = looked.log_mass
    log_weight = log_weights(log_mass, before, engine.best_loss, engine.rate)
    share = np.exp(log_weight - log_sum(log_weight))
    return [
        Path(
            labels=(*nodes[v], int(label[i])),
            mistakes=int(looked.extension.mistakes[i]),
            loss_before=int(before[i]),
            loss=int(before[i]) + (int(label[i]) != y),
            mass=math.exp(log_mass[i] - prior.log_total),
            capacity=round(math.exp(log_mass[i])) if prior.name == "paper" else None,
            share=float(share[i]),
            wrong_guess=bool(looked.extension.mistakes[i] > engine.mistakes[v]),
        )
        for i, v in enumerate(parent)
    ]


def _conflict(c: ConceptClass, sample: Sample) -> tuple[tuple[str, int], ...]:
    """Return a smallest part of the sample that no rule fits; empty if some rule fits the sample."""
    if c.realizable(sample):
        return ()
    core = list(sample)
    for pair in sample:
        rest = [other for other in core if other is not pair]
        if not c.realizable(rest):
            core = rest
    return tuple((written(x), y) for x, y in core)


def written(x: Any) -> str:
    """Format an instance as a short, escaped text.

    >>> written(3), written((1, 0, 1)), written({"age": 42.0, "bmi": 21.5})
    ('3', '101', 'age=42, bmi=21.5')
    """
    if isinstance(x, Mapping):
        return ", ".join(f"{visible(str(name))}={written(value)}" for name, value in x.items())
    if isinstance(x, tuple):
        return visible("".join(map(str, x)))
    return f"{x:g}" if isinstance(x, float) else visible(str(x))


def heading(game: Shown) -> str:
    """Describe the game in one sentence."""
    horizon = "no horizon" if game.horizon is None else f"horizon {game.horizon}"
    M = "no mistake bound" if game.mistake_bound is None else f"mistake bound M = {game.mistake_bound}"
    return (
        f"{counted(len(game.steps), 'round')} of ADEPT with {game.rules} against {game.opponent}. "
        f"Base learner {game.base}, {M}; prior {game.prior}, {horizon}."
    )


def growth(step: Step) -> str:
    """Describe how the paths grew."""
    before, cut = counted(step.asked // 2, "path"), len(step.pruned)
    gone = "nothing is" if not cut else "1 branch is" if cut == 1 else f"{cut} branches are"
    return f"{before}, {step.asked} queries (can 0 follow? can 1?): {gone} pruned, width {len(step.paths)}."


def verdict(step: Step) -> str:
    """Describe the prediction and the label."""
    loss = abs(step.p - step.y)
    return (
        f"P(1) = {step.p:.3f} is the share of the weight that says 1, the chance to guess 1. The coin says "
        f"{step.guess}, the label is {step.y}: expected loss {loss:.3f}."
    )


def account(step: Step) -> str:
    """Describe the learner's account."""
    return (
        f"So far {step.expected_loss:.3f} expected mistakes; the best rule, {step.best_rule}, "
        f"makes {step.best_loss}; regret {step.expected_loss - step.best_loss:.3f}."
    )


def reason(cut: Pruned, bound: int | None) -> str:
    """Return the reason why a branch was cut.

    >>> reason(Pruned((1, 0), (("3", 1), ("5", 0))), 3)
    'not realizable: no rule says 1 at 3 and 0 at 5'
    """
    if cut.beyond:
        return f"beyond M: the base learner would have erred more than {bound} times"
    return f"not realizable: no rule says {' and '.join(f'{y} at {x}' for x, y in cut.conflict)}"


def promise(game: Shown) -> str:
    """Describe the regret bound of the game."""
    if any(cut.beyond for step in game.steps for cut in step.pruned):
        return "Paths beyond M were cut: nothing is proven against their rules, and M is too small for this class."
    promised = "nothing" if game.in_advance is None else f"at most {game.in_advance:.3f}"
    now = f"The regret is proven to be at most {game.bound:.3f}, from what was seen"
    return f"{now}; in advance, of any {len(game.steps)} rounds: {promised}."
