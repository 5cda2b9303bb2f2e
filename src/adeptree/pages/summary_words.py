"""Words that match the sizes: how far a learner is behind the best rule."""

from __future__ import annotations

from adeptree.core.escaping import counted

AS_WELL = 0.05
"""Less than this per 100 rows is no difference: it is shown as 0.0."""


def graded(extra: float, rows: int, unit: str, usual: float | None = None) -> str:
    """Return how far a loss is from that of the best rule, and whether that was to be expected.

    >>> graded(7.4, 285, "mistakes", 12.0)
    'adeptree is 2.6 mistakes per 100 rows behind the best rule, as expected after 285 rows.'
    >>> graded(74.0, 285, "cost", 12.0)
    'adeptree is 26.0 in cost per 100 rows behind the best rule, more than expected after 285 rows.'
    >>> graded(0.1, 285, "cost")
    'adeptree is level with the best rule after 285 rows.'
    >>> graded(-8.6, 860, "mistakes")
    'adeptree is 1.0 mistakes per 100 rows ahead of the best rule after 860 rows.'
    """
    per_hundred, after = 100 * extra / rows if rows else 0.0, f"after {counted(rows, 'row')}."
    if abs(per_hundred) < AS_WELL:
        return f"adeptree is level with the best rule {after}"
    far = f"adeptree is {abs(per_hundred):,.1f} {'in cost' if unit == 'cost' else unit} per 100 rows"
    if extra < 0:
        return f"{far} ahead of the best rule {after}"
    grade = "" if usual is None else ", as expected" if extra <= usual else ", more than expected"
    return f"{far} behind the best rule{grade} {after}"


def waiting(rows: int) -> str:
    """Return how many rows wait for their labels.

    >>> waiting(1), waiting(1200)
    ('1 row answered, whose label has not come.', '1,200 rows answered, whose labels have not come.')
    """
    return f"{counted(rows, 'row')} answered, whose {'label has' if rows == 1 else 'labels have'} not come."
