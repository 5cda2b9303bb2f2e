"""An oracle layer in one file: it counts the negative answers.

Copy it, rename it, run it: ``python oracle_layer.py``. The page about it is docs/develop/oracle-layer.md.
"""

from __future__ import annotations

from typing import Any

from adeptree.oracles import Kind, Layer, Oracle


class Refusals(Layer):
    """Counts the samples that no rule fits; the answers pass through as they are."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle)
        self.refused = 0

    def _through(self, kind: Kind, samples: Any) -> list[Any]:
        """Answer a batch that is not empty: the one method to write. Called by one thread at a time."""
        answers = self.oracle.ask_many(kind, samples)  # the whole batch: inside it may be cheaper than its parts
        self.refused += sum(answer is None or answer is False for answer in answers)
        return answers


if __name__ == "__main__":
    import adeptree as at
    from adeptree.oracles import Caching, ClassOracle, Counting

    oracle = Refusals(Caching(Counting(ClassOracle(at.Thresholds(64)))))  # layers nest in any order
    learner = at.Adept(at.OracleClass.from_oracle(oracle, mistake_bound=6), base=at.Bisection(at.Thresholds(64)))
    for x, y in [(3, 0), (40, 1), (8, 1), (20, 0), (30, 1), (3, 0)]:
        learner.learn(x, y)
    print(f"{oracle}: {oracle.refused} of {oracle.queries} answers were no")
