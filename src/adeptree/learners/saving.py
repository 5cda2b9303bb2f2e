"""Saving a learner: what a file holds, and going on from it."""

from __future__ import annotations

import inspect
import os
from abc import abstractmethod
from typing import Any, ClassVar, Self

from adeptree.core import files
from adeptree.core.compiled import kernel
from adeptree.core.display import pictures
from adeptree.core.errors import InvalidArgument
from adeptree.families.registry import NATURAL
from adeptree.learners.account import Account
from adeptree.learners.callbacks import INFO, log
from adeptree.learners.tickets import GivenUp
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.structure import Structure
from adeptree.theory import bounds
from adeptree.theory.decide import Review
from adeptree.theory.priors import Prior
from adeptree.theory.sharing import Drift

SUMS = tuple(name for name in kernel("adeptree.theory.ledger_kernel").FIELDS if name != "waiting")
"""What a file holds of the ledger; the open tickets are counted again."""
ACCOUNT = ("concept_class", "rules", "horizon", "seed", "tickets", "ledger")
"""What every learner has."""


class Saved(Account):
    """A learner that can be written down, by default all of it: its arguments, and what it learnt since."""

    kind: ClassVar[str]
    """Name of the learner in saved files."""
    _structure: Structure
    by: str | None = None
    """The column that names the segment of a row, where each has rules of its own."""
    drift_of: Drift | None = None
    """How the best rule may change; None if it does not."""
    review: Review | None = None
    """What a review costs; None if the learner always decides alone."""
    _base_given = False
    """Whether the base learner is the user's: then only the user can bring it back."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse an old name; the parameters are those of ``__init__``."""
        if "switches" in given:
            raise InvalidArgument("switches= was renamed; use drift=True (docs/reference/renamed.md)")
        return super().__new__(cls)

    @abstractmethod
    def _use(self, structure: Structure) -> None:
        """Play all rounds from now on with this structure."""

    @abstractmethod
    def _catch_up(self) -> None:
        """Bring the rate up to date, if that is due."""

    @property
    def usual_regret(self) -> float | None:
        """Return a regret that is usual for a best rule with this loss and this prior mass, if that is known."""
        price = self._structure.price()
        return self.scale * bounds.first_order_regret(self.best_loss / self.scale, price) if price else None

    def by_segment(self) -> list[tuple[str, str, float]]:
        """Return the segments of ``by``, each with its best rule and the loss of that, the first that came first."""
        return []

    def summary(self, xs: Any = None, ys: Any = None, weights: Any = None) -> str:
        """Return the summary that ``adeptree run`` prints; in full, if the rows that were learnt are given again."""
        return pictures("summary").of_learner(self, xs, ys, weights)  # type: ignore[no-any-return]

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner, as plain values: by default attributes of the same names."""
        arguments = list(inspect.signature(type(self)).parameters)[1:]  # (the first is the class)
        return {name: self._argument(name) for name in arguments}

    def _argument(self, name: str) -> Any:
        """Return an argument as a plain value: a base learner and a prior by their names."""
        value = getattr(self, name)
        if isinstance(value, BaseLearner):
            return value.spec(self.concept_class) or (None if self._base_given else NATURAL)
        return value.name if isinstance(value, Prior) else list(value) if isinstance(value, tuple) else value

    def _state(self) -> dict[str, Any]:
        """Return what has been learnt, as plain values and arrays: by default all attributes of the learner's own."""
        known = {*ACCOUNT, *self.settings()}
        return {name: value for name, value in vars(self).items() if name not in known and not name.startswith("_")}

    def _restore(self, state: dict[str, Any]) -> None:
        """Take over what ``_state`` returned."""
        for name, value in state.items():
            setattr(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        with self._kernel.turn(): self._catch_up()  # fmt: skip  # noqa: E701
        left_out = ("_kernel", "_quick_look", "_quick_round", "_quick_answer")
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._use(self._structure)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole learner to a file, to go on later with :func:`adeptree.load`."""
        files.save(path, self.saved())
        log(INFO, "saved to %s: %r", path, self)

    def saved(self) -> dict[str, Any]:
        """Return what a file holds: plain values and arrays."""
        with self._kernel.turn():  # (not from inside a round, half of which is there)
            self._catch_up()
            account = {name: getattr(self.ledger, name) for name in SUMS}
            account |= {"asked": self.queries.asked, "posed": self.queries.posed, "tickets": self.tickets.state()}
            account |= {"given_up": list(self.tickets.given_up)} if self.tickets.given_up.number else {}
            account |= {"labelled": list(self.tickets.labelled), "unlabelled": list(self.tickets.unlabelled)}
            return {
                # (A subclass without a kind of its own is not to come back as its parent.)
                "kind": self.kind if "kind" in type(self).__dict__ else f"{self.kind}, {type(self).__name__}",
                "class": repr(self.rules),
                "settings": self.settings(),
                "account": account,
                "learnt": self._state(),
            }

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents (see :func:`adeptree.load`)."""
        account = saved["account"]
        for name in SUMS:
            setattr(self._ledger, name, account[name])
        self._restore(saved["learnt"])
        self.queries.asked, self.queries.posed = account["asked"], account["posed"]
        self.tickets.restore(account["tickets"], account.get("given_up", GivenUp()))
        self.tickets.labelled, self.tickets.unlabelled = list(account["labelled"]), list(account["unlabelled"])
        self._ledger.waiting = self.waiting
