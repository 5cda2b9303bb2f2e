"""A family of rules in one file: the same label everywhere, except at most one value.

Copy it, rename it, run it: ``python family.py``. The page about it is docs/develop/family.md.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Sample
from adeptree.roles.base_learner import MadeFor
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import Columns, Family, OnColumns

# --- The rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exceptional:
    """One rule: call it for a label, print it for a person."""

    label: int
    odd: tuple[Hashable, ...] = ()  # no value, or one

    def __call__(self, x: Hashable) -> int:
        """Return the label of x."""
        return self.label ^ (x in self.odd)

    def __str__(self) -> str:
        return f"always {self.label}" + "".join(f", except at {x!r}" for x in self.odd)


# --- The class of all of them ------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)  # frozen and hashable: learners and files compare classes
class Exceptions(ConceptClass):
    """The constants, and the constants with one exception, on any hashable values."""

    spec_name = "exceptions"

    # Three values can have any labels (one of three is at most one exception), four cannot (two and two); and
    # FewerSoFar below errs at most 3 times. Write None where you do not know, and say why in the docstring.
    vc_dimension = 3
    littlestone_dimension = 3

    def __repr__(self) -> str:  # a text that adeptree.parse reads
        return "exceptions()"

    def instance(self, x: Any) -> Hashable:
        """Return x in one form; raise InvalidInstance if it is not an instance."""
        try:
            hash(x)
        except TypeError:
            raise InvalidInstance(f"an instance must be hashable; {got('x', x)}") from None
        return cast(Hashable, x.item() if isinstance(x, np.generic) else x)

    def realizable(self, sample: Sample) -> bool:
        """Is there a rule with these labels? The weak-consistency oracle, on which everything rests."""
        pairs = set(self.clean(sample))  # clean: canonical instances, labels 0 and 1
        ones = sum(y for _, y in pairs)
        return len({x for x, _ in pairs}) == len(pairs) and min(ones, len(pairs) - ones) <= 1

    def erm(self, sample: Sample) -> Exceptional:
        """Return a rule with the fewest errors."""
        pairs = self.clean(sample)
        odd = [(), *((x,) for x in dict.fromkeys(x for x, _ in pairs))]
        rules = [Exceptional(label, x) for label in (0, 1) for x in odd]
        return min(rules, key=lambda rule: sum(rule(x) != y for x, y in pairs))

    def random_instance(self, rng: np.random.Generator) -> int:
        """Draw an instance, for games and checks."""
        return int(rng.integers(9))

    def random_concept(self, rng: np.random.Generator) -> Exceptional:
        """Draw a rule, for games and checks."""
        return Exceptional(int(rng.integers(2)), (self.random_instance(rng),))


# --- Its base learner: right from some moment on, if one of the rules is always right -----------------


@dataclass(frozen=True)
class FewerSoFar(MadeFor[Exceptions]):
    """Known values keep their label, new ones get the more frequent one: M = 3, the best possible."""

    kind = Exceptions

    def start(self) -> tuple[tuple[Hashable, int], ...]:
        """Return the state before any point: a value, never changed in place."""
        return ()

    def predict(self, state: tuple[tuple[Hashable, int], ...], x: Hashable) -> int:
        """Return 0 or 1."""
        return dict(state).get(x, int(2 * sum(y for _, y in state) > len(state)))

    def update(self, state: tuple[tuple[Hashable, int], ...], x: Hashable, y: int) -> tuple[tuple[Hashable, int], ...]:
        """Return the next state."""
        return state if (x, y) in state else (*state, (x, y))


# --- The record: all that parse, --rules, load, learners, checks and the docs look at ------------------

FAMILIES = (
    Family(
        "exceptions",
        Exceptions,
        base=FewerSoFar,
        bases=(FewerSoFar,),  # those that a saved file may name
        columns=Columns(value=lambda concept_class, texts: texts[0]),  # a cell as it stands; the default is a number
        on_columns=OnColumns("odd_one_out", lambda names, d: Exceptions(), {"odd_one_out(code)": "one value differs"}),
        example="exceptions()",
        line="the same label everywhere, but for at most one value",
        # frontier=...: without one its oracle is asked about every path, which is right and slow.
    ),
)

# --- To try it out; inside the repository this part is left away -----------------------------------------

if __name__ == "__main__":
    import adeptree as at
    from adeptree.checks import check

    for family in FAMILIES:
        at.register(family)
    concept_class = at.parse("exceptions()")
    print("class:  ", check(concept_class))
    print("base:   ", check(FewerSoFar(), concept_class=concept_class))
    learner = at.Adept(concept_class)
    for x, y in [("a", 0), ("b", 1), ("a", 0), ("c", 0), ("b", 1), ("d", 0)]:
        learner.learn(x, y)
    print("learner:", learner.best_rule(), "| paths", learner.width)
