"""``--rules``: a spec such as ``thresholds(n=1024)``, or rules on columns such as ``blocklist(sender, d=3)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Any, NamedTuple

from adeptree.app.run.row_label import Label
from adeptree.app.run.streams import Stream, listed
from adeptree.core.cell_text import DIGITS, brief, is_missing, is_number, number
from adeptree.core.errors import InvalidArgument, InvalidSpec
from adeptree.families.registry import columns_of, families, family_named
from adeptree.families.specs import parse
from adeptree.families.tables.times import DERIVED, time_in
from adeptree.roles.concept_class import ConceptClass, combined_family
from adeptree.roles.family import OnColumns

ARGUMENT = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,'"(){}\[\]]*?(?:\([^,'"(){}\[\]]*\))?))\s*(?:,|$)""")
"""A name as it is, in brackets too as in weekday(when), or any name between quotes."""
MIDNIGHT = time()
SAMPLED = 100
"""Rows that are looked at to tell which columns hold numbers (one if each is to be answered at once)."""


class Reads(NamedTuple):
    """What is read: features, among them ``weekday(when)`` and ``hour(when)``, and the columns that hold times."""

    features: tuple[str, ...]
    times: tuple[str, ...] = ()

    def without(self, column: str | None) -> Reads:
        """Return the same but for a column."""
        return Reads(tuple(name for name in self.features if name != column), self.times)

    def said(self) -> str:
        """Return a sentence about the times."""
        made = [name for name in self.features if (found := DERIVED.fullmatch(name)) and found[2] in self.times]
        also = f"; also {listed(made)}" if made else ""
        return f"read as times (UTC if no zone is given): {listed(self.times)}{also}"

    def kept(self) -> dict[str, list[str]]:
        """Return it as the settings of a run keep it."""
        return {"reads": list(self.features), **({"times": list(self.times)} if self.times else {})}

    @classmethod
    def of(cls, found: dict[str, Any]) -> Reads:
        """Return what the settings kept."""
        return cls(tuple(found["reads"]), tuple(found.get("times", ())))


class Competition(NamedTuple):
    """What the learner competes with: the class, the columns that it reads, and how to name it to a person."""

    concept_class: ConceptClass
    columns: tuple[str, ...]
    shown: str
    reads: Reads


def competition(
    rules: str,
    x: str | None,
    stream: Stream,
    label: Label,
    follow: bool = False,
    known: Reads | None = None,
    by: str | None = None,
) -> Competition:
    """Return the class that ``--rules`` and ``--by`` mean on this stream, and its columns.

    ``known`` is what an earlier look at the rows found; then none is looked at.
    """
    if by is not None and stream.place(by, "--by") == label.place:
        raise InvalidArgument(f'--by: "{by}" is the label; name a column that holds segments, such as a tenant')
    others = [column for i, column in enumerate(stream.columns) if i != label.place and column != by]
    parts = parts_of(rules)
    for part in parts if len(parts) > 1 else ():
        _check_part(part, x)
    found = [_competition(part, x, stream, others, follow, known) for part in parts]
    concept_class, columns, shown, reads = found[0]
    if len(found) > 1:
        concept_class = reduce(or_, (one.concept_class for one in found))
        columns, shown = concept_class.columns, " | ".join(one.shown for one in found)  # type: ignore[attr-defined]
        features, times = ([name for one in found for name in one.reads[i]] for i in (0, 1))
        reads = Reads(tuple(dict.fromkeys(features)), tuple(dict.fromkeys(times)))
    if by is not None:
        pooled = _on_rows(concept_class, reads)
        if len(columns_of(pooled).names(pooled) or ()) != 1:
            raise InvalidArgument(
                f'--by needs thresholds on one column, as in --rules "thresholds(score)"; got {shown}'
            )
        concept_class = combined_family().Segmented(pooled, by)
        columns, shown = concept_class.columns, f"{shown} by {by}"
    return Competition(concept_class, columns, shown, reads)


def _check_part(part: str, x: str | None) -> None:
    """Refuse a part of a union that does not name its columns."""
    form = on_columns(part)
    rules = parse(part) if form is None and part.strip() else None
    named = form[1] if form else rules and columns_of(rules).names(rules)
    if not named or x is not None:
        raise InvalidArgument(
            f'--rules: each part of a union names its columns, as in "thresholds(score) | experts(lr, ht)"; '
            f"got {brief(part.strip()) or 'an empty part'}; name its columns there, and leave --features out"
        )


def _on_rows(rules: ConceptClass, reads: Reads) -> ConceptClass:
    """Return rules on one column for ``--by``: thresholds on numbers, where the rules are thresholds."""
    if repr(rules).startswith("table_thresholds(") and len(reads.features) == 1 and not reads.times:
        rules = parse("real_thresholds()")
    columns = columns_of(rules)
    return rules.on(reads.features[0]) if columns.names(rules) is None and columns.count(rules) == 1 else rules


def parts_of(rules: str) -> list[str]:
    """Return the parts of a union, which ``|`` separates outside brackets and quotes.

    >>> parts_of("thresholds(score) | experts('a|b', c)"), parts_of("stumps")
    (['thresholds(score) ', " experts('a|b', c)"], ['stumps'])
    """
    ends, depth, quote = [-1], 0, ""
    for place, letter in enumerate(rules if "|" in rules else ""):
        if quote or letter in "'\"":
            quote = "" if letter == quote else quote or letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
        if letter == "|" and not (quote or depth):
            ends.append(place)
    return [rules[first + 1 : last] for first, last in pairwise([*ends, len(rules)])]


