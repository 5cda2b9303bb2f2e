"""Tables (Markdown), the plot and the page of ``speed.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "speed.md"
FIGURE = ROOT / "docs" / "figures" / "speed.svg"
BEGIN, END = "<!-- results of benchmarks/speed.py -->", "<!-- end of results -->"
OURS, SIMPLE = "#0b6e4f #1b9e77 #41ae76 #99d8c9 #08589e #4eb3d3 #a8ddb5".split(), "#555555 #888888 #bbbbbb".split()
THEIRS = "#d95f02 #e6ab02 #a6761d #e7298a #7570b3".split()


def table(head: list[str], lines: list[list[str]]) -> str:
    """Return a Markdown table: the first column left, the others right."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    rows = [[cell.replace("|", "\\|") for cell in line] for line in [head, *lines]]
    texts = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([texts[0], rule, *texts[1:]])


def number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g} x" if value < 100 else f"{value:,.0f} x"


def games_table(results: dict[str, Any], T: int) -> str:
    """Everyone who played T rounds, the fastest first."""
    games = sorted((g for g in results["games"] if g["T"] == T), key=lambda g: -g["rate"])
    reference = next((g["rate"] for g in games if g["name"] == results["reference"]), None)
    lines = []
    for g in games:
        regret = None if g["expected_loss"] is None else g["expected_loss"] - g["best_loss"]
        memory = results["held"].get(g["name"], {}).get(str(T))
        lines.append(
            [
                g["name"], number(g["rate"]), ratio(g["rate"] / reference if reference else None),
                number(g["mistakes"]), number(g["mistakes"] - g["best_loss"]), number(regret, 1),
                number(g["bound"]), number(memory / 1024 if memory is not None else None),
            ]
        )  # fmt: skip
    head = ["", "rounds/s", "to River's LR", "mistakes", "regret", "expected regret", "proven at most", "KiB held"]
    best = games[0]["best_loss"] if games else 0
    return f"T = {T:,}; the best threshold makes {best:,} mistakes.\n\n" + table(head, lines)


def growth_table(results: dict[str, Any]) -> str:
    """Total time as a power of T."""
    lines = []
    for name, fitted in results["exponents"].items():
        played = [g for g in results["games"] if g["name"] == name]
        if len(played) < 2:
            continue
        times = ", ".join(f"{g['T']:,}: {g['seconds']:.3g} s" for g in played)
        lines.append([name, number(fitted, 2), times])
    return table(["", "exponent of T", "processor time"], lines)


def paths_table(results: dict[str, Any]) -> str:
    """The forms of the paths engine at given widths."""
    lines = []
    for name, found in results["paths"].items():
        for wanted, (width, seconds) in found.items():
            naive = results["paths"].get("ADEPT, naive dictionary", {}).get(wanted)
            numpy = results["paths"].get("adeptree paths, numpy", {}).get(wanted)
            lines.append(
                [
                    name, f"{width:,}", number(1 / seconds), number(1e9 * seconds / width, 2),
                    ratio(naive[1] / seconds if naive else None), ratio(numpy[1] / seconds if numpy else None),
                ]
            )  # fmt: skip
    lines.sort(key=lambda line: int(line[1].replace(",", "")))
    head = ["", "active paths", "rounds/s", "ns per path and round", "to the dictionary", "to numpy"]
    return table(head, lines)


def start_table(results: dict[str, Any]) -> str:
    lines = [
        [str(line["what"]), number(line["wall"], 2), number(line["cpu"], 2), number(line["cold cpu"], 2)]
        for line in results["starts"]
    ]
    return table(["a new process", "wall s", "processor s", "processor s, nothing compiled yet"], lines)


def elsewhere_table(results: dict[str, Any]) -> str:
    """Mistakes on other streams."""
    streams = results["elsewhere"]
    names = list(dict.fromkeys(name for found in streams.values() for name in found))
    lines = [[name, *(number(found.get(name)) for found in streams.values())] for name in names]
    return table(["mistakes", *streams], lines)


def page(results: dict[str, Any]) -> str:
    """Return all tables, under headings."""
    where = f"{results['machine']}; load average {results['load']}; it took {results['took']}. " + ", ".join(
        f"{name} {found}" for name, found in results["versions"].items()
    )
    games = [games_table(results, T) for T in results["lengths"] if any(g["T"] == T for g in results["games"])]
    parts = [
        f"{where}.\n\n{results['left out']}".strip(),
        "### One stream, everyone\n\n" + "\n\n".join(games),
        "### Growth with T\n\n" + growth_table(results),
        "### The paths engine\n\n" + paths_table(results),
        "### Other streams\n\n" + elsewhere_table(results),
        "### Starting\n\n" + start_table(results) if results["starts"] else "",
    ]
    return "\n\n".join(part for part in parts if part)


def write_page(text: str) -> None:
    """Put the results into the page of the docs, between the marks."""
    old = PAGE.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


def draw(results: dict[str, Any], path: Path) -> None:
    """Plot processor time against T, and regret against speed at the length that most could play."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "adeptree", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    names = list(dict.fromkeys(g["name"] for g in results["games"]))
    middle = results["lengths"][min(1, len(results["lengths"]) - 1)]
    shades = {"o": iter(OURS), "s": iter(SIMPLE), "^": iter(THEIRS)}
    for name in names:
        games = [g for g in results["games"] if g["name"] == name]
        marker = "o" if name.startswith("adeptree") else "s" if name.startswith(("ADEPT", "Hedge")) else "^"
        style = {"color": next(shades[marker]), "marker": marker, "label": name}
        left.loglog([g["T"] for g in games], [g["seconds"] for g in games], linewidth=1.4, markersize=4, **style)
        for g in games:
            if g["T"] == middle:
                right.scatter(g["rate"], max(1, g["mistakes"] - g["best_loss"]), s=36, **style)
    left.set(xlabel="rounds T", ylabel="processor seconds", title="Total time")
    title = f"Speed and regret at T = {middle:,} (right and low is good)"
    right.set(xlabel="rounds a second", ylabel="mistakes beyond the best threshold's", title=title)
    right.set_xscale("log")
    right.set_yscale("log")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
