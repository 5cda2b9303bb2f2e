"""Refused requests: an HTTP status and an error message for each."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from adeptree.core.errors import AdeptreeError, InvalidArgument, StateError

OUT_OF_MEMORY = "out of memory after this many rounds; give the service more memory, or use simpler rules"
ENDING = "the service is ending, and this was not finished; send it again when it is back (an answer with its key)"


class Refusal(Exception):
    """Raised where a request is refused; nothing of it was done.

    >>> refusal = Refusal(404, "no such ticket")
    >>> refusal.status, str(refusal)
    (404, 'no such ticket')
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})


def refusal_of(error: BaseException) -> Refusal:
    """Return the refusal for a request that raised an error.

    >>> refusal_of(InvalidArgument("weight must be a number")).status, refusal_of(StateError("disk full")).status
    (400, 503)
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, (asyncio.CancelledError, MemoryError)):
        return Refusal(503, OUT_OF_MEMORY if isinstance(error, MemoryError) else ENDING)
    if isinstance(error, AdeptreeError):
        return Refusal(
            503 if isinstance(error, StateError) else 400 if isinstance(error, InvalidArgument) else 409, str(error)
        )
    return Refusal(500, f"a fault of the service itself ({type(error).__name__}); nothing was done with this request")
