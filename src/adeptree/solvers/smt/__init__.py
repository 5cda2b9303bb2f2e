"""Rule templates with unknown constants, through the z3 solver (extra ``smt``)."""

from adeptree.solvers.smt.smt_class import SmtClass as SmtClass
from adeptree.solvers.smt.smt_rules import SmtRule as SmtRule
