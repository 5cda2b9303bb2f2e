"""What a SatClass accepts."""

from __future__ import annotations

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.patience import check_seconds


def check_options(encoding: object, conflicts: object, seconds: object) -> None:
    """Say what is wrong with the arguments, if anything is."""
    if not all(callable(getattr(encoding, name, None)) for name in ("start", "label", "decode", "instance")):
        raise InvalidArgument(f"encoding must be an Encoding such as KTermDnf(n=8, k=2); {got('encoding', encoding)}")
    if conflicts is not None:
        check_size("conflicts", conflicts)
    check_seconds(seconds)
