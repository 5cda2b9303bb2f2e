"""Parse rules such as ``stumps(age, values=3) | experts(lr, ht)``, for the shell, River and scikit-learn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from adeptree.core.cell_text import DIGITS, brief, is_number, number
from adeptree.core.errors import InvalidArgument, InvalidSpec
from adeptree.families.combined.row_rules import union
from adeptree.families.registry import columns_of, families, family_named
from adeptree.families.specs import parse
from adeptree.families.tables.detecting import FirstRows
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import OnColumns

ARGUMENT = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,'"(){}\[\]]*?(?:\([^,'"(){}\[\]]*\))?))\s*(?:,|$)""")
"""A plain name, possibly with brackets as in weekday(when), or any name in quotes."""
Rules = tuple[ConceptClass, str | None]
OLD = {"tables": "stumps"}
"""Old names of rules, each with its replacement."""


def rules_on(rules: str, first: FirstRows, columns: Sequence[str], feature: str | None = None) -> Rules:
    """Return the rules of a text, and the column of rules over one value (None if they name their columns).

    Rules that name no columns read those of ``columns`` that are useful according to ``first``, the first rows.
    ``feature`` is the column of rules over one value that name none.

    >>> first = FirstRows.of([{"age": 41, "sex": "f", "when": "2013-05-01"}], ["age", "sex", "when"])
    >>> rules_on("stumps", first, ["sex", "when"])
    (table_stumps(features=('sex', 'when', 'weekday(when)'), times=('when',)), None)
    >>> rules_on("blocklist(sex, d=3)", first, [])
    (blocks(d=3), 'sex')
    >>> rules_on("stumps(age) | real_thresholds()", first, [], feature="lr")[0].columns
    ('age', 'lr')
    """
    parts = [_part(part, first, columns, feature) for part in parts_of(rules)]
    if len(parts) == 1:
        return parts[0]
    return union(*(rules if column is None else rules.on(column) for rules, column in parts)), None


def _part(rules: str, first: FirstRows, columns: Sequence[str], feature: str | None) -> Rules:
    """Return the same for one part of a union."""
    wanted = on_columns(rules)
    if wanted is None:
        concept_class = parse(rules.strip())
        return concept_class, feature if columns_of(concept_class).names(concept_class) is None else None
    form, names, limit = wanted
    if form.many:
        features, times = first.reads(names, columns, form.times)
        return form.build(features, limit, **({"times": times} if times else {})), None
    names = names or ((feature,) if feature is not None else ())
    if len(names) != 1:
        example = next(iter(form.examples))
        raise InvalidArgument(f"{form.word} reads one column, e.g. {example}; got {', '.join(names) or 'none'}")
    return form.build(names, limit), names[0]


def on_rows(rules: ConceptClass, features: Sequence[str]) -> ConceptClass:
    """Convert rules on one column for use with ``by``: thresholds become thresholds on numbers."""
    if repr(rules) == f"table_thresholds(features={tuple(features)!r})" and len(features) == 1:
        rules = parse("real_thresholds()")
    columns = columns_of(rules)
    single = columns.names(rules) is None and columns.count(rules) == 1 and len(features) == 1
    return rules.on(features[0]) if single else rules


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


def on_columns(rules: str) -> tuple[OnColumns, tuple[str, ...], float] | None:
    """Return (form, columns, d) of rules on columns, or None if the text is a spec with numbers and cuts.

    >>> form, columns, d = on_columns("blocklist(from, d=3)")
    >>> form.word, columns, d, on_columns("thresholds(n=16)")
    ('blocklist', ('from',), 3, None)
    """
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", rules, re.DOTALL)
    if found is not None and found[1] in OLD:
        raise InvalidSpec(f'"{found[1]}" was renamed; use "{OLD[found[1]]}"')
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
    """Split the limit of rules such as a blocklist from their column; None for a spec with named numbers."""
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
    """Return the columns between the brackets; None if these are not names but numbers or name=value."""
    names, place = [], 0
    while place < len(inside):
        match = ARGUMENT.match(inside, place)
        if match is None or (match[3] is not None and ("=" in match[3] or is_number(match[3]) or not match[3])):
            return None
        names.append(next(part for part in match.groups() if part is not None))
        place = match.end()
    return tuple(names)
