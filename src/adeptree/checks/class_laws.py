"""Laws of concept classes: the oracle, ERM and the dimensions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adeptree.checks.findings import fail, skip
from adeptree.checks.subjects import ClassSubject
from adeptree.core.errors import InvalidArgument
from adeptree.core.seeds import stream
from adeptree.core.types import Concept, LabelArray, Sample
from adeptree.oracles.labelling import Labelling
from adeptree.theory.bounds import sauer
from adeptree.theory.littlestone import LittlestoneSolver
from adeptree.theory.vc_tables import vc_of_table

TABLE_LIMIT = 1 << 13
"""Largest table, in entries, whose dimensions are computed here."""


def check_empty_sample(subject: ClassSubject) -> None:
    """A class without concepts has nothing to compete with: the empty path is the root of every frontier."""
    c = subject.concept_class
    if not c.realizable([]):
        fail("the empty sample must be realizable")
    if not callable(c.erm([])):
        fail("erm([]) must return a concept")


def check_answers_are_bools(subject: ClassSubject) -> None:
    """An oracle answers True or False; anything else (None, an array) hides a mistake."""
    for sample in subject.domain.samples(4, 4, "bools"):
        answer = subject.concept_class.realizable(sample)
        if not isinstance(answer, bool):
            fail(f"realizable must return True or False, it returned {answer!r} ({type(answer).__name__})")


def check_order_and_repeats(subject: ClassSubject) -> None:
    """A sample is a set of facts: neither their order nor repetition may matter."""
    c = subject.concept_class
    rng = stream(0, "checks order")
    for sample in subject.domain.samples(12, 5, "order"):
        answer = c.realizable(sample)
        shuffled = [sample[int(i)] for i in rng.permutation(len(sample))]
        if c.realizable(shuffled) != answer:
            fail(f"realizable depends on the order of {sample}")
        if c.realizable([*sample, *shuffled]) != answer:
            fail(f"realizable depends on repeats in {sample}")


def check_contradiction(subject: ClassSubject) -> None:
    """A concept is a function: no point has two labels."""
    for x in subject.domain.points(10, "contradiction"):
        if subject.concept_class.realizable([(x, 0), (x, 1)]):
            fail(f"the class calls both labels at x={x!r} realizable together")


def check_subsets(subject: ClassSubject) -> None:
    """A concept that fits a sample fits every part of it (pruning relies on this)."""
    c = subject.concept_class
    for i in range(4):
        sample = subject.domain.realizable_sample(7, f"subsets {i}")
        for j in range(len(sample)):
            for part in (sample[:j] + sample[j + 1 :], sample[j:], [sample[j]]):
                if not c.realizable(part):
                    fail(f"{sample} is realizable but its part {part} is not")


def check_some_label_fits(subject: ClassSubject) -> None:
    """A concept that fits also labels the next point, so a realizable path never dies."""
    for i in range(4):
        sample = subject.domain.realizable_sample(5, f"fits {i}")
        for x in subject.domain.points(4, f"fits next {i}"):
            if not subject.domain.continuations(sample, x):
                fail(f"{sample} is realizable, but neither label is at x={x!r}")


def check_enumeration(subject: ClassSubject) -> None:
    """The oracle's formula must agree with a search over all concepts."""
    c = subject.listed()
    for i in range(3):
        points = subject.domain.distinct(5, f"enumeration {i}")
        columns = np.stack([c.labels(c.instance(x)) for x in points], axis=1)
        if subject.domain.labellings(points) != set(map(tuple, columns.tolist())):
            fail(f"realizable and labels disagree on the points {points}")


def check_labels(subject: ClassSubject) -> None:
    """``labels(x)[i]`` and ``concept(i)(x)`` are two ways to the same bit."""
    c = subject.listed()
    numbers = sorted({int(i) for i in stream(0, "checks labels").integers(c.size, size=40)} | {0, c.size - 1})
    concepts = [c.concept(i) for i in numbers]
    for x in subject.domain.points(6, "labels"):
        labels = c.labels(c.instance(x))
        if labels.shape != (c.size,) or not np.isin(labels, (0, 1)).all():
            fail(f"labels must hold {c.size} zeros and ones, it has the shape {labels.shape}")
        for i, concept in zip(numbers, concepts, strict=True):
            if concept(x) != labels[i]:
                fail(f"concept({i}) says {concept(x)} at x={x!r}, but labels(x)[{i}] is {labels[i]}")


