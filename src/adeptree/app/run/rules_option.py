"""``--rules``: a spec such as ``thresholds(n=1024)``, or rules on columns such as ``blocklist(sender, d=3)``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from adeptree.app.run.row_label import Label
from adeptree.app.run.streams import Stream, listed
from adeptree.core.cell_text import brief
from adeptree.core.errors import InvalidArgument
from adeptree.families.registry import columns_of
from adeptree.families.rules_text import on_columns, on_rows, parts_of
from adeptree.families.specs import parse
from adeptree.families.tables.detecting import SAMPLED, FirstRows
from adeptree.families.tables.times import DERIVED
from adeptree.roles.concept_class import ConceptClass, combined_family


class Reads(NamedTuple):
    """The features to read, including ``weekday(when)`` and ``hour(when)``, and the columns that hold times."""

    features: tuple[str, ...]
    times: tuple[str, ...] = ()

    def said(self) -> str:
        """Describe the columns of times."""
        made = [name for name in self.features if (found := DERIVED.fullmatch(name)) and found[2] in self.times]
        also = f"; also {listed(made)}" if made else ""
        return f"read as times (UTC if no zone is given): {listed(self.times)}{also}"

    def kept(self) -> dict[str, list[str]]:
        """Encode it for the settings of a run."""
        return {"reads": list(self.features), **({"times": list(self.times)} if self.times else {})}

    @classmethod
    def of(cls, found: dict[str, Any]) -> Reads:
        """Decode it from the settings of a run."""
        return cls(tuple(found["reads"]), tuple(found.get("times", ())))


Competition = tuple[ConceptClass, tuple[str, ...], str, Reads]
"""The rules of a run: the class, its columns, its display name, and the features to read."""


def competition(
    rules: str,
    x: str | None,
    stream: Stream,
    label: Label,
    follow: bool = False,
    known: Reads | None = None,
    by: str | None = None,
    apart: Sequence[str | None] = (),
) -> Competition:
    """Return the class of ``--rules`` and ``--by`` on this stream, and its columns.

    ``known`` is an earlier result for these rows, with which no row is read. Columns in ``apart`` are read only if the
    rules name them.
    """
    if by is not None and stream.place(by, "--by") == label.place:
        raise InvalidArgument(f'--by: "{by}" is the label; name a column that holds segments, such as a tenant')
    others = [column for i, column in enumerate(stream.columns) if i != label.place and column not in (by, *apart)]
    parts = parts_of(rules)
    for part in parts if len(parts) > 1 else ():
        _check_part(part, x)
    found = [_competition(part, x, stream, others, follow, known) for part in parts]
    concept_class, columns, shown, reads = found[0]
    if len(found) > 1:
        concept_class = reduce(or_, (one[0] for one in found))
        columns, shown = concept_class.columns, " | ".join(one[2] for one in found)  # type: ignore[attr-defined]
        features, times = ([name for one in found for name in one[3][i]] for i in (0, 1))
        reads = Reads(tuple(dict.fromkeys(features)), tuple(dict.fromkeys(times)))
    if by is not None:
        pooled = on_rows(concept_class, reads.features)
        if columns_of(pooled).names(pooled) is None:
            raise InvalidArgument(f'--by needs rules that name columns, as in --rules "thresholds(score)"; got {shown}')
        concept_class = combined_family().Segmented(pooled, by)
        columns, shown = concept_class.columns, f"{shown} by {by}"
    return concept_class, columns, shown, reads


def _check_part(part: str, x: str | None) -> None:
    """Raise an error for a part of a union that does not name its columns."""
    form = on_columns(part)
    rules = parse(part) if form is None and part.strip() else None
    named = form[1] if form else rules and columns_of(rules).names(rules)
    if not named or x is not None:
        raise InvalidArgument(
            f'--rules: each part of a union names its columns, as in "thresholds(score) | experts(lr, ht)"; '
            f"got {brief(part.strip()) or 'an empty part'}; name its columns there, and leave --features out"
        )


def _competition(
    rules: str, x: str | None, stream: Stream, others: list[str], follow: bool, known: Reads | None
) -> Competition:
    """Return the same for one part of a union."""
    wanted = on_columns(rules)
    if wanted is None:
        concept_class = parse(rules)
        reads = Reads(tuple(columns_of_spec(concept_class, x, others)))
        return concept_class, reads.features, repr(concept_class), reads
    form, named, d = wanted
    kind = form.word
    if named and x is not None:
        raise InvalidArgument(f"--features: {brief(rules)} names its columns already; leave it out")
    names = list(named) or names_in(x)
    if form.many:
        reads = known or Reads(*_look(stream, others, follow).reads(names, others, form.times))
        of = [found[2] if (found := DERIVED.fullmatch(name)) else name for name in names]
        times = tuple(name for name in reads.times if name in (*names, *of) or not names)
        reads = Reads(tuple(names) or reads.features, times)
    else:
        reads = Reads(tuple(names) or (only(others),))
        if len(names) > 1:
            raise InvalidArgument(f"--rules: {kind} reads one column, e.g. {kind}({names[0]}); got {listed(names)}")
    concept_class = form.build(reads.features, d, **({"times": reads.times} if reads.times else {}))
    shown = list(reads.features)
    shown = shown if len(shown) <= 6 else [*shown[:4], f"{shown[4]} and {len(shown) - 5} more columns"]
    shown += [f"{form.limit}={d}"] if form.limit and d != form.default else []
    columns = columns_of(concept_class).names(concept_class) or reads.features
    return concept_class, tuple(columns), f"{kind}({', '.join(shown)})", reads


def _look(stream: Stream, columns: Sequence[str], follow: bool) -> FirstRows:
    """Return the first rows; only one if each must be answered at once."""
    first, places = stream.peek(1 if follow else SAMPLED), {name: stream.columns.index(name) for name in columns}
    return FirstRows(columns, lambda name: [row.cells[places[name]] for row in first])


def columns_of_spec(concept_class: ConceptClass, x: str | None, others: list[str]) -> Sequence[str]:
    """Return the columns of a spec: those that it names, or those of ``--features``."""
    columns = columns_of(concept_class)
    features, count = columns.names(concept_class), columns.count(concept_class)
    if features is not None:
        if x is not None:
            name = type(concept_class).spec_name.removeprefix("real_")
            raise InvalidArgument(f"--features: {name} read the columns they name ({listed(features)}); leave it out")
        return features
    if count != 1:
        wanted = names_in(x) or others
        if len(wanted) != count:
            raise InvalidArgument(
                f"--features: {concept_class!r} needs {count} columns, one for each value of x; got {listed(wanted)}"
            )
        return wanted
    return [x or columns.preferred(concept_class) or only(others)]


def only(others: list[str]) -> str:
    """Return the only column; raise an error if there are several."""
    if len(others) == 1:
        return others[0]
    if not others:
        raise InvalidArgument(
            "no column is left for the rules to read: every one is the label, or named by another option"
        )
    raise InvalidArgument(f"say which column the rules read, with --features; there are: {listed(others)}")


def names_in(x: str | None) -> list[str]:
    """Return the columns of ``--features``."""
    return [name.strip() for name in x.split(",")] if x else []
