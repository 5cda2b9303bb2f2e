"""What the command line shows of a run at its end, for a reader who has seen none before."""

from __future__ import annotations

import math
import re
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import counted, visible
from adeptree.core.types import Concept
from adeptree.families.registry import columns_of
from adeptree.learners.adept_learner import Adept
from adeptree.learners.certificate import SELECTIVE, rounded_up
from adeptree.learners.guarantees import beats_a_coin, why_nothing
from adeptree.pages.summary_words import compared, sentence, verdict, waiting
from adeptree.theory import bounds

LABEL_WIDTH = 24
NUMBER_WIDTH = 13
MOST, SHOWN = 100, 3
"""Of the rules that are nearly as good, so many are counted and shown."""
LONG_RULE = 60
CONFIDENCE = 0.95
"""Of what is said about the mistakes drawn."""
GUESSES_UNKNOWN = "if rows, labels and weights were chosen without knowing the guesses"


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
    unsure: str = ""
    """In how many rounds p was unsure, as a sentence."""
    waiting: int = 0
    early: int = 0
    """Rows that wait for their labels, and labels that wait for their rows."""


def rule_text(learner: Adept, columns: Sequence[str], rule: Concept | None = None) -> str:
    """Return a rule, by default the best one, with the stream's column names in place of x.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(8), horizon=9)
    >>> learner.learn(4, 0)
    >>> rule_text(learner, ["vibration"])
    'vibration >= 5'
    """
    text, told = str(learner.best_rule() if rule is None else rule), columns_of(learner.concept_class)
    # A class that names its columns has them in its rules already.
    if told.placeholder and told.names(learner.concept_class) is None:
        text = re.sub(told.placeholder, lambda match: columns[int(match[1] or 0)], text)
    return visible(text)


def summary(learner: Adept, account: Account, verbose: bool = False) -> str:
    """Return the end summary of a run: three numbers, what they mean, and (if asked for) what is behind them."""
    rule = rule_text(learner, account.columns)
    parts = [
        heading(learner, account),
        _losses(learner, rule),
        "\n".join(textwrap.wrap(plainly(learner, rule), min(100, _terminal_width()))),
        "\n".join(textwrap.wrap(SELECTIVE, _terminal_width())) if learner.tickets.selective() else "",
        "\n".join(textwrap.wrap(account.unsure, _terminal_width())),
        _nearly(learner, account.columns),
        _regret(learner),
        *([_drawn(learner), _inside(learner)] if verbose else []),
    ]
    return "\n\n".join(filter(None, parts))


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
    if account.waiting:
        lines.append(waiting(account.waiting))
    if account.early:
        rows = "whose row has" if account.early == 1 else "whose rows have"
        lines.append(f"{counted(account.early, 'label')} {rows} not come.")
    return "\n".join(lines)


def unit_of(learner: Adept) -> str:
    """Return what losses are called: mistakes, unless they are weighed."""
    return "losses" if learner.weighed else "mistakes"


def stake_of(learner: Adept) -> float:
    """Return what could have been lost in all: one per round, if nothing is weighed."""
    ledger = learner.ledger
    return ledger.loss_of_zeros + ledger.loss_of_ones if learner.weighed else learner.rounds


def _losses(learner: Adept, rule: str) -> str:
    """Return the three numbers that all others are about."""
    stake, best, constant = stake_of(learner), learner.best_loss, learner.best_constant()
    costs = f" (a miss costs {learner.costs[0]:g}, a false alarm {learner.costs[1]:g}, times the weight of the round)"
    return _part(
        unit_of(learner).capitalize() + (costs if learner.weighed else ""),
        ("ours, expected", f"{learner.expected_loss:,.1f}", percent(learner.expected_loss, stake)),
        ("best rule in hindsight", amount(best), f"{percent(best, stake)}   {rule}"),
        ("best constant", amount(constant.loss), f"{percent(constant.loss, stake)}   {constant.rule}"),
    )


def amount(loss: float) -> str:
    """Return a sum of losses: whole if nothing is weighed.

    >>> amount(1200), amount(0.1 + 0.2)
    ('1,200', '0.3')
    """
    return f"{loss:,}" if isinstance(loss, int) else f"{loss:,.1f}"


