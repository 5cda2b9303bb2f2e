"""Resolve ``--rules`` without a stream: the values of a request, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from adeptree.app.run.layout import Layout, layout_of
from adeptree.app.run.rules_option import Reads, columns_of_spec, names_in
from adeptree.app.run.streams import Stream, listed
from adeptree.core.cell_text import as_text, brief, is_storable
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.families.registry import columns_of
from adeptree.families.rules_text import on_columns, parts_of
from adeptree.families.specs import parse
from adeptree.families.tables.tables_family import cell_in
from adeptree.families.tables.times import DERIVED
from adeptree.roles.concept_class import ConceptClass

OWN = ("(key)", "(p)", "(ticket)", "(label)", "(weight)")
"""Columns of the journal that the service fills in, after those of the rules."""
LABEL = 3
LONGEST_TEXT = 1000
"""Longest value in characters, because it may become part of a displayed rule."""
LARGEST = 1e300
"""Largest number; larger ones leave no room for computation."""


class ServiceColumns:
    """The columns of a service's rules, and the conversion of JSON values to instances.

    >>> columns = ServiceColumns("stumps(age, sex)")
    >>> columns.names, columns.cells({"age": 41, "sex": "f", "name": "not read"}), columns.cells([41.5, None])
    (('age', 'sex'), [41, 'f'], [41.5, None])
    >>> ServiceColumns("thresholds(n=16)").names, ServiceColumns("thresholds(n=16)").cells(3)
    (('x',), [3])
    """

    def __init__(self, rules: str, x: str | None = None, times: str | None = None, by: str | None = None) -> None:
        self.names, self.layout = _layout(rules, x, names_in(times), by)
        self._by, reads = by, columns_of(self.layout.concept_class)
        self._of_cells = reads.gaps and reads.array is not None

    @property
    def all(self) -> list[str]:
        """All columns of the journal."""
        return [*self.names, *OWN]

    def cells(self, given: Any) -> list[Any]:
        """Return the values of an instance: an object by its names, a list by its order, or the one value itself."""
        names, by = self.names, self._by
        if isinstance(given, dict):
            try:
                given = [given[name] for name in names]
            except KeyError as missing:
                raise InvalidInstance(
                    f'x has no "{brief(missing.args[0])}"; it needs {listed(names)} (null stands for a missing value)'
                ) from None
        if not isinstance(given, list) and len(names) != 1:
            raise InvalidInstance(
                f"x must be an object with {listed(names)}, or a list of these values in this order; got {_kind(given)}"
            )
        given = given if isinstance(given, list) else [given]
        if len(given) != len(names):
            raise InvalidInstance(f"x must have {len(names)} values, of {listed(names)}; got {len(given)}")
        return [
            value if type(value) is float and by is None and -LARGEST <= value <= LARGEST else self._cell(name, value)
            for name, value in zip(names, given, strict=True)
        ]

    def instance(self, cells: Sequence[Any]) -> Any:
        """Convert these texts to an instance of the class, like ``adeptree run`` with a file."""
        if self._of_cells:
            return {name: c if type(c) is float else _read(c) for name, c in zip(self.names, cells, strict=True)}
        return self.layout.instance([as_text(cells[place]).strip() for place in self.layout.places])

    def _cell(self, name: str, value: Any) -> Any:
        """Return a JSON value unchanged, except the name of a segment; refuse a value that no cell can hold."""
        if isinstance(value, str) and (len(value) > LONGEST_TEXT or not is_storable(value)):
            raise InvalidInstance(
                f'"{brief(name)}" must be a text of at most {LONGEST_TEXT} letters, without NUL and half characters; '
                f"got one of {len(value)}"
            )
        if isinstance(value, (list, dict)):
            raise InvalidInstance(f'"{brief(name)}" must be a number, a text, true, false or null; got {_kind(value)}')
        if isinstance(value, (int, float)) and not -LARGEST <= value <= LARGEST:  # also refuses NaN
            raise InvalidInstance(f'"{brief(name)}" must be a number up to {LARGEST:g}; {got("value", value)}')
        whole = name == self._by and isinstance(value, float) and value.is_integer()
        return int(value) if whole else value  # 7.0 is 7 in JSON: the same segment


@lru_cache(1 << 12, typed=True)
def _read(cell: Any) -> Any:
    """Return the number or the text in a cell of a table; cached, as values repeat."""
    return cell_in(as_text(cell).strip())


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


def _layout(rules: str, x: str | None, times: list[str], by: str | None) -> tuple[tuple[str, ...], Layout]:
    """Return the columns of requests, and the layout of the rules."""
    found = [_part(part, x) for part in parts_of(rules)]
    features, made = [name for part in found for name in part[0]], {k: v for part in found for k, v in part[1].items()}
    columns = list(dict.fromkeys([*(made.get(name, name) for name in features), *([] if by is None else [by])]))
    stray = [name for name in times if name not in columns]
    if stray:
        raise InvalidArgument(
            f'--times: "{brief(stray[0])}" is not a column of the rules, which read {listed(columns)}'
        )
    known = Reads(tuple(features), tuple(dict.fromkeys([*times, *made.values()])))
    stream, chosen = Stream("the service", [*columns, *OWN], iter(())), x if found[0][2] else ",".join(features)
    return tuple(columns), layout_of(stream, rules, chosen, OWN[LABEL], follow=True, known=known, by=by)


def _part(rules: str, x: str | None) -> tuple[list[str], dict[str, str], bool]:
    """Return the features of rules, the columns of derived times, and whether the rules name them."""
    wanted = on_columns(rules)
    if wanted is None:
        concept_class = parse(rules)
        return _of_spec(concept_class, x), {}, columns_of(concept_class).names(concept_class) is not None
    form, inside, _ = wanted
    features = list(inside) or names_in(x) or ([] if form.many else ["x"])
    if not features:
        raise InvalidArgument(
            f"--rules: a service has no stream to find columns in; name them, e.g. "
            f'--rules "{form.word}(age, sex)", or --features age,sex'
        )
    made = {name: found[2] for name in features if form.times and (found := DERIVED.fullmatch(name))}
    return features, made, bool(inside)


def _of_spec(concept_class: ConceptClass, x: str | None) -> list[str]:
    """Return the columns of a spec: those that it names, those of ``--features``, or default names."""
    count = columns_of(concept_class).count(concept_class)
    return list(columns_of_spec(concept_class, x, ["x"] if count == 1 else [f"x{i}" for i in range(1, count + 1)]))
