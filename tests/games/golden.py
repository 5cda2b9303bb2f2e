"""Golden transcripts: small games, replayed from their own header and compared line by line.

``python tests/games/golden.py`` checks them, ``python tests/games/golden.py --update [NAME ...]`` writes them again. A
changed golden is a changed behaviour: say so in the changelog.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import adeptree as at

sys.path.append(str(Path(__file__).parents[1] / "support"))
from shipped_families import shipped

FOLDER = Path(__file__).parent / "golden"

ENGINES = ("paths", "auto")
LEARNERS: dict[str, Any] = {"adept": at.Adept, "lazy-adept": at.LazyAdept, "bpss": at.Bpss, "hedge": at.Hedge}
ADVERSARIES: dict[str, Any] = {
    "stochastic": at.Stochastic,
    "drifting": at.Drifting,
    "greedy": at.Greedy,
    "littlestone-tree": at.LittlestoneTree,
}


def game(spec: str, learner: str = "adept", adversary: str = "stochastic", rounds: int = 12, **options: Any) -> Any:
    """Return the header of a game."""
    return {"class": spec, "learner": learner, "options": options, "adversary": adversary, "rounds": rounds}


# One per family, from its record; then those of other learners, adversaries, rates and priors.
GAMES: dict[str, Any] = {
    family.name.replace("_", "-"): game(family.small or family.example, **family.golden) for family in shipped()
}
FINITE = GAMES["finite"]["class"]
GAMES |= {
    "thresholds-greedy": game("thresholds(n=16)", adversary="greedy"),
    "thresholds-first-order": game("thresholds(n=16)", rate="first-order", adversary="drifting"),
    "thresholds-lazy": game("thresholds(n=16)", learner="lazy-adept", commits=4),
    "thresholds-hedge": game("thresholds(n=16)", learner="hedge"),
    "thresholds-mixed": game("thresholds(n=16)", adversary="greedy", prior="mixed", rate="adaptive"),
    "thresholds-anytime": game("thresholds(n=16)", adversary="greedy", prior="kt", rate="adaptive"),
    "finite-classic": game(FINITE, learner="bpss", rounds=8),
    "finite-classic-pruned": game(FINITE, learner="bpss", rounds=8, prune=True),
}


def replay(header: dict[str, Any], engine: str = "paths") -> str:
    """Play the game a header describes and return its golden text; without paths, if a structure stands for them."""
    concept_class, options = at.parse(header["class"]), header["options"]
    if header["learner"] == "adept":
        options = {"engine": engine, **options}
    learner = LEARNERS[header["learner"]](concept_class, header["rounds"], seed=1, **options)
    run = at.play(learner, ADVERSARIES[header["adversary"]](concept_class), seed=2)
    return f"{json.dumps(header)}\n{_rounds(run)}{_paths(learner)}"


def _rounds(run: at.Transcript) -> str:
    """The rounds of a game and its sums, the same on every machine."""
    columns = "t x p guess y width asked posed inferred best_loss"
    rows = [
        f"{r.t} {r.x!r} {r.p:.6g} {r.guess} {r.y} {r.width} {r.asked} {r.posed} {r.asked - r.posed} {r.best_loss}"
        for r in run.rounds
    ]
    tail = f"expected_loss {run.expected_loss:.6g}  best_loss {run.best_loss}  regret {run.regret:.6g}"
    return "\n".join([columns, *rows, f"{tail}  bound {run.bound:.6g}"]) + "\n"


def _paths(learner: Any) -> str:
    """The final active paths, sorted: rule, base mistakes, loss."""
    if not isinstance(learner, at.Adept) or learner.engine.kind != "paths":
        return ""
    rows = zip(range(learner.width), learner.paths.mistakes.tolist(), learner.paths.losses.tolist(), strict=True)
    lines = sorted(f"path {learner.paths.frontier.concept(row)} | mistakes {k} loss {loss}" for row, k, loss in rows)
    return "\n".join(lines) + "\n"


def differences(name: str, engine: str = "paths") -> list[str]:
    """Return the lines in which a golden differs from its replay."""
    was = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    again = replay(json.loads(was[0]), engine).splitlines()
    if not any(line.startswith("path ") for line in again):
        was = [line for line in was if not line.startswith("path ")]
    if len(was) != len(again):
        return [f"{len(was)} lines became {len(again)}"]
    return [f"line {i}: {a} -> {b}" for i, (a, b) in enumerate(zip(was, again, strict=True), 1) if not same(a, b)]


def same(a: str, b: str) -> bool:
    """Compare lines word by word, numbers by value to 6 digits (the last digit may round differently)."""
    words, others = a.split(), b.split()
    return len(words) == len(others) and all(map(_same_word, words, others))


def _same_word(a: str, b: str) -> bool:
    if a == b:
        return True
    try:
        x, y = ast.literal_eval(a), ast.literal_eval(b)
    except (ValueError, SyntaxError):
        return False
    return isinstance(x, float) and isinstance(y, float) and abs(x - y) <= 1.1e-5 * max(abs(x), abs(y))


def main(words: list[str]) -> int:
    """Check or update the goldens."""
    names = [w for w in words if w != "--update"] or list(GAMES)
    if "--update" in words:
        for name in names:
            (FOLDER / f"{name}.txt").write_text(replay(GAMES[name]), encoding="utf-8")
        return 0
    wrong = {f"{name} ({engine})": differences(name, engine) for name in names for engine in ENGINES}
    for name, lines in wrong.items():
        for line in lines:
            sys.stdout.write(f"{name}: {line}\n")
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
