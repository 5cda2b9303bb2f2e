"""The OpenAPI document of a service: ``openapi.json``, filled in with its rules and limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from adeptree import __version__
from adeptree.app.serve.requests import Limits
from adeptree.app.serve.service_columns import LARGEST, LONGEST_TEXT, ServiceColumns
from adeptree.theory.losses import LARGEST as HEAVIEST


def openapi(learners: Mapping[str, ServiceColumns], limits: Limits) -> dict[str, Any]:
    """Return the document; the learner called main is at the root, too."""
    numbers = {"batch": limits.batch, "heaviest": HEAVIEST, "least": -LARGEST, "largest": LARGEST}
    text = resources.files(__package__).joinpath("openapi.json").read_text(encoding="utf-8")
    template = _filled(text, version=__version__, longest=LONGEST_TEXT, **numbers)
    document, operations = template["document"], json.dumps(template["learner"])
    for name, columns in learners.items():
        for prefix in ([""] if name == "main" else []) + [f"/l/{name}"]:
            own = operations.replace("{at}", prefix).replace("{id}", prefix.strip("/").replace("/", "_"))
            document["paths"] |= _filled(own, x=_instance(columns))
    if limits.token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"], document["paths"]["/health"]["get"]["security"] = [{"token": []}], []
    return document  # type: ignore[no-any-return]


def _instance(columns: ServiceColumns) -> dict[str, Any]:
    names, cell = list(columns.names), {"$ref": "#/components/schemas/Cell"}
    named = {"type": "object", "required": names, "properties": dict.fromkeys(names, cell)}
    listed = {"type": "array", "items": cell, "minItems": len(names), "maxItems": len(names)}
    return {"anyOf": [named, listed, *([cell] if len(names) == 1 else [])]}


def _filled(text: str, **known: Any) -> Any:
    """Return the JSON value of a template with values in the places of their names."""
    for name, value in known.items():
        text = text.replace(f'"{{{name}}}"', json.dumps(value))
    return json.loads(text)
