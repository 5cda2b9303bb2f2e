"""The figure of the horizon-free learner: regret and certificate over time, beside the paper's learner."""

from __future__ import annotations

from collections.abc import Sequence

from adeptree.experiments.experiment import Row
from adeptree.pages.drawing import COLOURS, HEIGHT, INK, Figure, canvas, legend_below, to_svg


def anytime_figure(rows: Sequence[Row]) -> Figure:
    """Regret over time without T and M, its certificate, and the paper's learner, on one noisy stream."""
    figure, axes = canvas(height=HEIGHT + 0.6)
    drawn = [r for r in rows if "curves" in r and r["stream"] == "noise 30%"]
    row = max(drawn, key=lambda r: (r["class"].startswith("thresholds"), int(r["T"])))
    curves, T = row["curves"], row["T"]
    axes.plot(curves["t"], curves["paper"], color=COLOURS[1], label="the paper's learner, told T and M")
    axes.plot(curves["t"], curves["anytime"], color=COLOURS[0], label="horizon=None, told neither")
    axes.plot(curves["t"], curves["bound"], color=COLOURS[0], linestyle="--", label="its certificate, as of then")
    axes.axhline(row["formula"], color=INK, linestyle=":", label=f"the paper's bound, {row['formula']:.0f}")
    axes.set(xlabel="round t", ylabel="expected regret so far", xlim=(0, T), yscale="symlog", ylim=(0, None))
    legend_below(figure, axes, columns=1)
    caption = (
        f"Expected regret over time on {row['class']}, labels flipped with probability 0.3, seed 0: the paper's "
        f"learner with T = {T} and M known, and the learner that knows neither, under the bound that its certificate "
        f"states at each moment (dashed). Dotted: the paper's worst-case bound √(T M ln(eT/M) / 2)."
    )
    alt = f"Regret over {T} rounds of two learners, the anytime one below its dashed certificate."
    return Figure("anytime", "Without T and M", caption, to_svg(figure, "anytime", alt))
