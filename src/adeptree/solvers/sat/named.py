"""The ready-made encodings as specs: ``parse("dfas(states=3, alphabet='ab')")``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from adeptree.solvers.sat.bit_encodings import DecisionLists, DecisionTrees, KTermDnf
from adeptree.solvers.sat.dfas import Dfas
from adeptree.solvers.sat.sat_class import SatClass


class Named:
    """Makes the SatClass of an encoding, from the parameters of both.

    >>> from adeptree.solvers.sat import Dfas
    >>> Named(Dfas)(states=2, alphabet="ab", solver="minisat22")
    dfas(states=2, alphabet='ab', solver='minisat22')
    """

    def __init__(self, encoding: Any) -> None:
        self.encoding = encoding
        self.spec_name: str = encoding.spec_name

    def __call__(self, *values: Any, **named: Any) -> SatClass:
        """Return the class; what the encoding does not know is for the solver."""
        own = {field.name for field in fields(self.encoding)}
        encoding = self.encoding(*values, **{name: value for name, value in named.items() if name in own})
        return SatClass(encoding, **{name: value for name, value in named.items() if name not in own})


NAMED = {encoding.spec_name: Named(encoding) for encoding in (KTermDnf, DecisionLists, DecisionTrees, Dfas)}