def check_size(subject: ClassSubject) -> None:
    """Halving's mistake bound counts concepts, so equal ones must not be counted twice."""
    c = subject.listed(limit=1 << 10)
    rows = np.stack([c.labels(x) for _, x in zip(range(TABLE_LIMIT // c.size), c.instances(), strict=False)], axis=1)
    if rows.size + c.size > TABLE_LIMIT:
        skip(f"its table has over {TABLE_LIMIT} entries")
    if len(np.unique(rows, axis=0)) != c.size:
        fail(f"size is {c.size}, but {len(np.unique(rows, axis=0))} concepts differ on instances()")


def check_erm_is_optimal(subject: ClassSubject) -> None:
    """Regret is measured against the best concept, so ERM must find it."""
    c = subject.concept_class
    for sample in subject.domain.samples(8, 6, "erm"):
        points = subject.domain.unlike(x for x, _ in sample)
        keys = [subject.domain.key(x) for x in points]
        place = [keys.index(subject.domain.key(x)) for x, _ in sample]
        losses = [
            sum(ys[i] != y for i, (_, y) in zip(place, sample, strict=True)) for ys in subject.domain.labellings(points)
        ]
        found = c.erm(sample)
        if _loss(found, sample) != min(losses):
            fail(
                f"erm returned {found} with {_loss(found, sample)} errors on {sample}, where {min(losses)} is possible"
            )


def check_erm_is_a_concept(subject: ClassSubject) -> None:
    """A rule from outside the class would beat it unfairly."""
    c = subject.concept_class
    for i, sample in enumerate(subject.domain.samples(6, 6, "member")):
        found = c.erm(sample)
        # A bare labelling is known on its sample only.
        others = [] if isinstance(found, Labelling) else subject.domain.points(6, f"member {i}")
        labelled = [(x, found(x)) for x in [*(x for x, _ in sample), *others]]
        if not c.realizable(labelled):
            fail(f"erm returned {found}, whose labels {labelled} no concept has")


def check_random_draws(subject: ClassSubject) -> None:
    """Streams made for the class must stay inside it."""
    c = subject.concept_class
    rng = stream(0, "checks draws")
    points = subject.domain.points(8, "draws")
    for x in points:
        c.instance(x)
    try:
        drawn = [c.random_concept(rng) for _ in range(6)]
    except InvalidArgument as error:
        skip(str(error))
    for concept in drawn:
        if not c.realizable([(x, concept(x)) for x in points]):
            fail(f"random_concept drew {concept}, whose labels on {points} no concept has")


def check_readable_concepts(subject: ClassSubject) -> None:
    """The best rule is shown to people: one line of text."""
    c = subject.concept_class
    found = [c.erm(sample) for sample in subject.domain.samples(5, 4, "readable")]
    for concept in [c.erm([]), *found]:
        text = str(concept)
        if not text.strip() or "\n" in text or text.startswith("<"):
            fail(f"str(concept) must be one readable line, it is {text!r}")


def check_vc_dimension(subject: ClassSubject) -> None:
    """Widths and query counts are bounded by the VC dimension."""
    _as_declared(subject, "VC", subject.concept_class.vc_dimension, lambda table: vc_of_table(table)[0])


def check_littlestone_dimension(subject: ClassSubject) -> None:
    """The mistake bound, so the regret bound, is the Littlestone dimension."""
    declared = subject.concept_class.littlestone_dimension
    _as_declared(subject, "Littlestone", declared, lambda table: LittlestoneSolver(table).dimension())


def check_projections(subject: ClassSubject) -> None:
    """The dimensions on a few points are at most those on all points (this needs no list of concepts)."""
    c = subject.concept_class
    if c.vc_dimension is None and c.littlestone_dimension is None:
        skip("it declares no dimension")
    for i in range(2):
        points = subject.domain.distinct(6, f"projections {i}")
        rows = np.array(sorted(subject.domain.labellings(points)), dtype=np.uint8)
        if c.vc_dimension is not None and vc_of_table(rows)[0] > c.vc_dimension:
            fail(f"vc_dimension is declared {c.vc_dimension}, but {vc_of_table(rows)[0]} of {points} are shattered")
        depth = LittlestoneSolver(rows).dimension()
        if c.littlestone_dimension is not None and depth > c.littlestone_dimension:
            fail(f"littlestone_dimension is declared {c.littlestone_dimension}, but it is {depth} on {points} alone")


def check_sauer(subject: ClassSubject) -> None:
    """The number of labellings, hence the width, is at most Sauer's polynomial."""
    d = subject.concept_class.vc_dimension
    if d is None:
        skip("it declares no VC dimension")
    points = subject.domain.distinct(8, "sauer")
    count = len(subject.domain.labellings(points))
    if count > sauer(len(points), d):
        fail(f"{len(points)} points have {count} labellings, more than {sauer(len(points), d)} for VC dimension {d}")


def _loss(concept: Concept, sample: Sample) -> int:
    return sum(concept(x) != y for x, y in sample)


def _as_declared(subject: ClassSubject, name: str, declared: int | None, compute: Callable[[LabelArray], int]) -> None:
    """Compute a dimension from the table of the class, if that is small."""
    c = subject.listed(limit=1 << 10)
    points = sum(1 for _ in zip(range(TABLE_LIMIT // c.size + 1), c.instances(), strict=False))
    if points * c.size > TABLE_LIMIT:
        skip(f"its table has over {TABLE_LIMIT} entries, too many to compute dimensions here")
    if declared is None:
        skip(f"it declares no {name} dimension")
    computed = compute(c.to_finite().table)
    if declared != computed:
        fail(f"{name.lower()}_dimension is {computed}, but {declared} is declared")
