"""Request smuggling against a real service: python benchmarks/serve_smuggling.py [--seconds 1800] [--seed 0]

Random sequences of valid, doubtful and malformed requests are sent in random packets, with bodies, chunks, trailers and
upgrades that hide further requests. Each connection must get one reply per request, a refusal must be the last reply,
and the learner must have answered exactly the questions that were acknowledged.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from serving import Server
from smuggling import TOKEN, attack


def main() -> None:
    """Attack for some time and print the counts; a violation is an error that names its seed."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=1800)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    seed, requests, end = given.seed, 0, time.monotonic() + given.seconds
    with Server("--rules", "thresholds(v)", "--token", TOKEN) as server:

        def answered() -> int:
            said = server.ask("/metrics", Authorization=f"Bearer {TOKEN}").body
            found = re.search(r'adeptree_answered\{learner="main"\} (\d+)', said)
            assert found is not None
            return int(found[1])

        while time.monotonic() < end:
            try:
                requests += attack(server.port, random.Random(seed), answered)
            except (AssertionError, ValueError, OSError) as error:
                raise SystemExit(f"seed {seed}: {error}") from error
            seed += 1
        code = server.end()
        assert code == 0 and len(server.said) == 2, server.said
    print(f"{seed - given.seed:,} connections, {requests:,} requests, 0 violations")


if __name__ == "__main__":
    main()
