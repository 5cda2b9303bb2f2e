"""``--rules``: a spec such as ``thresholds(n=1024)``, or rules on columns such as ``blocklist(sender, d=3)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from adeptree.app.run.row_label import Label
from adeptree.app.run.rows import Row, Stream, listed
from adeptree.core.cells import is_missing, is_number
from adeptree.core.errors import InvalidArgument, InvalidSpec
from adeptree.families.registry import columns_of, families, family_named
from adeptree.families.specs import parse
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import OnColumns

ARGUMENT = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,'"(){}\[\]]*?))\s*(?:,|$)""")
SAMPLED = 100
"""Rows that are looked at to tell which columns hold numbers (one if each is to be answered at once)."""


class Competition(NamedTuple):
    """What the learner competes with: the class, the columns that it reads, and how to name it to a person."""

    concept_class: ConceptClass
    columns: tuple[str, ...]
    shown: str


def competition(
    rules: str, x: str | None, stream: Stream, label: Label, follow: bool = False, known: Sequence[str] | None = None
) -> Competition:
    """Return the class that ``--rules`` means on this stream, and its columns.

    ``known`` are the columns that an earlier look at the rows found to hold numbers; then none is looked at.
    """
    others = [column for i, column in enumerate(stream.columns) if i != label.place]
    wanted = _on_columns(rules)
    if wanted is None:
        concept_class = parse(rules)
        return Competition(concept_class, tuple(_columns(concept_class, x, others)), repr(concept_class))
    form, named, d = wanted
    kind = form.word
    if named and x is not None:
        raise InvalidArgument(f"--x: {rules} names its columns already; leave it out")
    names = list(named) or _split(x)
    if form.many:
        if not names:
            names = _useful(stream, others, 1 if follow else SAMPLED) if known is None else list(known)
        rest = f", {form.limit}={d}" if form.limit else ""
        return _competition(form.build(names, d), kind, names, rest)
    names = names or [only(others)]
    if len(names) > 1:
        raise InvalidArgument(f"--rules: {kind} reads one column, e.g. {kind}({names[0]}); got {listed(names)}")
    return _competition(form.build(names, d), kind, names, f", {form.limit}={d}" if form.limit else "")


def _competition(concept_class: ConceptClass, kind: str, names: Sequence[str], rest: str) -> Competition:
    listed = ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more columns"
    return Competition(concept_class, tuple(names), f"{kind}({listed}{rest})")


def _on_columns(rules: str) -> tuple[OnColumns, tuple[str, ...], int] | None:
    """Return (form, columns, d) of rules on columns, or None if the text is a spec with numbers and cuts.

    >>> form, columns, d = _on_columns("blocklist(from, d=3)")
    >>> form.word, columns, d, _on_columns("thresholds(n=16)")
    ('blocklist', ('from',), 3, None)
    """
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", rules, re.DOTALL)
    forms = {family.on_columns.word: family.on_columns for family in families() if family.on_columns is not None}
    if found is None or found[1] not in forms:
        return None
    form, inside = forms[found[1]], (found[2] or "").strip()
    if form.limit:
        inside, d = _limit(rules, inside, form)
        return None if d is None else (form, _names(inside) or (), d)
    names = _names(inside)
    return None if names is None else (form, names, 0)


def _limit(rules: str, inside: str, form: OnColumns) -> tuple[str, int | None]:
    """Split the limit of rules such as a blocklist off their column; none of a spec whose other numbers are named."""
    found = re.fullmatch(rf"(.*?),?\s*{form.limit}\s*=\s*([1-9]\d*)", inside, re.DOTALL)
    if found is None or "=" in found[1]:
        if family_named(form.word) is not None and "=" in inside:
            return inside, None
        raise InvalidSpec(f'"{rules}" does not fit: say how many {form.limits}, e.g. {next(iter(form.examples))}')
    return found[1], int(found[2])


def _names(inside: str) -> tuple[str, ...] | None:
    """Return the columns between the brackets, or None if those are no names: numbers, or name=value."""
    names, place = [], 0
    while place < len(inside):
        match = ARGUMENT.match(inside, place)
        if match is None or (match[3] is not None and ("=" in match[3] or is_number(match[3]) or not match[3])):
            return None
        names.append(next(part for part in match.groups() if part is not None))
        place = match.end()
    return tuple(names)


def _useful(stream: Stream, others: list[str], rows: int) -> list[str]:
    """Return the columns whose values may come again: not texts that are all different in the first rows."""
    sample = stream.peek(rows)
    first = {name: place for place, name in reversed([*enumerate(stream.columns)])}
    names = [name for name in dict.fromkeys(others) if not _all_different(sample, first[name])]
    return names or others


def _all_different(sample: list[Row], place: int) -> bool:
    texts = [row.cells[place].strip() for row in sample]
    present = [text for text in texts if not is_missing(text) and not is_number(text)]
    return len(present) >= SAMPLED // 2 and len(set(present)) == len(present)


def _columns(concept_class: ConceptClass, x: str | None, others: list[str]) -> Sequence[str]:
    """Return the columns that a spec reads: those that it names, or those of ``--x``."""
    columns = columns_of(concept_class)
    features, count = columns.names(concept_class), columns.count(concept_class)
    if features is not None:
        if x is not None:
            name = type(concept_class).spec_name.removeprefix("real_")
            raise InvalidArgument(f"--x: {name} read the columns that they name ({listed(features)}); leave it out")
        return features
    if count != 1:
        wanted = _split(x) or others
        if len(wanted) != count:
            raise InvalidArgument(
                f"--x: {concept_class!r} needs {count} columns of 0 and 1, e.g. --x a,b,c; "
                f"got {len(wanted)}: {listed(wanted)}"
            )
        return wanted
    return [x or columns.preferred(concept_class) or only(others)]


def only(others: list[str]) -> str:
    """Return the one column there is, or ask which."""
    if len(others) == 1:
        return others[0]
    raise InvalidArgument(f"say which column holds x, with --x; there are: {listed(others)}")


def _split(x: str | None) -> list[str]:
    return [name.strip() for name in x.split(",")] if x else []
