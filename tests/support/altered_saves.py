"""Saved learners with one value altered and a right checksum: refused on load, or a learner that plays.

``python tests/support/altered_saves.py 3000`` tries that many alterations and prints each exception that escapes.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from wild_games import ADEPTS, OTHERS, Game

import adeptree as at
from adeptree.core import files
from adeptree.core.errors import AdeptreeError, StateError
from adeptree.pages.standing import RunFacts
from adeptree.pages.summary import summary

ODD: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 7, 1000, 1 << 31, 1 << 40, 1 << 62, 1 << 63, -(1 << 63), 1 << 70, 10**400),
    *(
        0.5,
        -2.5,
        1e-300,
        1e300,
        -1e300,
        2.0**63,
        math.nan,
        math.inf,
        -math.inf,
        "",
        "x",
        "0",
        [],
        {},
        (),
        [1],
        [[]],
        (1, 2),
    ),
)


def places(value: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where something can be altered: every part, however deep."""
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, (list, tuple)) else ()
    inside = [place for key in keys for place in places(value[key], (*where, key))]
    return [*([where] if where else []), *inside]


def at_place(value: Any, where: tuple[Any, ...]) -> Any:
    """Return the part of a value that is there."""
    for key in where:
        value = value[key]
    return value


def with_part(value: Any, where: tuple[Any, ...], part: Any) -> Any:
    """Return a copy of a value with another part there."""
    if not where:
        return part
    copied = list(value) if isinstance(value, tuple) else value.copy()
    copied[where[0]] = with_part(value[where[0]], where[1:], part)
    return tuple(copied) if isinstance(value, tuple) else copied


def altered(value: Any, rng: random.Random) -> Any:
    """Return something else in its place."""
    if isinstance(value, np.ndarray) and rng.random() < 0.9:
        return altered_array(value, rng)
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.6:
        i = rng.randrange(len(value))
        shuffled = rng.sample(list(value), len(value))
        others = [value[1:], value[:i], value * 2, type(value)(shuffled), (*value, value[i])]
        return type(value)(rng.choice(others))
    if isinstance(value, dict) and value and rng.random() < 0.6:
        gone = rng.choice(list(value))
        return {name: part for name, part in value.items() if name != gone}
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.6:
        return rng.choice(
            [value + 1, value - 1, -value, value * 2, value * 1000, value / 2, value + 1e-9, float(value)]
        )
    return rng.choice(ODD)


def altered_array(array: Any, rng: random.Random) -> Any:
    """Return the array with an entry altered, or of another kind or shape."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if array.size and rng.random() < 0.65:
            other, place = array.copy().reshape(-1), rng.randrange(array.size)
            info: Any = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
            odd = [0, 1, 2, 7, 1000, other[place] + 1, other[place] * 2, other[place] / 2]
            odd += (
                [info.min, info.max] if info else [math.nan, math.inf, -1.0, 1e300, 1e-300] * (array.dtype.kind == "f")
            )
            other[place] = np.array(rng.choice(odd)).astype(array.dtype)
            return other.reshape(array.shape)
        kind = rng.choice([np.float64, np.float32, np.int8, np.int32, np.int64, np.uint64, np.bool_, "U3", "S2"])
        swapped = array.astype(array.dtype.newbyteorder())
        return rng.choice(
            [
                *(array.astype(kind), array[..., :-1], np.concatenate([array, array], axis=-1), swapped),
                *(array.reshape(-1, 1), array.reshape(1, -1), array[..., :0], np.ascontiguousarray(array[..., ::-1])),
                *(np.full_like(array, rng.choice([0, 1, 3])), np.roll(array, 1), np.asfortranarray(array)),
            ]
        )


def plays(path: Path, game: Game) -> str:
    """Load and continue; return the outcome: "refused", "played", or "ended" by an error of the library."""
    try:
        learner: Any = at.load(path, concept_class=game.given)
    except StateError:
        return "refused"
    except AdeptreeError:
        if game.given is None:
            raise AssertionError("a file that tells all must be refused as a file") from None
        return "refused"
    try:
        for ticket in list(learner.tickets)[:2]:
            learner.learn(ticket, 1)
        for t, x in enumerate(game.stream.points[:4]):
            p = learner.predict_proba(x)
            assert 0.0 <= p <= 1.0, p
            learner.learn(x, t % 2)
        learner.learn_many(game.stream.points[4:7], [0, 1, 1])
        assert not math.isnan(learner.bound) and 0 <= learner.best_loss < math.inf
        str(learner.best_rule())
        repr(learner)
        learner.realised_bound()
        learner.bound_after(100)
        if isinstance(learner, at.Adept):
            str(learner.certificate())
            summary(learner, RunFacts("rows", "rules", list("abcd")))
            learner.bound_for(3, 100)
            _ = learner.final
            learner.rules_within(1, 5)
        learner.save(path)
        at.load(path, concept_class=game.given)
    except AdeptreeError as error:
        return "ended" if not isinstance(error, StateError) else escaped(error)
    return "played"


def escaped(error: Exception) -> str:
    """Raise what must not come: a learner that was loaded cannot be saved and loaded again."""
    raise AssertionError(f"it was loaded, played, and does not load again: {error}") from error


def trials(kind: str, count: int, seed: int, folder: Path) -> tuple[dict[str, int], list[str]]:
    """Alter the file of one wild game many times; return the number of each outcome, and what escaped."""
    game = Game(kind, seed, folder)
    for t, x in enumerate(game.stream.points[:14]):
        game._round(t, x)
    game.learner.save(game.path)
    whole, rng = files.load(game.path), random.Random(f"{kind} {seed} altered")
    everywhere, outcomes, found = places(whole), dict[str, int](), list[str]()
    for _ in range(count):
        where = rng.choice(everywhere)
        value = at_place(whole, where)
        other = altered(value, rng)
        try:
            files.save(game.path, with_part(whole, where, other))
        except (AdeptreeError, ValueError, TypeError, OverflowError):
            continue
        try:
            outcome = plays(game.path, game)
        except Exception as error:
            outcome = "escaped"
            found.append(f"{kind} {seed} {where}: {str(value)[:80]} -> {str(other)[:80]}: {error!r}")
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes, found


if __name__ == "__main__":
    kinds, totals = [*ADEPTS, *OTHERS], dict[str, int]()
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as there:
        for number in range(first, first + int(sys.argv[1]) // 100):
            outcomes, found = trials(kinds[number % len(kinds)], 100, number, Path(there))
            for name, times in outcomes.items():
                totals[name] = totals.get(name, 0) + times
            sys.stdout.write("".join(f"{line}\n" for line in found))
            sys.stdout.flush()
    sys.stdout.write(f"{totals}\n")
