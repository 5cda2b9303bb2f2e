"""``--dry-run``: report the detected columns of a stream and the learner's guarantee, without learning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adeptree.app.run.layout import Layout
from adeptree.app.run.streams import LISTED, Stream
from adeptree.core.cell_text import brief, is_missing, is_number
from adeptree.core.escaping import counted, visible
from adeptree.families.tables.detecting import SAMPLED
from adeptree.learners.adept_learner import Adept
from adeptree.learners.guarantees import beats_a_coin, why_nothing
from adeptree.pages.standing import unit_of

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options

ROWS = 1000
"""The number of rows for which the guarantee is shown, if the stream's length is unknown."""


def dry_run(options: Options, stream: Stream, layout: Layout, learner: Adept) -> str:
    """Return the report as text."""
    label, settings = layout.label, learner.settings()
    (ones, zeros), costs = label.values, " and ".join(f"{cost:g}" for cost in learner.costs)
    one = f"{label.sign} {label.value}" if label.sign else brief(ones[0])
    zero = "anything else" if label.sign or not zeros else brief(zeros[0])
    decided = ("review", options.review), ("feedback", options.feedback), ("drift", options.drift), ("by", options.by)
    parts = [
        f"{stream.name}: {stream.form}; {counted(len(stream.columns), 'column')}",
        *_columns(options, stream, layout),
        f"Label {brief(label.column)}: 1 is {one}, 0 is {zero}",
        f"Rules: {layout.shown}",
        f"Learner: horizon {settings['horizon'] or 'none'}, rate {settings['rate']}, prior {settings['prior']}, "
        f"costs {costs}, seed {learner.seed}{''.join(f', {name} {value}' for name, value in decided if value)}",
        _guarantee(stream, learner),
        "This was a dry run: nothing was learnt or written.",
    ]
    return "\n".join(map(visible, parts))


def _columns(options: Options, stream: Stream, layout: Layout) -> Iterator[str]:
    apart = {layout.label.column: "label", options.weight: "weight", options.key: "key", options.by: "segment"}
    rows, width = stream.there()[:SAMPLED], max(len(brief(name)) for name in stream.columns[:LISTED])
    for place, name in enumerate(stream.columns[:LISTED]):
        texts = [text for row in rows if not is_missing(text := row.cells[place].strip())]
        numbers = sum(map(is_number, texts))
        kind = "time" if name in layout.reads.times else "number" if 10 * numbers >= 9 * len(texts) else "text"
        made = [one for one in layout.reads.features if one != name and one.endswith(f"({name})")]
        use = apart.get(name) or (", ".join(["feature", *made]) if name in layout.names else "left out")
        example = f", e.g. {brief(texts[0])}" if texts else ""
        yield f"  {brief(name):<{width}}  {kind if texts else 'empty':<6}  {use}{example}"
    if len(stream.columns) > LISTED:
        yield f"  and {len(stream.columns) - LISTED:,} more columns"


def _guarantee(stream: Stream, learner: Adept) -> str:
    rounds = learner.horizon or stream.total() or ROWS
    price = learner.bound_after(rounds)
    if price is None:
        return f"Guarantee in advance: none; {why_nothing(learner)}"
    rows = f"{rounds:,} rows" + ("" if beats_a_coin(price, rounds) else "; a coin guarantees as much")
    return f"Guarantee in advance: at most {price:,.1f} more {unit_of(learner)} than the best rule on any {rows}"
