"""The algorithms and the lemmas of their proof, round by round: the library against the reference implementations.

Everything here is exact up to rounding, so a wrong rate, weight, capacity, loss, horizon or a missing pruning shows in
the first rounds, whatever the theorem about the whole game still allows.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.families.registry import default_base
from adeptree.games.adversaries import History, Recorded
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import adversary
from reproduction.experiments.query_counts import through_oracle
from reproduction.reference import paper
from reproduction.reference.anytime_learner import KT, Mixed, TwoCuts, anytime
from reproduction.reference.cited_learners import PSEUDOCODE, Machine
from reproduction.reference.listed_classes import Listed, MostConcepts
from reproduction.stats import ROUNDING, at_most
from reproduction.voting_learners import Consistent, MajorityPruning, WeightedVote

BLOCKS = 8
"""Blocks that are played, where the class has infinitely many."""


CITED: dict[str, at.BaseLearner] = {
    "MajorityPruning": MajorityPruning(2),
    "WeightedVote": WeightedVote(),
    "Consistent": Consistent(),
}


def run(cell: Cell) -> Row:
    """Play a game, then let the transcription have the same rounds."""
    if cell["part"] == "alone":
        return _alone(cell)
    parts = {"lemmas": _lemmas, "oracles": _oracles}
    return parts.get(cell["part"], _compared)(cell, at.parse(cell["class"]))


def _stream(cell: Cell, c: at.ConceptClass) -> at.Adversary:
    if cell["stream"] == "falling":  # 0 first is wrong at every point of some path: many functions come about
        rng = np.random.default_rng([cell["seed"], cell["T"]])
        return Recorded([(c.n - 1 - t % c.n, int(rng.integers(2))) for t in range(cell["T"])])  # type: ignore[attr-defined]
    few = (lambda rng: int(rng.integers(cell.get("blocks", BLOCKS)))) if c.spec_name == "blocks" else None
    return adversary(cell["stream"], c, cell["T"], few)


def listed_of(c: Any) -> Listed:
    """Return the concepts of a class, all of them: of unions of blocks, on the blocks that are played."""
    if c.spec_name == "blocks":
        unions = [set(chosen) for k in range(c.d + 1) for chosen in itertools.combinations(range(BLOCKS), k)]
        return Listed(range(BLOCKS), [[x in union for x in range(BLOCKS)] for union in unions])
    finite = c.to_finite()
    return Listed(finite.instances(), finite.table.tolist())


def _compared(cell: Cell, c: at.ConceptClass) -> Row:
    T, listed, which = cell["T"], listed_of(c), cell["part"]
    # For large classes M is a setting, because computing it would take too long.
    M = cell.get("M") or listed.dimension(listed.all)
    base: Any = default_base(c).bind(c)
    machine, counted = base, c.spec_name != "blocks"
    if cell["base"] == "SOA":
        c, base, machine = c.to_finite(), at.SOA(), listed  # type: ignore[attr-defined]
    elif cell["base"] == "Halving":
        machine = MostConcepts(c.to_finite().instances(), listed.labels)  # type: ignore[attr-defined]
        c, base, M = c.to_finite(), at.Halving(), len(listed.labels).bit_length() - 1  # type: ignore[attr-defined]
    elif cell["base"] in ("Ghost", "Ghost without d"):  # (on rows against path by path)
        base = at.Ghost(listed.dimension(listed.all) if cell["base"] == "Ghost" else None)
        machine = base.bind(c)
    elif cell["base"] in CITED:
        base, machine = CITED[cell["base"]], Machine(PSEUDOCODE[cell["base"]], listed)
    stream = _stream(cell, c)
    if cell.get("oracle"):
        c, counted = through_oracle(c, cell["oracle"]), False
    learner = _learner(cell, c, T, M, base)
    game = at.play(learner, stream, rounds=T, seed=cell["seed"])
    pairs = [(r.x, r.y) for r in game]
    row: Row = {"M": M}
    if which in ("Algorithm 1", "Algorithm 1, pruned"):
        trace = paper.algorithm_1(listed, listed, pairs, T, M, delete=which != "Algorithm 1")
    elif which == "anytime":
        prior = _prior(cell, at.parse(cell["class"]), M, len(listed.labels) if counted else None)
        trace = anytime(listed, machine, pairs, M, prior)
        row["bound_gap"] = abs(learner.bound - trace.bound) / max(1.0, trace.bound)
    elif which == "lazy":
        sampled: list[int] = learner.sampled_rounds  # type: ignore[attr-defined]
        trace = paper.algorithm_2(listed, machine, pairs, len(sampled), M, commits=sampled)
    else:
        rate = cell.get("rate", "paper")
        kept = rate == "first-order" and cell["engine"] == "auto"
        trace = paper.algorithm_2(listed, machine, pairs, T, M, "first-order, kept" if kept else rate)
    row["p_gap"] = float(np.abs(game.column("p") - trace.p).max())
    row["width_gap"] = float(np.abs(game.column("width") - trace.widths).max()) if which != "Algorithm 1" else 0.0
    row["query_gap"] = abs(learner.queries.asked - sum(trace.queries)) if trace.queries else 0
    p, y = (game.column(name).astype(float) for name in ("p", "y"))
    row["loss_gap"] = abs(learner.best_loss - _least(listed, pairs))
    row["account_gap"] = abs(learner.expected_loss - float(np.abs(p - y).sum()))
    return row


def _prior(cell: Cell, c: Any, M: int, concepts: int | None) -> Mixed:
    """Return the default prior; the structure of intervals has its own (docs/theory/real-classes.md)."""
    if cell.get("prior") == "kt":
        return KT(M)
    if c.spec_name == "intervals" and cell["engine"] == "auto":
        one = at.Thresholds(c.n)
        return TwoCuts(listed_of(one), default_base(one).bind(one), (c.n + 1).bit_length() - 1)
    return Mixed(concepts, M)


def _alone(cell: Cell) -> Row:
    """Run a cited learner on one history, where the oracle is a hash of the labels and the truth mostly says no."""
    rng, differs = np.random.default_rng(cell["seed"]), 0

    def realizable(points: Any, labels: Sequence[int]) -> bool:
        return zlib.crc32(bytes([cell["seed"], *labels])) % 8 < 4

    oracle = at.OracleClass(realizable=lambda sample: realizable((), [y for _, y in sample]))
    learner: Any = CITED[cell["base"]].bind(oracle)
    state, slow = learner.start(), PSEUDOCODE[cell["base"]](realizable)
    for x in range(cell["T"]):
        predicted = slow.predict(x)
        y = int(rng.integers(2)) if x % 5 == 4 else 1 - predicted
        differs += learner.predict(state, x) != predicted
        state, slow = learner.update(state, x, y), slow.after(x, y)
    return {
        "differs": differs + (list(state.functions) != slow.functions),
        "functions": len(slow.functions),
    }


def _learner(cell: Cell, c: at.ConceptClass, T: int, M: int, base: Any) -> at.OnlineLearner:
    """Build who is compared."""
    which, seed = cell["part"], cell["seed"]
    if which.startswith("Algorithm 1"):
        return at.Bpss(c, T, base=base, prune=which != "Algorithm 1", seed=seed)
    if which == "lazy":
        return at.LazyAdept(c, T, exponent=0.7, base=base, seed=seed)
    if which == "anytime":
        return at.Adept(c, base=base, prior=cell.get("prior"), engine=cell["engine"], seed=seed)
    if which == "cited":
        return at.Adept(c, T, base=base, engine="paths", mistake_bound=M, seed=seed)
    return at.Adept(c, T, base=base, rate=cell["rate"], engine=cell["engine"], seed=seed)


def _least(listed: Listed, pairs: paper.Pairs) -> int:
    """Return the loss of the best concept, by trying all."""
    return min(sum(labels[listed.place(x)] != y for x, y in pairs) for labels in listed.labels)


def _oracles(cell: Cell, c: at.ConceptClass) -> Row:
    """Ask about random samples, some of which a concept fits, and try all concepts."""
    listed, rng, wrong = listed_of(c), np.random.default_rng(cell["seed"]), 0
    points = list(range(BLOCKS)) if c.spec_name == "blocks" else list(c.instances())  # type: ignore[attr-defined]
    for _ in range(cell["T"]):
        labels = listed.labels[int(rng.integers(len(listed.labels)))]
        drawn = [points[int(rng.integers(len(points)))] for _ in range(int(rng.integers(9)))]
        flips = rng.random(len(drawn)) < rng.choice([0.0, 0.2])
        sample = [(x, labels[listed.place(x)] ^ int(flip)) for x, flip in zip(drawn, flips, strict=True)]
        least, found, best = _least(listed, sample), c.find(sample), c.erm(sample)
        wrong += c.realizable(sample) != (least == 0)
        wrong += (found is None) != (least > 0) or (found is not None and any(found(x) != y for x, y in sample))
        wrong += sum(best(x) != y for x, y in sample) != least
    return {"wrong": wrong}


def _lemmas(cell: Cell, concept_class: at.ConceptClass) -> Row:
    """Look into the library's own tree before and after every round."""
    T, listed, c = cell["T"], listed_of(concept_class), concept_class.to_finite()  # type: ignore[attr-defined]
    learner = at.Adept(c, T, base=at.SOA(), engine="paths", seed=cell["seed"])
    stream, history = _stream(cell, c), []  # (none of these streams looks at the history)
    stream.start(T, cell["seed"])
    row: dict[str, Any] = dict.fromkeys(("telescoping", "pruned", "potential"), -math.inf)
    row |= {"survives": 0.0, "excess": 0, "width_gap": 0}
    paths, eta = learner.paths, learner.learning_rate
    for _ in range(T):
        before, x = paths.rows(), stream.instance(History())
        p = learner.predict_proba(x)
        assert paths.looked is not None
        parent = paths.looked.extension.children.parent
        y = stream.label(History(), x, p)
        learner.learn(x, y)
        history.append((x, y))
        after = paths.rows()
        inflow = np.bincount(parent, np.exp(after.log_mass), len(before.log_mass))
        row["telescoping"] = max(row["telescoping"], float((inflow / np.exp(before.log_mass)).max()) - 1)
        # Z'_t weighs the children with the losses of their parents, Z_t with their own.
        pruned = _potential(after.log_mass, before.losses[parent], eta)
        start, end = _potential(before.log_mass, before.losses, eta), _potential(after.log_mass, after.losses, eta)
        row["pruned"] = max(row["pruned"], pruned - start)
        row["potential"] = max(row["potential"], end - pruned + eta * abs(p - y) - eta**2 / 8)
        row["survives"] = max(row["survives"], abs(float(after.losses.min()) - _least(listed, history)))
        row["excess"] = max(row["excess"], int(after.mistakes.max()) - listed.dimension(listed.all))
        row["width_gap"] = max(row["width_gap"], abs(len(after.losses) - _labellings(listed, history)))
    row["total_gap"] = abs(learner.log_experts - paper.log_experts(T, listed.dimension(listed.all)))
    return row


