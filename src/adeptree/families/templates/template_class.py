"""Rule templates: rules with their constants on a grid, few enough to be listed without a solver."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adeptree.core.dataframes import refuse_frame
from adeptree.core.errors import InvalidArgument, InvalidInstance, TooLarge, got
from adeptree.core.frozen import freeze
from adeptree.core.types import Concept, Instance, LabelArray
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.listed import EnumerableClass
from adeptree.families.templates.template_grid import bit, check_grid, check_text, item, settings

Rule = Callable[..., Any]

TABLE_LIMIT = 1 << 27
"""Largest table (settings x instances) in which equal rules are detected."""
SPOT_CHECKS = 8
"""Number of settings at which results on arrays are compared with results on numbers, for every instance."""


@dataclass(frozen=True)
class TemplateRule:
    """A rule with its constants filled in.

    >>> rule = TemplateRule((("a", 40),), lambda x, a: x >= a, text="age >= {a}")
    >>> str(rule), rule(39), rule(40)
    ('age >= 40', 0, 1)
    """

    constants: tuple[tuple[str, Any], ...]
    rule: Rule = field(compare=False, repr=False)
    text: str | None = field(default=None, compare=False, repr=False)

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
        return bit(self.rule(x, **dict(self.constants)))

    def __str__(self) -> str:
        if self.text is not None:
            return self.text.format(**dict(self.constants))
        return ", ".join(f"{name} = {value}" for name, value in self.constants)


class TemplateClass(EnumerableClass):
    """The rules ``rule(x, a=..., b=...)`` for every setting of the constants on a grid; any instance may come.

    Every instance is evaluated on all settings, up to 4,194,304. A rule written with NumPy operators is evaluated on
    all of them at once. A rule with ``and``, ``if`` and the like is evaluated one setting at a time (two to three
    seconds per million). ``where(a=..., b=...)`` excludes settings.

    Two settings may be the same rule, which is not known without a list of instances. The only cost is a larger
    ``size`` in Hedge's bound and in Halving's M = floor(log2 size). :meth:`FiniteClass.from_template` takes the
    instances and keeps each rule once.

    >>> c = TemplateClass(lambda x, a, b: (x["age"] >= a) & (x["bmi"] < b), {"a": range(121), "b": range(61)},
    ...                   text="age >= {a} and bmi < {b}")
    >>> c.size, str(c.erm([({"age": 39, "bmi": 25}, 0), ({"age": 40, "bmi": 25}, 1)]))
    (7381, 'age >= 40 and bmi < 26')
    """

    spec_name = "template"

    def __init__(
        self,
        rule: Rule,
        grid: Mapping[str, Iterable[Any]],
        *,
        where: Callable[..., Any] | None = None,
        text: str | None = None,
        name: str = "template",
    ) -> None:
        if not callable(rule):
            raise InvalidArgument(f"rule must be a function rule(x, **constants) of 0/1; {got('rule', rule)}")
        self.rule, self.text, self.name = rule, text, name
        self.columns = settings(check_grid(grid))
        check_text(text, self.columns)
        if where is not None:
            kept = self._evaluated(where, "where").astype(np.bool_)
            self.columns = {constant: column[kept] for constant, column in self.columns.items()}
        if not self.size:
            raise InvalidArgument("where leaves no setting of the constants; widen it or the grid")
        self._recent: tuple[Hashable, LabelArray] | None = None

    def __repr__(self) -> str:
        return f"template(name={self.name!r}, constants={list(self.columns)}, size={self.size})"

    @property
    def size(self) -> int:
        """Number of settings, some of which may be the same rule."""
        return len(next(iter(self.columns.values())))

    def instance(self, x: Any) -> Instance:
        """Return x unchanged, after checking that the rule accepts it."""
        self.key(x)
        try:
            bit(self.rule(x, **self.setting(0)))
        except Exception as error:
            raise InvalidInstance(f"the rule raised {type(error).__name__}: {error}; {got('x', x)}") from error
        return x

    def key(self, x: Any) -> Hashable:
        """Return the key that identifies x."""
        try:
            return freeze(x)
        except TypeError:
            raise InvalidInstance(f"x must be plain data: numbers, texts, tuples, mappings; {got('x', x)}") from None

    def setting(self, index: int) -> dict[str, Any]:
        """Return the constants of concept ``index`` as Python values."""
        return {name: item(column[index]) for name, column in self.columns.items()}

    def labels(self, x: Instance) -> LabelArray:
        """Return the label of every setting at x; the last result is cached, because learners ask twice."""
        key = self.key(x)
        if self._recent is None or self._recent[0] != key:
            labels = self._evaluated(lambda **constants: self.rule(x, **constants), "rule")
            labels.setflags(write=False)
            self._recent = key, labels
        return self._recent[1]

    def _evaluated(self, function: Callable[..., Any], what: str) -> LabelArray:
        """Evaluate on all settings: on arrays if the function supports them consistently, else one by one."""
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(function(**self.columns))
            if result.shape in ((), (self.size,)) and (result.dtype == np.bool_ or np.isin(result, (0, 1)).all()):
                labels = np.broadcast_to(result, (self.size,)).astype(np.uint8)
                if all(bit(function(**self.setting(i))) == labels[i] for i in self._spots()):
                    return labels
        except Exception:
            pass  # the rule is for numbers, not for arrays; real errors appear below
        return self._one_by_one(function, what)

    def _one_by_one(self, function: Callable[..., Any], what: str) -> LabelArray:
        values = [column.tolist() for column in self.columns.values()]
        names = list(self.columns)
        try:
            bits = [bit(function(**dict(zip(names, setting, strict=True)))) for setting in zip(*values, strict=True)]
        except Exception as error:
            raise InvalidInstance(
                f"{what} must say 0 or 1 for every setting of the constants; it raised {type(error).__name__}: {error}"
            ) from error
        return np.array(bits, dtype=np.uint8)

    def _spots(self) -> list[int]:
        return np.linspace(0, self.size - 1, min(SPOT_CHECKS, self.size)).astype(int).tolist()  # type: ignore[no-any-return]

    def concept(self, index: int) -> Concept:
        """Return the rule with setting ``index``."""
        return TemplateRule(tuple(self.setting(index).items()), self.rule, self.text)

    def instances(self) -> Iterator[Instance]:
        """Raise an error: any instance may come, so they cannot be listed."""
        raise TooLarge(f"{self!r} has no list of instances, as any may come; FiniteClass.from_template takes one")


class TemplateTable(FiniteClass):
    """A template on a list of instances: a table without equal rules, with readable concepts."""

    def __init__(self, template: TemplateClass, instances: Iterable[Any]) -> None:
        refuse_frame("instances", instances, "list its rows, e.g. frame.to_dict('records') in pandas")
        points: dict[Hashable, Instance] = {}
        for x in instances:
            points.setdefault(template.key(x), template.instance(x))
        if not points:
            raise InvalidArgument("instances must hold at least one; leave it out if they arrive later")
        if template.size * len(points) > TABLE_LIMIT:
            raise TooLarge(
                f"{template.size} settings on {len(points)} instances are over the limit of {TABLE_LIMIT} table "
                f"entries; take a coarser grid, or leave instances out"
            )
        listed = tuple(points.values())
        super().__init__(np.stack([template.labels(x) for x in listed], axis=1), listed)
        self.template = template

    def __repr__(self) -> str:
        return f"{repr(self.template)[:-1]}, instances={self.table.shape[1]})"

    def concept(self, index: int) -> Concept:
        """Return the rule of row ``index``, with its first setting."""
        return self.template.concept(int(self.first[index]))
