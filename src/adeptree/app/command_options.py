"""Options of commands, each declared once: a field of a dataclass is an option of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import typer

from adeptree.app.terminal import told

T = TypeVar("T")


def among(*words: str) -> Callable[[str], list[str]]:
    """Return what tells a shell the words that an option takes."""

    def like(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return like


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """The options that decide what a learner computes, on a stream or behind a service."""

    horizon: Annotated[
        int | None, typer.Option(help="Rounds to plan for, as in the paper.", show_default="any number")
    ] = None
    rate: Annotated[
        str | None,
        typer.Option(
            help="Learning rate: paper, first-order, anytime, adaptive or a number.",
            show_default="what fits the other options",
            autocompletion=among("paper", "first-order", "anytime", "adaptive"),
        ),
    ] = None
    prior: Annotated[
        Literal["paper", "kt", "mixed"] | None,
        typer.Option(
            help="Prior of the rules. paper needs a horizon; kt is fast on long streams of thresholds.",
            show_default="paper with a horizon, else mixed",
        ),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of the guesses.")] = 0
    cost_miss: Annotated[float, typer.Option(help="Cost of guessing 0 where the label is 1.")] = 1
    cost_false_alarm: Annotated[float, typer.Option(help="Cost of guessing 1 where the label is 0.")] = 1
    max_weight: Annotated[
        float, typer.Option(help="Largest weight to come. A larger one ends the guarantee in advance.")
    ] = 1
    max_width: Annotated[
        int | None,
        typer.Option(help="Largest number of paths to keep. Bounds then hold against the rules that were kept."),
    ] = None
    review: Annotated[
        float | None,
        typer.Option(
            metavar="C",
            help="Cost of handing a case to a person. The learner then has three actions: 0, 1 and review.",
            show_default="it decides every case",
        ),
    ] = None
    review_policy: Annotated[
        Literal["fewest", "cheapest"] | None,
        typer.Option(
            help="Keep the guarantee with the fewest reviews, or with the least expected cost.", show_default="fewest"
        ),
    ] = None
    max_reviews: Annotated[
        int | None, typer.Option(help="Largest number of reviews in all. Afterwards the learner decides alone.")
    ] = None
    delay: Annotated[
        int | None,
        typer.Option(
            help="With --review: the number of other labels that may come between an answer and its label.",
            show_default="0",
        ),
    ] = None
    promise: Annotated[
        Literal["average", "drawn"] | None,
        typer.Option(
            help="Guarantee of --review: for the expected cost, or also for the cost of the drawn actions.",
            show_default="average",
        ),
    ] = None
    feedback: Annotated[
        Literal["all", "reviewed", "asked"],
        typer.Option(help="Labels to learn: all, those of reviewed cases, or those that the learner asks for."),
    ] = "all"
    max_labels: Annotated[
        int | None, typer.Option(help="With --feedback asked: the largest number of labels to ask for.")
    ] = None
    drift: Annotated[
        bool, typer.Option("--drift", help="Let the best rule change: compete with sequences of rules.")
    ] = False
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of segments, such as tenant: compete with one rule for all and one rule per segment. "
            "For thresholds on one column.",
        ),
    ] = None

    segments: Annotated[
        int | None,
        typer.Option(help="With --by: the largest number of segments to come. It gives a guarantee in advance."),
    ] = None

    @property
    def decisions(self) -> tuple[str, ...]:
        """The columns of answers with decisions: the action, and whether the label is asked for."""
        decides = self.review is not None or self.feedback != "all"
        return ("action", "ask")[: decides + (self.feedback == "asked")]


def names_of_options(options: type[Any]) -> list[str]:
    """Return the fields of a dataclass in the order of the command line: its own before those of its parents."""
    own = inspect.get_annotations(options)
    return sorted((field.name for field in fields(options)), key=lambda name: name not in own)


def command_of(options: type[T], run: Callable[[T], None]) -> Callable[..., None]:
    """Return the command that takes the fields of a dataclass and runs."""

    def command(**given: Any) -> None:
        with told():
            run(options(**given))

    types, kind = get_type_hints(options, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    command.__annotations__ = {name: types[name] for name in names_of_options(options)}
    named = command.__annotations__.items()
    given = [inspect.Parameter(name, kind, default=getattr(options, name), annotation=hint) for name, hint in named]
    command.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
    command.__doc__ = run.__doc__
    return command
