"""The errors that adeptree raises; each message gives the expected value, the given value and the remedy.

All derive from :class:`AdeptreeError`, so a program can catch one name. After an error the learner is as it was before
the call.
"""

from __future__ import annotations

import typing


class AdeptreeError(Exception):
    """Base of all errors raised by adeptree."""


class InvalidArgument(AdeptreeError, ValueError):
    """An argument is not one of the values the call accepts."""


class UnsupportedCombination(InvalidArgument):
    """Two options of a learner exclude each other; the message names the one to change."""


class InvalidLabel(InvalidArgument):
    """A label is neither 0 nor 1 (``False`` and ``True`` are accepted)."""


class InvalidInstance(InvalidArgument):
    """An instance x does not belong to the domain of the concept class."""


class InvalidSpec(InvalidArgument):
    """A text such as ``"thresholds(n=256)"`` does not describe a concept class."""


class UnknownTicket(InvalidArgument):
    """A ticket is not open: its label came before, or another learner issued it."""


class NoBetterThanACoin(UserWarning):
    """The guarantee in advance is no better than that of random guessing: true, but useless."""


class PromiseEnded(UserWarning):
    """A round costs more than ``max_weight`` and ``costs`` announce, which voids the guarantee in advance."""


class WorkersNotUsed(UserWarning):
    """Workers were given for calls that take less time than sending them to a worker."""


class HorizonReached(AdeptreeError):
    """The learner was built for T rounds and all T have been played."""


class MistakeBoundExceeded(AdeptreeError):
    """A realizable path holds more base mistakes than M: the mistake bound (or the oracle) is wrong."""


class FrontierEmpty(AdeptreeError):
    """Pruning left no path at all, so there is nothing to predict with."""


class TooLarge(AdeptreeError):
    """An exact computation was refused because it would not end in reasonable time or memory."""


class OracleError(AdeptreeError):
    """An oracle misbehaved."""


class ContradictoryOracle(OracleError):
    """An oracle's answers cannot all be true, e.g. both continuations of a realizable path denied."""


class OracleUnknown(OracleError):
    """An oracle could not decide (time limit, numeric trouble)."""


class BudgetExhausted(OracleError):
    """A call needs more oracle queries than its budget has left; it was not made and cost nothing."""

    def __init__(self, message: str, *, asked: int = 0, left: int = 0, wanted: int = 0) -> None:
        super().__init__(message)
        self.asked, self.left, self.wanted = asked, left, wanted


class StateError(AdeptreeError):
    """The state of a learner cannot be used: its file is not readable, or a call came at the wrong time."""


class BusyLearner(StateError):
    """A learner was called while another call was inside it: one thread at a time uses a learner."""


class TornLearner(StateError):
    """An exception interrupted the commit of a round, so that the learner must be loaded or built again."""


class DamagedFile(StateError):
    """A saved file is truncated or altered, or was never an adeptree file."""


class UnknownVersion(StateError):
    """A saved file has a format version that this version of adeptree does not read."""


def unsupported(name: object, found: object, reads: object) -> UnknownVersion:
    """Return the error for a file of another format version."""
    return UnknownVersion(
        f"{name}: file format version {found} is not supported; this version reads {reads}; learn again"
    )


class MissingExtra(AdeptreeError, ImportError):
    """An optional dependency is not installed; the message names the extra to install."""


def got(name: str, value: object) -> str:
    """Describe a rejected value for a message: ``name=value (type)``.

    >>> got("horizon", 0)
    'got horizon=0 (int)'
    """
    try:
        shown = repr(value)
    except ValueError:  # Python prints no int of thousands of digits
        shown = f"an int of {value.bit_length()} bits" if isinstance(value, int) else "a value that cannot be printed"
    if len(shown) > 80:
        shown = shown[:77] + "..."
    return f"got {name}={shown} ({type(value).__name__})"


def unknown(name: str, what: str, known: list[str], listed: list[str] | None = None) -> str:
    """Return the error message for an unknown name, with the nearest known name or a list of known names.

    >>> unknown("tresholds", "rules", ["intervals", "thresholds"])
    'unknown rules "tresholds"; did you mean "thresholds"?'
    """
    meant = did_you_mean(name, known)
    return f'unknown {what} "{name}"' + (f"; known are {', '.join(listed or known)}" if meant == "." else meant)


def did_you_mean(name: str, known: typing.Iterable[str]) -> str:
    """Return the end of a message about an unknown name, with a suggestion if one is near.

    >>> did_you_mean("Ages", ["sex", "age"]), did_you_mean("x", ["age"])
    ('; did you mean "age"?', '.')
    """
    import difflib  # (most programs have no error)

    by_letters = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), by_letters, n=1)
    return f'; did you mean "{by_letters[near[0]]}"?' if near else "."
