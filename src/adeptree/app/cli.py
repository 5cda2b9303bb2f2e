"""The command line: parse the arguments, call a command, show the result.

Each command is a function in a module of its name. Its options are fields of a dataclass with texts in ``options.toml``
(``command_options.py``), its output goes through ``terminal.py``, and :func:`main` turns every error into a message and
an exit code: 0 done, 1 a file or the machine is at fault, 2 an invalid request. Read :func:`main` and ``_code`` first.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from adeptree.app.command_options import Command, described
from adeptree.app.play_command import play_command
from adeptree.app.run.run_command import run_command
from adeptree.app.serve.serve_command import serve_command
from adeptree.app.show_command import show_command
from adeptree.app.terminal import INTERRUPTED, TROUBLES, fill_in, show, tell, told
from adeptree.core.errors import InvalidArgument, NoBetterThanACoin, PromiseEnded

# Modules that need numpy are imported inside the commands, so that --help is fast.

NAME, COMPLETE = "adeptree", "_ADEPTREE_COMPLETE"
"""The command's name, and the variable with which a shell requests completions."""
RULES = 42
"""Longest example of rules, in characters, whose explanation is on the same line."""
USAGE_ERROR: Any = typer.BadParameter.__base__
"""Typer's usage error, whose module depends on the release."""
RENAMED = {
    "--costs": "is two options: --cost-miss and --cost-false-alarm",
    "--max-rate": "was removed: limit rates in a reverse proxy in front, as with nginx's limit_req",
    "--play": "was renamed to a command: adeptree play",
    "--switches": "was renamed to --drift, which takes no number",
    "--x": "was renamed to --features",
    "classes": "was renamed to rules: adeptree rules",
    "reproduce": "is not installed with adeptree; in a clone of the repository, run: python3 make.py reproduce",
}
"""Old options and commands, with their replacements."""


class Commands(TyperGroup):
    """The group of commands. It shows usage errors in the common style, and suggests the new name for an old one."""

    def main(self, *args: Any, standalone_mode: bool = True, **more: Any) -> Any:
        """Run a command line and exit with its code, or return it."""
        code = _code(partial(super().main, *args, **more))
        return sys.exit(code) if standalone_mode else code

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of the first word, and record which help is requested."""
        ctx.meta["short"] = "-h" in args
        if args[0] in RENAMED and not ctx.resilient_parsing:
            raise InvalidArgument(f"{args[0]} {RENAMED[args[0]]}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from adeptree import __version__

        with told():
            show(f"adeptree {__version__}")
        raise typer.Exit


@app.callback()
def adeptree(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn yes/no labels from a stream, and know how far you are behind the best rule.

    Start with: adeptree run
    """


def _rules() -> None:
    """List the rules that you can compete with.

    Examples:
      adeptree rules
      adeptree run data.csv --rules steps
    """
    with told():
        from adeptree.families.registry import families

        on_columns = [item for f in families() if f.on_columns is not None for item in f.on_columns.examples.items()]
        specs = [(f.example, f.line) for f in families() if f.line]
        columns, others = ([_listed(*pair) for pair in part] for part in (on_columns, specs))
        show("\n".join(["On columns of the stream:", *columns, "", "On --features, or as named:", *others]))


def _listed(example: str, line: str) -> str:
    """Format rules and their descriptions for the terminal, on two lines if the example is long."""
    indent = " " * (RULES + 4)
    width = max(len(indent) + 20, shutil.get_terminal_size().columns)
    text = textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent)
    return f"  {example:<{RULES}}{text[RULES + 2 :]}" if len(example) <= RULES else f"  {example}\n{text}"


def _completion(shell: Literal["bash", "zsh", "fish", "powershell"]) -> None:
    """Print a script that completes commands in your shell.

    Examples:
      eval "$(adeptree completion bash)"    in ~/.bashrc; zsh likewise
      adeptree completion fish > ~/.config/fish/completions/adeptree.fish
    """
    with told():
        from typer.completion import get_completion_script  # type: ignore[attr-defined]

        show(get_completion_script(prog_name=NAME, complete_var=COMPLETE, shell=shell))


COMMANDS: dict[str, Callable[..., None]] = {"run": run_command, "serve": serve_command, "play": play_command}
COMMANDS |= {"show": show_command, "rules": _rules, "completion": _completion}
for _name, _command in COMMANDS.items():
    app.command(_name, cls=Command)(described(_name, _command))


def main(command: Callable[..., Any] = app) -> None:
    """Run a command line: adeptree's, or that of the reproduction."""
    fill_in()
    # No command multiplies large matrices. numpy's threads cost memory per core, and if a container allows few threads,
    # numpy cannot even be imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for output in (sys.stdout, sys.stderr):
        # Escape characters that the terminal cannot show.
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")
    if COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
    # The summary reports it.
    warnings.simplefilter("ignore", NoBetterThanACoin)
    warnings.simplefilter("ignore", PromiseEnded)
    sys.exit(_code(command))


def _code(command: Callable[..., Any]) -> int:
    """Run the command and return its exit code; typer's own output is handled in the same way."""
    try:
        return command(standalone_mode=False) or 0
    except USAGE_ERROR as error:
        text, old = error.format_message(), vars(error).get("option_name")
        if old in RENAMED:
            text = f"{old} {RENAMED[old]}"
        elif not text.startswith("Usage"):  # the help, if no command is given
            hint = f"; {error.ctx.command_path} --help shows the usage" if error.ctx else ""
            text = f"{text[0].lower()}{text[1:].rstrip('.')}{hint}"
        with suppress(OSError):  # the exit code reports it too
            show(text if text.startswith("Usage") else f"{NAME}: {text}", err=True)
        return int(error.exit_code)
    except typer.Abort:
        return INTERRUPTED
    except TROUBLES as error:
        return tell(error)
