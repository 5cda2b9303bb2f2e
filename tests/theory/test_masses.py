"""The masses that kernels compute against those of the priors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

FORMS = ["adeptree.theory.mass_kernel", "adeptree._compiled.mass_kernel"]


def masses_of(form: str, prior: Prior, most: int) -> Any:
    module: Any = pytest.importorskip(form)
    paper = (prior.T, prior.M) if isinstance(prior, PaperPrior) else ()
    return module.Masses(most, prior.parts, prior.counts, *paper)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["kt", "mixed", "no counts"]), st.integers(0, 3000), st.data())
def test_a_settled_mass_follows_from_its_counts(form: str, name: str, n: int, data: Any) -> None:
    prior: Prior = KTPrior() if name == "kt" else MixedPrior(5, 3.0 if name == "mixed" else None)
    k, share = data.draw(st.integers(0, min(n, 20))), data.draw(st.floats(1e-9, 1.0))
    masses = masses_of(form, prior, 22)
    masses.reserve(n)
    log_share = np.log([share]) if prior.counts else None
    expected = prior.log_mass(7, np.array([k]), np.array([n]), log_share)[0]
    assert masses.log_mass(k, n, share) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert list(masses.capacity) == [1.0] * 22


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 10**6), st.integers(0, 22), st.floats(0, 1.2))
def test_the_papers_masses_follow_from_the_round(form: str, T: int, M: int, part: float) -> None:
    prior, t = PaperPrior(T, M), int(part * T)
    masses, k = masses_of(form, prior, 25), np.arange(25)
    masses.set_round(t)
    expected = prior.log_mass(t, np.minimum(k, prior.M), k)
    assert list(masses.log_capacity) == pytest.approx(expected.tolist(), rel=1e-12, abs=1e-12)
    assert list(masses.capacity) == pytest.approx(np.exp(expected - expected[0]).tolist(), rel=1e-9)
    assert masses.log_mass(3, 9, 0.5) == pytest.approx(expected[3])


@pytest.mark.parametrize("form", FORMS)
def test_large_mistake_bounds(form: str) -> None:
    """Sums of binomials beyond any double."""
    prior = PaperPrior(5000, 4000)
    masses = masses_of(form, prior, 12)
    masses.set_round(10)
    expected = prior.log_mass(10, np.arange(12), np.arange(12))
    assert math.isfinite(expected[0]) and list(masses.log_capacity) == pytest.approx(expected.tolist(), rel=1e-12)


def test_both_forms_give_the_same_bits() -> None:
    found = []
    for form in FORMS:
        pytest.importorskip(form)
        masses = masses_of(form, MixedPrior(5, 3.0), 22)
        masses.reserve(500)
        paper = masses_of(form, PaperPrior(1000, 9), 12)
        paper.set_round(77)
        found.append([masses.log_mass(k, n, 0.01).hex() for n in range(0, 500, 7) for k in range(min(n, 20))])
        found[-1] += [value.hex() for value in paper.log_capacity]
    assert found[0] == found[1]
