"""The registry of families, and lookups in their records for a class."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from adeptree.core.arguments import refuse_class
from adeptree.core.errors import InvalidArgument, got
from adeptree.roles.base_learner import BaseLearner, Lifted, StateMachine
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine
from adeptree.roles.family import Columns, Family
from adeptree.roles.frontier import Frontier

FAMILIES: dict[str, Family] = {}
"""Families by their name in specs."""
BY_KIND: dict[type[Any], list[Family]] = {}
BASES: dict[str, Any] = {}
"""Base learners by their name in saved files."""

HOME = "adeptree.families"
FIRST = ("line", "stumps", "blocks", "bits")
"""Folders whose families come first in lists; all others follow by name."""
ABOVE = ("adeptree.ghost", "adeptree.solvers")
"""Packages that define families and import this module."""

NATURAL = "natural"
"""Stands in a saved file for the default base learner of the class, if that has no name."""

GROUP = "adeptree.families"
"""Group of entry points of other packages: each names a Family, or a tuple of them."""


def register(family: Family) -> Family:
    """Register a family for ``parse``, ``adeptree rules``, ``--rules``, ``load`` and every learner.

    Registering the same family twice has no effect. A package declares an entry point of the group
    ``adeptree.families`` instead, which is loaded when a name is unknown.

    Parameters
    ----------
    family
        The record; it is returned.

    Examples
    --------
    >>> from adeptree import Thresholds, parse
    >>> class Ages(Thresholds):
    ...     spec_name = "ages"
    >>> family = register(Family("ages", Ages, example="ages(n=120)"))
    >>> parse("ages(n=120)")
    ages(n=120)
    >>> forget(family)
    """
    load_shipped()
    return _add(family)


def _add(family: Family) -> Family:
    if not isinstance(family, Family) or not (isinstance(family.kind, type) and issubclass(family.kind, ConceptClass)):
        raise InvalidArgument(f"a family is Family(name, kind) with a concept class as kind; {got('family', family)}")
    if family.name and not family.name.isidentifier():
        raise InvalidArgument(f"a family has a name such as 'ages', as in specs; {got('name', family.name)}")
    namesake = FAMILIES.get(family.name)
    if namesake is not None and namesake.kind is not family.kind:
        raise InvalidArgument(f'"{family.name}" is the name of another family; choose another')
    bases = {base.__name__: base for base in (*family.bases, family.base) if isinstance(base, type)}
    for name, base in bases.items():
        if BASES.get(name, base) is not base:
            raise InvalidArgument(f'"{name}" is the name of another base learner, in saved files; choose another')
    if family.name:
        FAMILIES[family.name] = family
    kin = BY_KIND.setdefault(family.kind, [])
    kin[:] = [*(other for other in kin if other.name != family.name), family]
    BASES.update(bases)
    return family


def forget(family: Family) -> None:
    """Undo :func:`register` (the names of base learners stay registered)."""
    FAMILIES.pop(family.name, None)
    BY_KIND[family.kind] = [other for other in BY_KIND.get(family.kind, []) if other.name != family.name]


def families() -> list[Family]:
    """Return all families with a name, including those of other packages."""
    load_others()
    return sorted(FAMILIES.values(), key=_rank)


def _rank(family: Family) -> tuple[int, int, str]:
    """Return the sort key of a family: those of adeptree by folder, then those of other packages."""
    home, _, inside = family.kind.__module__.partition(f"{HOME}.")
    folder = inside.partition(".")[0]
    return bool(home), FIRST.index(folder) if folder in FIRST else len(FIRST), folder


def family_named(name: str) -> Family | None:
    """Return the family of a name in a spec; None if neither adeptree nor another package has it."""
    for load in (load_shipped, load_others):
        if name not in FAMILIES:
            load()
    return FAMILIES.get(name)


def base_kind(name: str) -> Any:
    """Return the base learner of a name in a saved file; None if there is none."""
    if name not in BASES:
        load_shipped()
    return BASES.get(name)


@cache
def load_shipped() -> None:
    """Import and register all families of adeptree."""
    from pkgutil import iter_modules

    folders = [module.name for module in iter_modules(import_module(HOME).__path__) if module.ispkg]
    for name in (*(f"{HOME}.{folder}" for folder in folders), *ABOVE):
        _load(name)


@cache
def _load(package: str) -> None:
    records = f"{package}.{package.rpartition('.')[2]}_family"
    for family in import_module(records if find_spec(records) else package).FAMILIES:
        _add(family)


@cache
def load_others() -> None:
    """Register the families of other packages; warn about one that fails, and skip it."""
    from importlib.metadata import entry_points  # slow to import, and needed for unknown names only

    load_shipped()
    for entry in entry_points(group=GROUP):
        try:
            found = entry.load()
            for family in found if isinstance(found, (tuple, list)) else (found,):
                register(family)
        except Exception as error:
            warnings.warn(
                f"the families of {entry.value} were left out: {error!r}",
                RuntimeWarning,
                stacklevel=2,
            )


def families_of(concept_class: ConceptClass) -> Iterator[Family]:
    """Return the families of an object's class, then of its parents'."""
    for kind in type(concept_class).__mro__:
        package, _, inside = kind.__module__.partition(f"{HOME}.")
        if not package and "." in inside:  # the folder's families are enough for a class defined in it
            _load(f"{HOME}.{inside.partition('.')[0]}")
        elif kind.__module__.startswith("adeptree."):
            load_shipped()
        yield from BY_KIND.get(kind, ())


def frontier_of(concept_class: ConceptClass) -> Frontier:
    """Return an empty frontier for a class: the family's own, or else one that queries its oracle.

    >>> from adeptree import Thresholds
    >>> frontier = frontier_of(Thresholds(8))
    >>> frontier.grow(frontier.split(3).children)
    >>> frontier.width
    2
    """
    for family in families_of(concept_class):
        if family.frontier is not None:
            return family.frontier(concept_class)
    raise InvalidArgument(f"a concept class such as Thresholds(256) was expected; {got('class', concept_class)}")


def default_base(concept_class: ConceptClass) -> BaseLearner:
    """Return the default base learner of a class.

    >>> from adeptree import Thresholds
    >>> default_base(Thresholds(256)).mistake_bound
    8
    """
    for family in families_of(concept_class):
        if family.base is not None:
            return family.base(concept_class)
    raise InvalidArgument(
        f"{concept_class!r} has no default base learner; give base= an object with start(), predict(state, x) "
        f"and update(state, x, y)"
    )


def engines_of(concept_class: ConceptClass) -> list[type[Engine]]:
    """Return the engines that may replace the paths of a class, the fastest first.

    An engine relies on the frontier of its family. So if a family has its own frontier, its parents' engines do not
    apply.
    """
    found: list[type[Engine]] = []
    for family in families_of(concept_class):
        found += family.engines
        if family.frontier is not None:
            break
    return found


def columns_of(concept_class: ConceptClass) -> Columns:
    """Return how columns of a table become instances of the class; by default, by their names."""
    said = (f.columns for f in families_of(concept_class) if f.columns is not None)
    return next(said, Columns(mapping=True))


def base_for(base: Any, concept_class: ConceptClass) -> BaseLearner:
    """Bind ``base`` to the class: the default base learner if None; wrap a user's state machine."""
    if base is None:
        return default_base(concept_class)
    refuse_class("base", base)
    if isinstance(base, BaseLearner):
        return base.bind(concept_class)
    if isinstance(base, StateMachine):
        return Lifted(base)
    raise InvalidArgument(
        f"base must be a base learner, or have start(), predict(state, x) and update(state, x, y); {got('base', base)}"
    )
