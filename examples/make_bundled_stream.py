"""Write the bundled stream, src/adeptree/data/machine_alarms.csv: python examples/make_bundled_stream.py [FILE]

The story: a sensor reads a machine's vibration, 0 to 1023, and the log says whether the machine failed within a day.
Machines that shake at 640 or more do fail; but 15 % of the log is wrong, and for 200 rows in the middle every entry is
the opposite of the truth, as if to mislead a learner. No rule of the form "vibration >= a" can be right all the time,
and none is known in advance.

The file is the same, byte for byte, on every machine: only random.random() is drawn, whose sequence Python promises
to keep for a given seed.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

SEED = 20
ROWS = 2000
LIMIT = 640
WRONG = 0.15
HOSTILE = range(900, 1100)
TARGET = Path(__file__).resolve().parent.parent / "src" / "adeptree" / "data" / "machine_alarms.csv"


def rows() -> list[tuple[int, int]]:
    """Return (vibration, failed) for every row."""
    rng = random.Random(SEED)
    made = []
    for i in range(ROWS):
        # The mean of two uniform draws: most readings lie in the middle, where the limit is.
        vibration = int(1024 * (rng.random() + rng.random()) / 2)
        wrong = rng.random() < WRONG
        made.append((vibration, int((vibration >= LIMIT) != (wrong or i in HOSTILE))))
    return made


def text() -> str:
    """Return the whole file."""
    return "vibration,failed\n" + "".join(f"{vibration},{failed}\n" for vibration, failed in rows())


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_bytes(text().encode("ascii"))
    print(f"{ROWS} rows written to {target}")


if __name__ == "__main__":
    main()
