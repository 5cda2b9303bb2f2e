"""What the command line shows of a run at its end, for a reader who has seen none before."""

from __future__ import annotations

import math
import re
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from adeptree.core.visible import counted, visible
from adeptree.families.registry import columns_of
from adeptree.learners import Adept
from adeptree.learners.certificate import rounded_up
from adeptree.learners.promises import beats_a_coin, why_nothing
from adeptree.theory import bounds

LABEL_WIDTH = 24
NUMBER_WIDTH = 13
ALMOST = 5.0
"""Up to so many extra mistakes per 100 rounds are called almost as good as the best rule."""
LONG_RULE = 60
CONFIDENCE = 0.95
"""Of what is said about the mistakes drawn."""
GUESSES_UNKNOWN = "if who chose rows and labels did not know the guesses"


@dataclass(frozen=True)
class Account:
    """What the learner does not know of its run: the stream, the rules in words, and rows it never saw."""

    name: str
    rules: str
    columns: Sequence[str]
    bad: int = 0
    unlabelled: int = 0
    label: str = ""
    """Which value is 1, where that must be said."""


def rule_text(learner: Adept, columns: Sequence[str]) -> str:
    """Return the best rule with the stream's column names in place of x.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(8), horizon=9)
    >>> learner.learn(4, 0)
    >>> rule_text(learner, ["vibration"])
    'vibration >= 5'
    """
    rule, told = str(learner.best_rule()), columns_of(learner.concept_class)
    # A class that names its columns has them in its rules already.
    if told.placeholder and told.names(learner.concept_class) is None:
        rule = re.sub(told.placeholder, lambda match: columns[int(match[1] or 0)], rule)
    return visible(rule)


def summary(learner: Adept, account: Account) -> str:
    """Return the end summary of a run."""
    rule = rule_text(learner, account.columns)
    parts = [
        heading(learner, account),
        _mistakes(learner, rule),
        _regret(learner),
        _inside(learner),
        "\n".join(textwrap.wrap(plainly(learner, rule), min(100, _terminal_width()))),
    ]
    return "\n\n".join(parts)


def heading(learner: Adept, account: Account) -> str:
    """Return which run it is, in a line or two.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(8), horizon=9)
    >>> learner.learn(4, 0)
    >>> print(heading(learner, Account("f.csv", "thresholds(n=8)", ["score"], bad=2)))
    f.csv: 1 of 9 rounds against thresholds(n=8)
    2 bad rows were skipped.
    """
    planned = learner.horizon if learner.horizon is not None and learner.rounds < learner.horizon else None
    rounds = f"{learner.rounds:,} of {planned:,} rounds" if planned else counted(learner.rounds, "round")
    lines = [f"{account.name}: {rounds} against {account.rules}"]
    if account.label:
        lines.append(account.label)
    if account.bad:
        lines.append(f"{counted(account.bad, 'bad row')} {'was' if account.bad == 1 else 'were'} skipped.")
    if account.unlabelled:
        lines.append(f"{counted(account.unlabelled, 'row')} without a label, answered and not learnt.")
    return "\n".join(lines)


def _mistakes(learner: Adept, rule: str) -> str:
    rounds, made, best = learner.rounds, learner.realised_loss, learner.best_loss
    most = learner.realised_bound(CONFIDENCE) + best
    return _part(
        "Mistakes",
        ("expected", f"{learner.expected_loss:,.1f}", percent(learner.expected_loss, rounds)),
        (f"made with seed {learner.seed}", f"{made:,}", percent(made, rounds)),
        (f"  with {CONFIDENCE:.0%}, at most", rounded_up(most, 1), GUESSES_UNKNOWN),
        ("best rule in hindsight", f"{best:,}", f"{percent(best, rounds)}   {rule}"),
    )


def _regret(learner: Adept) -> str:
    end = []
    if learner.final is not None and not learner.ended:
        end.append(("at the end", rounded_up(learner.final, 1), f"after {learner.horizon:,} rounds, whatever comes"))
    return _part(
        "Regret: expected mistakes beyond those of the best rule",
        ("so far, exactly", f"{learner.regret:,.1f}"),
        ("proven now", rounded_up(learner.bound, 1), "from what was seen"),
        ("proven in advance", *_in_advance(learner)),
        *end,
    )


