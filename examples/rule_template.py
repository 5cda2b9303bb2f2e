"""One rule template, learnt two ways: through z3, and as a list of all its settings.

    python examples/rule_template.py        (needs: pip install '.[smt]')

A clinic sends a person to a check-up by an unwritten rule "age >= a and bmi < b", and one decision in ten is wrong. The
constants are unknown: a in 0..120, b in 0..60, so 7,381 rules.

1. SmtClass states the template to z3. Adept then needs an answer for both labels of every active path ("asked", the
   paper's count); only a small part of these is posed to z3.
2. TemplateClass lists the same rules. With so few, exponential weights on all of them (Hedge) is the better choice:
   no solver, no paths, and the smaller bound (on one stream either may be ahead). z3 is for templates too large to
   list: real constants, or many of them.

Both know the loss of the best rule at every moment, so the regret printed is exact, not estimated.

The output (the number of calls may change with the version of z3, as it may find other rules that fit):

    1. Adept, z3 as its oracle
      errors        13 of 100 (expected 13.0)
      best rule     age >= 49 and bmi < 31: 4 errors
      regret        9.0 (proven: at most 23.3)
      z3 calls      1,147 posed of 57,668 asked (2.0%)
    2. Hedge on the list of all settings
      errors        16 of 100 (expected 15.0)
      best rule     age >= 49 and bmi < 31: 4 errors
      regret        11.0 (proven: at most 13.0)
"""

from __future__ import annotations

import random

import z3

from adeptree import Adept, Hedge
from adeptree.families.templates.template_class import TemplateClass
from adeptree.solvers.smt import SmtClass

ROUNDS = 100
NOISE = 0.1
SEED = 3
TEXT = "age >= {a} and bmi < {b}"

Person = dict[str, int]


def people() -> list[tuple[Person, int]]:
    """Return what the clinic did: the hidden rule is age >= 50 and bmi < 31."""
    rng = random.Random(SEED)
    decisions = []
    for _ in range(ROUNDS):
        person = {"age": rng.randrange(18, 95), "bmi": rng.randrange(16, 45)}
        sent = person["age"] >= 50 and person["bmi"] < 31
        decisions.append((person, int(sent != (rng.random() < NOISE))))
    return decisions


def by_solver() -> Adept:
    """The template in three lines, for z3."""
    a, b = z3.Ints("a b")
    bounds = [0 <= a, a <= 120, 0 <= b, b <= 60]
    rules = SmtClass(lambda x: z3.And(x["age"] >= a, x["bmi"] < b), constants=[a, b], where=bounds, text=TEXT)
    return Adept(rules, horizon=ROUNDS, seed=SEED)


def by_list() -> Hedge:
    """The same template on a grid, without a solver."""
    grid = {"a": range(121), "b": range(61)}
    rules = TemplateClass(lambda x, a, b: (x["age"] >= a) & (x["bmi"] < b), grid, text=TEXT)
    return Hedge(rules, horizon=ROUNDS, seed=SEED)


def report(title: str, learner: Adept | Hedge) -> None:
    """Play the stream and say how it went."""
    errors = 0
    for person, sent in people():
        errors += learner.predict(person) != sent
        learner.learn(person, sent)
    print(title)
    print(f"  errors        {errors} of {ROUNDS} (expected {learner.expected_loss:.1f})")
    print(f"  best rule     {learner.best_rule()}: {learner.best_loss} errors")
    print(f"  regret        {learner.regret:.1f} (proven: at most {learner.bound:.1f})")
    if learner.queries.asked:
        share = learner.queries.posed / learner.queries.asked
        print(f"  z3 calls      {learner.queries.posed:,} posed of {learner.queries.asked:,} asked ({share:.1%})")


def main() -> None:
    """Learn it both ways."""
    report("1. Adept, z3 as its oracle", by_solver())
    report("2. Hedge on the list of all settings", by_list())


if __name__ == "__main__":
    main()
