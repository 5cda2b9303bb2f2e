"""A request that was let in, and what is sent back."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adeptree.app.serve.requests import Receive, json_of
from adeptree.app.serve.writer import Writer

if TYPE_CHECKING:
    from adeptree.app.serve.service import Service


@dataclass(frozen=True)
class Request:
    """One request, of one learner (or of none: then of the service)."""

    service: Service
    writer: Writer | None
    scope: Mapping[str, Any]
    receive: Receive
    headers: Mapping[str, str]

    @property
    def learner(self) -> Writer:
        """The learner that is meant."""
        assert self.writer is not None
        return self.writer

    async def json(self) -> Any:
        """Return what the body says."""
        return await json_of(self.receive, self.headers, self.service.limits)


@dataclass(frozen=True)
class Reply:
    """What is sent back."""

    body: bytes
    kind: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Request], Awaitable[Reply]]


def said(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a value as JSON, which has no infinite numbers: they are null."""
    return Reply(json.dumps(_finite(value), allow_nan=False).encode(), status=status, headers=headers or {})


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
