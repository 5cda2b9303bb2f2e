"""Exact Littlestone dimensions with coins, with errors of the best rule, and with bandit feedback, with witnesses."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, overload

from numpy.typing import ArrayLike

from adeptree.families.dimensions import listed_table
from adeptree.roles.concept_class import ConceptClass, check_class
from adeptree.theory.littlestone import MistakeTree
from reproduction.optimal_mistakes import BanditMistakes, BanditTree, OptimalMistakes, mapped


@overload
def randomized_littlestone_dimension(c: ConceptClass, witness: Literal[False] = ...) -> Fraction: ...
@overload
def randomized_littlestone_dimension(
    c: ConceptClass, witness: Literal[True]
) -> tuple[Fraction, MistakeTree | None]: ...
def randomized_littlestone_dimension(
    c: ConceptClass, witness: bool = False
) -> Fraction | tuple[Fraction, MistakeTree | None]:
    """Return the optimal expected number of mistakes of a learner with coins, on streams that some rule fits.

    The witness is a tree, every path of which some rule takes; half the mean length of a path whose labels are drawn
    is the dimension. By Filmus, Hanneke, Mehalel and Moran (arXiv 2302.13849); :class:`RandSOA` attains it.

    >>> from adeptree import Thresholds
    >>> randomized_littlestone_dimension(Thresholds(4))
    Fraction(9, 8)
    """
    value, tree = _optimal(c, 0, True, witness)
    return (value, tree) if witness else value


@overload
def k_littlestone_dimension(
    c: ConceptClass, k: int, randomized: bool = ..., witness: Literal[False] = ...
) -> Fraction: ...
@overload
def k_littlestone_dimension(
    c: ConceptClass, k: int, randomized: bool = ..., *, witness: Literal[True]
) -> tuple[Fraction, MistakeTree | None]: ...
def k_littlestone_dimension(
    c: ConceptClass, k: int, randomized: bool = False, witness: bool = False
) -> Fraction | tuple[Fraction, MistakeTree | None]:
    """Return the optimal number of mistakes (``randomized``: expected ones) when the best rule errs at most k times.

    The witness is a tree as deep, every path of which some rule follows except for k labels. By Filmus, Hanneke,
    Mehalel and Moran (arXiv 2302.13849).

    >>> from adeptree import FiniteClass
    >>> two = FiniteClass([[0], [1]])
    >>> str(k_littlestone_dimension(two, 2)), str(k_littlestone_dimension(two, 2, randomized=True))
    ('5', '47/16')
    """
    value, tree = _optimal(c, k, randomized, witness)
    return (value, tree) if witness else value


def _optimal(c: ConceptClass, k: int, randomized: bool, witness: bool) -> tuple[Fraction, MistakeTree | None]:
    check_class(c)
    table, points = listed_table(c, "randomized Littlestone" if randomized else "k-Littlestone", witness)
    game = OptimalMistakes(table, k, randomized)
    tree = game.tree() if witness else None
    return game.value(game.start), None if tree is None else tree.map(points.__getitem__)


@overload
def bandit_littlestone_dimension(c: ConceptClass | ArrayLike, witness: Literal[False] = ...) -> int: ...
@overload
def bandit_littlestone_dimension(
    c: ConceptClass | ArrayLike, witness: Literal[True]
) -> tuple[int, BanditTree | None]: ...
def bandit_littlestone_dimension(
    c: ConceptClass | ArrayLike, witness: bool = False
) -> int | tuple[int, BanditTree | None]:
    """Return the optimal number of mistakes of a learner without coins that only learns if it was right.

    Of a class, or of a table of labels 0, 1, 2, ...: one row per rule, one column per point. The witness is a tree as
    deep, which says for every guess what follows when it was wrong. By Daniely and Helbertal (COLT 2013, PMLR 30).

    >>> bandit_littlestone_dimension([[0, 0], [0, 1], [1, 2], [2, 2]])
    2
    """
    if isinstance(c, ConceptClass):
        table, points = listed_table(c, "bandit Littlestone", witness)
        game = BanditMistakes(table)
        return (game.dimension(), mapped(game.tree(), points)) if witness else game.dimension()
    game = BanditMistakes(c)
    return (game.dimension(), game.tree()) if witness else game.dimension()
