"""Games of all decisions together: no number is false, and what a preview shows commits nothing."""

from __future__ import annotations

import copy

import pytest
from decision_games import RULES, SEGMENTS, false_claims, pool
from long_form import times

import adeptree as at
from adeptree.core.compiled import COMPILED

MODES = {
    "plain": {},
    "review": {"review": 0.2},
    "asked": {"feedback": "asked"},
    "drift": {"drift": True, "review": 0.2},
    "by": {"by": "tenant"},
    "by, drift": {"by": "tenant", "drift": True, "review": 0.2},
}


def stated(learner: at.Adept) -> dict[str, object]:
    """Return the certificate without queries, which looks count too."""
    told = dict(learner.certificate())
    return {name: value for name, value in told.items() if name not in ("asked", "posed", "inferred")}


@pytest.mark.parametrize("first", range(0, 65, 13))
def test_no_number_is_false(first: int) -> None:
    """Opponents that read p and r, labels in any order, weights, costs, files: rules and sequences are recounted."""
    assert false_claims(times(13, 130), 1000 + first, 60 if COMPILED else 20) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", RULES)
def test_a_preview_commits_nothing(name: str, mode: str) -> None:
    """New points and segments too: the learner continues, to the last bit, like one that was not read."""
    one = at.Adept(RULES[name](), seed=5, **MODES[mode])  # type: ignore[arg-type]
    other = copy.deepcopy(one)
    for t, row in enumerate([*pool(1), *pool(2)]):
        rows = [{**x, "tenant": SEGMENTS[(t + i) % 3]} for i, x in enumerate([row, *pool(3)])]
        shown = [one.preview(x) for x in rows]
        assert [one.predict_proba(x) for x in rows] == [other.predict_proba(x) for x in rows]
        assert shown[0] == one.answer(rows[0]) == other.answer(rows[0])
        if shown[0].ask:
            one.learn(shown[0], t % 2)
            other.learn(shown[0], t % 2)
        assert stated(one) == stated(other)
        assert one.by_segment() == other.by_segment() if one.by else True
