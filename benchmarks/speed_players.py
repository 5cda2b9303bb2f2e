"""The contestants of ``speed.py``: each gets the stream in the form it likes best, made before the clock starts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from naive import DictionaryAdept, NumpyHedge

import adeptree as at
from adeptree import bounds
from adeptree.core.types import IntArray

Columns = tuple[list[Any], list[Any]]


class Player:
    """One contestant. ``predict(x)`` then ``learn(x, y)``, once a round; ``probability`` decodes what was predicted."""

    name = ""
    package = "adeptree"
    longest = 10**7
    """It never plays more rounds than this: it would not end in reasonable time."""
    predict: Callable[[Any], Any]
    learn: Callable[[Any, Any], Any]

    def __init__(self, n: int) -> None:
        self.n = n

    def prepare(self, xs: IntArray, ys: IntArray) -> Columns:
        """Return the stream in the contestant's own form; not timed."""
        return xs.tolist(), ys.tolist()

    def start(self, T: int) -> None:
        """Build a new learner, and set ``predict`` and ``learn``."""
        raise NotImplementedError

    def play(self, xs: Any, ys: Any) -> Any:
        """Play all rounds; this is what is timed."""
        predict, learn = self.predict, self.learn
        said: list[Any] = []
        keep = said.append
        for x, y in zip(xs, ys, strict=True):
            keep(predict(x))
            learn(x, y)
        return said

    def probability(self, said: Any) -> float:
        """Return P(1) from one thing said; not timed."""
        return float(said)

    gambles = True
    """Whether its probability is meant as one to draw the label from, so that |p - y| is its expected loss."""


# --- adeptree -------------------------------------------------------------------------------------------------


class AdeptPlayer(Player):
    """``Adept.predict_proba`` and ``Adept.learn`` from Python."""

    settings: ClassVar[dict[str, Any]] = {}
    anytime = False

    def start(self, T: int) -> None:
        self.learner = at.Adept(at.Thresholds(self.n), None if self.anytime else T, **self.settings)
        self.predict, self.learn = self.learner.predict_proba, self.learner.learn

    @property
    def bound(self) -> float:
        if self.learner.horizon is None:
            return self.learner.bound  # what the certificate proves of this stream
        return bounds.regret(self.learner.horizon, self.learner.mistake_bound or 0)


class Batch(AdeptPlayer):
    """``Adept.learn_many``: arrays in, the probabilities out."""

    def prepare(self, xs: IntArray, ys: IntArray) -> Any:
        return xs, ys

    def play(self, xs: Any, ys: Any) -> Any:
        return self.learner.learn_many(xs, ys)


class CollapsedBatch(Batch):
    name = "adeptree collapsed, learn_many"
    settings: ClassVar[dict[str, Any]] = {"engine": "collapsed"}


class CollapsedSteps(AdeptPlayer):
    name = "adeptree collapsed, predict_proba + learn"
    settings: ClassVar[dict[str, Any]] = {"engine": "collapsed"}


class AnytimeBatch(Batch):
    name = "adeptree prior=kt (no horizon), learn_many"
    anytime = True
    settings: ClassVar[dict[str, Any]] = {"prior": "kt"}


class AnytimeSteps(AdeptPlayer):
    name = "adeptree prior=kt (no horizon), predict_proba + learn"
    anytime = True
    settings: ClassVar[dict[str, Any]] = {"prior": "kt"}


class NumpyPaths(AdeptPlayer):
    name = "adeptree paths, numpy"
    settings: ClassVar[dict[str, Any]] = {"engine": "paths"}
    longest = 40_000


# --- What one would write first ---------------------------------------------------------------------------------


class Dictionary(Player):
    name = "ADEPT, naive dictionary"
    longest = 3_000
    package = "benchmarks/naive.py"

    def start(self, T: int) -> None:
        M = at.Thresholds(self.n).littlestone_dimension
        self.learner = DictionaryAdept(self.n, T, M, bounds.paper_rate(T, M))
        self.bound = bounds.regret(T, M)
        self.predict, self.learn = self.learner.predict_proba, self.learner.learn


class HedgeNumpy(Player):
    name = "Hedge over all thresholds, plain numpy"
    package = "benchmarks/naive.py"

    def start(self, T: int) -> None:
        learner = NumpyHedge(self.n, T)
        self.bound = bounds.hedge_regret(T, self.n + 1)
        self.predict, self.learn = learner.predict_proba, learner.learn


