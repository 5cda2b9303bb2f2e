"""The site: built without a warning, every link inside it leads somewhere, and nothing is loaded from elsewhere."""

from __future__ import annotations

import os
import re
import runpy
import struct
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser import CHROMIUM
from browser_tab import Tab
from shared_work import in_turn

import adeptree

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LOADING = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("source", "srcset"),
    ("iframe", "src"),
    ("use", "href"),
}
"""Resources that a browser fetches automatically, unlike plain links."""

pytestmark = pytest.mark.timeout(300)  # the first test builds the site: 30 s of processor time

pytest.importorskip("sphinx", reason="the site needs the extra docs")
pytest.importorskip("myst_nb", reason="the site needs the extra docs")
pytest.importorskip("furo", reason="the site needs the extra docs")
pytest.importorskip("sphinx_design", reason="the site needs the extra docs")
pytest.importorskip("sphinx_copybutton", reason="the site needs the extra docs")
pytest.importorskip("ziamath", reason="the site needs the extra docs")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, warnings being errors; the other workers take what the first one has built."""
    with in_turn(tmp_path_factory, "site") as out:
        if not (out / "built").exists():
            out.mkdir()  # (a second try after an error would hide it: it fails here)
            # Pages from before would hide what is wrong in them: everything is read again.
            command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going", "-b", "html"]
            command += [str(DOCS), str(out / "html"), "-E", "-d", str(out / "doctrees")]
            env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
            done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=280)
            assert done.returncode == 0, done.stderr
            assert not done.stderr.strip(), done.stderr
            (out / "built").touch()
    return out / "html"


class Page(HTMLParser):
    """The ids of a page, its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        canonical = tag == "link" and given.get("rel") == "canonical"
        self.loads += [given[name] for name in given if (tag, name) in LOADING and not canonical]


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_link_inside_leads_to_a_page_and_a_place(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 20
    broken, checked = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            checked += 1
            there = target.is_file() and (
                not parts.fragment or target.suffix != ".html" or unquote(parts.fragment) in pages[target].ids
            )
            if not there:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken
    assert checked > 500


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for source in page.loads:
            parts = urlsplit(source)
            assert parts.scheme in ("", "data") and not parts.netloc, f"{path.name} loads {source}"
            if parts.path and not parts.scheme:  # a bare #name is a part of the page itself
                assert (path.parent / unquote(parts.path)).is_file(), f"{path.name} loads {source}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", style.read_text(encoding="utf-8")), style.name


