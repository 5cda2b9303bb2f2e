"""Set up a run: resolve its options on the stream, and create or resume its learner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adeptree.app.command_options import LearnerOptions
from adeptree.app.run.label_values import Values
from adeptree.app.run.layout import Layout, layout_of
from adeptree.app.run.row_label import label_of
from adeptree.app.run.rules_option import Reads
from adeptree.app.run.stream_sources import BUNDLED
from adeptree.app.run.streams import Stream, listed
from adeptree.app.terminal import note
from adeptree.core.cell_text import brief, is_missing, is_number
from adeptree.core.errors import DamagedFile, InvalidArgument, TooLarge
from adeptree.families.tables.detecting import SAMPLED
from adeptree.learners.adept_learner import Adept
from adeptree.learners.loading import load
from adeptree.runner.run_folder import RunFolder
from adeptree.theory.decide import Review

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options
    from adeptree.app.serve.serve_command import ServeOptions


DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d).*")
KINDS = {
    re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?"): (
        "if these are numbers, remove the separators of thousands, or add --decimal , if the comma begins the fraction"
    ),
    re.compile(r"[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?"): "if these are numbers, add --decimal ,",
    re.compile(r"[-+]?\d{1,3}(['’ \u00a0\u202f]\d{3})+([.,]\d+)?"): (
        "if these are numbers, remove the separators of thousands"
    ),
    DATE: "if these are dates, write them in ISO 8601, as ",
}
"""Patterns of texts that are not read as numbers or times, with advice."""


def hints(stream: Stream) -> Iterator[str]:
    """Yield advice about columns of such texts, from the first rows."""
    rows = stream.there()[:SAMPLED]
    for place, name in enumerate(stream.columns):
        texts = [text for row in rows if not is_missing(text := row.cells[place].strip())]
        odd = [text for text in texts if not is_number(text)]
        if hint := hint_for(odd, len(texts)):
            if "--decimal" in hint and not stream.form.startswith("CSV"):
                hint = "if these are numbers, write them as JSON does, such as 1234.5"
            yield f'{stream.name}: column "{brief(name)}" holds texts such as {brief(odd[0])}; {hint}'


def hint_for(odd: list[str], count: int) -> str:
    """Return advice if nine of ten texts of a column are numbers or match one pattern; ``odd`` are not numbers.

    >>> hint_for(["1.234,5"], 10), hint_for(["31.12.2025"] * 9, 10), hint_for(["12 a"], 1)
    ('if these are numbers, add --decimal ,', 'if these are dates, write them in ISO 8601, as 2025-12-31', '')
    """
    for kind, hint in KINDS.items():
        found = [match for match in map(kind.fullmatch, odd) if match]
        if found and 10 * (len(odd) - len(found)) <= count:
            return hint + (_iso([date.groups() for date in found]) if kind is DATE else "")
    return ""


def _iso(dates: list[tuple[str, ...]]) -> str:
    """Return the first date in ISO 8601; the day comes first, unless a second number is too large for a month."""
    first, _, second, year = dates[0]
    month, day = (first, second) if any(int(date[2]) > 12 for date in dates) else (second, first)
    return f"{year}-{month:>02}-{day:>02}"


USUAL_RULES = "stumps"
"""The default rules of a user's stream, which fit any table with texts, times and missing values."""


def meanings(layout: Layout) -> dict[str, Any]:
    """Return the resolved rules."""
    values = [list(texts) for texts in layout.label.values]
    return {"class": repr(layout.concept_class), "shown": layout.shown, "label": values, **layout.reads.kept()}


def understood(options: Options, stream: Stream, labels: Stream | None, folder: RunFolder | None) -> Layout:
    """Resolve the options on this stream; a resumed run keeps its first result."""
    saved = folder.saved if folder else None
    if folder and saved is not None:
        folder.refuse_differences({**options.settings(), "columns": stream.columns})
    rules = options.rules or BUNDLED.get(options.stream, ("", USUAL_RULES))[1]
    apart = (options.weight, options.key, *([options.by] if options.separate else []))
    given = stream, rules, options.features, options.label, options.follow
    more: dict[str, Any] = {"positive": options.positive, "by": None if options.separate else options.by}
    if folder is None or saved is None:
        values = None
        if labels is not None:
            values = label_of(labels, options.label, options.positive, options.follow).values
        layout = layout_of(*given, values=values, apart=apart, **more)
        for column in layout.copies(stream.there()):
            note(f'warning: column "{column}" copies the label; a rule that reads it knows the answer')
        for hint in () if options.quiet else hints(stream):
            note(hint)
        silent = options.quiet or options.dry_run
        if layout.reads.times and not silent:
            note(layout.reads.said())
        left = [name for name in stream.columns if name not in (*layout.names, *apart, layout.label.column)]
        if left and re.fullmatch(r"\w+(\(\w+=\d+\))?", rules) and not (options.features or silent):
            why = "left out, as their texts are all different in the first rows"
            note(f"{why}: {listed(left)}; name them in --rules to have them")
        return layout
    found = saved["found"]
    values = Values(*map(tuple, found["label"]))
    # A fault of the label is not one of the settings.
    label_of(stream, options.label, options.positive, known=values)
    try:
        layout = layout_of(*given, known=Reads.of(found), values=values, **more)
    except (ValueError, TypeError, KeyError, TooLarge):
        raise folder.damaged_settings() from None
    # Accept only results that the options allow.
    if meanings(layout) != found or not layout.label.fits(options.positive):
        raise folder.damaged_settings()
    return layout