def _competition(
    rules: str, x: str | None, stream: Stream, others: list[str], follow: bool, known: Reads | None
) -> Competition:
    """Return the same of one part of a union."""
    wanted = on_columns(rules)
    if wanted is None:
        concept_class = parse(rules)
        reads = Reads(tuple(_columns(concept_class, x, others)))
        return Competition(concept_class, reads.features, repr(concept_class), reads)
    form, named, d = wanted
    kind = form.word
    if named and x is not None:
        raise InvalidArgument(f"--features: {brief(rules)} names its columns already; leave it out")
    names = list(named) or names_in(x)
    if form.many:
        reads = known or _Look(stream, 1 if follow else SAMPLED).reads(names, others, form.times)
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
    return Competition(concept_class, tuple(columns), f"{kind}({', '.join(shown)})", reads)


def on_columns(rules: str) -> tuple[OnColumns, tuple[str, ...], float] | None:
    """Return (form, columns, d) of rules on columns, or None if the text is a spec with numbers and cuts.

    >>> form, columns, d = on_columns("blocklist(from, d=3)")
    >>> form.word, columns, d, on_columns("thresholds(n=16)")
    ('blocklist', ('from',), 3, None)
    """
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", rules, re.DOTALL)
    forms = {family.on_columns.word: family.on_columns for family in families() if family.on_columns is not None}
    if found is None or found[1] not in forms:
        return None
    form, inside = forms[found[1]], (found[2] or "").strip()
    if form.limit:
        inside, d = _limit(rules, inside, form)
        names = _names(inside)
        return None if d is None or (names is None and form.default) else (form, names or (), d)
    names = _names(inside)
    return None if names is None else (form, names, 0)


def _limit(rules: str, inside: str, form: OnColumns) -> tuple[str, float | None]:
    """Split the limit of rules such as a blocklist off their column; none of a spec whose other numbers are named."""
    whole = isinstance(form.default, int)
    digits = "[1-9][0-9]*" if whole else r"[-+.0-9e]+"
    found = re.fullmatch(rf"(.*?),?\s*{form.limit}\s*=\s*({digits})", inside, re.DOTALL)
    if found is None or "=" in found[1]:
        if form.default and "=" not in inside:
            return inside, form.default
        if family_named(form.word) is not None and "=" in inside:
            return inside, None
        example = next(iter(form.examples))
        raise InvalidSpec(f'"{brief(rules)}" does not fit: say how many {form.limits}, e.g. {example}')
    if len(found[2]) > DIGITS:
        raise InvalidSpec(f"--rules: {form.limit} must have at most {DIGITS} digits; got {len(found[2])}")
    value = number(found[2])
    return found[1], value if whole or isinstance(value, str) else float(value)


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


class _Look:
    """The first rows of a stream, and what they tell of its columns."""

    def __init__(self, stream: Stream, rows: int) -> None:
        self.sample = stream.peek(rows)
        self.first = {name: place for place, name in reversed([*enumerate(stream.columns)])}

    def reads(self, names: list[str], others: list[str], timed: bool) -> Reads:
        """Return the features that are meant, all that are useful if none is named, and which columns are times."""
        made = {name: found[2] for name in names if name not in self.first and (found := DERIVED.fullmatch(name))}
        wanted = {name: self.times(name) for name in dict.fromkeys(made.get(name, name) for name in names or others)}
        for name, column in made.items():
            if timed and column in self.first and not wanted[column]:
                other = next((text for text in self.texts(column) if time_in(text) is None), "none")
                raise InvalidArgument(
                    f"--rules: {name} needs times in ISO 8601, such as 2013-05-01 or 2013-05-01T17:00; {column} has "
                    f"{brief(other)} in its first rows"
                )
        times = tuple(name for name, found in wanted.items() if found and timed)
        if names:
            return Reads(tuple(names), times)
        useful = [name for name in wanted if name in times or not self.all_different(name)] or others
        features = []
        for name in useful:
            hours = any(time.time() != MIDNIGHT for time in wanted[name]) if name in times else False
            parts = ("weekday", "hour") if hours else ("weekday",)
            features += [name, *(f"{part}({name})" for part in parts if name in times)]
        return Reads(tuple(features), times)

    def texts(self, name: str) -> list[str]:
        """Return the cells of a column that are not missing."""
        place = self.first.get(name)
        cells = [] if place is None else [row.cells[place].strip() for row in self.sample]
        return [text for text in cells if not is_missing(text)]

    def times(self, name: str) -> list[datetime]:
        """Return the times in a column, if nine of ten of its cells are some."""
        texts = self.texts(name)
        times = [time for text in texts if (time := time_in(text)) is not None]
        return times if 10 * len(times) >= 9 * len(texts) else []

    def all_different(self, name: str) -> bool:
        """Tell whether no text came twice, so that none may come again."""
        present = [text for text in self.texts(name) if not is_number(text)]
        return len(present) >= SAMPLED // 2 and len(set(present)) == len(present)


def _columns(concept_class: ConceptClass, x: str | None, others: list[str]) -> Sequence[str]:
    """Return the columns that a spec reads: those that it names, or those of ``--features``."""
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
                f"--features: {concept_class!r} needs {count} columns of 0 and 1, e.g. --features a,b,c; "
                f"got {len(wanted)}: {listed(wanted)}"
            )
        return wanted
    return [x or columns.preferred(concept_class) or only(others)]


def only(others: list[str]) -> str:
    """Return the one column there is, or ask which."""
    if len(others) == 1:
        return others[0]
    raise InvalidArgument(f"say which column the rules read, with --features; there are: {listed(others)}")


def names_in(x: str | None) -> list[str]:
    """Return the columns that ``--features`` names."""
    return [name.strip() for name in x.split(",")] if x else []
