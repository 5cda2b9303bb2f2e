"""How a frontier's questions reach the oracle: counted, checked, one by one or many at once."""

from __future__ import annotations

from collections.abc import Sequence

from adeptree.core.errors import ContradictoryOracle, OracleError, OracleUnknown, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.oracles.oracle_class import OracleClass
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Queries

Answer = Concept | OracleUnknown | None
"""A concept that fits, None if there is none, or why neither is known (only where that is kept)."""


class Asking:
    """Asks the oracle of a class, and counts what reaches it."""

    def __init__(self, concept_class: ConceptClass, queries: Queries) -> None:
        self.concept_class = concept_class
        self.queries = queries
        self.many = concept_class if isinstance(concept_class, OracleClass) and concept_class.batch > 1 else None
        """The class, if several questions may go out together."""
        self.batch: int = 1 if self.many is None else self.many.batch
        self.shared = getattr(concept_class, "shards", None) is not None
        """Whether workers answer."""
        self.keeps: bool = getattr(concept_class, "on_unknown", "raise") == "keep"
        """Whether a path counts as realizable if the oracle cannot tell."""
        self.finds: bool = getattr(concept_class, "finds", hasattr(concept_class, "find"))
        """Whether there are concepts to be had."""

    def find_all(self, samples: Sequence[Sample]) -> list[Answer]:
        """Ask for a concept for each sample."""
        if self.many is None:
            return [self._find(sample) for sample in samples]
        self.queries.posed += len(samples)
        return list(map(self._checked, samples, self.many.found(samples)))

    def _find(self, sample: Sample) -> Answer:
        self.queries.posed += 1
        try:
            found: Answer = self.concept_class.find(sample)  # type: ignore[attr-defined]
        except OracleUnknown as error:
            found = error
        return self._checked(sample, found)

    def _checked(self, sample: Sample, found: Answer) -> Answer:
        if isinstance(found, OracleUnknown):
            if not self.keeps:
                raise found
            return found
        if found is not None and any(label_by(found, x) != y for x, y in sample):
            raise ContradictoryOracle(
                f"find returned {found}, which does not have the labels it was asked for on a sample of "
                f"{len(sample)} points; check the oracle"
            )
        return found

    def realizable(self, sample: Sample) -> bool:
        """Ask whether a sample is realizable."""
        return self.realizable_all([sample])[0]

    def realizable_all(self, samples: Sequence[Sample]) -> list[bool]:
        """Ask about every sample."""
        if self.many is not None:
            self.queries.posed += len(samples)
            return self.many.realizable_many(samples)
        answers = []
        for sample in samples:
            self.queries.posed += 1
            answers.append(self.concept_class.realizable(sample))
        return answers


def label_by(concept: Concept, x: Instance) -> int:
    """Ask a concept that the oracle returned for its label at x."""
    try:
        label = concept(x)
    except Exception as error:
        raise OracleError(f"the concept that find returned raised {type(error).__name__}: {error}") from error
    if label not in (0, 1):
        raise OracleError(f"a concept that find returns must say 0 or 1; {got('label', label)}")
    return int(label)
