"""The ready-made encodings as specs: ``parse("dfas(states=3, alphabet='ab')")``."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Any

from adeptree.solvers.sat.bit_encodings import DecisionLists, DecisionTrees, KTermDnf
from adeptree.solvers.sat.dfas import Dfas
from adeptree.solvers.sat.sat_class import SatClass


def named(encoding: Any, *values: Any, **options: Any) -> SatClass:
    """Return the SatClass of an encoding, from the parameters of both.

    >>> from adeptree.solvers.sat import Dfas
    >>> named(Dfas, states=2, alphabet="ab", solver="minisat22")
    dfas(states=2, alphabet='ab', solver='minisat22')
    """
    own = {field.name: options.pop(field.name) for field in fields(encoding) if field.name in options}
    return SatClass(encoding(*values, **own), **options)


NAMED = {encoding.spec_name: partial(named, encoding) for encoding in (KTermDnf, DecisionLists, DecisionTrees, Dfas)}