def _potential(log_mass: Any, losses: Any, eta: float) -> float:
    """ln Z."""
    return float(np.logaddexp.reduce(log_mass - eta * losses))


def _labellings(listed: Listed, pairs: paper.Pairs) -> int:
    """Count the labellings of the points that some concept has."""
    places = sorted({listed.place(x) for x, _ in pairs})
    return len({tuple(labels[i] for i in places) for labels in listed.labels})


NAMES = {
    "Algorithm 1": "Bpss and Algorithm 1",
    "Algorithm 1, pruned": "Bpss(prune=True) and Algorithm 1 with unrealizable experts deleted",
    "Algorithm 2": "Adept and Algorithm 2",
    "cited": "Adept and Algorithm 2, each with its own version of a cited base",
    "lazy": "LazyAdept and the lazy rollback version",
    "anytime": "Adept without T and M and docs/theory/anytime.md",
}
LEMMAS = {
    "telescoping": 'Lemma "One-Sided Telescoping": what children have beyond their parent, relatively',
    "pruned": "ln Z'_t - ln Z_{t-1}: pruning never adds",
    "potential": 'Lemma "Regret Preservation": ln Z_t - ln Z\'_t + eta l_t - eta^2/8',
    "survives": 'Lemma "Survival of the Optimal Expert": |L* of the active set - L* of all concepts|',
    "excess": "mistakes of SOA on a realizable path beyond the Littlestone dimension",
    "width_gap": 'Lemma "Active Tree Width": |paths - labellings that some concept has|',
    "total_gap": "|ln of the mass before the first round - ln N|",
}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Every difference is nothing but rounding."""
    compared = [row for row in rows if row["part"] not in ("lemmas", "alone", "oracles")]
    for (which,), members in groups(compared, "part").items():
        games = f"{len(members)} games of {min(r['T'] for r in members)} to {max(r['T'] for r in members)} rounds"
        yield at_most(f"difference in p, {NAMES[which]}", column(members, "p_gap"), ROUNDING, f"{games}; every round")
    if compared:
        claim = "difference in paths kept, queries asked or L*, all of these games"
        worst = [max(row["width_gap"], row["query_gap"], row["loss_gap"]) for row in compared]
        yield at_most(claim, worst, 0.0, "2 queries per prefix and round; L* by trying all concepts")
        claim = "difference between the learner's expected loss and the sum of |p - y|, all of these games"
        yield at_most(claim, column(compared, "account_gap"), ROUNDING)
    if certified := part(rows, "anytime"):
        claim = "difference between the certificate's bound and ln(1/pi)/eta + Delta"
        yield at_most(claim, column(certified, "bound_gap"), ROUNDING, "docs/theory/anytime.md, Theorem 1; relatively")
    for (base,), members in groups(part(rows, "alone"), "base").items():
        note = f"one history of {members[0]['T']} rounds, most of them mistakes; {members[0]['functions']} functions"
        yield at_most(
            f"predictions of {base} that its paper's pseudo-code does not make", column(members, "differs"), 0.0, note
        )
    if asked := part(rows, "oracles"):
        claim = 'Definition "Oracle Types": answers of a class that its list of concepts refutes'
        note = f"{len(asked)} x {asked[0]['T']} samples of up to 8 points: realizable, a concept that fits, ERM"
        yield at_most(claim, column(asked, "wrong"), 0.0, note)
    if lemmas := part(rows, "lemmas"):
        for name, claim in LEMMAS.items():
            yield at_most(claim, column(lemmas, name), ROUNDING, f"after every round of {len(lemmas)} games")
