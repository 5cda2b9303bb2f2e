"""The standing of a learner: numbers and texts that summary, report and live page share."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import counted, more_at_most, rounded_up, visible
from adeptree.core.types import Concept
from adeptree.families.registry import columns_of
from adeptree.learners.certificate import SELECTIVE
from adeptree.learners.saving import Saved as Learner
from adeptree.pages.record import Record

AS_WELL = 0.05
"""Differences below this per 100 rows are shown as 0.0."""


def graded(extra: float, rows: int, unit: str, usual: float | None = None) -> str:
    """Describe the distance of a loss from the best rule's, and if it is as expected.

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


MOST, LISTED, SHOWN = 100, 10, 3
"""Numbers of near-best rules that are counted, listed on a page, and named in a text."""
LONG_RULE, NAMED = 60, 20
"""Lengths of a rule in a text and in the table, in characters."""
THRESHOLD = re.compile(r"[^<>]+ >= \S+|always [01]")
"""Matches texts of thresholds."""
NO_HELP = 0.99
"""If the best rule's loss is above this share of the best constant's, the rules do not help."""


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run that the learner does not know: the stream, the rules' text, and skipped rows."""

    name: str
    rules: str
    columns: Sequence[str]
    bad: int = 0
    unlabelled: int = 0
    label: str = ""
    """Description of the value that is 1, if needed."""
    waiting: int = 0
    early: int = 0
    """Rows that wait for their labels, and labels that wait for their rows."""
    record: Record | None = None
    """The rows themselves, if they were kept."""
    options: bool = True
    """True if hints name options of the command line, in place of Python arguments."""


class Line(NamedTuple):
    """A row of the table: a loss, with its parts if known: misses, false alarms and reviews."""

    name: str
    loss: float
    missed: float | None = None
    alarmed: float | None = None
    reviews: float | None = None


