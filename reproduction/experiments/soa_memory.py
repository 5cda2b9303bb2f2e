"""Corollary "Memory Efficiency via SOA": t^VC paths instead of T^Ldim experts, at the same regret."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import curve, played
from reproduction.stats import ROUNDING, at_most


def run(cell: Cell) -> Row:
    """Play ADEPT with SOA; where T is small, build Algorithm 1 too and count its experts."""
    concept_class, T = at.parse(cell["class"]).to_finite(), cell["T"]  # type: ignore[attr-defined]
    learner = at.Adept(concept_class, T, base=at.SOA(), seed=cell["seed"])
    game = played(learner, cell)
    widths = game.column("width").tolist()
    row: Row = {
        "d_vc": concept_class.vc_dimension,
        "littlestone": concept_class.littlestone_dimension,
        "M": (learner.mistake_bound or 0),
        "width": max(widths),
        "distinct": len({played.x for played in game}),
        "regret": game.regret,
        "log10_experts": math.log10(at.bounds.experts(T, (learner.mistake_bound or 0))),
    }
    if cell["part"] == "experts":
        xs, ys, p = ([getattr(played, name) for played in game] for name in ("x", "y", "p"))
        classic, deleting = (at.Bpss(concept_class, T, base=at.SOA(), prune=prune) for prune in (False, True))
        row["experts_listed"] = len(classic.schedules)
        # The paper says ADEPT predicts as Algorithm 1; it does as Algorithm 1 with unrealizable experts deleted.
        row["gap_to_classic"] = float(np.abs(classic.learn_many(xs, ys) - p).max())
        row["gap_to_deleting"] = float(np.abs(deleting.learn_many(xs, ys) - p).max())
    if cell["part"] == "width" and cell["seed"] == 0 and cell["stream"] == "random labels":
        row["curve"] = curve(widths)
    return row


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Paths within Sauer's number, regret within the bound of M = Ldim, and the experts counted."""
    for (spec,), members in groups(part(rows, "width"), "class").items():
        first = members[0]
        experts = at.bounds.experts(first["T"], first["littlestone"])
        dimensions = f"T = {first['T']}, VC {first['d_vc']}, Ldim {first['littlestone']}"
        note = f"{dimensions}; Algorithm 1 keeps {experts:.2g} experts"
        # Repeated points never split, so Sauer's number is that of the different ones.
        shares = [r["width"] / at.bounds.sauer(r["distinct"], r["d_vc"]) for r in members]
        yield at_most(f"paths kept / Sauer's number of the distinct points, SOA on {spec}", shares, 1.0, note)
    shares = [row["regret"] / at.bounds.regret(row["T"], row["littlestone"]) for row in rows]
    yield at_most("expected regret / bound with M = Ldim", shares, 1.0, "SOA, all runs")
    if small := part(rows, "experts"):
        yield from _against_classic(small)


def _against_classic(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Count and compare with Algorithm 1 itself, on the small games where it can be run."""
    largest = max(rows, key=lambda r: int(r["experts_listed"]))
    counted = f"both run: {largest['experts_listed']} experts, {largest['width']} paths at T = {largest['T']}"
    gap = max(row["gap_to_classic"] for row in rows)
    identical = (
        f"{counted}; without the deletion the probabilities differ by up to {gap:.2f}: not the same distribution"
    )
    claim = "|P of ADEPT - P of Algorithm 1 deleting unrealizable experts|"
    yield at_most(claim, column(rows, "gap_to_deleting"), ROUNDING, identical)
