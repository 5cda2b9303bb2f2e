"""Side by side on one stream: adeptree's engines, the naive versions, and what people use today.

    python benchmarks/speed.py                  everything: minutes
    python benchmarks/speed.py --quick          shorter games: a minute
    python benchmarks/speed.py --docs           and put the tables and the plot into docs/
    python benchmarks/speed.py --show FILE      show an earlier run again

Needs: pip install 'adeptree[fast,plot]' river scikit-learn vowpalwabbit (what is missing is left out, and said).
Everyone predicts once and learns once a round, on the same points and labels, in the form it likes best, made
before the clock starts. Times are processor time of one process, the best of up to five games where that is
affordable: compare them within one run only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import speed_show as show
from speed_elsewhere import elsewhere
from speed_measure import Game, Stream, exponent, held, play, windows
from speed_players import (
    REFERENCE,
    Dictionary,
    NumpyPaths,
    Player,
    present,
    versions,
)

SHORT = 10_000
"""Everyone plays this many rounds, except who says it would take too long."""


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def ladder(player: Player, stream: Stream, lengths: list[int], budget: float, patience: float) -> list[Game]:
    """Play longer and longer games, as long as the next one can be expected to stay within the budget."""
    games: list[Game] = []
    for T in lengths:
        if T > player.longest:
            break
        if games:
            steeper = max(1.0, exponent(games) or 1.0)
            if games[-1].seconds * (T / games[-1].T) ** steeper > budget:
                break
        games.append(play(player, stream, T, patience))
        say(f"  {T:>9,} rounds: {games[-1].seconds:8.3f} s, {games[-1].rate:12,.0f} rounds/s")
    return games


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    quick = arguments.quick
    longest = min(arguments.rounds, 100_000) if quick else arguments.rounds
    lengths = [T for T in (1_000 if quick else SHORT, 10_000 if quick else 100_000, longest) if T <= longest]
    lengths = sorted(set(lengths))
    stream = Stream.draw(arguments.n, max(longest, 45_000), arguments.flips, arguments.seed)
    left_out: list[str] = []
    load = [os.getloadavg()]
    say("warming up")
    players = list(present(arguments.n, left_out.append))
    results: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": versions(),
        "n": arguments.n, "flips": arguments.flips, "seed": arguments.seed,
        "lengths": lengths, "reference": REFERENCE, "games": [], "held": {}, "exponents": {}, "paths": {},
    }  # fmt: skip
    for player in players:
        say(player.name)
        games = ladder(player, stream, lengths, 1.5 if quick else arguments.budget, 0.3 if quick else 4.0)
        results["games"] += [asdict(game) | {"rate": game.rate} for game in games]
        results["exponents"][player.name] = exponent(games)
        rest = [game.T for game in games if game.seconds < (0.1 if quick else 2.0)]
        if player.package != "vowpalwabbit":
            results["held"][player.name] = {str(T): held(player, stream, T) for T in rest}
    results["paths"] = paths(arguments.n, stream, quick)
    say("other streams")
    results["elsewhere"] = elsewhere(players, arguments.n, 1_000 if quick else SHORT, arguments.seed)
    say("starting processes")
    from speed_start import starts

    results["starts"] = [] if quick else starts(repeats=3)
    load.append(os.getloadavg())
    results["load"] = f"{load[0][0]:.1f} at the start, {load[1][0]:.1f} at the end"
    results["left out"] = " ".join(f"Left out: {why}." for why in left_out)
    return results


def paths(n: int, stream: Stream, quick: bool) -> dict[str, Any]:
    """Time rounds at given numbers of active paths."""
    found: dict[str, Any] = {}
    few, many = (1_000, 3_000) if quick else (3_000, 30_000)
    for kind, widths in (
        (Dictionary, [few]),
        (NumpyPaths, [few, many]),
    ):
        say(f"{kind.name}, at {widths} paths")
        found[kind.name] = {str(key): value for key, value in windows(kind(n), stream, widths, 80).items()}
    return found


def main(given: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter games, below one minute")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="rounds of the longest game")
    parser.add_argument("--n", type=int, default=65_536, help="points on the line")
    parser.add_argument("--flips", type=float, default=0.2, help="share of labels that are flipped")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=50.0, help="processor seconds that one game may take")
    parser.add_argument("--out", type=Path, default=Path("speed.json"), help="where the numbers go (and a plot beside)")
    parser.add_argument("--docs", action="store_true", help="put the tables and the plot into docs/")
    parser.add_argument("--show", type=Path, help="show the numbers of an earlier run instead of measuring")
    arguments = parser.parse_args(given)
    if arguments.show:
        results = json.loads(arguments.show.read_text())
    else:
        begun = time.perf_counter()
        results = measure(arguments)
        used = sum(os.times()[:4])
        results["took"] = f"{time.perf_counter() - begun:.0f} s, {used:.0f} s of them processor time"
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    text = show.page(results)
    print(text)
    show.draw(results, arguments.out.with_suffix(".svg"))
    if arguments.docs:
        show.write_page(text)
        show.draw(results, show.FIGURE)
    say(f"{results['took']}; numbers in {arguments.show or arguments.out}, plot in {arguments.out.with_suffix('.svg')}")


if __name__ == "__main__":
    main(sys.argv[1:])
