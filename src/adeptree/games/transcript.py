"""Transcripts of games: one row per round, and the account at the end."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.declared_state import MOST, SUM, Fields, Number, check_fields, need
from adeptree.core.display import card, line, pictures, standing
from adeptree.core.errors import DamagedFile, InvalidArgument
from adeptree.core.extras import Extra
from adeptree.core.files import decode, encode, write_atomically
from adeptree.core.types import NDArray
from adeptree.learners.callbacks import Round as Round

if TYPE_CHECKING:
    from adeptree.core.json_lines import LineFormat

pandas: Any = Extra("pandas", "to_frame", "frame")
LABEL = Number(int, 0, 1)
COUNTS = dict.fromkeys(("width", "asked", "posed"), Number(int, 0))
ROUND: Fields = {"p": Number(float, 0, 1), "guess": LABEL, "y": LABEL, **COUNTS}
"""Declaration of a round in a file; the number of paths may exceed a machine word."""


@dataclass(frozen=True, repr=False)
class Transcript:
    """A played game. ``header`` describes the players; ``bound`` is the learner's regret bound.

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
        """Cost of a wrong guess in each round: 1, unless the learner was built with ``costs=``."""
        miss_and_false_alarm: tuple[float, float] = _settings(self.header).get("costs", (1, 1))
        return np.where(self.column("y") == 1, *miss_and_false_alarm)

    @property
    def losses(self) -> NDArray[np.float64]:
        """Expected loss of each round: |p - y| times the cost of a wrong guess."""
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
        """Mistakes of the drawn labels (or their cost)."""
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
        """Plot the game; return matplotlib's axes (needs the extra ``plot``).

        Choose "regret" with its bounds, "loss" against the best rule and the best constant, "weights" of the rules that
        lead at the end (which replays the game), or "width" and queries.
        """
        return pictures("game_plots").plot_game(self, what, ax)

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
        writer = _format().writer(bound=self.bound, header=encode(self.header))
        rows = [writer.row({"round": encode([getattr(r, f.name) for f in fields(Round)])}) for r in self.rounds]
        write_atomically(path, "".join([writer.header, *rows, writer.end()]).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Transcript:
        """Read what :meth:`save` wrote."""
        found = _format().read(path)
        found.need_end("it was cut off, and is damaged; use a whole copy")
        header, bound = found.head(_head)
        rounds = found.each(_round)
        if [r.t for r in rounds] != list(range(1, len(rounds) + 1)):
            raise DamagedFile(f"{path} is damaged: its rounds cannot follow each other; use an earlier copy")
        return cls(header, tuple(rounds), bound)


def _format() -> LineFormat:
    from adeptree.core.json_lines import LineFormat  # (it loads modules for hashes and JSON)

    return LineFormat("adeptree transcript", 3, "a transcript saved by adeptree")


def _head(head: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Return the header and the bound after checking them: a checksum does not prove that a game wrote them."""
    header, bound = decode(head["header"]), head["bound"]
    need(isinstance(header, dict) and Number(float, -MOST, math.inf).fits(bound, {}), "header")
    return header, bound


def _round(row: dict[str, Any]) -> Round:
    """Decode and check a round."""
    found = Round(*decode(row["round"]))
    check_fields(vars(found), ROUND)
    need(found.best_loss is None or SUM.fits(found.best_loss, {}), "best_loss")
    need(found.posed <= found.asked, "posed")
    return found


def _settings(header: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the learner, if the header has any."""
    settings = header.get("settings")
    return settings if isinstance(settings, dict) else {}
