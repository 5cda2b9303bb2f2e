"""What happened in a game: one row per round, and the account at the end."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.core.display import card, line, standing
from adeptree.core.errors import DamagedFile, InvalidArgument
from adeptree.core.extras import Extra
from adeptree.core.files import decode, encode, write_atomically
from adeptree.core.json_lines import LineFormat
from adeptree.learners.callbacks import Round as Round

pandas: Any = Extra("pandas", "to_frame", "frame")
FORMAT = LineFormat("adeptree transcript", 3, "a transcript saved by adeptree")


@dataclass(frozen=True, repr=False)
class Transcript:
    """A played game. ``header`` says who played; ``bound`` is what the theory promised the learner.

    >>> from adeptree import Adept, Thresholds, play
    >>> run = play(Adept(Thresholds(16), horizon=3), [(3, 0), (9, 1), (9, 0)])
    >>> len(run), [r.y for r in run], run.best_loss
    (3, [0, 1, 0], 1)
    """

    header: dict[str, Any]
    rounds: Sequence[Round]
    bound: float

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)

    def _facts(self) -> dict[str, object]:
        who = {name: value for name, value in self.header.items() if name in ("learner", "class", "adversary")}
        return {**who, **standing(len(self), self.expected_loss, None, self.best_loss, self.bound)}

    def __repr__(self) -> str:
        return line("Transcript", self._facts())

    def _repr_html_(self) -> str:
        return card("Transcript", {**self._facts(), "drawn": self.realised_loss})

    def column(self, name: str) -> NDArray[Any]:
        """Return one column as an array, e.g. ``run.column("p")``."""
        return np.array([getattr(r, name) for r in self.rounds])

    @property
    def costs(self) -> NDArray[Any]:
        """What a wrong guess costs in each round: 1, unless the learner was built with ``costs=``."""
        miss_and_false_alarm: tuple[float, float] = _settings(self.header).get("costs", (1, 1))
        return np.where(self.column("y") == 1, *miss_and_false_alarm)

    @property
    def losses(self) -> NDArray[np.float64]:
        """Expected loss of each round: |p - y|, times what a wrong guess costs."""
        losses: NDArray[np.float64] = np.abs(self.column("p").astype(np.float64) - self.column("y")) * self.costs
        return losses

    @property
    def realised_losses(self) -> NDArray[Any]:
        """Loss of the label drawn in each round."""
        losses: NDArray[Any] = (self.column("guess") != self.column("y")) * self.costs
        return losses

    @property
    def expected_loss(self) -> float:
        """Expected number of mistakes."""
        return float(self.losses.sum())

    @property
    def realised_loss(self) -> float:
        """Mistakes of the labels that were drawn (or what they cost)."""
        return self.realised_losses.sum().item()  # type: ignore[no-any-return]

    @property
    def best_loss(self) -> float:
        """Mistakes of the best concept in hindsight."""
        return (self.rounds[-1].best_loss or 0) if self.rounds else 0

    @property
    def regret(self) -> float:
        """Exact expected regret."""
        return self.expected_loss - self.best_loss

    @property
    def regrets(self) -> NDArray[np.float64]:
        """Exact expected regret after each round."""
        if any(r.best_loss is None for r in self.rounds):
            raise InvalidArgument("this learner does not follow the best loss round by round; use regret, at the end")
        regrets: NDArray[np.float64] = np.cumsum(self.losses) - self.column("best_loss")
        return regrets

    def plot(self, what: str = "regret", ax: Any = None) -> Any:
        """Draw the game; return matplotlib's axes (extra ``plot``).

        "regret" with what is proven of it, "loss" against the best rule and the best constant, "weights" of the rules
        that lead at the end (the game is played again for it), or "width" and queries.
        """
        from adeptree.games.game_plots import plot_game

        return plot_game(self, what, ax)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per round."""
        return pandas.DataFrame([asdict(r) for r in self.rounds], columns=[f.name for f in fields(Round)])

    def summary(self) -> str:
        """Return the account in a few lines."""
        last = self.rounds[-1] if self.rounds else None
        lines = [
            f"{self.header.get('learner', 'learner')} on {self.header.get('class', 'its class')}, "
            f"{len(self)} rounds against {self.header.get('adversary', 'a stream')}",
            f"expected mistakes {self.expected_loss:.2f}, drawn {self.realised_loss}, best rule {self.best_loss}",
            f"regret {self.regret:.2f} (proven bound {self.bound:.2f})",
        ]
        if last is not None:
            inferred = last.asked - last.posed
            lines.append(f"width {last.width}; queries asked {last.asked}, posed {last.posed}, inferred {inferred}")
        return "\n".join(lines)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the transcript as JSON lines: the header, a line per round, and the end."""
        writer = FORMAT.writer(bound=self.bound, header=encode(self.header))
        rows = [writer.row({"round": encode([getattr(r, f.name) for f in fields(Round)])}) for r in self.rounds]
        write_atomically(Path(path), "".join([writer.header, *rows, writer.end()]).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Transcript:
        """Read what :meth:`save` wrote."""
        found = FORMAT.read(path)
        found.need_end("it was cut off, and is damaged; use a whole copy")
        header, bound = found.head(_head)
        rounds = found.each(_round)
        if not _is_course(header, rounds):
            raise DamagedFile(f"{path} holds no game, or it is damaged: its rounds cannot follow each other")
        return cls(header, tuple(rounds), bound)


def _head(head: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Return the header and the bound, if they are what a game has: the checksum only says that somebody sealed it."""
    header, bound = decode(head["header"]), _number(head["bound"])
    _cost(header)
    if not isinstance(header, dict) or bound == -math.inf:
        raise ValueError
    return header, bound