def _in_advance(learner: Adept) -> tuple[str, str]:
    if learner.in_advance is None:
        return "nothing", f"of any stream {_scope(learner)}: {why_nothing(learner)}"
    coin = "" if _useful(learner) else ", no less than a coin promises"
    return rounded_up(learner.in_advance, 1), f"on any stream {_scope(learner)}{coin}"


def _useful(learner: Adept) -> bool:
    return beats_a_coin(learner.in_advance, learner.rounds if learner.horizon is None else learner.horizon)


def _scope(learner: Adept) -> str:
    return f"of {counted(learner.rounds if learner.horizon is None else learner.horizon, 'round')}"


def _inside(learner: Adept) -> str:
    queries, base, M = learner.queries, type(learner.base).__name__, learner.mistake_bound
    return _part(
        "Inside",
        ("width: paths kept", f"{learner.width:,}"),
        ("Sauer's bound", *_sauer(learner)),
        ("oracle queries asked", f"{queries.asked:,}"),
        ("  posed", f"{queries.posed:,}", "reached an oracle"),
        ("  inferred", f"{queries.inferred:,}", "answered by logic"),
        ("learning rate", f"{learner.learning_rate:.4g}", _rate(learner)),
        ("mistake bound M", "none" if M is None else f"{M:,}", f"of the base learner {base}"),
    )


def _sauer(learner: Adept) -> tuple[str, str]:
    c = learner.concept_class
    if c.vc_dimension is None:
        return "unknown", "as the VC dimension is"
    # How many different points came is not counted: on a long stream that alone would fill the memory.
    points = min(learner.rounds, columns_of(c).points(c) or learner.rounds)
    note = f"of at most {counted(points, 'point')}, VC dimension {c.vc_dimension}"
    return f"{bounds.sauer(points, c.vc_dimension):,}", note


def _rate(learner: Adept) -> str:
    if learner.rate == "paper":
        return "the paper's"
    return f"{learner.rate}, as of now" if isinstance(learner.rate, str) else "as given"


def plainly(learner: Adept, rule: str) -> str:
    """Say what the numbers mean, for someone who sees them for the first time."""
    extra = round(100 * learner.regret / learner.rounds, 1)
    verdict, cost = "as well as", "it makes practically as many mistakes"
    if extra > 0:
        verdict = "almost as well as" if extra < ALMOST else "not yet as well as"
        cost = f"it makes {extra:.1f} more mistakes per 100 rounds"
    if extra < 0:
        verdict, cost = "even better than", f"it makes {-extra:.1f} fewer mistakes per 100 rounds"
    named = f"the best rule, {rule}," if len(rule) <= LONG_RULE else "the best rule,"
    return (
        f"In plain words: ADEPT predicted {verdict} {named} which only hindsight can name; on average {cost}. "
        f"It assumes nothing about the labels: {_guarantee(learner)}."
    )


def _guarantee(learner: Adept) -> str:
    seen = f"it is proven to be at most {math.ceil(learner.bound):,} behind now"
    if not _useful(learner):
        return f"{seen}; nothing better than a coin was promised before the first round"
    return (
        f"{seen}; on any stream {_scope(learner)}, a hostile one included, it is proven to make on average at most "
        f"{math.ceil(learner.in_advance or 0.0):,} mistakes more than the best rule"
    )


def _part(heading: str, *lines: tuple[str, ...]) -> str:
    """Return a heading, and below it lines of a label, a number and perhaps a note."""
    return "\n".join([heading, *(_line(*line) for line in lines)])


def _line(label: str, number: str, note: str = "") -> str:
    head = f"  {label:<{LABEL_WIDTH}}{number:>{NUMBER_WIDTH}}"
    if not note:
        return head
    # A long note goes on below itself, so that the column of numbers stays clear.
    indent = " " * (len(head) + 3)
    room = max(30, _terminal_width() - len(indent))
    return head + "   " + f"\n{indent}".join(textwrap.wrap(note, room))


def percent(part: float, whole: int) -> str:
    """Return a share in percent.

    >>> percent(1, 8)
    '12.5 %'
    """
    return f"{100 * part / whole:.1f} %"


def _terminal_width() -> int:
    return shutil.get_terminal_size((100, 24)).columns
