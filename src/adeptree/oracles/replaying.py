"""Replaying: an oracle that only repeats what a recording holds."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import Any, get_args

from adeptree.core.errors import OracleError, got
from adeptree.core.files import decode
from adeptree.core.types import Instance, Sample, label_of
from adeptree.oracles.keys import point_key, sample_key
from adeptree.oracles.recording import FORMAT, sample_labels
from adeptree.roles.oracle import Kind, Oracle, Samples


class Replaying(Oracle):
    """Answers from a recording: a file, or the lines of one. Asked anything else, it says so.

    A question asked several times gets its recorded answers in their order, then the last one again. A recording
    without its end (the run was killed before ``close``, or the file was cut off) is refused, unless ``partial=True``
    says that it shall be replayed as far as it goes; ``complete`` then says whether the end was there.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle, Recording
    >>> recording = Recording(ClassOracle(Thresholds(8)))
    >>> recording.realizable([(2, 1), (5, 0)])
    False
    >>> oracle = Replaying(recording.lines)
    >>> oracle.realizable([(2, 1), (5, 0)])
    False
    >>> oracle.realizable([(2, 1)])
    Traceback (most recent call last):
    ...
    adeptree.core.errors.OracleError: realizable on [(2, 1)] was not recorded; replay the run that was, or ask ...
    """

    def __init__(self, source: str | os.PathLike[str] | Iterable[str], *, partial: bool = False) -> None:
        if isinstance(source, (str, os.PathLike)):
            found = FORMAT.read(source)
        else:
            found = FORMAT.check(list(source), "recording")
        self.name = found.name
        self._concepts: dict[int, ReplayedConcept] = {}
        self._recorded: dict[tuple[Kind, Hashable], list[Any]] = {}
        self._asked: dict[tuple[Kind, Hashable], int] = {}
        self.complete = found.ended
        """Whether the recording was closed, and all of it is here."""
        self._answers = found.head(_answers)
        found.each(self._take)
        if not partial:
            found.need_end(
                "its run was killed before close(), or the file was cut off; use a whole copy, or "
                "Replaying(..., partial=True) to replay what is there"
            )

    def __repr__(self) -> str:
        return f"Replaying({self.name!r})"

    @property
    def answers(self) -> frozenset[Kind]:
        """What the recorded oracle answered."""
        return self._answers

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Look every sample up; a batch that is not wholly recorded changes nothing."""
        self._check(kind)
        keys = [(kind, sample_key(kind, sample)) for sample in samples]
        for key, sample in zip(keys, samples, strict=True):
            if key not in self._recorded:
                raise OracleError(
                    f"{kind} on {list(sample)} was not recorded; replay the run that was, or ask a live oracle"
                )
        return [self._next(key) for key in keys]

    def _next(self, key: tuple[Kind, Hashable]) -> Any:
        answers, turn = self._recorded[key], self._asked.get(key, 0)
        self._asked[key] = turn + 1
        return answers[min(turn, len(answers) - 1)]

    def _take(self, entry: dict[str, Any]) -> None:
        if "label" in entry:
            self._concepts[entry["concept"]].learn(decode(entry["x"]), label_of(entry["label"]))
            return
        kind: Kind = entry["ask"]
        if kind not in self._answers:
            raise ValueError(f"an answer to {kind!r}, which the oracle did not answer")
        sample = [(x, label_of(y)) for x, y in decode(entry["sample"])]
        answer = bool(label_of(entry["realizable"])) if kind == "realizable" else self._concept(entry, sample)
        self._recorded.setdefault((kind, sample_key(kind, sample)), []).append(answer)

    def _concept(self, entry: dict[str, Any], sample: Sample) -> ReplayedConcept | None:
        number = entry["concept"]
        if number is None:
            return None
        if type(number) is not int or number != len(self._concepts) or not isinstance(entry["text"], str):
            raise ValueError(f"concept {number!r} after {len(self._concepts)} others")
        self._concepts[number] = ReplayedConcept(entry["text"], sample)
        return self._concepts[number]


class ReplayedConcept:
    """A concept known by the labels it was asked for when it was recorded."""

    def __init__(self, text: str, sample: Sample) -> None:
        self._text = text
        self._labels = sample_labels(sample)

    def learn(self, x: Instance, label: int) -> None:
        """Take over a recorded label."""
        self._labels[point_key(x)] = int(label)

    def __call__(self, x: Instance) -> int:
        """Return the recorded label of x."""
        try:
            return self._labels[point_key(x)]
        except KeyError:
            raise OracleError(f"the label that {self._text!r} gives here was not recorded; {got('x', x)}") from None

    def __str__(self) -> str:
        return self._text


def _answers(header: dict[str, Any]) -> frozenset[Kind]:
    answers = frozenset(header["answers"])
    if not answers <= set(get_args(Kind)):
        raise ValueError("an oracle that answers what none is asked")
    return answers
