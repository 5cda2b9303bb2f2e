"""Options of commands: fields of a dataclass or parameters of a function, described in ``options.toml``."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import resources
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from adeptree.app.terminal import told

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
GROUPS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    resources.files(__package__).joinpath("options.toml").read_text(encoding="utf-8")
)
"""The texts of every option, by group and name."""


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """The options that determine a learner's results, in a run or behind a service."""

    horizon: int | None = None
    rate: str | None = None
    prior: Literal["paper", "kt", "mixed"] | None = None
    seed: int = 0
    cost_miss: float = 1
    cost_false_alarm: float = 1
    max_weight: float = 1
    max_width: int | None = None
    review: float | None = None
    review_policy: Literal["fewest", "cheapest"] | None = None
    max_reviews: int | None = None
    delay: int | None = None
    promise: Literal["average", "drawn"] | None = None
    feedback: Literal["all", "reviewed", "asked"] = "all"
    max_labels: int | None = None
    drift: bool = False
    by: str | None = None
    segments: int | None = None

    @property
    def decisions(self) -> tuple[str, ...]:
        """The columns of answers with decisions: the action, and whether the label is asked for."""
        decides = self.review is not None or self.feedback != "all"
        return ("action", "ask")[: decides + (self.feedback == "asked")]


def names_of_options(options: type[Any]) -> list[str]:
    """Return the fields of a dataclass in the order of the command line, before those of its parents."""
    own = inspect.get_annotations(options)
    return sorted((field.name for field in fields(options)), key=lambda name: name not in own)


def command_of(options: type[T], run: Callable[[T], None]) -> Callable[..., None]:
    """Return the command that takes the fields of a dataclass and runs."""

    def command(**given: Any) -> None:
        with told():
            run(options(**given))

    hints, kind = get_type_hints(options), inspect.Parameter.KEYWORD_ONLY
    command.__annotations__ = {name: hints[name] for name in names_of_options(options)}
    given = [inspect.Parameter(name, kind, default=getattr(options, name)) for name in command.__annotations__]
    command.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
    command.__doc__ = run.__doc__
    return command


def described(command: str, function: F) -> F:
    """Add the texts of ``options.toml`` to every parameter of a command."""
    hints = get_type_hints(function)
    for group in GROUPS.values():
        for name in hints.keys() & group.keys():
            words = {**group[name], **group[name].get(command, {})}
            more: dict[str, Any] = {limit: words[limit] for limit in ("help", "min", "max") if limit in words}
            more["metavar"] = words.get("value") or _usual_value(name, hints[name])
            more["show_default"] = words.get("default") or True
            more["autocompletion"] = _offers(words["offered"]) if "offered" in words else None
            names = words.get("names", [f"--{name.replace('_', '-')}"])
            info = typer.Option(*names, **more) if names else typer.Argument(**more)
            hints[name] = Annotated[hints[name], info]
    taken = inspect.signature(function)
    own = [parameter.replace(annotation=hints[name]) for name, parameter in taken.parameters.items()]
    function.__signature__ = taken.replace(parameters=own)  # type: ignore[attr-defined]
    return function


def _usual_value(name: str, hint: Any) -> str:
    """Return the placeholder of a value: the allowed words, N or X for numbers, else the option's name."""
    found = [word for part in get_args(hint) or (hint,) for word in get_args(part) or (part,)]
    words = "|".join(word for word in found if isinstance(word, str))
    return words or ("N" if int in found else "X" if float in found else name.upper())


def _offers(words: list[str] | str) -> Callable[[str], list[str]]:
    """Return the shell completion of an option's values."""

    def like(incomplete: str) -> list[str]:
        from adeptree.families.registry import families

        known = words if isinstance(words, list) else [one.on_columns.word for one in families() if one.on_columns]
        return [word for word in known if word.startswith(incomplete)]

    return like


FEW = 15
"""Largest number of options that the short help shows in full."""
DOCS = "https://adeptree.github.io/adeptree"
EXAMPLES = "\n\nExamples:\n"
"""Separates the examples of a docstring, which are shown unchanged, from the rest."""


class Command(TyperCommand):
    """A command whose help has examples, and options in groups."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the description and examples."""
        text, mark, examples = (self.help or "").partition(EXAMPLES)
        with formatter.indentation():
            formatter.write_paragraph()
            formatter.write_text(text)
        formatter.write(f"{mark[1:]}{examples}\n" if mark else "")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        every: Any = self.params
        params = {param.name: param for param in every if not param.hidden}
        short = ctx.meta.get("short", False) and len(params) > FEW
        if arguments := [param for param in params.values() if param.param_type_name == "argument"]:
            with formatter.section("Arguments"):
                formatter.write_dl([(param.metavar, _text(param, short)) for param in arguments])
        for group, names in GROUPS.items():
            found = [
                params[name] for name, words in names.items() if name in params and (not short or "short" in words)
            ]
            rows = [(_names(param), _text(param, short)) for param in found if param not in arguments]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(f"-h shows the options that most people need, --help all of them. Docs: {DOCS}")


def _names(param: Any) -> str:
    names = ", ".join([*sorted(param.opts, key=len), *param.secondary_opts])
    return names if param.is_flag else f"{names} {param.metavar}"


def _text(param: Any, short: bool) -> str:
    """Return the help of an option and its default; in short only the first sentence."""
    text = param.help.partition(". ")[0].rstrip(".") if short else param.help
    default = param.show_default if isinstance(param.show_default, str) else param.default
    return text if default is None or default is False else f"{text}  [default: {default}]"
