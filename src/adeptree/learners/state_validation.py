"""Validate the state of a saved learner: a checksum proves that a file is whole, not that a learner wrote it.

First the numbers of a file are checked, before anything is built from them (compiled engines read some as addresses).
Then a learner rebuilt from a copy of them plays a few trial rounds.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from adeptree.core import declared_state as declared
from adeptree.core.declared_state import COUNT, FLAG, LARGEST, SUM, Array, Fields, Items, Number, is_count, need
from adeptree.core.errors import AdeptreeError
from adeptree.learners.online_learner import OnlineLearner
from adeptree.learners.tickets import Ticket

FREE = {"history", "tickets", "points", "blocks", "settings", "sampler"}
"""Fields that hold a user's instances, or that are checked elsewhere."""
OPTIONAL = ("share", "least_loss")
"""Fields that may be None."""
TRIALS = (0, 1, 1)
"""Labels of the trial rounds of a rebuilt learner."""


ACCOUNT: Fields = {
    **dict.fromkeys(("rounds", "answered", "overlaps", "picked", "longest_delay"), COUNT),
    **dict.fromkeys(("asked", "posed"), Number(int, 0, math.inf)),  # arbitrarily large
    **dict.fromkeys(("expected_loss", "realised_loss", "variance", "loss_of_zeros", "loss_of_ones", "last_rate"), SUM),
    **dict.fromkeys(("missed", "alarmed"), SUM),
    **dict.fromkeys(("excess", "beyond_mix", "drift", "heaviest"), Number(float, -LARGEST, LARGEST)),
    **dict.fromkeys(("late", "weighed"), FLAG),
    "given_up": Items(3, SUM),
    **dict.fromkeys(("labelled", "unlabelled"), Items(3, COUNT)),
}
LEARNT: Fields = {"spread": SUM, "sampled": Items("sampled", COUNT)}
RATE: Fields = {"eta": SUM, "kappa": SUM, "stay": Items(3, Number(float, -LARGEST, math.inf))}
DROPPED: Fields = {"paths": COUNT, "mass": Number(), "least_loss": SUM}
"""Declarations of the fields, where they are present."""


def _check_present(part: dict[str, Any], fields: Fields) -> None:
    """Check the fields that are present, because not every learner has all of them."""
    absent = {name for name in fields if name not in part or (part[name] is None and name in OPTIONAL)}
    declared.check_fields(part, {name: field for name, field in fields.items() if name not in absent})


def check_saved(saved: dict[str, Any]) -> None:
    """Raise ValueError if the saved state of a learner is not a possible one."""
    account, learnt, settings = saved["account"], saved["learnt"], saved["settings"]
    _check_present(account, ACCOUNT)
    for count, *sums in [account["given_up"]] if "given_up" in account else []:
        need(is_count(count) and max(sums) <= count, "given_up")
    answered, tickets = account["answered"], account["tickets"]
    need(sum(account["labelled"]) <= account["rounds"], "labelled")
    need(sum(account["unlabelled"]) == account.get("given_up", [0])[0], "unlabelled")
    waiting = len(tickets) + account.get("given_up", [0])[0]
    partial = settings.get("feedback", "all") != "all"
    seen = account["picked"] if partial else answered
    need(seen - account["rounds"] == waiting, f"{waiting} open tickets")
    reviewed = settings.get("review") is not None
    for number, _, p, guess, arrivals, owner, r, q in tickets:
        need(is_count(number) and 0 < number <= answered and all(map(declared.is_real, (p, r, q))), "tickets")
        need(0 < q <= 1 and (partial or q == 1), "tickets")
        need(0 <= p <= 1 and 0 <= r <= reviewed and p + r <= 1 + 1e-12 and type(owner) is int, "tickets")
        need(guess is None if type(guess) is not int else guess in (0, 1), "tickets")
        need(guess is not None or r > 0, "tickets")
        need(is_count(arrivals) and arrivals <= account["rounds"], "tickets")
    open_here = {ticket[0] for ticket in tickets}
    need(len(open_here) == len(tickets), "tickets")
    # An answer given while another label is pending makes the labels late.
    need(account["late"] or (not account["overlaps"] and open_here <= {answered}), "late")
    horizon = settings.get("horizon")
    need(horizon is None or answered <= horizon, "more rounds than the horizon")
    _check_values(learnt, "learnt")
    _check_present(learnt, LEARNT)
    _check_present(learnt.get("rate", {}), RATE)
    for _, label in learnt.get("history", ()):
        need(type(label) is int and label in (0, 1), "history")
    announced = max(1.0, *settings.get("costs", [1])) * max(1.0, settings.get("max_weight", 1))
    heaviest = max(announced, account["heaviest"])
    most = (1 + account["rounds"]) * heaviest
    need(max(account["expected_loss"], account["realised_loss"]) <= most, "losses")
    # The drift of a ticket settled at once is rounding only, unless paths were dropped when its point entered.
    drifts = account["late"] or settings.get("max_width") is not None
    share = 1.0 if drifts else min(1.0, declared.rounding(account["last_rate"], most))
    need(abs(account["drift"]) <= most * share, "drift")
    need(account["excess"] - account["drift"] >= (-most if reviewed else -1e-9 * most), "excess")
    need(account["picked"] <= answered * (reviewed or partial), "picked")
    need(account["longest_delay"] <= account["overlaps"] <= account["rounds"] * account["longest_delay"], "overlaps")
    for part in _parts_here(learnt):
        _check_rows(part, answered, heaviest)
        if learnt.get("kind") in ("paths", "two-levels") and part is not learnt:
            need(sorted(part["waiting"]["tickets"]) == sorted(open_here), "waiting tickets")
    if "inner" in learnt:
        check_saved(learnt["inner"])


