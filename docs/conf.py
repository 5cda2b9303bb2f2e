"""How the site is built: ``python -m sphinx -W -n docs site``. No network is needed, and none by its readers."""

from __future__ import annotations

import re
import shlex
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.ext.napoleon import Config, NumpyDocstring

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

project = "adeptree"
copyright = "adeptree contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_static"]
nitpicky = True
# Types of other libraries and our own private ones are named in signatures, but have no page here.
nitpick_ignore_regex = [
    ("py:class", r"(collections|numpy|os|abc|concurrent|fractions|pytest|river|sklearn|unittest)\..*"),
    ("py:class", r"adeptree\..*\.(_\w+|History|MadeFor|HiddenUnion|Partition|LittlestoneSolver|Labelling|AddClause)"),
    ("py:class", r"adeptree\.families\.line\..*\.(HalfLines|Spans|OnAGrid|OnFloats|CutRules)"),
    ("py:class", r"adeptree\.families\.rule_values\.\w+"),
    ("py:class", r"adeptree\.(ghost|games)\..*\.(OracleLearner|Voting|Voters|Council|MadeConcept|OwnsOracle)"),
    ("py:class", r"adeptree\.theory\.priors\.BetaTables"),
    ("py:class", "[CHS]"),
    ("py:class", r"adeptree\.solvers\.solver_class\.SolverClass"),
    ("py:class", r"adeptree\.checks\.subjects\.\w+"),
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "adeptree"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#005f94", "color-brand-content": "#005f94"},
    "dark_css_variables": {"color-brand-primary": "#5db7ea", "color-brand-content": "#5db7ea"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
toc_object_entries = False


class CommandHelp(Directive):
    """``command-help:: run``: what ``adeptree run --help`` prints, taken from the command itself."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the text as a block."""
        from typer.testing import CliRunner

        from adeptree.app.cli import app

        words = [] if self.arguments[0] == "adeptree" else shlex.split(self.arguments[0])
        result = CliRunner(env={"COLUMNS": "80", "TERM": "dumb"}).invoke(app, [*words, "--help"], prog_name="adeptree")
        if result.exit_code:
            raise self.error(result.output)
        return [nodes.literal_block(result.output, result.output, language="text")]


class FamilyTable(Directive):
    """``family-table::``: every family of rules, from its record."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        from adeptree import parse
        from adeptree.families.registry import default_base, shipped

        lines = [["rules", "as text", "VC", "Littlestone", "base learner"]]
        for family in shipped():
            c = parse(family.example)
            dimensions = ["none" if d is None else str(d) for d in (c.vc_dimension, c.littlestone_dimension)]
            lines.append([family.line, family.example, *dimensions, type(default_base(c)).__name__])
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (4, 3, 1, 1, 2)), cols=len(lines[0]))
        for part, rows in ((nodes.thead(), lines[:1]), (nodes.tbody(), lines[1:])):
            part += [nodes.row("", *(self._cell(text, code=i in (1, 4)) for i, text in enumerate(row))) for row in rows]
            group += part
        return [nodes.table("", group)]

    @staticmethod
    def _cell(text: str, code: bool) -> nodes.Node:
        word = nodes.literal(text, text) if code else nodes.Text(text)
        return nodes.entry("", nodes.paragraph("", "", word))


def to_documented_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Let a type of a signature, named where it is written, lead to where it is documented."""
    python = env.domains["py"]
    name = node.get("reftarget", "").rpartition(".")[2]
    known = [full for full in python.objects if full.startswith("adeptree.") and full.rpartition(".")[2] == name]
    if node.get("refdomain") != "py" or not known:
        return None
    # A name that several objects share leads to the one whose path is most alike.
    best = max(known, key=lambda full: SequenceMatcher(None, full, node["reftarget"]).ratio())
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", best, node, contnode)


def sections_are_fields(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Make a list of a numpydoc section of parameters. (The extension itself takes "L*: the least loss" for a type.)"""
    if "Parameters" in lines:
        lines[:] = NumpyDocstring(lines, Config(), app, what, name, obj, options).lines()


def bars_are_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Write |x| as it is: to Sphinx two bars are a substitution."""
    lines[:] = [line if "``" in line or ">>>" in line else line.replace("|", r"\|") for line in lines]


def without_last_blank(app: Any, name: str, source: list[str]) -> None:
    """Leave out the empty line that ends an example for doctest: on the page it is a gap."""
    source[0] = re.sub(r"(```python\n.*?\n)\n```", r"\1```", source[0], flags=re.DOTALL)


def setup(app: Any) -> None:
    """Add what is ours."""
    app.add_directive("command-help", CommandHelp)
    app.add_directive("family-table", FamilyTable)
    app.connect("missing-reference", to_documented_name)
    app.connect("autodoc-process-docstring", sections_are_fields)
    app.connect("autodoc-process-docstring", bars_are_bars)
    app.connect("source-read", without_last_blank)