def _nearly(learner: Adept, columns: Sequence[str]) -> str:
    """Return how many rules are nearly as good as the best, and the first of them."""
    stake, unit = stake_of(learner), unit_of(learner)
    reach = stake / 100 if learner.weighed else max(1, learner.rounds // 100)
    try:
        others = learner.rules_within(reach, MOST)
    except InvalidArgument:  # (a structure that cannot list them)
        return ""
    within = f"within {amount(reach)} {unit.removesuffix('s') if reach == 1 else unit} of the best rule"
    if len(others) == 1:
        return "" if others.more else f"Nearly as good: no other rule comes {within}."
    count = f"at least {len(others) - 1:,}" if others.more else f"{len(others) - 1:,}"
    few = [("", amount(near.loss), _short(rule_text(learner, columns, near.rule))) for near in others[1 : 1 + SHOWN]]
    return _part(f"Nearly as good: {count} other rule{'s' * (len(others) > 2)} {within}", *few)


def _short(rule: str) -> str:
    return rule if len(rule) <= LONG_RULE else f"{rule[: LONG_RULE - 3]}..."


def _drawn(learner: Adept) -> str:
    made, most = learner.realised_loss, learner.realised_bound(CONFIDENCE) + learner.best_loss
    return _part(
        "Guesses drawn",
        (f"made with seed {learner.seed}", amount(made), percent(made, stake_of(learner))),
        (f"  with {CONFIDENCE:.0%}, at most", rounded_up(most, 1), GUESSES_UNKNOWN),
    )


def _regret(learner: Adept) -> str:
    end = []
    if learner.final is not None and not learner.ended:
        end.append(("at the end", rounded_up(learner.final, 1), f"after {learner.horizon:,} rounds, whatever comes"))
    return _part(
        f"Regret: expected {unit_of(learner)} beyond those of the best rule",
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
    queries, M, gone, runs = learner.queries, learner.mistake_bound, learner.engine.dropped, learner.engine.runs_base
    base = f"of the base learner {type(learner.base).__name__}" if runs else "no base learner runs"
    dropped = f"{gone.paths:,} with {gone.mass:.3g} of the prior mass dropped" if gone.paths else ""
    return _part(
        "Inside",
        ("width: paths kept", f"{learner.width:,}", dropped),
        ("Sauer's bound", *_sauer(learner)),
        ("oracle queries asked", f"{queries.asked:,}"),
        ("  posed", f"{queries.posed:,}", "reached an oracle"),
        ("  inferred", f"{queries.inferred:,}", "answered by logic"),
        ("learning rate", f"{learner.learning_rate:.4g}", _rate(learner)),
        ("mistake bound M", "none" if M is None else f"{M:,}", base),
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
    ours, best, stake, weighed = learner.expected_loss, learner.best_loss, stake_of(learner), learner.weighed
    constant, least = learner.best_constant(), learner.engine.dropped.least_loss
    told = f": {sentence(rule)}" if len(rule) <= LONG_RULE else ""
    said = [
        f"In plain words: ADEPT predicted {verdict(ours, best, constant.loss, stake)} the best rule, "
        f"which only hindsight can name{told}.",
        f"On average it {compared(ours, best, stake, weighed)} that rule, "
        f"and {compared(ours, constant.loss, stake, weighed)} {constant.rule}"
        + (" (of all that could be lost)." if weighed else "."),
    ]
    better_gone = least is not None and least < best
    if constant.loss <= best:
        said.append(f"No rule {'that was kept' if better_gone else 'of the class'} does better than {constant.rule}.")
    if better_gone:
        said.append(
            "Paths were dropped to keep the width: one of their rules may be better than the best that was kept."
        )
    return " ".join([*said, f"It assumes nothing about the labels: {_guarantee(learner)}."])


def _guarantee(learner: Adept) -> str:
    seen = f"it is proven to be at most {math.ceil(learner.bound):,} behind now"
    if not _useful(learner):
        return f"{seen}; nothing better than a coin was promised before the first round"
    return (
        f"{seen}; on any stream {_scope(learner)}, a hostile one included, it is proven to make on average at most "
        f"{math.ceil(learner.in_advance or 0.0):,} {unit_of(learner)} more than the best rule"
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


def calibration(error: float) -> str:
    """Say how good the frequencies were.

    >>> calibration(0.84)
    'Frequencies: of the rows that were given a number, so many were 1, within 0.8 points on average.'
    """
    return f"Frequencies: of the rows that were given a number, so many were 1, within {error:.1f} points on average."


def percent(part: float, whole: float) -> str:
    """Return a share in percent.

    >>> percent(1, 8)
    '12.5 %'
    """
    return f"{100 * part / whole:.1f} %" if whole else "0.0 %"


def _terminal_width() -> int:
    return shutil.get_terminal_size((100, 24)).columns
