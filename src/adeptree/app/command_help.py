"""Help of the commands: ``-h`` has the options that most people need, ``--help`` all of them, both in groups."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from adeptree.app.command_options import GROUPS

FEW = 15
"""A command with at most this number of options shows all of them in its short help too."""
DOCS = "https://adeptree.github.io/adeptree"
EXAMPLES = "\n\nExamples:\n"
"""What separates the examples of a docstring, which are shown as they are, from the rest of it."""


class Command(TyperCommand):
    """A command whose help has examples, and options in groups."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does, and examples."""
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
