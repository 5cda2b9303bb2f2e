"""The sentences about a game that the text and the page share."""

from __future__ import annotations

from adeptree.core.escaping import counted
from adeptree.pages.show_game import Pruned, Shown, Step


def heading(game: Shown) -> str:
    """Return what is played, in one sentence."""
    horizon = "no horizon" if game.horizon is None else f"horizon {game.horizon}"
    M = "no mistake bound" if game.mistake_bound is None else f"mistake bound M = {game.mistake_bound}"
    return (
        f"{counted(len(game.steps), 'round')} of ADEPT with {game.rules} against {game.opponent}. "
        f"Base learner {game.base}, {M}; prior {game.prior}, {horizon}."
    )


def growth(step: Step) -> str:
    """Say how the paths came to be."""
    before, cut = counted(step.asked // 2, "path"), len(step.pruned)
    gone = "nothing is" if not cut else "1 branch is" if cut == 1 else f"{cut} branches are"
    return f"{before}, {step.asked} queries (may it go on with 0? with 1?): {gone} pruned, width {len(step.paths)}."


def verdict(step: Step) -> str:
    """Say what was predicted and what came."""
    loss = abs(step.p - step.y)
    return (
        f"P(1) = {step.p:.3f} is the share of the weight that says 1, the chance to guess 1. The coin says "
        f"{step.guess}, the label is {step.y}: expected loss {loss:.3f}."
    )


def account(step: Step) -> str:
    """Say where the learner stands."""
    return (
        f"So far {step.expected_loss:.3f} expected mistakes; the best rule, {step.best_rule}, "
        f"makes {step.best_loss}; regret {step.expected_loss - step.best_loss:.3f}."
    )


def reason(cut: Pruned, bound: int | None) -> str:
    """Say why a branch was cut off.

    >>> reason(Pruned((1, 0), (("3", 1), ("5", 0))), 3)
    'not realizable: no rule says 1 at 3 and 0 at 5'
    """
    if cut.beyond:
        return f"beyond M: the base learner would have erred more than {bound} times"
    return f"not realizable: no rule says {' and '.join(f'{y} at {x}' for x, y in cut.conflict)}"


def promise(game: Shown) -> str:
    """Say what is proven about the regret of the game."""
    if any(cut.beyond for step in game.steps for cut in step.pruned):
        return "Paths beyond M were cut: nothing is proven against their rules, and M is too small for this class."
    promised = "nothing" if game.in_advance is None else f"at most {game.in_advance:.3f}"
    now = f"The regret is proven to be at most {game.bound:.3f}, from what was seen"
    return f"{now}; in advance, of any {len(game.steps)} rounds: {promised}."