def resumed(folder: RunFolder | None, layout: Layout, segments: int | None = None) -> Adept | None:
    """Return the learner of the checkpoint, if there is one."""
    if folder is None or not folder.checkpoint_path.exists():
        return None
    learner, wanted = load(folder.checkpoint_path), layout.concept_class
    if segments is not None:
        wanted = replace(wanted, segments=segments)  # type: ignore[type-var]
    if learner.kind != "adept" or learner.concept_class != wanted:
        raise DamagedFile(f"{folder.checkpoint_path} does not belong to the settings in the same folder")
    return learner  # type: ignore[return-value]


def fresh(options: Options | ServeOptions, layout: Layout) -> Adept:
    """Return a new learner; an error names the options that exclude each other."""
    concept_class = layout.concept_class if options.by is None else layout.concept_class.rules  # type: ignore[attr-defined]
    costs = (options.cost_miss, options.cost_false_alarm)
    policy, most = options.review_policy, options.max_reviews
    of_review = {"policy": policy, "at_most": most, "delay": options.delay, "promise": options.promise}
    given: dict[str, Any] = {name: value for name, value in of_review.items() if value is not None}
    for option in ({"policy": "review-policy", "at_most": "max-reviews"}.get(name, name) for name in given):
        if options.review is None:
            raise InvalidArgument(
                f"--{option.replace('_', '-')} needs --review C, the cost of handing a case to a person"
            )
        if options.feedback == "reviewed":
            raise InvalidArgument(f"--{option} cannot be used with --feedback reviewed; leave it out")
    same = ("max_weight", "max_width", "feedback", "max_labels", "drift", "by", "segments")
    named: dict[str, Any] = {"costs": costs, **{name: getattr(options, name) for name in same}}
    if options.rate is not None:
        named["rate"] = _rate(options.rate)
    if options.prior is not None:
        named["prior"] = options.prior
    elif options.horizon is not None and concept_class.littlestone_dimension is None:
        # There is no finite mistake bound M, so the paper's capacities do not exist.
        named["prior"] = "mixed"
    try:
        if options.review is not None:
            named["review"] = Review(options.review, **given)
        return Adept(concept_class, options.horizon, seed=options.seed, **named)
    except InvalidArgument as error:
        raise type(error)(in_options(str(error))) from None


IN_OPTIONS = {
    r"Review\(cost=([^,]*)[^)]*\)": r"\1",
    r", a cost or Review\(cost\) without other settings; got review=None.*": " C, the cost of a review",
    r", such as Thresholds\(9\)\.on.*": ', as in --rules "thresholds(score)"',
    ', or engine="paths"[^;]*': "",
    r"\bpolicy=": "review_policy=",
    r" \(--max-width\)": "",
}
"""Patterns in error messages of the library, with their form on the command line."""


def in_options(text: str) -> str:
    """Replace Python's arguments by options of the command in an error message of the library.

    >>> in_options('max_labels= needs feedback="asked"; got max_labels=3 (int); leave it out')
    '--max-labels needs --feedback asked; got 3; leave it out'
    >>> in_options("with max_width=9 paths are dropped, so that review= has no guarantee; leave max_width out")
    'with --max-width 9 paths are dropped, so that --review has no guarantee; leave --max-width out'
    """
    for words, option in IN_OPTIONS.items():
        text = re.sub(words, option, text)
    text = re.sub(r"got [\w ]+=(.+?) \(\w+\)", lambda found: f"got {found[1].strip(chr(39))}", text)
    names = "|".join(LearnerOptions.__dataclass_fields__)
    text = re.sub(rf"\b({names})=(?:True|\"(\w+)\"|([\w.]+))?", _as_option, text)
    return re.sub(rf"(?<=leave )({names})(?= out)", _as_option, text)


def _as_option(found: re.Match[str]) -> str:
    return " ".join([f"--{found[1].replace('_', '-')}", *filter(None, found.groups()[1:])])


def _rate(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
