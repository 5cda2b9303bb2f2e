"""Settings of the site: ``python -m sphinx -W -n docs site``. Neither the build nor a reader needs the network."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tomllib
from contextlib import suppress
from difflib import SequenceMatcher
from functools import reduce
from html import escape, unescape
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc
from pathlib import Path
from textwrap import shorten
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from fontTools import subset
from sphinx.errors import ExtensionError
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.inspect import signature as of_call
from sphinx.util.inspect import stringify_signature

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION, REPOSITORY, SITE = PROJECT["version"], PROJECT["urls"]["Homepage"], PROJECT["urls"]["Documentation"]
project = "adeptree"
version = release = VERSION
copyright = "adeptree contributors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_design", "sphinx_copybutton"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_here_doc_delimiter = "EOF"
copybutton_exclude = ".linenos, .go, .gp"
nb_execution_mode = "off"  # their outputs are kept, and run_notebooks.py and a test run them
exclude_patterns = ["_static"]
nitpicky = True
# Types of other libraries and our own private ones are named in signatures, but have no page here.
nitpick_ignore_regex = [
    ("py:class", r"(collections|numpy|os|abc|concurrent|fractions|pytest|river|sklearn|unittest)\..*"),
    (
        "py:class",
        r"adeptree\..*\.(_\w+|GhostHistory|MadeFor|Partition|LittlestoneSolver|Labelling|AddClause)",
    ),
    ("py:class", r"adeptree\.families\.line\..*\.(HalfLines|Spans|OnAGrid|OnFloats|CutRules)"),
    ("py:class", r"adeptree\.families\.(rule_values|tables\.cell_rules)\.\w+"),
    ("py:class", r"adeptree\.ghost\..*\.OracleLearner"),
    (
        "py:class",
        r"adeptree\.(theory\.priors\.BetaTables|research\.sequence_learner\.SequenceLearner|learners\.rates\.RateRule)",
    ),
    ("py:class", r"adeptree\.(_compiled\..*|roles\.engine\.Entered|core\.declared_state\.\w+)"),
    ("py:class", "[CHS]|Executor"),
    ("py:class", r"adeptree\.solvers\.solver_class\.SolverClass"),
    ("py:class", r"adeptree\.checks\.subjects\.\w+"),
]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"adeptree {VERSION}"
html_logo = html_favicon = "_static/logo.svg"
html_baseurl = f"{SITE}/"
html_static_path = ["_static"]
html_extra_path = ["figures/card.png"]
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        *("sidebar/brand.html", "links.html", "sidebar/search.html", "sidebar/scroll-start.html"),
        *("sidebar/navigation.html", "sidebar/scroll-end.html"),
    ]
}
html_context = {"addresses": PROJECT["urls"]}
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#005f94", "color-brand-content": "#005f94"},
    "dark_css_variables": {"color-brand-primary": "#5db7ea", "color-brand-content": "#5db7ea"},
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
    "footer_icons": [{"name": "Repository", "url": REPOSITORY, "html": "Repository", "class": ""}],
}

SHORT = 40
"""A paragraph with fewer letters does not tell what a page is about."""
CARD = "adeptree: decisions that learn, with a proof. What 6,000 fraud decisions cost, as bars."

pygments_style = "default"  # its colours differ clearly from the ground; those of "friendly" hardly do
pygments_dark_style = "monokai"

autodoc_member_order = "groupwise"
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"


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


class Objects(Directive):
    """``objects::``: one name per line, with its options for autodoc: a table that leads to a page per object."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table and the hidden tree of its pages."""
        import adeptree  # noqa: F401  (its names are loaded on first use)

        names = [line.split()[0] for line in self.content]
        rows = [f"| [`{name.rpartition('.')[2]}`](api/{name}.rst) | {first_sentence(name)} |" for name in names]
        tree = ["```{toctree}", ":hidden:", *(f"api/{name}" for name in names), "```"]
        part = nodes.container()
        self.state.nested_parse(StringList(["| | |", "|---|---|", *rows, "", *tree], source=""), 0, part)
        return part.children


