"""Write the bundled score stream, src/adeptree/data/fraud_scores.csv: python examples/make_fraud_scores.py [FILE]

The story: a model scores the payments of four shops for twelve weeks, and the truth is known later. About 4 % are
fraud, and some of that looks like any other payment. The model is calibrated for one shop only: for the others its
odds are too high or too low. Its odds fall slowly, as the fraudsters learn, and in week 8 a new version of the model
gives a third of the odds that the old one gave.

The parameters were chosen after a look at the costs, so these are an example and not a benchmark.

The file is the same, byte for byte, on every machine: only random.random() is drawn, whose sequence Python promises
to keep for a given seed, and all arithmetic is + - * /.
"""

from __future__ import annotations

import random
import sys
from datetime import datetime, timedelta
from pathlib import Path

SEED, ROWS, WEEKS = 7, 6000, 12
FRAUD = 0.04
HIDDEN = 0.1
"""The share of fraud that looks like any other payment."""
SHOPS = {"books": (0.4, 1.0), "games": (0.3, 5.0), "shoes": (0.2, 0.25), "trips": (0.1, 2.0)}
"""The share of the payments, and how many times too high the odds of the score are."""
RELEASE, VERSION_2 = 8, 1 / 3
"""The week of the new version, and its odds as a share of those before."""
TARGET = Path(__file__).resolve().parent.parent / "src" / "adeptree" / "data" / "fraud_scores.csv"


def row(rng: random.Random, i: int) -> tuple[str, str, str, str, int]:
    """Return time, shop, amount, score and label of a payment."""
    week, draw = 1 + WEEKS * i // ROWS, rng.random()
    for shop, (share, gain) in SHOPS.items():  # noqa: B007 (the last one takes what is left)
        if (draw := draw - share) < 0:
            break
    fraud = rng.random() < FRAUD
    amount = 5 + 60 * rng.random() / (0.1 + rng.random()) * (2 if fraud else 1)
    likely = rng.random() * rng.random() * rng.random() * rng.random()
    if fraud and rng.random() >= HIDDEN:
        likely = max(rng.random(), rng.random())
    odds = gain * (1 - 0.5 * i / ROWS) * (VERSION_2 if week >= RELEASE else 1) * likely / (1.001 - likely)
    minutes = WEEKS * 7 * 24 * 60 * i // ROWS
    time = datetime(2026, 1, 5) + timedelta(minutes=minutes)
    return time.isoformat(timespec="minutes"), shop, f"{amount:.2f}", f"{odds / (1 + odds):.3f}", int(fraud)


def text() -> str:
    """Return the whole file."""
    rng = random.Random(SEED)
    lines = (",".join(map(str, row(rng, i))) for i in range(ROWS))
    return "time,shop,amount,score,fraud\n" + "".join(f"{line}\n" for line in lines)


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_bytes(text().encode("ascii"))
    print(f"{ROWS} rows written to {target}")


if __name__ == "__main__":
    main()
