"""The OpenAPI document of a service, made of its rules and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adeptree import __version__
from adeptree.app.serve.requests import Limits
from adeptree.app.serve.service_columns import LARGEST, LONGEST_TEXT, ServiceColumns
from adeptree.theory.losses import LARGEST as HEAVIEST

Doc = dict[str, Any]
NO_NUL = r"^[^\x00]*$"
CELL: Doc = {
    "description": "A number, a text, true, false, or null where it is missing; a text may be a number.",
    "anyOf": [
        {"type": "number", "minimum": -LARGEST, "maximum": LARGEST},
        {"type": "string", "maxLength": LONGEST_TEXT, "pattern": NO_NUL},
        {"type": "boolean"},
        {"type": "null"},
    ],
}
KEY: Doc = {
    "type": "string",
    "maxLength": 200,
    "pattern": NO_NUL,
    "description": "Asked again with the key of an open ticket and the same x, the same answer is given: so a request "
    "may be repeated.",
}
REFUSALS = {
    400: "The request is not as described.",
    401: "The token is missing or wrong.",
    403: "The service is called by a name that it does not have, or by a page of another site.",
    404: "There is no such address, learner or ticket.",
    405: "The address takes other methods.",
    408: "The body did not come in time.",
    409: "It contradicts what was said before, or the horizon is reached.",
    410: "The ticket has expired.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    431: "The headers are too long.",
    429: "Too many requests per second, or too many that wait for rules.",
    503: "The journal cannot be written, or too many are connected.",
}


def openapi(learners: Mapping[str, ServiceColumns], limits: Limits) -> Doc:
    """Return the document; the learner called main is at the root, too."""
    paths: Doc = {}
    for name, columns in learners.items():
        for prefix in ([""] if name == "main" else []) + [f"/l/{name}"]:
            paths |= _paths(prefix, columns, limits)
    paths["/health"] = {
        "get": _operation("health", "Whether all learners can answer.", _ref("Health"), (400, 405, 503))
    }
    paths["/metrics"] = {"get": _operation("metrics", "Counts, for Prometheus.", {"type": "string"}, kind="text/plain")}
    paths["/openapi.json"] = {"get": _operation("openapi", "This document.", {"type": "object"})}
    document: Doc = {
        "openapi": "3.1.0",
        "info": {
            "title": "adeptree serve",
            "version": __version__,
            "description": "Answers of a learner with a proof, and labels that may come late. p is the chance that the "
            "learner guesses 1, not the chance that the label is 1.",
        },
        "paths": paths,
        "components": {"schemas": _schemas(limits), "responses": _responses()},
    }
    if limits.token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        paths["/health"]["get"]["security"] = []
    return document


def _paths(prefix: str, columns: ServiceColumns, limits: Limits) -> Doc:
    x, called = _instance(columns), prefix.strip("/").replace("/", "_")
    one, most = _object({"x": x, "key": KEY}, "x"), limits.batch
    many = [_object({"xs": _list(x, most)}, "xs"), _object({"asked": _list(one, most)}, "asked")]
    within = {"type": "number", "minimum": 0, "maximum": HEAVIEST, "default": 0}
    limit = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
    operations: Doc = {
        "answer": {
            "post": _operation(
                f"{called}answer",
                "Answer an instance, or a batch.",
                {
                    "anyOf": [
                        _ref("Answer"),
                        _object({"answers": {"type": "array", "items": _ref("Answer")}}, "answers"),
                    ]
                },
                body={"anyOf": [one, *many]},
            )
        },
        "learn": {
            "post": _operation(
                f"{called}learn",
                "Learn the label of a ticket, or a batch: late, and in any order.",
                _ref("Learnt"),
                body={"anyOf": [_ref("Label"), _object({"labels": _list(_ref("Label"), limits.batch)}, "labels")]},
            )
        },
        "certificate": {
            "get": _operation(
                f"{called}certificate", "Where the learner stands, and what is proven.", _ref("Certificate")
            )
        },
        "rules": {
            "get": _operation(
                f"{called}rules",
                "The rules within k of the best.",
                _ref("Rules"),
                query={"within": within, "limit": limit},
            )
        },
    }
    return {f"{prefix}/{name}": operation for name, operation in operations.items()}


def _instance(columns: ServiceColumns) -> Doc:
    named: Doc = {
        "type": "object",
        "required": list(columns.names),
        "properties": {name: CELL for name in columns.names},
    }
    size = len(columns.names)
    listed = {"type": "array", "items": CELL, "minItems": size, "maxItems": size}
    return {"anyOf": [named, listed, *(CELL["anyOf"] if size == 1 else [])]}


def _operation(
    name: str,
    summary: str,
    schema: Doc,
    statuses: tuple[int, ...] = tuple(REFUSALS),
    *,
    body: Doc | None = None,
    query: Mapping[str, Doc] | None = None,
    kind: str = "application/json",
) -> Doc:
    responses: Doc = {"200": {"description": "Done.", "content": {kind: {"schema": schema}}}}
    responses |= {str(status): {"$ref": f"#/components/responses/Refusal{status}"} for status in statuses}
    found: Doc = {"operationId": name, "summary": summary, "responses": responses}
    if body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    if query is not None:
        found["parameters"] = [{"name": at, "in": "query", "schema": of} for at, of in query.items()]
    return found


def _responses() -> Doc:
    content = {"application/json": {"schema": _ref("Refusal")}}
    return {f"Refusal{status}": {"description": told, "content": content} for status, told in REFUSALS.items()}


def _schemas(limits: Limits) -> Doc:
    count, loss = {"type": "integer", "minimum": 0}, {"type": "number", "minimum": 0}
    ticket = {"type": "integer", "minimum": 1}
    share = {"type": "number", "minimum": 0, "maximum": 1, "description": "The chance that the learner guesses 1."}
    label = {"enum": [0, 1, True, False]}
    weight = {"type": "number", "minimum": 0, "maximum": HEAVIEST, "description": "How many times the round counts."}
    rule = _object({"rule": {"type": "string"}, "loss": loss}, "rule", "loss")
    reason = {"type": "string", "description": "The sentence that says why."}
    near = {"within": loss, "best_loss": loss, "rules": {"type": "array", "items": rule}, "more": {"type": "boolean"}}
    known = {
        "rounds": count,
        "waiting": count,
        "expected_loss": loss,
        "best_loss": loss,
        "best_rule": {"type": "string"},
    }
    proven = {"regret": {"type": "number"}, "bound": {"type": ["number", "null"]}, "text": {"type": "string"}}
    certificate = {"type": "object", "required": [*known, *proven], "properties": known | proven}
    return {
        "Answer": _object({"ticket": ticket, "p": share, "guess": {"enum": [0, 1]}}, "ticket", "p", "guess"),
        "Label": _object({"ticket": ticket, "y": label, "weight": weight}, "ticket", "y"),
        "Learnt": _object({"learnt": count, "repeated": count, "rounds": count}, "learnt", "repeated", "rounds"),
        "Certificate": certificate,
        "Rules": _object(near, *near),
        "Health": _object({"status": {"enum": ["ok", "broken"]}}, "status"),
        "Refusal": _object({"error": reason}, "error"),
    }


def _object(properties: Doc, *required: str) -> Doc:
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


def _list(items: Doc, most: int) -> Doc:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most}


def _ref(name: str) -> Doc:
    return {"$ref": f"#/components/schemas/{name}"}
