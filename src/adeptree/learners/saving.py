"""Save a learner to a file and continue from it."""

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
"""Fields of the ledger in a file; the open tickets are counted again at loading."""
ACCOUNT = ("concept_class", "rules", "horizon", "seed", "tickets", "ledger")
"""Fields that every learner has."""


class Saved(Account):
    """A learner that can be saved: its arguments, and the state it has learnt."""

    kind: ClassVar[str]
    """Name of the learner in saved files."""
    _structure: Structure
    by: str | None = None
    """The column with the segment of a row, if each segment has its rules."""
    drift_of: Drift | None = None
    """The drift options; None without drift."""
    review: Review | None = None
    """The review options; None if the learner always decides alone."""
    _base_given = False
    """True if the base learner is the user's, who must then pass it again at loading."""

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Raise an error for a renamed parameter; the parameters are those of ``__init__``."""
        if "switches" in given:
            raise InvalidArgument("switches= was renamed; use drift=True (docs/reference/renamed.md)")
        return super().__new__(cls)

    @abstractmethod
    def _use(self, structure: Structure) -> None:
        """Play all rounds from now on with this structure."""

    @abstractmethod
    def _catch_up(self) -> None:
        """Update the rate, if that is due."""

    @property
    def usual_regret(self) -> float | None:
        """Return the usual regret for a best rule with this loss and this prior mass, if it is known."""
        price = self._structure.price()
        return self.scale * bounds.first_order_regret(self.best_loss / self.scale, price) if price else None

    def by_segment(self) -> list[tuple[str, str, float]]:
        """Return the segments of ``by``, each with its best rule and the loss of that, the first that came first."""
        return []

    def summary(self, xs: Any = None, ys: Any = None, weights: Any = None) -> str:
        """Return the summary that ``adeptree run`` prints; complete if you pass the learnt rows again."""
        return pictures("summary").of_learner(self, xs, ys, weights)  # type: ignore[no-any-return]

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner, as plain values: by default attributes of the same names."""
        arguments = list(inspect.signature(type(self)).parameters)[1:]  # without the first one, the class
        return {name: self._argument(name) for name in arguments}

    def _argument(self, name: str) -> Any:
        """Return an argument as a plain value; a base learner and a prior are represented by their names."""
        value = getattr(self, name)
        if isinstance(value, BaseLearner):
            return value.spec(self.concept_class) or (None if self._base_given else NATURAL)
        return value.name if isinstance(value, Prior) else list(value) if isinstance(value, tuple) else value

    def _state(self) -> dict[str, Any]:
        """Return the learnt state as plain values and arrays: by default all attributes that the learner type adds."""
        known = {*ACCOUNT, *self.settings()}
        return {name: value for name, value in vars(self).items() if name not in known and not name.startswith("_")}

    def _restore(self, state: dict[str, Any]) -> None:
        """Restore what ``_state`` returned."""
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
        """Save the whole learner to a file, which :func:`adeptree.load` reads."""
        files.save(path, self.saved())
        log(INFO, "saved to %s: %r", path, self)

    def saved(self) -> dict[str, Any]:
        """Return the content of the learner's file: plain values and arrays."""
        with self._kernel.turn():  # not during a round, which would be saved half done
            self._catch_up()
            account = {name: getattr(self.ledger, name) for name in SUMS}
            account |= {"asked": self.queries.asked, "posed": self.queries.posed, "tickets": self.tickets.state()}
            account |= {"given_up": list(self.tickets.given_up)} if self.tickets.given_up.number else {}
            account |= {"labelled": list(self.tickets.labelled), "unlabelled": list(self.tickets.unlabelled)}
            return {
                # A subclass without its own ``kind`` must not be loaded as its parent.
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
