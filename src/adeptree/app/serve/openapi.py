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

Doc = dict[str, Any]


def openapi(learners: Mapping[str, ServiceColumns], limits: Limits) -> Doc:
    """Return the document; the learner called main is at the root, too."""
    known = {"{version}": __version__, "{batch}": limits.batch, "{heaviest}": HEAVIEST}
    known |= {"{least}": -LARGEST, "{largest}": LARGEST, "{longest}": LONGEST_TEXT}
    text = resources.files(__package__).joinpath("openapi.json").read_text(encoding="utf-8")
    template: Doc = _filled(json.loads(text), known)
    document: Doc = template["document"]
    paths, components = document["paths"], document["components"]
    for name, columns in learners.items():
        for prefix in ([""] if name == "main" else []) + [f"/l/{name}"]:
            operations = _filled(template["learner"], {"{x}": _instance(columns, template["cell"])})
            for path, methods in operations.items():
                for operation in methods.values():
                    operation["operationId"] = prefix.strip("/").replace("/", "_") + operation["operationId"]
                paths[f"{prefix}{path}"] = methods
    refusal = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    for status, told in template["refusals"].items():
        components["responses"][f"Refusal{status}"] = {"description": told, "content": refusal}
        for path, methods in paths.items():
            for operation in methods.values() if path != "/health" else ():
                operation["responses"][status] = {"$ref": f"#/components/responses/Refusal{status}"}
    if limits.token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        paths["/health"]["get"]["security"] = []
    return document


def _instance(columns: ServiceColumns, cell: Doc) -> Doc:
    size, names = len(columns.names), list(columns.names)
    named: Doc = {"type": "object", "required": names, "properties": dict.fromkeys(names, cell)}
    listed = {"type": "array", "items": cell, "minItems": size, "maxItems": size}
    return {"anyOf": [named, listed, *(cell["anyOf"] if size == 1 else [])]}


def _filled(value: Any, known: Mapping[str, Any]) -> Any:
    """Return a copy of a template with what is known in place of its placeholders."""
    if isinstance(value, dict):
        return {name: _filled(inner, known) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, known) for inner in value]
    return known.get(value, value) if isinstance(value, str) else value
