"""Outcomes of a check: it holds, it does not apply (with the reason), or it fails (with the details)."""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from adeptree.core.errors import AdeptreeError


class CheckFailed(AdeptreeError, AssertionError):
    """An object breaks a law of its role; the message says where."""


class CheckSkipped(AdeptreeError, unittest.SkipTest):
    """A check does not apply to an object; the message gives the reason. Test runners show it as a skip."""


def fail(sentence: str) -> NoReturn:
    """End a check: the law is broken."""
    raise CheckFailed(sentence)


def skip(sentence: str) -> NoReturn:
    """End a check: it does not apply."""
    raise CheckSkipped(sentence)


@dataclass(frozen=True)
class Report:
    """The outcome of all checks of one object.

    >>> print(Report(("check_a", "check_b"), {"check_c": "its concepts are not listed"}, {"check_b": "p=2.0"}))
    ran 2, skipped 1: its concepts are not listed (check_c)
    failed 1:
      check_b: p=2.0
    """

    ran: tuple[str, ...]
    """Names of the checks that ran, failed ones included."""
    skipped: Mapping[str, str]
    """Checks that do not apply, each with the reason."""
    failed: Mapping[str, str]
    """Checks that failed, each with its message."""

    @property
    def passed(self) -> bool:
        """True if checks ran and none failed."""
        return bool(self.ran) and not self.failed

    def why(self, reason: str) -> list[str]:
        """Return the checks that were skipped for a reason."""
        return [name for name, given in self.skipped.items() if given == reason]

    def __str__(self) -> str:
        lines = [f"ran {len(self.ran)}, skipped {len(self.skipped)}"]
        if self.skipped:
            reasons = dict.fromkeys(self.skipped.values())
            lines[0] += ": " + "; ".join(f"{reason} ({', '.join(self.why(reason))})" for reason in reasons)
        if self.failed:
            lines.append(f"failed {len(self.failed)}:")
            lines += [f"  {name}: {sentence}" for name, sentence in self.failed.items()]
        return "\n".join(lines)
