"""One self-contained HTML page: the table, the figures, the findings, and how it was made."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from adeptree.core.files import write_atomically
from adeptree.experiments.claims import EXPERIMENTS
from adeptree.experiments.experiment import Verdict
from adeptree.experiments.reproduce import Reproduction
from adeptree.experiments.verdict_table import COLUMNS, cells_of, summary
from adeptree.pages.drawing import Figure, plotting
from adeptree.pages.figures import figures
from adeptree.pages.loose_ends import Finding, findings
from adeptree.pages.report_style import CSS


def write_report(result: Reproduction, path: str | os.PathLike[str] | None = None) -> Path:
    """Write the page (by default ``report.html`` beside the results) and return where it is."""
    target = Path(path) if path is not None else result.out / "report.html"
    plotting(target.parent)
    write_atomically(target, page(result).encode())
    return target


def page(result: Reproduction) -> str:
    """Return the whole page as HTML; it needs no network and no script."""
    drawn = figures(result.rows)
    parts = [_opening(result), _verdicts(result), _figures(drawn), _findings(findings(result.rows)), _origin(result)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>adeptree: the paper, measured</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def _opening(result: Reproduction) -> str:
    failed = [v for found in result.verdicts.values() for v in found if not v.held]
    state = "held" if not failed else "failed"
    count = f"{len(failed)} check{'s' if len(failed) > 1 else ''} did not hold."
    says = count if failed else "Every claim that was checked held."
    loose = '<a href="#findings">Where the paper is loose</a>' if findings(result.rows) else ""
    return (
        "<header>\n<h1>Regret and oracle queries, measured</h1>\n"
        "<p>Every theorem, corollary and figure of <cite>Regret–Oracle Complexity Tradeoffs in Agnostic Online "
        "Learning</cite> against its bound, as implemented by adeptree.</p>\n"
        f'<p class="sum {state}"><strong>{says}</strong> {escape(summary(result))}.</p>\n'
        '<nav aria-label="Contents"><a href="#verdicts">Table</a><a href="#figures">Figures</a>'
        f'{loose}<a href="#origin">How it was produced</a></nav>\n</header>'
    )


def _verdicts(result: Reproduction) -> str:
    """Return the table, one body of rows per experiment."""
    head = "".join(f'<th scope="col" class="{justify}">{name}</th>' for name, justify in COLUMNS)
    bodies = [_body(name, found) for name, found in result.verdicts.items()]
    return (
        '<section aria-labelledby="verdicts">\n<h2 id="verdicts">Claim, bound, measured</h2>\n'
        "<p>Mean, worst and spread (standard deviation; of a fitted exponent its standard error) are over all runs "
        "and seeds of a line. The ratio is worst to bound; for lower bounds, which speak of expectations, mean "
        "to bound, "
        "and a line holds if the mean is not below the bound by more than three standard errors.</p>\n"
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n{"".join(bodies)}</table></div>\n</section>'
    )


def _body(name: str, verdicts: list[Verdict]) -> str:
    known = EXPERIMENTS[name]
    title = (
        f'<tr class="group"><th scope="rowgroup" colspan="{len(COLUMNS)}">{escape(known.theorem)}'
        f"<small>{escape(known.claim)}</small></th></tr>\n"
    )
    return f'<tbody id="claim-{name}">\n{title}{"".join(_line(v) for v in verdicts)}</tbody>\n'


def _line(verdict: Verdict) -> str:
    claim, *numbers, _ = cells_of(verdict)
    note = f"<small>{escape(verdict.note)}</small>" if verdict.note else ""
    cells = [f'<th scope="row">{escape(claim)}{note}</th>']
    for (label, _), value in zip(COLUMNS[1:-1], numbers, strict=True):
        cells.append(f'<td class="right" data-label="{label}">{escape(value)}</td>')
    state = "held" if verdict.held else "failed"
    cells.append(f'<td class="{state}" data-label="held">{"✓ held" if verdict.held else "✗ failed"}</td>')
    return f'<tr class="{state}">{"".join(cells)}</tr>\n'


def _figures(drawn: list[Figure]) -> str:
    shown = "\n".join(
        f'<figure id="figure-{f.name}"{" class=wide" if f.wide else ""}>\n<h3>{escape(f.title)}</h3>\n{f.svg}\n'
        f"<figcaption>{escape(f.caption)}</figcaption>\n</figure>"
        for f in drawn
    )
    opening = '<section aria-labelledby="figures">\n<h2 id="figures">Figures</h2>\n<div class="figures">'
    return f"{opening}\n{shown}\n</div>\n</section>"


def _findings(found: list[Finding]) -> str:
    if not found:
        return ""
    items = "\n".join(
        f"<li><h3>{escape(f.where)}</h3>\n<p>{escape(f.text)}</p>\n"
        f"<p><strong>Measured:</strong> {escape(f.measured)}</p></li>"
        for f in found
    )
    return (
        '<section aria-labelledby="findings">\n<h2 id="findings">Where the paper is loose, and what was found</h2>\n'
        f'<ol class="findings">\n{items}\n</ol>\n</section>'
    )


def _runs(name: str, experiment: dict[str, Any]) -> str:
    seeds = experiment["seeds"]
    return f"{name}: {experiment['cells']} runs, seeds {seeds[0]} to {seeds[-1]}"


def _origin(result: Reproduction) -> str:
    """Return how the page was produced, from the manifest."""
    manifest: dict[str, Any] = result.manifest
    facts = {
        "settings": manifest["level"],
        "started": manifest["started"],
        "processes": manifest["jobs"],
        "wall time": f"{manifest['wall_seconds']:.0f} s ({manifest['kept_from_before']} runs were kept from before)",
        "processor time of all runs": f"{manifest['cpu_seconds']:.0f} s",
        **manifest["versions"],
    }
    listed = "\n".join(f"<dt>{escape(k)}</dt><dd>{escape(str(v))}</dd>" for k, v in facts.items())
    runs = "\n".join(f"<li>{escape(_runs(name, e))}</li>" for name, e in manifest["experiments"].items())
    command = "adeptree reproduce --full" if manifest["level"] == "full" else "adeptree reproduce --quick"
    return (
        '<section aria-labelledby="origin">\n<h2 id="origin">How it was produced</h2>\n'
        f"<p>By <code>{command}</code>. Every run is a line in the <code>.jsonl</code> files beside this page, and "
        "<code>manifest.json</code> holds every setting and seed; no number on this page was typed in by hand.</p>\n"
        f'<dl class="facts">\n{listed}\n</dl>\n<ul>\n{runs}\n</ul>\n</section>'
    )