def test_a_link_to_a_page_shows_what_it_is_about(site: Path) -> None:
    """Messengers read these tags; the picture lies next to the pages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    documentation = project["urls"]["Documentation"]
    assert (site / "card.png").is_file()
    for source in DOCS.rglob("*.md"):
        name = source.relative_to(DOCS).with_suffix(".html").as_posix()
        page = (site / name).read_text(encoding="utf-8")
        found = re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)"', page)
        tags = {of: unescape(said) for of, said in found}
        assert tags["og:image"] == f"{documentation}/card.png" and tags["og:url"] == f"{documentation}/{name}"
        assert tags["og:title"] in unescape(re.sub("<[^>]*>", "", page))
        assert tags["twitter:card"] == "summary_large_image"
        assert 20 < len(tags["description"]) <= 200 and tags["description"] == tags["og:description"], name
        assert page.count('class="sidebar-links"') == 1


CODE = re.compile(r"```.*?```|`[^`]*`", flags=re.DOTALL)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", flags=re.DOTALL)


def test_formulas_are_typeset_without_a_script_and_the_font_has_their_signs(site: Path) -> None:
    from fontTools.ttLib import TTFont

    known = TTFont(site / "_static/formulas.woff").getBestCmap()
    typeset = 0
    for source in DOCS.rglob("*.md"):
        wanted = len(FORMULA.findall(CODE.sub("", source.read_text(encoding="utf-8"))))
        page = (site / source.relative_to(DOCS).with_suffix(".html")).read_text(encoding="utf-8")
        assert len(re.findall(r'<(?:div|span) class="formula">', page)) == wanted, source.name
        assert not re.search(r"([.,;:])</span></span>\1", page), "a mark is there twice"
        found = re.findall(r"<math.*?</math>", page, flags=re.DOTALL)
        signs = set(unescape(re.sub(r"<[^>]*>", "", "".join(found)))) - set("\n\u2061")  # a line end, "function of"
        assert all(ord(sign) in known for sign in signs), (source.name, signs)
        typeset += wanted
    assert typeset > 1000


MARKUP = re.compile(r"\*\*\w[^*\n]*\*\*|\]\(|:[a-z]+:`|~(?:adeptree|collections|typing)\b|<(?:factory|function|lambda)")
PLAIN = re.compile(r"_\{|\b(?!3\^d)\w\^\w|\d (?:%|ms\b)| ±|± ")  # (3^d stands in a heading: a formula has no address)


def test_no_page_shows_markup_or_tears_a_number_from_its_unit(site: Path) -> None:
    for source in DOCS.rglob("*.md"):
        page = (site / source.relative_to(DOCS).with_suffix(".html")).read_text(encoding="utf-8")
        page = page.partition('<article role="main"')[2].partition("</article>")[0]
        assert not re.search(r"<h\d>Examples", page) and not re.search(r"<span class=\"go\">\\\|", page), source.name
        words = unescape(re.sub(r"<[^>]*>", "", re.sub(r"(?s)<(math|code|pre)\b.*?</\1>", "", page)))
        assert len(words) > 100 and not MARKUP.search(words), source.name
        if source.parent.name != "reference":  # docstrings are read in terminals, too: their formulas are plain
            assert not PLAIN.search(words), (source.name, PLAIN.search(words))


def test_every_page_and_public_name_is_in_the_site(site: Path, pages: dict[Path, Page]) -> None:
    for source in DOCS.rglob("*.md"):
        assert site / source.relative_to(DOCS).with_suffix(".html") in pages
    ids = set().union(*(page.ids for page in pages.values()))
    for name in set(adeptree.__all__) - {"__version__", "bounds", "errors", "AdeptreeError"}:
        assert f"adeptree.{name}" in ids, name
    assert {"adeptree.core.errors.AdeptreeError", "module-adeptree.theory.bounds", "module-adeptree.core.errors"} <= ids


def test_a_class_shows_the_arguments_it_takes(site: Path) -> None:
    page = (site / "reference/api/adeptree.Adept.html").read_text(encoding="utf-8")
    signature = page.partition('id="adeptree.Adept"')[2].partition("</dt>")[0]
    named = re.findall(r'<span class="pre">(\w+)</span>(?=</span><span class="p">)', signature)
    assert {"concept_class", "horizon", "costs", "review", "drift", "by"} <= set(named)
    for path in (site / "reference/api").glob("*.html"):
        assert '<span class="pre">_</span>' not in path.read_text(encoding="utf-8"), path.name


def test_the_status_table_names_every_public_object_and_real_tests() -> None:
    text = (DOCS / "reference/status.md").read_text(encoding="utf-8")
    for name in adeptree.__all__:
        assert f"`{name}`" in text, name
    named = set(re.findall(r"`(test_\w+\.py)`", text))
    assert named and named <= {path.name for path in (ROOT / "tests").rglob("test_*.py")}


def test_files_named_in_the_glossary_exist() -> None:
    text = (DOCS / "evidence/paper-to-code.md").read_text(encoding="utf-8")
    named = {name for name in re.findall(r"`([\w/]+/(?:[\w/]+\.py)?|\w+\.py)`", text) if not name.startswith("test_")}
    assert len(named) > 15
    for name in named:
        places = (ROOT / "src/adeptree" / name, ROOT / name)
        assert any(place.exists() for place in places), name


def test_figures_are_made_by_their_script(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the figures need the extra plot")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    script = DOCS / "figures/make_figures.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, env=env, timeout=110)
    made = {path.name for path in tmp_path.glob("*.svg")}
    assert made == {path.name for path in (DOCS / "figures").glob("*.svg")}
    for folder in (tmp_path, DOCS / "figures"):
        head = (folder / "card.png").read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:]) == (1200, 630)
    shown = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert all(f"figures/{name}" in shown for name in made)
    for name in ("hero.svg",):  # (matplotlib's pictures differ between its versions)
        assert (tmp_path / name).read_text(encoding="utf-8") == (DOCS / "figures" / name).read_text(encoding="utf-8")


def test_the_dotted_line_of_the_tutorial_is_the_best_rule_and_what_is_proven_before_the_first_round() -> None:
    pytest.importorskip("matplotlib", reason="the figures need the extra plot")
    names = runpy.run_path(str(DOCS / "figures/make_figures.py"))
    lines = {line.get_label().partition(":")[0]: line.get_xydata() for line in names["home"]().axes[0].get_lines()}
    dotted, dashed = lines["best rule + proven bound"], lines["best rule in hindsight"]
    learner = adeptree.Adept(adeptree.Thresholds(1024))
    assert len(dotted) == 400
    for (t, percent), (_, best) in zip(dotted, dashed, strict=True):
        proven = learner.bound_after(int(t))
        assert proven is not None and percent == pytest.approx(min(100, best + 100 * proven / t))
    caption = (DOCS / "start/tutorial.md").read_text(encoding="utf-8").partition("{figure}")[2].partition("\n```")[0]
    assert "The dotted line is the\nbest rule's line plus the regret bound." in caption


MEASURE = """
(async () => {
  await document.fonts.ready;
  const images = [...document.querySelectorAll("article img")];
  const root = document.documentElement;
  const rolls = e => e.tagName !== "ARTICLE" &&  // (what lies around it rolls on a phone, but should never need to)
    (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || rolls(e.parentElement));
  const beside = [...document.querySelectorAll("article *")].filter(
    e => e.getBoundingClientRect().right > root.clientWidth + 1 && !rolls(e));
  return {wide: root.scrollWidth, room: root.clientWidth, beside: beside.map(e => e.outerHTML.slice(0, 80)),
    images: images.map(i => [i.naturalWidth > 0, i.getBoundingClientRect().width])};
})()
"""


@pytest.fixture(scope="module", params=[390, 1280])
def tab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """One browser as wide as a phone (where wide tables can be scrolled), one as wide as a desk."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with Tab(tmp_path_factory.mktemp("tab"), (request.param, 900)) as tab:
        yield tab


@pytest.mark.parametrize(
    "name",
    [
        *("index", "gallery/index", "understand/pictures", "reference/status", "reference/learners"),
        *("reference/http-api", "howto/safety-net", "theory/anytime", "notebooks/own-frame"),
    ],
)
def test_pages_fit_phones_and_desks(site: Path, tab: Tab, name: str) -> None:
    tab.open((site / f"{name}.html").as_uri())
    seen = tab.value(MEASURE)
    assert seen["wide"] <= seen["room"] == tab.size[0] and seen["beside"] == []
    assert all(loaded and wide <= seen["room"] for loaded, wide in seen["images"])
    assert len(seen["images"]) == {
        "gallery/index": 5,
        "understand/pictures": 5,
        "index": 1,
        "notebooks/own-frame": 2,
    }.get(name, 0)
    assert tab.complaints == []