class HedgeAdeptree(Player):
    name = "Hedge over all thresholds, adeptree.Hedge"
    longest = 10_000

    def start(self, T: int) -> None:
        learner = at.Hedge(at.Thresholds(self.n), horizon=T)
        self.bound = learner.bound
        self.predict, self.learn = learner.predict_proba, learner.learn


# --- What people use today --------------------------------------------------------------------------------------


class River(Player):
    package = "river"
    gambles = False

    def model(self) -> Any:
        raise NotImplementedError

    def prepare(self, xs: IntArray, ys: IntArray) -> Columns:
        scaled = (2.0 * xs / (self.n - 1) - 1.0).tolist()
        return [{"x": x} for x in scaled], ys.astype(bool).tolist()

    def start(self, T: int) -> None:
        model = self.model()
        self.predict, self.learn = model.predict_proba_one, model.learn_one

    def probability(self, said: Any) -> float:
        return float(said.get(True, 0.0 if said else 0.5))


class BareLogistic(River):
    name = "River LogisticRegression"

    def model(self) -> Any:
        from river import linear_model

        return linear_model.LogisticRegression()


class ScaledLogistic(River):
    name = "River StandardScaler | LogisticRegression"

    def model(self) -> Any:
        from river import linear_model, preprocessing

        return preprocessing.StandardScaler() | linear_model.LogisticRegression()


class HoeffdingTree(River):
    name = "River HoeffdingTreeClassifier"

    def model(self) -> Any:
        from river import tree

        return tree.HoeffdingTreeClassifier()


class Sklearn(Player):
    name = "scikit-learn SGDClassifier.partial_fit"
    package = "scikit-learn"
    gambles = False
    longest = 10_000

    def prepare(self, xs: IntArray, ys: IntArray) -> Columns:
        scaled = 2.0 * xs / (self.n - 1) - 1.0
        return list(scaled.reshape(-1, 1, 1)), list(ys.reshape(-1, 1))

    def start(self, T: int) -> None:
        from sklearn.linear_model import SGDClassifier

        model, classes = SGDClassifier(random_state=0), np.array([0, 1])
        # (It cannot predict before it has learnt something.)
        self.predict = lambda x: model.predict(x)[0] if hasattr(model, "classes_") else 0.5
        self.learn = lambda x, y: model.partial_fit(x, y, classes)


class VowpalWabbit(Player):
    name = "Vowpal Wabbit, logistic"
    package = "vowpalwabbit"
    gambles = False

    def prepare(self, xs: IntArray, ys: IntArray) -> Columns:
        scaled = (2.0 * xs / (self.n - 1) - 1.0).tolist()
        asked = [f"| x:{x!r}" for x in scaled]
        return asked, [f"{2 * y - 1} {line}" for line, y in zip(asked, ys.tolist(), strict=True)]

    def start(self, T: int) -> None:
        from vowpalwabbit import Workspace

        workspace = Workspace("--quiet --loss_function logistic")
        self.predict = workspace.predict
        self.learn = lambda _, line: workspace.learn(line)

    def probability(self, said: Any) -> float:
        return 1.0 / (1.0 + math.exp(-said))


PLAYERS: list[type[Player]] = [
    CollapsedBatch,
    CollapsedSteps,
    AnytimeBatch,
    AnytimeSteps,
    NumpyPaths,
    Dictionary,
    HedgeNumpy,
    HedgeAdeptree,
    BareLogistic,
    ScaledLogistic,
    HoeffdingTree,
    Sklearn,
    VowpalWabbit,
]
REFERENCE = BareLogistic.name


def present(n: int, say: Callable[[str], None]) -> Iterator[Player]:
    """Yield the contestants that can play here, each warmed up by a short game; say why others cannot."""
    rng = np.random.default_rng(1)
    xs, ys = rng.integers(0, n, 200), rng.integers(0, 2, 200)
    for kind in PLAYERS:
        player = kind(n)
        try:
            player.start(200)
            player.play(*player.prepare(xs, ys))
        except Exception as error:  # whatever a package that is not ours may raise
            say(f"{player.name}: left out, {type(error).__name__}: {error}")
        else:
            yield player


def versions() -> dict[str, str]:
    """Return the version of everything compared."""
    known = at.__version__
    found = {"adeptree": "as checked out" if "unknown" in known else known}
    for name in ("numpy", "numba", "river", "scikit-learn", "vowpalwabbit"):
        try:
            found[name] = version(name)
        except Exception:
            found[name] = "not installed"
    return found
