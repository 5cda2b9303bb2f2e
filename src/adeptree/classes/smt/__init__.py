"""Rule templates with unknown constants, through the z3 solver (extra ``smt``)."""

from adeptree.classes.smt.rules import SmtRule
from adeptree.classes.smt.template import SmtClass

__all__ = ["SmtClass", "SmtRule"]
