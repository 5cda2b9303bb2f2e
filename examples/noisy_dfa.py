"""Agnostic learning of a finite automaton from noisy words: python examples/noisy_dfa.py   (extra: sat)

A device accepts the words over {a, b} that end in "ab", and reports it wrongly one time in ten. We predict each
report before it comes, almost as well as the best automaton with at most 3 states would, found in hindsight; and
we say which one it is. That a word is labelled as *some* such automaton would label it is decided by a SAT solver.

The words are those of length at most 6: 127 of them, so most come again and again. That is a choice: a solver call
takes longer the more distinct words there are. It also flatters us, as the cost of learning is spread over many
rounds: in trials with shorter streams (400 to 1,000 reports), or with the words whose number of a's is divisible by 3,
the gap to the best automaton was 1.6 to 5 percentage points instead of about 1.

Three states over two letters make only 1,054 languages, so this class could also be learnt from a list of them; here
the list is made (by the solver too) only for the base learner, Halving, whose mistake bound M = 10 is log2 of its
length. The solver also works where lists are too long.

It prints (in 5 to 20 seconds):

    2000 reports on 127 words, 10% of them wrong
    our error          10.15%
    best 3-state DFA   8.95%
    regret             24.0 (proven: at most 123.9)
    paths              1054
    solver calls       7,061 posed for the paper's 4,152,542
    the best automaton:
    state   a b
    > 0     1 0
      1     1 2
      2 yes 1 0
"""

from __future__ import annotations

import itertools
import random

import adeptree as at
from adeptree.solvers.sat import Dfas, SatClass

ROUNDS, LONGEST, NOISE, SEED = 2000, 6, 0.1, 0
WORDS = ["".join(word) for size in range(LONGEST + 1) for word in itertools.product("ab", repeat=size)]


def reports() -> list[tuple[str, int]]:
    """Return the words and what the device says about them."""
    rng = random.Random(SEED)
    words = [rng.choice(WORDS) for _ in range(ROUNDS)]
    return [(word, int(word.endswith("ab") != (rng.random() < NOISE))) for word in words]


def main() -> at.Adept:
    automata = SatClass(Dfas(states=3, alphabet="ab"), solver="minisat22")
    learner = at.Adept(automata, horizon=ROUNDS, base=at.Halving(automata.to_finite(WORDS)))
    learner.learn_many(*zip(*reports(), strict=True))
    q = learner.queries
    print(f"{ROUNDS} reports on {len(WORDS)} words, {NOISE:.0%} of them wrong")
    print(f"our error          {learner.expected_loss / ROUNDS:.2%}")
    print(f"best 3-state DFA   {learner.best_loss / ROUNDS:.2%}")
    print(f"regret             {learner.regret:.1f} (proven: at most {learner.bound:.1f})")
    print(f"paths              {learner.width}")
    print(f"solver calls       {q.posed:,} posed for the paper's {q.asked:,}")
    print("the best automaton:")
    print(learner.best_rule().minimal())  # type: ignore[attr-defined]
    return learner


if __name__ == "__main__":
    main()