def named(name: str) -> Any:
    """Return the object that has a dotted name."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        with suppress(ImportError):
            return reduce(getattr, parts[end:], import_module(".".join(parts[:end])))
    raise ExtensionError(f"there is no {name}")


def first_sentence(name: str) -> str:
    """Return what the docstring of an object begins with."""
    text = " ".join((getdoc(named(name)) or "").split("\n\n")[0].split())
    first = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", re.split(r"(?<=[.]) (?=[A-Z])", text)[0])
    return first.replace("``", "`").replace("|", r"\|")


def pages_of_objects(app: Any) -> None:
    """Write a page for each object that the reference names; they are built and not kept."""
    folder = Path(app.srcdir, "reference", "api")
    folder.mkdir(exist_ok=True)
    wanted = {}
    for page in sorted(folder.parent.glob("*.md")):
        for block in re.findall(r"```\{objects\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            for line in block.splitlines():
                name, *options = line.split(maxsplit=1)
                kind = "autoclass" if isinstance(named(name), type) else "autofunction"
                settings = re.findall(r":[\w-]+:(?: [^:]+)?", " ".join(options))
                title = name.rpartition(".")[2]
                lines = [title, "=" * len(title), "", f".. {kind}:: {name}", *(f"   {each}" for each in settings), ""]
                wanted[folder / f"{name}.rst"] = "\n".join(lines)
    for path in set(folder.glob("*.rst")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


class RulesTable(Directive):
    """``rules-table::``: every text that ``--rules`` takes on columns, from the records of the families."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        from adeptree.families.registry import families

        rows = [item for family in families() if family.on_columns for item in family.on_columns.examples.items()]
        return [table([["--rules", "competes with"], *map(list, rows)], widths=(2, 5), code=(0,))]


def table(lines: list[list[str]], widths: tuple[int, ...], code: tuple[int, ...]) -> nodes.Node:
    """Return a table with a head; the columns ``code`` hold code."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in widths), cols=len(widths))

    def cell(text: str, is_code: bool) -> nodes.Node:
        return nodes.entry("", nodes.paragraph("", "", nodes.literal(text, text) if is_code else nodes.Text(text)))

    for part, rows in ((nodes.thead(), lines[:1]), (nodes.tbody(), lines[1:])):
        part += [nodes.row("", *(cell(text, i in code) for i, text in enumerate(row))) for row in rows]
        group += part
    return nodes.table("", group)


class FamilyTable(Directive):
    """``family-table::``: every family of rules, from its record."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        from adeptree import parse
        from adeptree.families.registry import default_base, families

        lines = [["rules", "as text", "VC", "Littlestone", "base learner"]]
        for family in (family for family in families() if family.line):
            c = parse(family.example)
            dimensions = ["none" if d is None else str(d) for d in (c.vc_dimension, c.littlestone_dimension)]
            lines.append([family.line, family.example, *dimensions, type(default_base(c)).__name__])
        return [table(lines, widths=(4, 3, 1, 1, 2), code=(1, 4))]


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
    if {"Parameters", "Examples"} & set(lines):
        lines[:] = NumpyDocstring(lines, Config(), app, what, name, obj, options).lines()


def bars_are_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Write |x| as it is: to Sphinx two bars are a substitution, but in an example, which ends at an empty line."""
    example = False
    for place, line in enumerate(lines):
        example = ">>>" in line or (example and bool(line.strip()))
        if not example and "``" not in line:
            lines[place] = line.replace("|", r"\|")


def defaults_are_python(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Write ``...`` for a default that is not Python, such as <factory>: else Sphinx shows the whole as raw text.

    A class whose ``__new__`` takes anything has the signature of its ``__init__``.
    """
    if what == "class" and (signature or "").startswith("(*_"):
        signature = stringify_signature(of_call(obj.__init__, bound_method=True), unqualified_typehints=True)
        signature = signature.partition(" -> ")[0]
    return re.sub(r"<(?:[^<>]|<[^<>]*>)*>", "...", signature or "") or None, returns


