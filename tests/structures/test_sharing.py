"""Fixed share on lines: machine code and source give the same bits, with lanes, followers and both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_forms import forms_of

import adeptree as at
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.theory.priors import MixedPrior
from adeptree.theory.sharing import Drift

SPANS = (0, 7, 40)


@pytest.mark.parametrize("one_lane", [True, False])
@pytest.mark.parametrize("directions", [1, 2])
def test_machine_code_and_source_give_the_same_bits(one_lane: bool, directions: int) -> None:
    measure = ThresholdsEngine(at.RealThresholds(), MixedPrior()).measure()
    lanes = Drift(one_lane=one_lane).lanes()
    found: list[Any] = []
    for sharing, line in zip(
        forms_of("adeptree.structures.sharing_kernel"),
        forms_of("adeptree.structures.shared_line_kernel"),
        strict=True,
    ):
        room, bits, rng = sharing.ring_size(SPANS), list[Any](), np.random.default_rng(3)
        leaf = line.SharedLine(measure, directions, 0.5 / directions, len(lanes[0]), SPANS, room)
        kernel = sharing.SharingKernel(leaf, [leaf], lanes, SPANS, room, 2.0, 0.5 / len(SPANS))
        kernel.set_rate(0.7 if one_lane else 0.0)
        for t in range(250):
            x, y = round(rng.random(), 2), int(rng.random() < 0.5)
            bits.append((kernel.chance(x), kernel.log_ratio(), kernel.least(), kernel.count()))
            if t % 5:
                kernel.learn(x, y, float(rng.choice([1.0, 2.0, 0.5])))
            else:
                kernel.open(x, 0)
        kept = leaf.slots() | kernel.kept()
        found.append((bits, {name: np.asarray(value).tolist() for name, value in kept.items()}))
    assert all(one == found[0] for one in found)


def test_a_line_alone_has_the_same_bits_in_both_forms() -> None:
    """Parts that share, each on its own clock."""
    measure = ThresholdsEngine(at.RealThresholds(), MixedPrior()).measure()
    found = []
    for line in forms_of("adeptree.structures.shared_line_kernel"):
        leaf, bits, rng = line.SharedLine(measure, 1, 1.0, 1, (), 1), list[Any](), np.random.default_rng(3)
        leaf.set_rate(0.4)
        for _ in range(200):
            x = round(rng.random(), 2)
            bits.append((leaf.chance(x), leaf.log_total(), leaf.least()))
            leaf.learn(x, int(rng.random() < 0.5), 1.5)
        found.append(bits)
    assert all(one == found[0] for one in found)
