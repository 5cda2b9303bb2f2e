"""Ctrl-C at a line of a round, for every family: afterwards a learner is as before, as after, or asks to be loaded.

``python tests/support/interrupting.py`` tries every line of every call (ADEPTREE_ENGINE=python: interpreted kernels).
"""

from __future__ import annotations

import argparse
import gc
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import adeptree as at
from adeptree import errors
from adeptree.families.registry import families

LIBRARY = at.__file__.rsplit("/", 1)[0]
START, HEAVY = 7, 8.0


class Interrupter:
    """Follows the lines executed inside the library, and raises KeyboardInterrupt at the n-th."""

    def __init__(self, at_line: int = 0) -> None:
        self.at_line = at_line
        self._seen: list[tuple[CodeType, int]] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._seen.append((frame.f_code, frame.f_lineno))
            if len(self._seen) == self.at_line:
                raise KeyboardInterrupt
        elif not frame.f_code.co_filename.startswith(LIBRARY):
            return None
        return self

    def named(self, place: int) -> str:
        """One of the lines, as file:number."""
        code, number = self._seen[place]
        return f"{code.co_filename[len(LIBRARY) :]}:{number}"

    @property
    def places(self) -> list[str]:
        """The lines, as file:number."""
        named = {one: f"{one[0].co_filename[len(LIBRARY) :]}:{one[1]}" for one in set(self._seen)}
        return [named[one] for one in self._seen]


def traced(call: Callable[[], Any], line: int) -> Interrupter:
    """Call, be interrupted at that line (0: never), and return what followed the lines."""
    tracer, before = Interrupter(line), sys.gettrace()
    sys.settrace(tracer)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
        tracer.at_line = 0  # (a frame that lives on may still hold it)
    return tracer


def interrupted(call: Callable[[], Any], line: int = 0) -> list[str]:
    """Call, be interrupted at that line (0: never), and return the lines that were executed."""
    return traced(call, line).places


def interrupted_at(call: Callable[[], Any], line: int) -> str:
    """Call, be interrupted at that line, and return the last line that was executed."""
    return traced(call, line).named(-1)


def struck(call: Callable[[], Any], seconds: float) -> bool:
    """Call with a Ctrl-C after that time, and return whether it came out; once this returns, none can come."""
    armed = True

    def strike(*_: Any) -> None:
        if armed:
            raise KeyboardInterrupt

    handler, left = signal.signal(signal.SIGALRM, strike), signal.getitimer(signal.ITIMER_REAL)
    collects = gc.isenabled()
    gc.disable()  # (an exception in a callback of the collector is lost)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)  # (inside: on a busy machine it strikes before the call)
            call()
        finally:
            armed = False
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *left)  # of pytest-timeout
        if collects:
            gc.enable()
    return False


class Game(NamedTuple):
    """A learner to be built, its points, labels and weights."""

    build: Callable[[], Any]
    xs: list[Any]
    ys: list[int]
    weights: list[float]

    def played(self, rounds: int, plain: int = 0) -> Any:
        """Return a learner after these rounds, and some more that weigh 1, as those of a batch do."""
        learner = self.build()
        for i in range(rounds):
            self.learn(learner, i)
        for i in range(rounds, rounds + plain):
            learner.learn(self.xs[i], self.ys[i])
        return learner

    def learn(self, learner: Any, i: int) -> None:
        """Play the i-th round."""
        weight = {} if self.weights[i] == 1 else {"weight": self.weights[i]}
        learner.learn(self.xs[i], self.ys[i], **weight)

    def told(self, learner: Any) -> list[float]:
        """Return what a learner says now, and after more rounds: a wrong rate or sum shows there at the latest."""
        found = [float(learner.rounds), float(learner.answered), learner.regret, learner.best_loss]
        found += [learner.predict_proba(x) for x in (self.xs[START], *self.xs[-3:])]
        for i in range(START + 4, START + 10):
            self.learn(learner, i)
            found += [learner.regret, learner.best_loss, learner.predict_proba(self.xs[i - 4])]
        return found


OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "kt": {"prior": "kt"},
    "anytime": {"rate": "anytime"},
    "adaptive": {"rate": "adaptive"},
    "costs": {"costs": (3, 0.5), "rate": "adaptive"},
    "paper": {"horizon": 60},
    "first order": {"horizon": 60, "rate": "first-order"},
    "paths": {"engine": "paths"},
}
OTHERS: dict[str, Callable[[], Any]] = {
    "drift": lambda: at.Adept(at.Thresholds(6), drift=True, max_weight=20),
    "drift, paths": lambda: at.Adept(at.Thresholds(6), drift=True, engine="paths", max_weight=20),
    "restarts, by": lambda: at.Adept(at.Intervals(24).on("x"), review=0.2, drift=True, by="t", max_weight=20),
    "two levels": lambda: at.Adept(at.Intervals(24).on("x"), by="t", max_weight=20),
    "hedge": lambda: at.Hedge(at.Thresholds(6)),
    "lazy": lambda: at.LazyAdept(at.Thresholds(6), 60),
    "leader": lambda: at.FollowTheLeader(at.Thresholds(6), 60),
}
QUICK = {name: given for name, given in OPTIONS.items() if name != "paths"}
LISTED = ("thresholds", "intervals", "stumps", "finite", "table_stumps")
"""Families that are also tried path by path."""
SLOW = ("halfspaces",)
SMALLER = {"unions": "unions(n=12, m=2)", "intervals": "intervals(n=24)", "conjunctions": "conjunctions(n=3)"}


def games(seed: int = 0) -> Iterator[tuple[str, Game]]:
    """Yield a game for every family with every option that it takes, and for the other learners."""
    builds: dict[str, Callable[[], Any]] = {}
    for family in families():
        if family.example:
            c = at.parse(SMALLER.get(family.name, family.example))
            options = OPTIONS if family.name in LISTED else {"": {}} if family.name in SLOW else QUICK
            builds |= {f"{family.name}, {name}": partial(at.Adept, c, **given) for name, given in options.items()}
    for name, build in {**builds, **OTHERS}.items():
        try:
            c = build().concept_class
        except errors.AdeptreeError:
            continue  # (the family does not take these options)
        rng = np.random.default_rng(seed)
        xs = [c.random_instance(rng) for _ in range(START + 12)]
        ys = rng.integers(0, 2, len(xs)).tolist()
        weighed = isinstance(build(), at.Adept)
        weights = [float(w) if weighed else 1 for w in rng.choice([1, 1, 1, 2.5, 0.25], len(xs))]
        if weighed:
            weights[START + 6] = 2 * HEAVY
        yield name, Game(build, xs, ys, weights)


Prepare = Callable[[Any], Any]
Act = Callable[[Any, Any], Any]


def calls(game: Game) -> dict[str, tuple[Prepare, Act, list[Callable[[], Any]]]]:
    """Return what is interrupted: what is done before, the call itself, and how every allowed outcome is made."""
    x, y = game.xs[START], game.ys[START]

    def nothing(learner: Any) -> None:
        return None

    def after(prepare: Prepare, act: Act) -> Any:
        learner = game.played(START)
        act(learner, prepare(learner))
        return learner

    def before(prepare: Prepare) -> Any:
        learner = game.played(START)
        prepare(learner)
        return learner

    acts: dict[str, tuple[Prepare, Act]] = {
        "learn": (nothing, lambda learner, _: learner.learn(x, y)),
        "predict_proba": (nothing, lambda learner, _: learner.predict_proba(x)),
        "predict_proba_many": (nothing, lambda learner, _: learner.predict_proba_many(game.xs[START - 2 : START + 3])),
        "answer": (nothing, lambda learner, _: learner.answer(x)),
        "learn a ticket": (lambda learner: learner.answer(x), lambda learner, ticket: learner.learn(ticket, y)),
    }
    if isinstance(game.build(), at.Adept):
        acts["certificate"] = nothing, lambda learner, _: learner.certificate()
        acts["learn, heavy"] = nothing, lambda learner, _: learner.learn(x, y, weight=HEAVY)
        acts["learn a ticket, heavy"] = (
            lambda learner: learner.answer(x),
            lambda learner, ticket: learner.learn(ticket, y, weight=HEAVY),
        )
    found: dict[str, tuple[Prepare, Act, list[Callable[[], Any]]]] = {
        name: (prepare, act, [partial(before, prepare), partial(after, prepare, act)])
        for name, (prepare, act) in acts.items()
    }
    some = slice(START, START + 4)
    found["learn_many"] = (
        nothing,
        lambda learner, _: learner.learn_many(game.xs[some], game.ys[some]),
        [partial(game.played, START, done) for done in range(5)],
    )
    return found


def outcome(game: Game, learner: Any) -> list[float] | None:
    """Return what a learner says, or None if every call asks to load it again."""
    try:
        return game.told(learner)
    except errors.StateError as error:
        assert "load" in str(error), error
    for call in (partial(learner.predict_proba, game.xs[0]), partial(learner.learn, game.xs[0], 1)):
        try:
            call()
        except errors.StateError as error:
            assert "load" in str(error), error
        else:
            raise AssertionError("one call asks to load the learner, and another one works")
    return None


