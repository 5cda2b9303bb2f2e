"""The report: one self-contained HTML page with the table, the figures, the errata and the settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from adeptree.pages.skeleton import (
    document,
    drawn,
    facts,
    line,
    opening,
    parts_in,
    section,
    table,
    text,
    write_page,
)
from reproduction.claims import EXPERIMENTS
from reproduction.experiment import Verdict
from reproduction.report.drawing import plotting
from reproduction.report.figures import figures
from reproduction.report.paper_errata import Finding, findings
from reproduction.reproduce import COLUMNS, Reproduction, cells_of, summary

PARTS = parts_in(Path(__file__).with_name("parts.html").read_text(encoding="utf-8"))


def fill(part: str, **values: object) -> str:
    """Return a part of ``parts.html`` with its values, which are HTML."""
    return PARTS[part].format(**values)


def write_report(result: Reproduction, path: str | os.PathLike[str] | None = None) -> Path:
    """Write the page (by default ``report.html`` next to the results) and return its path."""
    target = Path(path) if path is not None else result.out / "report.html"
    plotting(target.parent)
    write_page(target, page(result))
    return target


def page(result: Reproduction) -> str:
    """Return the whole page as HTML; it needs no network and no script."""
    loose = findings(result.rows)
    parts = [_opening(result, bool(loose)), _verdicts(result), _gallery(result)]
    parts += [_findings(loose)] if loose else []
    return document("adeptree: the paper, measured", [*parts, _origin(result)])


def _gallery(result: Reproduction) -> str:
    return section("figures", "Figures", '<div class="figures">', *map(drawn, figures(result.rows)), "</div>")


def _opening(result: Reproduction, loose: bool) -> str:
    failed = sum(not v.held for found in result.verdicts.values() for v in found)
    count = f"{failed} check{'s' if failed > 1 else ''} did not hold."
    says = count if failed else "Every claim that was checked held."
    named = {"findings": "Where the paper is loose"} if loose else {}
    return opening(
        "Regret and oracle queries, measured",
        fill("report"),
        f'<p class="sum {_state(not failed)}"><strong>{says}</strong> {text(summary(result))}.</p>\n',
        {"verdicts": "Table", "figures": "Figures", **named, "origin": "How it was produced"},
    )


def _state(held: bool) -> str:
    return "held" if held else "failed"


def _verdicts(result: Reproduction) -> str:
    """Return the table, with a body of rows per experiment."""
    bodies = "".join(_body(name, found) for name, found in result.verdicts.items())
    return section("verdicts", "Claim, bound, measured", fill("verdicts"), table(COLUMNS.items(), bodies))


def _body(name: str, verdicts: list[Verdict]) -> str:
    known = EXPERIMENTS[name]
    told = {"columns": len(COLUMNS), "theorem": text(known.theorem), "claim": text(known.claim)}
    return fill("claim", name=name, **told, lines="".join(map(_line, verdicts))) + "\n"


def _line(verdict: Verdict) -> str:
    claim, *numbers, _ = cells_of(verdict)
    named = dict(zip([*COLUMNS][1:-1], numbers, strict=True))
    note = f"<small>{text(verdict.note)}</small>" if verdict.note else ""
    good = verdict.outcome == "held"
    mark = f"{'✓' if good else '✗'} {verdict.outcome}"
    return line(claim, named, note, f'<td class="{_state(good)}" data-label="held">{mark}</td>')


def _findings(found: list[Finding]) -> str:
    items = [fill("finding", where=text(f.where), text=text(f.text), measured=text(f.measured)) for f in found]
    heading = "Where the paper is loose, and what was found"
    return section("findings", heading, '<ol class="findings">', *items, "</ol>")


def _runs(name: str, experiment: dict[str, Any]) -> str:
    seeds = experiment["seeds"]
    return f"{name}: {experiment['cells']} runs, seeds {seeds[0]} to {seeds[-1]}"


def _origin(result: Reproduction) -> str:
    """Return how the page was produced, from the manifest."""
    manifest: dict[str, Any] = result.manifest
    runs = "\n".join(f"<li>{text(_runs(name, e))}</li>" for name, e in manifest["experiments"].items())
    found = {
        "settings": manifest["level"],
        "started": manifest["started"],
        "processes": manifest["jobs"],
        "wall time": f"{manifest['wall_seconds']:.0f} s ({manifest['kept_from_before']} runs were kept from before)",
        "processor time of all runs": f"{manifest['cpu_seconds']:.0f} s",
        **manifest["versions"],
    }
    return section(
        "origin",
        "How it was produced",
        fill("origin", level="full" if manifest["level"] == "full" else "quick"),
        facts(found),
        f"<ul>\n{runs}\n</ul>",
    )
