"""The families of rules on n bits: conjunctions, disjunctions, parities."""

from functools import partial

from adeptree.core.cell_text import LABELS
from adeptree.families.bits.bit_bases import Elimination, GaussianElimination
from adeptree.families.bits.bit_engine import BitEngine
from adeptree.families.bits.bit_frontiers import MonomialFrontier, ParityFrontier
from adeptree.families.bits.bit_rules import Conjunctions, Disjunctions, Parities, _Monomials
from adeptree.families.finite.partition_engine import FiniteEngine
from adeptree.roles.family import Columns, Family

READ = Columns(lambda c, texts: tuple(LABELS.get(text.lower(), text) for text in texts), count=lambda c: c.n)
on_bits = partial(Family, engines=(BitEngine, FiniteEngine), columns=READ)

FAMILIES = (
    on_bits("", _Monomials, frontier=MonomialFrontier, base=Elimination),
    Family(
        "conjunctions",
        Conjunctions,
        example="conjunctions(n=4)",
        small="conjunctions(n=3)",
        line="a and not b and ...; x is n columns of 0 and 1",
    ),
    Family(
        "disjunctions",
        Disjunctions,
        example="disjunctions(n=4)",
        small="disjunctions(n=3, monotone=True)",
        golden={"adversary": "greedy"},
        line="a or not b or ...; x is n columns of 0 and 1",
    ),
    on_bits(
        "parities",
        Parities,
        frontier=ParityFrontier,
        base=GaussianElimination,
        example="parities(n=4)",
        small="parities(n=3)",
        line="a xor b xor ...; x is n columns of 0 and 1",
    ),
)