class Standing:
    """The standing of a learner after its rounds, as numbers and texts."""

    def __init__(self, learner: Learner, account: RunFacts) -> None:
        self.learner, self.account, self.told = learner, account, learner.certificate()
        self.rule = rule_text(learner, account.columns)
        self.unit = unit_of(learner)
        seen = self.told.answered if learner.partial else learner.rounds
        record = account.record
        self.record = record if record is not None and record.whole(seen) else None
        self.from_file = learner.partial and self.record is not None
        """True if all numbers are known from the file, including those of rows that were not learnt."""
        self.rows = seen if self.from_file else learner.rounds

    @cached_property
    def lines(self) -> list[Line]:
        """Return the lines of the learner, the best rule, the best constant and, on a score, thresholds."""
        told, learner, record = self.told, self.learner, self.record
        ours = Line("", told.expected_loss, learner.ledger.missed, learner.ledger.alarmed)
        best, zeros, ones = Line("", told.best_loss), learner.ledger.loss_of_zeros, learner.ledger.loss_of_ones
        if record is not None:
            split = record.of_rule(learner.best_rule())
            # use the learner's loss, whose last digits may differ from a sum in another order
            best = Line("", split.loss if self.from_file else told.best_loss, split.missed, split.alarmed)
            if self.from_file:
                ours, zeros, ones = Line("", *record.ours()), *record.constants()
        if told.review is not None:
            ours = ours._replace(reviews=max(0.0, ours.loss - (ours.missed or 0.0) - (ours.alarmed or 0.0)))
        how = "estimated" if learner.partial and not self.from_file else "expected"
        constant = Line(f"best constant: always {int(ones < zeros)}", min(zeros, ones), zeros, 0.0)
        if ones < zeros:
            constant = constant._replace(missed=0.0, alarmed=ones)
        named = f"best rule: {self.rule}" if len(self.rule) <= NAMED else "best rule in hindsight"
        others = [] if record is None else [Line(name, *split) for name, split in record.thresholds()]
        if others and math.isclose(others[1].loss, best.loss) and THRESHOLD.fullmatch(self.rule):
            others[1] = best._replace(name=f"best threshold: {self.rule}")  # among equal cuts, the best rule's
        return [ours._replace(name=f"adeptree ({how})"), best._replace(name=named), constant, *others]

    @property
    def ours(self) -> Line:
        """Return the learner's loss."""
        return self.lines[0]

    @property
    def gap(self) -> str:
        """Describe the learner's distance from the best rule."""
        return graded(self.ours.loss - self.lines[1].loss, self.rows, self.unit, self.learner.usual_regret)

    @property
    def guarantee(self) -> str:
        """Describe the guarantee for these rows and for any others."""
        told, T = self.told, self.told.length
        limits = f" with weights up to {told.max_weight:g}" if told.weighed and told.max_weight is not None else ""
        if told.most_segments is not None:
            limits += f" and at most {counted(told.most_segments, 'segment')}"
        found = []
        if self.learner.partial and told.average_bound is not None:
            most = rounded_up(told.average_bound, 1)
            found.append(f"on average over the coins at most {most} more than any rule fixed in advance")
        elif not self.learner.partial and told.bound < math.inf:
            found.append(f"{more_at_most(told.bound)} than the best rule on these rows")
        if told.pooled_bound is not None and not self.learner.partial:
            found.append(f"{more_at_most(told.pooled_bound)} than the best rule for all segments")
        promised, rows, why = told.in_advance, counted(T, "row"), told.in_advance_note
        if self.account.options:
            why = re.sub(r"\b([a-z_]+)=(\S?)", lambda name: f"--{name[1].replace('_', '-')} {name[2]}".strip(), why)
        if told.forever is not None:
            promised, rows = told.forever, "number of rows"
        if promised is not None:
            note = f" ({why})" if why else ""
            late = f"at most {counted(told.delay, 'other label')} later" if told.delay else "before the next row"
            scope = f"on any {rows}{limits}, whatever the labels, if each comes {late}"
            found.append(f"at most {rounded_up(promised, 1)} more {scope}{note}")
        elif why:
            found.append(f"nothing in advance ({why})")
        if told.final is not None and told.horizon is not None and not self.learner.ended:
            end = f"after all {told.horizon:,} rows{limits}, whatever comes"
            found.append(f"at most {rounded_up(told.final, 1)} more {end}")
        return f"Guaranteed: {'; '.join(found) or 'nothing'}."

    @cached_property
    def hints(self) -> list[str]:
        """Return hints about options to try and about the numbers."""
        told, account, options, found = self.told, self.account, self.account.options, []
        gone = told.best_is_kept is False
        best, constant = self.lines[1].loss, self.lines[2].loss
        if best > NO_HELP * constant:
            which = "that was kept" if gone else "of this class"
            wide = self._wider()
            more = f"try {wide}" if wide else "the columns may not tell 0 from 1"
            found.append(f"No rule {which} helps here; {more}.")
        if gone:
            found.append("Paths were dropped to keep the width: a dropped rule may be better than the best kept one.")
        # without an oracle query
        record = None if self.learner.queries.posed or self.learner.drift_of else account.record
        if record is not None and (saved := record.saved_by_tenths(self.learner)):
            drift = "--drift" if options else "drift=True"
            rate = (" --rate 0.1" if options else ", rate=0.1") * record.drift_needs_rate(self.learner)
            less = f"{100 * saved:.0f} % less than the best single rule; try {drift}{rate}"
            found.append(f"The best rules of ten tenths of the stream together would have cost {less}.")
        if self.from_file:
            found.append("Misses and false alarms of rows that were not learnt are known from the file.")
        elif told.feedback in ("reviewed", "asked"):
            found.append("Losses are estimates: labels of some rows only are known.")
        return [*found, *([SELECTIVE] if told.selective else [])]

    def _wider(self) -> str:
        """Return the text of rules with more cuts that fit the learner's settings; "" if it has them."""
        learner, options, rules = self.learner, self.account.options, self.account.rules.lower()
        # steps have no largest price in advance, exclude by=, and need a rate for drift
        drifts = learner.drift_of is not None and self.told.rate in ("lanes", "adaptive")
        if not (learner.by or learner.partial or drifts):
            return "" if "steps" in rules else "--rules steps" if options else "RealSteps()"
        if re.search(r"\bunions\(|_unions", rules):
            return ""
        rate = f" with {'--rate 0.1' if options else 'rate=0.1'}" if drifts else ""
        return ('--rules "unions(m=3)"' if options else "RealIntervalUnions(3)") + rate

    def assessment(self, near: bool = True) -> list[str]:
        """Return the assessment of the numbers, line by line."""
        named = [] if self.lines[1].name.endswith(self.rule) else [f"The best rule is: {folded(self.rule)}."]
        review, reviews = self.told.review, self.told.reviews
        handed = [] if review is None else [f"{counted(reviews, 'row')} went to review, at {review:g} each."]
        return [self.gap, *named, *handed, self.guarantee, *filter(None, [self.near() if near else ""]), *self.hints]

    def near(self) -> str:
        """Return the same as text."""
        said, rules = self.near_rules()
        return f"{said[:-1]}: {', '.join(rules[:SHOWN])}." if rules else said

    def near_rules(self) -> tuple[str, list[str]]:
        """Return how many rules are nearly as good as the best, and the first of them, each with its loss."""
        learner, stake = self.learner, stake_of(self.learner)
        reach = stake / 100 if learner.weighed else max(1, learner.rounds // 100)
        try:
            others = learner.rules_within(reach, MOST)
        except InvalidArgument:  # the structure cannot list rules
            return "", []
        within = f"within {amount(reach) if learner.weighed else counted(int(reach), 'mistake')} of the best"
        within = "as good as the best" if learner.weighed and amount(reach) == "0.0" else within
        within += ", by the learner's estimates" if self.from_file else ""
        if len(others) == 1:
            return "" if others.more else f"No other rule is {within}.", []
        count = f"At least {len(others) - 1:,}" if others.more else f"{len(others) - 1:,}"
        texts = [(rule_text(learner, self.account.columns, near.rule), near.loss) for near in others[1 : 1 + LISTED]]
        said = f"{count} other {'rule is' if len(others) == 2 else 'rules are'} {within}."
        return said, [f"{short(text)} ({amount(loss)})" for text, loss in texts]

    def segments(self) -> list[tuple[str, int | None, Line]]:
        """Return the best rule of each segment; if rows were kept, the largest first, with size and our loss."""
        if self.learner.by is None:
            return []
        rules = {name: Line(f"{rule} ({amount(loss)})", loss) for name, rule, loss in self.learner.by_segment()}
        if self.record is None or not self.record.answered:
            return [(name or "missing", None, line) for name, line in rules.items()]
        none, found = Line("", 0.0), self.record.segments().items()
        return [(name or "missing", n, Line(rules.get(name, none).name, *split)) for name, (n, split) in found]


def rule_text(learner: Learner, columns: Sequence[str], rule: Concept | None = None) -> str:
    """Return a rule, by default the best one, with the stream's column names in place of x.

    >>> import adeptree as at
    >>> learner = at.Adept(at.Thresholds(8), horizon=9)
    >>> learner.learn(4, 0)
    >>> rule_text(learner, ["vibration"])
    'vibration >= 5'
    """
    text, told = str(learner.best_rule() if rule is None else rule), columns_of(learner.concept_class)
    # The rules of a class with named columns contain the names already.
    if columns and told.placeholder and told.names(learner.concept_class) is None:
        text = re.sub(told.placeholder, lambda match: columns[int(match[1] or 0)], text)
    return visible(text)


def unit_of(learner: Learner) -> str:
    """Return the unit of losses: mistakes, unless they are weighed or reviews cost something."""
    return "mistakes" if not learner.weighed and learner.review is None else "cost"


def stake_of(learner: Learner) -> float:
    """Return the largest possible total loss: one per round without weights."""
    ledger = learner.ledger
    return ledger.loss_of_zeros + ledger.loss_of_ones if learner.weighed else learner.rounds


def amount(loss: float) -> str:
    """Format a sum of losses, which is whole without weights.

    >>> amount(1200), amount(0.1 + 0.2)
    ('1,200', '0.3')
    """
    return f"{loss:,}" if isinstance(loss, int) else f"{loss:,.1f}"


def folded(rule: str) -> str:
    """Shorten a rule to its first three intervals.

    >>> folded("a < 1 or a >= 5"), folded("a < 1 or 2 <= a < 3 or 4 <= a < 5 or 6 <= a < 7 or a >= 8")
    ('a < 1 or a >= 5', 'a < 1 or 2 <= a < 3 or 4 <= a < 5 and 2 more intervals')
    """
    intervals = rule.split(" or ")
    more = f" and {counted(len(intervals) - SHOWN, 'more interval')}" if len(intervals) > SHOWN + 1 else ""
    return " or ".join(intervals[:SHOWN]) + more if more else rule


def short(rule: str) -> str:
    """Shorten a long rule."""
    return rule if len(rule) <= LONG_RULE else f"{rule[: LONG_RULE - 3]}..."