def read_on_phones(app: Any, doctree: Any) -> None:
    """Colour indented examples too, keep a number with its unit, and mark the cells that need room."""
    for block in doctree.findall(nodes.literal_block):
        if block.astext().startswith(">>> "):
            block["language"] = "pycon"
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math | nodes.math_block | nodes.raw):
            kept = re.sub(r"(?<=\d) (?=%|(?:x|s|ms|us|B|[KM]i?B)\b)| (?=±)|(?<=±) ", "\N{NO-BREAK SPACE}", text)
            if kept != text:
                text.parent.replace(text, nodes.Text(kept))
    for cell in doctree.findall(nodes.entry):
        letters = len(cell.astext())
        cell["classes"] += ["sentence"] * (letters > 80) or ["phrase"] * (letters > 16)


def without_last_blank(app: Any, name: str, source: list[str]) -> None:
    """Leave out the empty line that ends an example for doctest: on the page it is a gap."""
    source[0] = re.sub(r"(```python\n.*?\n)\n```", r"\1```", source[0], flags=re.DOTALL)


BREAKS, SHORTEST = "=<>≤≥≠∈⊆≫+−", 6
"""Signs before which a line may end, and the least signs of a part."""
ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")
TYPOGRAPHY = [  # rules of LaTeX that the converter leaves out
    (r"<mo>\*</mo>", "<mo>∗</mo>"),
    (r"<mo>'</mo>", "<mo>′</mo>"),
    (r'<mo class="mathopen">\|</mo>', '<mo stretchy="false" form="prefix">|</mo>'),
    (r"<mo>\|</mo>", '<mo stretchy="false" form="postfix">|</mo>'),
    (r"<mo>([{}⌊⌋])</mo>", r'<mo stretchy="false">\1</mo>'),
    (
        r"(&ApplyFunction;</mo>|<mi>log</mi>\s*<mn>2</mn>\s*</msub>)(?!\s*<mo stretchy=\"false\">\()",
        r'\1<mspace width=".17em"/>',
    ),
    (  # "T M ln", not "T Mln"
        r"(</m(?:i|n|sub|sup|subsup|sqrt|frac)>|<mo stretchy=\"false\">\)</mo>)(\s*)"
        r"(?=(?:<msub>\s*)?<mi>(?:ln|log|exp)</mi>)",
        r'\1<mspace width=".17em"/>\2',
    ),
    (  # an index of a letter that bears an accent stands next to it, not below
        r'(?s)<munderover>\s*(<mi>[^<]*</mi>)(.*?)(<mo stretchy="false">[^<]*</mo>)\s*</munderover>',
        r"<msub><mover>\1\3</mover>\2</msub>",
    ),
]


def formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers typeset themselves, without a script."""
    block = isinstance(node, nodes.math_block)
    try:
        made = tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        raise ExtensionError(f"{node.source}: {error} in the formula {node.astext()}") from None
    for found, better in TYPOGRAPHY:
        made = re.sub(found, better, made)
    if block:
        made = f'<div class="formula">{made}</div>'
    else:
        made = '<span class="formula">' + breakable(made, node.get("mark", "")) + "</span>"
    translator.body.append(made)
    raise nodes.SkipNode


def keep_marks(app: Any, doctree: Any, page: str) -> None:
    """Let a mark after a formula stay in its line."""
    for node in doctree.findall(nodes.math):
        place = node.parent.index(node) + 1
        after = "".join(str(text) for text in node.parent[place : place + 1] if isinstance(text, nodes.Text))
        if after.startswith((".", ",", ";", ":", ")")):
            node["mark"], node.parent[place] = after[0], nodes.Text(after[1:])


def breakable(made: str, mark: str) -> str:
    """Return a formula in the text as several, each from a sign on: browsers break lines only between formulas."""
    whole = ElementTree.fromstring(made.replace("&ApplyFunction;", "\u2061"))
    parts, depth, before = [ElementTree.Element(whole.tag)], 0, ""
    for sign in whole:
        text = (sign.text or "") if sign.tag.endswith("}mo") else "x"
        depth += (text == "(") - (text == ")")
        outside = BREAKS[: len(BREAKS) - min(depth, 2)]  # in brackets not at a minus, in two not at a plus
        if text and text in outside and before in ("x", ")") and len(parts[-1]) >= SHORTEST:
            sign.set("form", "infix")
            parts.append(ElementTree.Element(whole.tag))
        parts[-1].append(sign)
        before = text
    shown = [ElementTree.tostring(part, encoding="unicode") for part in parts]
    return "<wbr>".join([*shown[:-1], f'<span class="line">{shown[-1]}{mark}</span>'])


def font_of_formulas(app: Any, error: Exception | None) -> None:
    """Lay a font made for formulas next to the pages, cut down to their signs: few phones have one."""
    (room,) = find_spec("ziamath").submodule_search_locations
    upright, italic = [*range(0x20, 0x7F), *range(0x391, 0x3CA)], [*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)]
    signs = [ord(sign) for sign in "\xa0ˆ±·×ℎϕ′…−∗√∞∅∈∑∏∩∪≠≤≥≫⊆⌈⌉⌊⌋ℓℱ∣∶⋅⋯" + chr(0x1D7CF)]
    options = subset.Options(flavor="woff", layout_features=["ssty"])
    font = subset.load_font(f"{room}/fonts/STIXTwoMath-Regular.ttf", options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=upright + italic + signs)
    cutter.subset(font)
    subset.save_font(font, str(app.outdir / "_static/formulas.woff"), options)


def notebook_beside_its_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let a reader take a notebook home."""
    source, beside = Path(app.srcdir, f"{page}.ipynb"), Path(app.outdir, f"{page}.ipynb")
    if source.is_file():
        beside.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, beside)
        context["body"] = f'<p><a href="{source.name}" download>Download this notebook</a></p>' + context["body"]


def social_card(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Give search engines and messengers a description of a page, and a picture for links to it."""
    if doctree is None:
        return
    title = unescape(re.sub(r"<[^>]*>", "", context["title"]))
    texts = (" ".join(part.astext().split()) for part in doctree.findall(nodes.paragraph))
    first = next((text for text in texts if len(text) > SHORT), f"{title}, in the reference of adeptree.")
    about = shorten(first, 200, placeholder=" ...")
    told = {"og:type": "website", "og:site_name": "adeptree", "og:title": title, "og:description": about}
    told |= {"og:url": f"{SITE}/{page}.html", "og:image": f"{SITE}/card.png", "og:image:alt": CARD}
    tags = [f'<meta property="{name}" content="{escape(text)}">' for name, text in told.items()]
    tags += [f'<meta name="description" content="{escape(about)}">']
    tags += ['<meta name="twitter:card" content="summary_large_image">']
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)


def playground(app: Any, error: Exception | None) -> None:
    """Lay the page on which the reader plays the adversary next to the others."""
    from adeptree.app.play_command import write_play_page

    write_play_page(Path(app.outdir, "play.html"))


def setup(app: Any) -> None:
    """Add what is ours."""
    app.connect("html-page-context", notebook_beside_its_page)
    app.connect("html-page-context", social_card)
    app.connect("build-finished", font_of_formulas)
    app.connect("build-finished", playground)
    app.connect("doctree-resolved", keep_marks)
    app.connect("doctree-read", read_on_phones)
    app.connect("autodoc-process-signature", defaults_are_python)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
    app.add_directive("command-help", CommandHelp)
    app.connect("builder-inited", pages_of_objects)
    app.add_directive("objects", Objects)
    app.add_directive("rules-table", RulesTable)
    app.add_directive("family-table", FamilyTable)
    app.connect("missing-reference", to_documented_name)
    app.connect("autodoc-process-docstring", sections_are_fields)
    app.connect("autodoc-process-docstring", bars_are_bars)
    app.connect("source-read", without_last_blank)