def same(a: list[float], b: list[float]) -> bool:
    return len(a) == len(b) and all(abs(x - y) <= 1e-9 * max(1.0, abs(x)) for x, y in zip(a, b, strict=True))


def attack(game: Game, name: str, lines: Callable[[list[str]], list[int]]) -> tuple[int, list[str]]:
    """Interrupt a call at some of its lines; return how many, and the places after which the learner is wrong."""
    prepare, act, allowed = calls(game)[name]
    expected = [told for make in allowed if (told := outcome(game, make())) is not None]
    done = game.played(START)
    prepared = prepare(done)
    places = interrupted(lambda: act(done, prepared))
    wrong, tried = list[str](), lines(places)
    for line in tried:
        torn = game.played(START)
        prepared = prepare(torn)
        place = interrupted_at(partial(act, torn, prepared), line)
        try:
            found = outcome(game, torn)
        except Exception as error:
            wrong.append(f"{place}: {type(error).__name__}: {error}")
            continue
        if found is not None and not any(same(found, one) for one in expected):
            wrong.append(f"{place}: {found[:7]} in place of {[one[:7] for one in expected]}")
    return len(tried), wrong


def every(places: list[str]) -> list[int]:
    """Return every line, the first and the last time that it is executed."""
    first = {place: i for i, place in reversed(list(enumerate(places, 1)))}
    last = {place: i for i, place in enumerate(places, 1)}
    return sorted({*first.values(), *last.values()})


def some(count: int, seed: int) -> Callable[[list[str]], list[int]]:
    """Return a choice of that many of them."""

    def chosen(places: list[str]) -> list[int]:
        found = every(places)
        return sorted(random.Random(seed).sample(found, min(count, len(found))))

    return chosen


def campaign(lines: int = 0, share: int = 1, begins: str = "", named: str = "") -> tuple[int, list[str]]:
    """Interrupt calls of every ``share``-th game at this many lines (0: all); return their number and the faults."""
    tried, failures = 0, list[str]()
    for place, (title, game) in enumerate(games()):
        if place % share or not title.startswith(begins):
            continue
        chosen = [name for name in calls(game) if name.startswith(named)]
        if lines and not named:  # a third of the calls, in turn
            chosen = chosen[place // share % 3 :: 3] or chosen
        few = lines or (10 if title.startswith(SLOW) else 0)
        for name in chosen:
            count, wrong = attack(game, name, some(few, place) if few else every)
            tried += count
            failures += [f"{title}: {name}: {one}" for one in wrong]
            for one in wrong[:3]:
                sys.stdout.write(f"{title}: {name}: {one[:400]}\n")
                sys.stdout.flush()
    return tried, failures


def heavy_rounds(c: at.ConceptClass, before: int, seed: int, weight: float) -> list[str]:
    """Interrupt a heavy round at every line, and compare the 120 rounds after it: the rate may differ late."""
    rng = np.random.default_rng(seed)
    xs = [c.random_instance(rng) for _ in range(before + 121)]
    ys = rng.integers(0, 2, len(xs)).tolist()

    def started() -> Any:
        learner = at.Adept(c, rate="adaptive")
        for x, y in zip(xs[:before], ys, strict=False):
            learner.learn(x, y)
        return learner

    def told(learner: Any) -> list[float]:
        found = []
        for x, y in zip(xs[before + 1 :], ys[before + 1 :], strict=True):
            found.append(learner.predict_proba(x))
            learner.learn(x, y)
        return [*found, learner.regret, learner.best_loss]

    done = started()
    places = interrupted(lambda: done.learn(xs[before], ys[before], weight=weight))
    allowed, wrong = [told(started()), told(done)], list[str]()
    for line in every(places):
        torn = started()
        place = interrupted_at(partial(torn.learn, xs[before], ys[before], weight=weight), line)
        found = told(torn)
        if not any(same(found, one) for one in allowed):
            wrong.append(place)
    return wrong


def main() -> None:
    """Interrupt, and print the counts."""
    options = argparse.ArgumentParser()
    options.add_argument("--lines", type=int, default=0)
    options.add_argument("--share", type=int, default=1)
    options.add_argument("--begins", default="")
    options.add_argument("--named", default="")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    begun = time.monotonic()
    tried, failures = campaign(given.lines, given.share, given.begins, given.named)
    sys.stdout.write(f"{tried:,} interrupts, {len(failures)} wrong, in {time.monotonic() - begun:.0f} s\n")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
