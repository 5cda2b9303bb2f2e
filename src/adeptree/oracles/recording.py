"""Recording and replaying: write down what an oracle said, as data, so that a run can be repeated without it.

A recording is a file of JSON lines (``core/json_lines.py``): one for each answer, and one for each label that a
concept of the oracle was asked for, unless it is the label it was found for. It gets its end when it is closed. No code
is written or read.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO, get_args

from adeptree.core.errors import OracleError, StateError, got
from adeptree.core.files import decode, encode
from adeptree.core.json_lines import LineFormat
from adeptree.core.types import Concept, Instance, Sample, label_of
from adeptree.oracles.chain import Layer
from adeptree.oracles.keys import point_key, sample_key
from adeptree.roles.oracle import Kind, Oracle, Samples, known

FORMAT = LineFormat("adeptree oracle recording", 2, "a recording of an oracle")


class Recording(Layer):
    """Passes everything through and writes it to ``path``, or keeps it in memory; see :class:`Replaying`.

    Each line is written at once, so what was answered before a crash is there after it; ``close`` (or ``with``) writes
    the end. An existing file is never overwritten. Instances must be data: numbers, texts, tuples, lists, arrays,
    dicts. Concepts come back wrapped (``.concept`` is the oracle's own), because their labels are part of what it said.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle, Replaying
    >>> recording = Recording(ClassOracle(Thresholds(8)))
    >>> rule = recording.find([(2, 0), (5, 1)])
    >>> str(rule), rule(4)
    ('x >= 3', 1)
    >>> again = Replaying(recording.lines).find([(5, 1), (2, 0)])
    >>> str(again), again(4)
    ('x >= 3', 1)
    """

    def __init__(self, oracle: Oracle, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(oracle)
        self.path = None if path is None else Path(path)
        self._memory: list[str] = []
        self._file: TextIO | None = None if self.path is None else _create(self.path)
        self._concepts = 0
        self._writer = FORMAT.writer(answers=sorted(self.answers))
        self._append(self._writer.header)

    @property
    def lines(self) -> Sequence[str]:
        """What has been recorded so far, with an end, so that it is a whole recording at any time."""
        lines = self._memory if self.path is None else self.path.read_text(encoding="utf-8").splitlines()
        return tuple(lines) if self._closed else (*lines, self._writer.end()[:-1])

    def write(self, entry: dict[str, Any]) -> None:
        """Append one line; after closing, labels are still given but no longer written."""
        if not self._closed:
            self._append(self._writer.row(entry))

    def _append(self, line: str) -> None:
        if self._file is None:
            self._memory.append(line[:-1])
            return
        try:
            self._file.write(line)
        except OSError as error:
            raise StateError(f"{self.path} could not be written: {error.strerror or error}") from error

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        # Encoded first: a sample that cannot be written must not cost a query.
        written = [encode(list(map(list, sample))) for sample in samples]
        answers = known(self.oracle.ask_many(kind, samples))
        return [
            self._note(kind, sample, text, answer)
            for sample, text, answer in zip(samples, written, answers, strict=True)
        ]

    def _note(self, kind: Kind, sample: Sample, text: Any, answer: Any) -> Any:
        entry = {"ask": kind, "sample": text}
        if kind == "realizable":
            self.write(entry | {"realizable": bool(answer)})
            return answer
        if answer is None:
            self.write(entry | {"concept": None})
            return None
        number, self._concepts = self._concepts, self._concepts + 1
        self.write(entry | {"concept": number, "text": str(answer)})
        return RecordedConcept(answer, number, self, sample)

    def _release(self) -> None:
        try:
            self._append(self._writer.end())
            if self._file is not None:
                self._file.close()
        finally:
            self.oracle.close()


class RecordedConcept:
    """A concept whose labels are written down when they are looked at."""

    def __init__(self, concept: Concept, number: int, recording: Recording, sample: Sample) -> None:
        self.concept = concept
        self._number = number
        self._recording = recording
        # Whoever replays knows the sample. A concept that fits it is then recorded by its other labels only; one
        # that does not (the best of an unrealizable sample, a lie) by those as well.
        self._known = sample_labels(sample)

    def __call__(self, x: Instance) -> int:
        """Return the concept's label of x."""
        label = self.concept(x)
        key = point_key(x)
        with self._recording.alone:
            if self._known.get(key) != int(label):
                self._recording.write({"concept": self._number, "x": encode(x), "label": int(label)})
                self._known[key] = int(label)
        return label

    def __str__(self) -> str:
        return str(self.concept)

    def __repr__(self) -> str:
        return f"RecordedConcept({self.concept!r})"


def sample_labels(sample: Sample) -> dict[Hashable, int]:
    """Return the label of each point of a sample: the last one, should there be several."""
    return {point_key(x): int(y) for x, y in sample}


def _create(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", buffering=1)  # "x": never over an old recording; 1: line by line
    except FileExistsError:
        raise StateError(f"{path} exists; replay it with Replaying, or record to another file") from None
    except OSError as error:
        raise StateError(f"{path} could not be written: {error.strerror or error}") from error


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

    answers: frozenset[Kind] = frozenset()

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
        self.answers = found.head(_answers)
        found.each(self._take)
        if not partial:
            found.need_end(
                "its run was killed before close(), or the file was cut off; use a whole copy, or "
                "Replaying(..., partial=True) to replay what is there"
            )

    def __repr__(self) -> str:
        return f"Replaying({self.name!r})"

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
        if kind not in self.answers:
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