def _round(row: dict[str, Any]) -> Round:
    """Return a round, if it can be one."""
    found = Round(*decode(row["round"]))
    counts = (found.t, found.guess, found.y, found.width, found.asked, found.posed)
    whole = all(type(count) is int and 0 <= _number(count) for count in counts) and found.posed <= found.asked
    whole = whole and 0 <= _number(found.p) <= 1 and max(found.guess, found.y) <= 1
    if not whole or (found.best_loss is not None and not 0 <= _number(found.best_loss) < math.inf):
        raise ValueError
    return found


def _is_course(header: dict[str, Any], rounds: Sequence[Round]) -> bool:
    """What is counted from the beginning never falls; a best loss rises by no more than a round costs."""
    if [r.t for r in rounds] != list(range(1, len(rounds) + 1)):
        return False
    if any(b.asked < a.asked or b.posed < a.posed for a, b in pairwise(rounds)):
        return False
    losses = [r.best_loss for r in rounds if r.best_loss is not None]
    # Where it is not followed round by round, it is looked up at the end.
    if len(losses) < len(rounds) and any(r.best_loss is not None for r in rounds[:-1]):
        return False
    most = _cost(header) * (1 + len(rounds) - len(losses))
    # A game of all rounds that the learner was made for: it had certainly learnt nothing before.
    fresh = _settings(header).get("horizon") == len(rounds)
    steps = pairwise([0.0, *losses] if fresh else losses)
    return all(-(slack := 1e-9 * (1 + before)) <= after - before <= most + slack for before, after in steps)


def _cost(header: dict[str, Any]) -> float:
    """Return by how much the best loss can rise in a round of a game; without limit where the best may be dropped."""
    settings = _settings(header)
    if not settings or settings.get("max_width") is not None or settings.get("on_excess") == "prune":
        return math.inf
    return max(map(_number, settings.get("costs", (1, 1))))


def _settings(header: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the learner, if the header has any."""
    settings = header.get("settings")
    return settings if isinstance(settings, dict) else {}


def _number(value: Any) -> float:
    """Return an int or float as it is, if it is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(float(value)):
        raise ValueError
    return value
