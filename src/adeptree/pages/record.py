"""The labelled rows of a run, within a memory limit, for the numbers of a summary that need hindsight."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.declared_state import need
from adeptree.core.errors import UnsupportedCombination
from adeptree.core.types import FloatArray
from adeptree.families.combined.segments import name_of
from adeptree.families.registry import columns_of
from adeptree.families.tables.table_cells import TableCells
from adeptree.learners.adept_learner import Adept
from adeptree.learners.saving import Saved as Learner
from adeptree.roles.concept_class import ConceptClass

LIMIT = 100_000
"""With more values than this, every second row is dropped, and only drift is examined."""
SAMPLE = 50_000
"""Number of values with which drift is examined."""
FEWEST = 100
"""Least number of rows for a test of drift by tenths."""
TENTHS, DRIFTS = 10, 0.1
"""If the best rules of the tenths save at least this share of the best rule's loss, the best rule may change."""
WINDOW, BLOCK = 500, 64
"""Rows of the window that chooses a threshold, and how many rows are decided in one step."""


class LossParts(NamedTuple):
    """A loss with its two parts from mistakes; the rest is reviews."""

    loss: float
    missed: float
    alarmed: float


class Record:
    """Rows with their labels, costs of errors, and probabilities p and r of the answers.

    >>> record = Record((5, 1))
    >>> record.note([0.25, 0.5, 0.75], [0, 0, 1])
    >>> [(name, split.loss) for name, split in record.thresholds()]
    [('threshold 0.5', 1.0), ('best threshold: x >= 0.75', 0.0), ('window of 500', 5.0)]
    """

    def __init__(
        self, costs: tuple[float, float], review: float = 0.0, by: str | None = None, names: Sequence[str] | None = None
    ) -> None:
        self.costs, self.review, self.by, self.names = costs, review, by, names
        self.rounds, self.step, self.kept = 0, 1, 0
        self.chunks: list[tuple[Any, FloatArray]] = []

    @classmethod
    def of(cls, learner: Learner) -> Record:
        """Return the empty record of a new learner."""
        names, review = columns_of(learner.concept_class).names(learner.concept_class), learner.review
        return cls(learner.costs, 0.0 if review is None else review.cost, learner.by, names)

    def note(self, xs: Any, ys: Any, weights: Any = None, ps: Any = None, rs: Any = 0.0) -> None:
        """Add rows in the order of their labels; without ``ps`` the answers are unknown."""
        count, first = len(ys), -self.rounds % self.step
        if self.names and isinstance(xs, np.ndarray) and xs.ndim == 2:
            xs = [dict(zip(self.names, row, strict=True)) for row in xs.tolist()]
        numbers = np.empty((4, count))
        numbers[0], numbers[1] = ys, 1.0 if weights is None else weights
        numbers[2], numbers[3] = np.nan if ps is None else ps, rs
        self.rounds += count
        self._keep(xs[first :: self.step], numbers[:, first :: self.step])
        while self.kept > LIMIT:
            # keep the first row and equal distances
            chunks, self.chunks, self.kept, place = self.chunks, [], 0, 0
            self.step *= 2
            for rows, kept in chunks:
                self._keep(rows[place % 2 :: 2], kept[:, place % 2 :: 2])
                place += len(rows)

    def _keep(self, rows: Any, numbers: FloatArray) -> None:
        if not len(rows):
            return
        self.chunks.append((rows, numbers))
        first = rows[0]
        self.kept += len(rows) * (len(first) if isinstance(first, (Mapping, tuple, np.ndarray)) else 1)

    def state(self) -> dict[str, Any]:
        """Return the state as plain values."""
        numbers = np.concatenate([np.zeros((4, 0)), *(numbers for _, numbers in self.chunks)], axis=1)
        rows = _packed([rows for rows, _ in self.chunks])
        return {"rounds": self.rounds, "step": self.step, "rows": rows, "numbers": numbers}

    def restore(self, state: dict[str, Any], concept_class: ConceptClass) -> None:
        """Restore what :meth:`state` returned; raises an error such as ValueError if it is not valid."""
        packed, numbers, step, rounds = (state[name] for name in ("rows", "numbers", "step", "rounds"))
        rows = _unpacked(packed)
        need(type(rounds) is int and rounds >= 0 and type(step) is int and step > 0, "record")
        need(
            numbers.dtype == np.float64 and numbers.shape == (4, len(rows)) and len(rows) == -(-rounds // step),
            "record",
        )
        ys, weights, ps, rs = numbers
        need(bool(np.isin(ys, (0, 1)).all() and (weights >= 0).all() and np.isfinite(weights).all()), "record")
        need(bool((np.isnan(ps) | ((ps >= 0) & (ps <= 1))).all() and ((rs >= 0) & (rs <= 1)).all()), "record")
        concept_class.instances_of(rows)
        self.rounds, self.step, self.kept, self.chunks = rounds, step, 0, []
        self._keep(rows, numbers)

    def whole(self, rounds: int) -> bool:
        """Return True if every row of a run of this many rounds is known."""
        return self.step == 1 and self.rounds == rounds > 0

    def _rows(self, every: int = 1) -> list[Any]:
        return [x for rows, _ in self.chunks for x in rows][::every]

    def _numbers(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return labels, weights, p and r."""
        ys, weights, ps, rs = np.concatenate([numbers for _, numbers in self.chunks], axis=1)
        return ys, weights, ps, rs

    def _lost(self, said: Any, some: Any = slice(None)) -> LossParts:
        """Return the losses of rows with these probabilities of action 1; r is the probability of a review."""
        ys, weights, _, _ = self._numbers()
        missed = float((self.costs[0] * weights * ys * (1 - said))[some].sum())
        alarmed = float((self.costs[1] * weights * (1 - ys) * said)[some].sum())
        return LossParts(missed + alarmed, missed, alarmed)

    def of_rule(self, rule: Any) -> LossParts:
        """Return the loss of a rule on all rows."""
        return self._lost(np.array([rule(x) for x in self._rows()], dtype=np.float64))

    @property
    def answered(self) -> bool:
        """True if the probabilities of all answers are known."""
        return not np.isnan(self._numbers()[2]).any()

    def constants(self) -> tuple[float, float]:
        """Return the losses of "always 0" and "always 1"."""
        return self._lost(np.zeros(self.rounds)).loss, self._lost(np.ones(self.rounds)).loss

    def ours(self, some: Any = slice(None)) -> LossParts:
        """Return the expected loss of the answers on some of the rows."""
        ys, weights, ps, rs = self._numbers()
        _, missed, alarmed = self._lost(ps + rs * ys, some)  # a review is not a miss
        return LossParts(missed + alarmed + float((self.review * weights * rs)[some].sum()), missed, alarmed)

    def segments(self) -> dict[str, tuple[int, LossParts]]:
        """Return the rows and losses of each segment, the largest first."""
        names = np.array([name_of(x.get(self.by)) for x in self._rows()])
        return {name: (rows, self.ours(names == name)) for name, rows in Counter(names.tolist()).most_common()}

    # --- Thresholds on a score -------------------------------------------------------------------------

    def _scores(self) -> tuple[str, FloatArray] | None:
        """Return the name and values of the only column of numbers from 0 to 1."""
        rows, name = self._rows(), "x"
        if rows and isinstance(rows[0], Mapping):
            names = {name for row in rows for name in row} - {self.by}
            name = names.pop() if len(names) == 1 else ""
            rows = [row.get(name) for row in rows]
        if not all(isinstance(x, (float, np.floating)) and 0 <= x <= 1 for x in rows):
            return None
        return name, np.array(rows, dtype=np.float64)

    def thresholds(self) -> Iterator[tuple[str, LossParts]]:
        """Yield the losses of threshold 0.5, the best one, and the best one of a window; nothing without scores."""
        if (found := self._scores()) is None:
            return
        name, scores = found
        ys, weights, _, _ = self._numbers()
        gains = weights * np.where(ys == 1, -self.costs[0], self.costs[1])
        yield "threshold 0.5", self._lost((scores >= 0.5) * 1.0)
        best = _best_cut(scores, gains)
        rule = f"{name} >= {best:g}" if best < np.inf else "always 0"
        yield f"best threshold: {rule}", self._lost((scores >= best) * 1.0)
        yield f"window of {WINDOW}", self._lost(windowed(scores, gains) * 1.0)

    # --- Drift -------------------------------------------------------------------------------------------

    def drift_needs_rate(self, learner: Learner) -> bool:
        """Return True if drift of the learner's rules requires a given rate."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                Adept(learner.rules, costs=self.costs, review=learner.review, by=self.by, drift=True)
            except UnsupportedCombination:
                return True
        return False

    def saved_by_tenths(self, learner: Learner) -> float:
        """Return the share of the best rule's loss that the best rules of ten tenths of the rows save in total.

        It is 0 if that is less than ``DRIFTS``, or less than twice what tenths of shuffled rows save.
        """
        kept = sum(len(rows) for rows, _ in self.chunks)
        every = max(1, -(-self.kept // SAMPLE))
        if kept // every < FEWEST or self.rounds != learner.rounds:
            return 0.0
        rows, (ys, weights, *_) = self._rows(every), [column[::every] for column in self._numbers()]
        most = float(max(weights.max(), 1e-300))

        def least(start: int, stop: int) -> float:
            fresh = Adept(learner.rules, rate=0.1, costs=learner.costs, max_weight=most, by=self.by)
            fresh.learn_many(rows[start:stop], ys[start:stop].astype(int), weights[start:stop])
            return float(fresh.best_loss)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends = np.linspace(0, len(rows), TENTHS + 1).astype(int).tolist()
            best, tenths = least(0, len(rows)), sum(map(least, ends, ends[1:]))
            # Part of it is chance: tenths of the shuffled rows save that, too.
            order = np.random.default_rng(0).permutation(len(rows))
            rows, ys, weights = [rows[place] for place in order], ys[order], weights[order]
            usual = best - sum(map(least, ends, ends[1:])) if best - tenths >= DRIFTS * best > 0 else 0.0
        return 0.0 if best - tenths < max(DRIFTS * best, 2 * usual) or not best else 1 - tenths / best


def _packed(chunks: list[Any]) -> Any:
    """Encode rows for a file, by columns if they came so."""
    if chunks and all(isinstance(rows, np.ndarray) and rows.ndim == 1 for rows in chunks):
        return np.concatenate(chunks)
    if not chunks or not all(isinstance(rows, TableCells) for rows in chunks):
        return [x.item() if isinstance(x, np.generic) else x for rows in chunks for x in rows]
    texts: list[Any] = []
    for columns in zip(*(rows.texts for rows in chunks), strict=True):
        whole = (text or [None] * len(rows) for text, rows in zip(columns, chunks, strict=True))
        texts.append(None if columns.count(None) == len(columns) else [cell for text in whole for cell in text])
    numbers = np.concatenate([rows.numbers for rows in chunks])
    return {"names": list(chunks[0].features), "numbers": numbers, "texts": texts}


def _unpacked(packed: Any) -> Any:
    """Decode packed rows; raises an error such as ValueError if they are malformed."""
    if isinstance(packed, (list, np.ndarray)):
        return packed
    names, numbers, texts = packed["names"], packed["numbers"], packed["texts"]
    need(numbers.ndim == 2 and numbers.shape[1] == len(names) == len(texts) and numbers.dtype == np.float64, "record")
    need(all(text is None or len(text) == len(numbers) for text in texts), "record")
    return TableCells(names, numbers, texts)


def _best_cut(scores: FloatArray, gains: FloatArray) -> float:
    """Return the cheapest threshold, among equals the highest; a row at or above it adds its gain to the loss."""
    cuts, places = _cuts(scores)
    return float(cuts[np.cumsum(np.bincount(places, gains, len(cuts))).argmin()])


def _cuts(scores: FloatArray) -> tuple[FloatArray, Any]:
    """Return all thresholds, the highest first, and the index of each score among them."""
    cuts = np.concatenate([[np.inf], np.unique(scores)[::-1]])
    return cuts, np.searchsorted(-cuts, -scores)


def windowed(scores: Any, gains: Any, span: int = WINDOW) -> Any:
    """Return a mask of rows at or above the cheapest (among equals the highest) threshold of the last ``span`` rows."""
    said = np.zeros(len(scores), dtype=bool)
    for start in range(0, len(scores), BLOCK):
        first, stop = max(0, start - span), min(start + BLOCK, len(scores))
        (cuts, places), before = _cuts(scores[first:stop]), start - first
        losses = np.zeros((stop - start, len(cuts)))
        losses[0] = np.cumsum(np.bincount(places[:before], gains[first:start], len(cuts)))
        came, left = slice(before, stop - first - 1), slice(0, max(0, stop - 1 - span - first))
        for rows, sign in ((came, 1.0), (left, -1.0)):
            moved = sign * gains[first:stop][rows, None] * (places[rows, None] <= np.arange(len(cuts)))
            losses[len(losses) - len(moved) :] += moved
        best = cuts[np.cumsum(losses, axis=0).argmin(axis=1)]
        said[start:stop] = scores[start:stop] >= best
    return said
