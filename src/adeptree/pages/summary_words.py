"""Words that match the sizes: how a learner did beside the best rule and the best constant."""

from __future__ import annotations

from adeptree.core.escaping import counted

AS_WELL = 0.05
"""Fewer mistakes per 100 rounds than this are no difference: they are shown as 0.0."""
ALMOST = 0.5
"""Up to so many extra mistakes per 100 rounds are almost as good, whatever the best rule makes."""
A_TENTH = 0.1
"""Up to this share of the best rule's mistakes more are almost as good ..."""
A_QUARTER = 0.25
"""... if they are at most this share of what the best rule gains over the best constant."""


def verdict(ours: float, best: float, constant: float, stake: float) -> str:
    """Say how losses compare with those of the best rule: the one place that decides what is called "almost".

    ``stake`` is what could be lost in all: the number of rounds, if each costs 1.

    >>> verdict(504.4, 500, 984, 2000), verdict(80, 40, 500, 1000), verdict(430, 400, 410, 1000)
    ('almost as well as', 'less well than', 'less well than')
    """
    extra = ours - best
    per_hundred = 100 * extra / stake if stake else 0.0
    if abs(per_hundred) < AS_WELL:
        return "as well as"
    if extra < 0:
        return "even better than"
    gained = A_QUARTER * (constant - best)
    close = per_hundred <= ALMOST or extra <= min(A_TENTH * best, gained)
    return "almost as well as" if close else "less well than"


def compared(ours: float, other: float, stake: float, weighed: bool = False) -> str:
    """Say how far losses are apart: in mistakes per 100 rounds, or (weighed) of what could be lost.

    >>> compared(30.0, 20.0, 1000), compared(20.0, 20.4, 1000), compared(30.0, 40.0, 1000, weighed=True)
    ('makes 1.0 more mistakes per 100 rounds than', 'makes practically as many mistakes as', 'loses 1.0 % less than')
    """
    extra = 100 * (ours - other) / stake if stake else 0.0
    if abs(extra) < AS_WELL:
        return "loses practically as much as" if weighed else "makes practically as many mistakes as"
    if weighed:
        return f"loses {abs(extra):.1f} % {'more' if extra > 0 else 'less'} than"
    return f"makes {abs(extra):.1f} {'more' if extra > 0 else 'fewer'} mistakes per 100 rounds than"


def waiting(rows: int) -> str:
    """Say how many rows wait for their labels.

    >>> waiting(1), waiting(1200)
    ('1 row answered, whose label has not come.', '1,200 rows answered, whose labels have not come.')
    """
    return f"{counted(rows, 'row')} answered, whose {'label has' if rows == 1 else 'labels have'} not come."


def sentence(rule: str) -> str:
    """Return a rule as what to do.

    >>> sentence("age >= 40"), sentence("always 1"), sentence("never 1 (no block)"), sentence("concept 2: 1 on {'b'}")
    ('guess 1 where age >= 40, else 0', 'always guess 1', 'always guess 0', "follow concept 2: 1 on {'b'}")
    """
    for beginning, said in (
        ("always 1", "always guess 1"),
        ("always 0", "always guess 0"),
        ("never 1", "always guess 0"),
    ):
        if rule.startswith(beginning):
            return said
    return f"follow {rule}" if rule.startswith("concept ") else f"guess 1 where {rule}, else 0"
