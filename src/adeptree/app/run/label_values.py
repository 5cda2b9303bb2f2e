"""Decide which value of a column is the label 1, from the first rows of a stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from adeptree.app.run.streams import Stream, listed
from adeptree.core.cell_text import brief, is_missing, is_number, number
from adeptree.core.errors import InvalidArgument, did_you_mean
from adeptree.runner.rows import Row

PAIRS = [("0", "1"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"), ("negative", "positive"), ("neg", "pos")]
PAIRS += [("down", "up"), ("-", "+"), ("-1", "1"), ("nein", "ja"), ("nee", "ja"), ("nej", "ja"), ("non", "oui")]
PAIRS += [("no", "si"), ("no", "sí"), ("no", "sì"), ("não", "sim"), ("nao", "sim")]
"""Words for 0 and 1 (besides false and true); once both were seen, no more rows are read."""
SAMPLED = 1024
"""Number of rows read if words and numbers do not decide; more while all values are equal."""
STRAY = 20
"""One in this many labels may be a third value; such rows are bad rows, not a reason to refuse the column."""


def key(text: str) -> Any:
    """Return a key that is equal for texts of the same value.

    >>> key(" Yes "), key("1.0") == key("1") == key("TRUE") == 1, key("1_0")
    ('yes', True, '1_0')
    """
    text = text.strip().lower()
    text = {"true": "1", "false": "0"}.get(text, text)
    return number(text) if is_number(text) else text


SEVERAL = 3
"""A third value that occurs this often is not a slip."""


class Values(NamedTuple):
    """The texts of label 1 and of label 0; without texts of label 0, every other text is 0."""

    ones: tuple[str, ...]
    zeros: tuple[str, ...]

    def table(self) -> dict[Any, int]:
        """Return the label of each key."""
        return {**{key(text): 0 for text in self.zeros}, **{key(text): 1 for text in self.ones}}

    def said(self, column: str) -> str:
        """Describe which value is 1; "" if the words are self-explanatory."""
        if self.table() == PLAIN.table() or self == WORDS:
            return ""
        rest = f"0 is {brief(self.zeros[0])}" if self.zeros else "anything else is 0"
        return f"Label {column}: 1 is {brief(self.ones[0])}, {rest}."


PLAIN = Values(("1",), ("0",))
WORDS = Values(tuple(yes for _, yes in PAIRS), tuple(no for no, _ in PAIRS))
"""All words, for ``--follow``, which cannot read rows ahead."""
MEANT = WORDS.table()


def values_of(stream: Stream, column: str, place: int, positive: str | None) -> Values:
    """Return the values of a column that are 1 and 0, from the first rows, which are not consumed."""
    wanted = 1
    while True:
        rows = stream.peek(wanted)
        counts, shown = Counter[Any](), dict[Any, str]()
        for text in (row.cells[place].strip() for row in rows):
            if not is_missing(text) or (positive is not None and key(text) == key(positive)):
                shown.setdefault(key(text), text)
                counts[key(text)] += 1
                if _is_pair(list(counts), positive):
                    _refuse_classes(stream, column, place, list(counts))
                    return _chosen(list(counts), counts, shown, positive)
                if stream.live and positive is None and len(counts) == 1 and MEANT.get(key(text)) == 0:
                    return _only(stream, column, text)  # from a pipe, do not wait for more rows than needed
        if len(rows) < wanted or (len(counts) > 1 and wanted >= SAMPLED):
            return _of_counts(stream, column, counts, shown, positive)
        wanted *= 2


def _is_pair(found: list[Any], positive: str | None) -> bool:
    """Return True if the first two values are a word for 0 and a word for 1, which decides."""
    known = positive is None or key(positive) in found
    return len(found) == 2 and known and {MEANT.get(value) for value in found} == {0, 1}


def _of_counts(
    stream: Stream, column: str, counts: Counter[Any], shown: dict[Any, str], positive: str | None
) -> Values:
    found = [value for value, _ in counts.most_common()]
    if positive is not None:
        first = key(positive)
        if first not in counts and len(counts) > 1:
            raise InvalidArgument(
                f'--positive: "{column}" has no value "{brief(positive)}" in the first rows of {stream.name}'
                f"{did_you_mean(positive, shown.values())} Its values are: {_listed(found, shown)}"
            )
        found = [first, *(value for value in found if value != first)]
        shown.setdefault(first, positive)
        if len(found) == 1:
            return Values((positive,), ())
    if not found:
        return PLAIN
    if len(found) == 1:
        return _only(stream, column, shown[found[0]])
    if STRAY * (counts.total() - counts[found[0]] - counts[found[1]]) > counts.total():
        raise _too_many(stream, column, found, shown)
    return _chosen(found[:2], counts, shown, positive)


def _refuse_classes(stream: Stream, column: str, place: int, two: list[Any]) -> None:
    """Raise an error for a column such as 0, 1, 2 if rows can be read ahead, because most rows would be bad."""
    texts = [] if stream.live else [row.cells[place].strip() for row in stream.peek(SAMPLED)]
    counts = Counter(key(text) for text in texts if not is_missing(text))
    others = sum(count for value, count in counts.items() if value not in two and count >= SEVERAL)
    if 4 * others > counts.total():
        shown = {key(text): text for text in reversed(texts)}
        raise _too_many(stream, column, [value for value, _ in counts.most_common()], shown)


def _too_many(stream: Stream, column: str, found: list[Any], shown: dict[Any, str]) -> InvalidArgument:
    sign = ">" if _are_numbers(found) else "=="
    return InvalidArgument(
        f'--label: "{column}" has {len(found)} values in the first rows of {stream.name} ('
        f"{_listed(found, shown)}), and a label has two; say when it is 1, and in all others it is 0: "
        f'--label "{column}{sign}VALUE"{_better(stream)}'
    )


def _better(stream: Stream) -> str:
    """Suggest columns with two values, from the first rows."""
    columns = zip(*(row.cells for row in stream.there()[:SAMPLED]), strict=True)
    values = [{key(text) for text in set(cells) if not is_missing(text)} for cells in columns]
    two = [name for name, found in zip(stream.columns, values, strict=True) if len(found) == 2]
    return f"; of two values here: {listed(two)}" if two else ""


def _only(stream: Stream, column: str, text: str) -> Values:
    """Return the pair to which the only value seen belongs."""
    for no, yes in PAIRS:
        if key(text) in (key(no), key(yes)):
            return Values((yes,), (no,))
    raise InvalidArgument(
        f'--label: "{column}" holds nothing but "{brief(text)}" in the first rows of {stream.name}; a label has two '
        f"values: say which one is 1 with --positive VALUE, or choose another column"
    )


def _chosen(two: list[Any], counts: Counter[Any], shown: dict[Any, str], positive: str | None) -> Values:
    """Return the value that is 1: the given one; the greater number; the word; the rarer; the last by alphabet."""
    numbers, wanted = _are_numbers(two), None if positive is None else key(positive)

    def rank(value: Any) -> tuple[Any, ...]:
        by_words = (MEANT.get(value, 0.5), -counts[value], str(value))
        return value == wanted, *((value,) if numbers else by_words)

    no, yes = sorted(two, key=rank)
    return Values((shown[yes],), (shown[no],))


def _are_numbers(values: Sequence[Any]) -> bool:
    return not any(isinstance(value, str) for value in values)


def _listed(found: Sequence[Any], shown: dict[Any, str]) -> str:
    texts = [brief(shown[value]) for value in found[:5]]
    return ", ".join(texts) + (f" and {len(found) - 5:,} others" if len(found) > 5 else "")


def copies(rows: Sequence[Row], places: Sequence[int], ys: Sequence[int], fewest: int = 20) -> list[int]:
    """Return the indices of columns that equal the label, up to names of the two values, in all of these rows.

    >>> rows = [Row(i, [str(i), "dead" if i % 3 else "alive"]) for i in range(20)]
    >>> copies(rows, [0, 1], [int(i % 3 == 0) for i in range(20)])
    [1]
    """
    known = [(row.cells, y) for row, y in zip(rows, ys, strict=True) if y >= 0]
    if len(known) < fewest:
        return []
    return [place for place in places if _is_copy((cells[place], y) for cells, y in known)]


def _is_copy(pairs: Any) -> bool:
    seen: dict[str, int] = {}
    for text, y in pairs:
        if seen.setdefault(text, y) != y or len(seen) > 2:
            return False
    return len(set(seen.values())) == 2
