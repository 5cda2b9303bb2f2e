"""What happened in a game: one row per round, and the account at the end."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.core.errors import DamagedFile, InvalidArgument, MissingExtra, StateError, UnknownVersion
from adeptree.core.files import decode, encode, seal, unseal, write_atomically

FORMAT = "adeptree transcript"
VERSION = 2
"""Since 2 the last line says how many rounds there are, with a checksum of all; files of version 1 are still read."""


@dataclass(frozen=True)
class Round:
    """One round, as it stood after ``learn``."""

    t: int
    x: Any
    p: float
    """The learner's P_t(1), before it saw y."""
    guess: int
    y: int
    width: int
    asked: int
    posed: int
    best_loss: float | None
    """Loss of the best concept so far; None where the learner does not follow it."""


@dataclass(frozen=True)
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

    def column(self, name: str) -> NDArray[Any]:
        """Return one column as an array, e.g. ``run.column("p")``."""
        return np.array([getattr(r, name) for r in self.rounds])

    @property
    def losses(self) -> NDArray[np.float64]:
        """Expected loss |p - y| of each round."""
        losses: NDArray[np.float64] = np.abs(self.column("p").astype(np.float64) - self.column("y"))
        return losses

    @property
    def expected_loss(self) -> float:
        """Expected number of mistakes."""
        return float(self.losses.sum())

    @property
    def realised_loss(self) -> int:
        """Mistakes of the labels that were drawn."""
        return sum(r.guess != r.y for r in self.rounds)

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

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per round."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("to_frame needs pandas; install it with: pip install 'adeptree[frame]'") from None
        return pd.DataFrame([asdict(r) for r in self.rounds], columns=[f.name for f in fields(Round)])

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
        """Write the transcript as JSON lines: the header, one line per round, and one that proves them."""
        head = {"format": FORMAT, "version": VERSION, "bound": self.bound, "header": encode(self.header)}
        rows = [encode([getattr(r, f.name) for f in fields(Round)]) for r in self.rounds]
        text = "\n".join(json.dumps(line) for line in [head, *rows]) + "\n"
        end = seal(json.dumps({"rounds": len(rows)}), before=text)
        write_atomically(Path(path), f"{text}{end}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Transcript:
        """Read what :meth:`save` wrote."""
        try:
            text = Path(path).read_bytes().decode()
        except OSError as error:
            raise StateError(f"{path} could not be read: {error.strerror or error}") from error
        except UnicodeDecodeError:
            raise DamagedFile(f"{path} is not a transcript saved by adeptree, or it is damaged") from None
        try:
            head = json.loads(text.partition("\n")[0])
            if head["format"] != FORMAT:
                raise ValueError
            if type(head["version"]) is not int or head["version"] not in (1, VERSION):
                raise UnknownVersion(f"{path} is in transcript format {head['version']}; this release reads {VERSION}")
            rows = [json.loads(line) for line in _proven(text, head["version"]).split("\n")[1:-1]]
            rounds = tuple(_round(t, decode(row)) for t, row in enumerate(rows, start=1))
            header, bound = decode(head["header"]), _number(head["bound"])
            if not isinstance(header, dict) or bound == -math.inf:
                raise ValueError
            _check_course(header, rounds)
            return cls(header, rounds, bound)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
            raise DamagedFile(f"{path} is not a transcript saved by adeptree, or it is damaged") from None

    def to_text(self) -> str:
        """Return a text that is the same on every machine: the golden form of a game."""
        head = [f"{name}: {value}" for name, value in self.header.items()]
        columns = "t x p guess y width asked posed inferred best_loss"
        rows = [
            f"{r.t} {r.x!r} {r.p:.6g} {r.guess} {r.y} {r.width} {r.asked} {r.posed} {r.asked - r.posed} {r.best_loss}"
            for r in self.rounds
        ]
        tail = f"expected_loss {self.expected_loss:.6g}  best_loss {self.best_loss}  regret {self.regret:.6g}"
        return "\n".join([*head, columns, *rows, f"{tail}  bound {self.bound:.6g}"]) + "\n"


def _proven(text: str, version: int) -> str:
    """Return the lines without the last one, which must fit them; the first edition had no such line."""
    if version == 1:
        return text
    start = text.rindex("\n", 0, -1) + 1
    lines = text[:start]
    if text[-1] != "\n" or unseal(text[start:-1], before=lines) != {"rounds": lines.count("\n") - 1}:
        raise ValueError
    return lines


def _round(t: int, row: list[Any]) -> Round:
    """Return round number t, if it is one: what fits its checksum may still have been written by somebody else."""
    found = Round(*row)
    counts = (found.t, found.guess, found.y, found.width, found.asked, found.posed)
    if not all(type(count) is int and 0 <= _number(count) for count in counts) or found.t != t:
        raise ValueError
    if found.posed > found.asked:
        raise ValueError
    if not 0 <= _number(found.p) <= 1 or max(found.guess, found.y) > 1:
        raise ValueError
    if found.best_loss is not None and not 0 <= _number(found.best_loss) < math.inf:
        raise ValueError
    return found


def _check_course(header: dict[str, Any], rounds: Sequence[Round]) -> None:
    """What is counted from the beginning never falls; a best loss rises by no more than a round costs."""
    if any(b.asked < a.asked or b.posed < a.posed for a, b in pairwise(rounds)):
        raise ValueError
    losses = [r.best_loss for r in rounds if r.best_loss is not None]
    # Where it is not followed round by round, it is looked up at the end.
    if len(losses) < len(rounds) and any(r.best_loss is not None for r in rounds[:-1]):
        raise ValueError
    cost, fresh = _cost(header), _is_fresh(header, len(rounds))
    most = cost * (1 + len(rounds) - len(losses))
    for before, after in pairwise([0.0, *losses] if fresh else losses):
        rounding = 1e-9 * (1 + before)
        if not -rounding <= after - before <= most + rounding:
            raise ValueError


def _cost(header: dict[str, Any]) -> float:
    """Return by how much the best loss can rise in a round of a game; without limit where the best may be dropped."""
    settings = header.get("settings")
    if not isinstance(settings, dict):
        return math.inf
    if settings.get("max_width") is not None or settings.get("on_excess") == "prune":
        return math.inf
    return max(map(_number, settings.get("costs", (1, 1))))


def _is_fresh(header: dict[str, Any], rounds: int) -> bool:
    """Tell whether the learner had certainly learnt nothing before: the game has all rounds that it was made for."""
    settings = header.get("settings")
    return isinstance(settings, dict) and settings.get("horizon") == rounds


def _number(value: Any) -> float:
    """Return an int or float as it is, if it is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(float(value)):
        raise ValueError
    return value