def _check_values(value: Any, name: str) -> None:
    """Raise ValueError if a number outside instances is NaN, or if an array holds texts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in FREE:
                _check_values(inner, str(key))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_values(inner, name)
    elif isinstance(value, np.ndarray):
        need(value.dtype.kind in "biuf" and not (value.dtype.kind == "f" and np.isnan(value).any()), name)
    elif isinstance(value, float):
        need(not math.isnan(value), name)
        need(name not in ("eta", "kappa") or math.isfinite(value), name)


def _check_rows(part: dict[str, Any], rounds: int, heaviest: float) -> None:
    """Check that each path has one k, n and L, none of them larger than the number of rounds."""
    need(part.get("rounds", rounds) == rounds, "rounds")
    counts, most = Array("i", "rows", 0, rounds), rounds * heaviest * (1 + 1e-9)
    fields = {"mistakes": counts, "contested": counts, "losses": Array("if", "rows", 0, most)}
    _check_present(part, {**fields, "share": Array("f", "rows", -math.inf, 1e-9)})
    if "losses" in part:
        width = part["losses"].shape[-1]
        need(width > 0, "losses")
        if "frontier" in part:
            need(is_count(stated := part["frontier"].get("width", width)) and stated == width, "width")
            _check_waiting(part.get("waiting"), part.get("dropped", {}), width)


def _check_waiting(waiting: Any, dropped: dict[str, Any], width: int) -> None:
    """Check that each ticket has one line of labels, and that dropped paths are counted."""
    if waiting is not None:
        tickets, labels = waiting["tickets"], waiting["labels"]
        need(isinstance(tickets, list) and all(map(is_count, tickets)), "tickets")
        need(labels.dtype == np.bool_ and labels.ndim == 2 and len(labels) == len(set(tickets)), "waiting labels")
        need(not tickets or labels.shape[1] == width, "waiting labels")
    _check_present(dropped, DROPPED)


def check_rebuilt(
    rebuild: Callable[[dict[str, Any]], OnlineLearner], saved: dict[str, Any], data_only: bool
) -> OnlineLearner:
    """Return the learner; raise ValueError if a copy does not continue with valid probabilities.

    It plays trial rounds only if the file describes the class (``data_only``), as the domain of a user's function is
    unknown.
    """
    learner = rebuild(saved)
    for ticket in learner.tickets:
        learner.concept_class.instance(ticket.x)
    for losses in (part["losses"] for part in _parts(saved) if "losses" in part):
        need(learner.width == losses.shape[-1], f"{losses.shape[-1]} losses of {learner.width} paths")
    # Trial rounds would query an oracle, and queries cost.
    if data_only and learner.concept_class.oracle is None:
        _try(rebuild(copy.deepcopy(saved)))
    return learner


def _try(trial: OnlineLearner) -> None:
    rng, tickets = np.random.default_rng(0), list(trial.tickets)[:2]
    # A heavier round would warn.
    light = [most] if (most := trial.settings().get("max_weight", 1)) < 1 else []
    for label in (None, *TRIALS):
        if label is not None:
            if trial.ended and not tickets:
                return
            try:
                x = tickets.pop() if tickets else trial.random_instance(rng)
            except AdeptreeError:  # not every class can draw an instance
                return
            p = x.p if isinstance(x, Ticket) else trial.predict_proba(x)
            need(0.0 <= p <= 1.0, f"a probability {p}")
            trial.learn(x, label, *light)
        need(0 <= trial.best_loss < math.inf and not math.isnan(trial.bound), "the account")
        with suppress(AdeptreeError):  # not every learner can name its rules
            str(trial.best_rule())


def _parts(saved: dict[str, Any]) -> list[dict[str, Any]]:
    learnt = saved["learnt"]
    return _parts(learnt["inner"]) if "inner" in learnt else _parts_here(learnt)


def _parts_here(learnt: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in (learnt, learnt.get("engine")) if isinstance(part, dict)]
