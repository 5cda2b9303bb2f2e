"""The endpoints of a service: each reads a request, calls the learner, and answers in JSON."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import orjson
from starlette.requests import Request
from starlette.responses import Response

from adeptree import __version__
from adeptree.app.serve.metrics import TEXT
from adeptree.app.serve.requests import Limits, Refusal, has_token, json_of, query_of
from adeptree.app.serve.served_learner import Asked, Told
from adeptree.app.serve.service_columns import LARGEST, LONGEST_TEXT, ServiceColumns
from adeptree.app.serve.writer import Writer
from adeptree.core.cell_text import brief, is_storable, number
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.escaping import visible
from adeptree.core.types import label_of
from adeptree.theory.losses import LARGEST as HEAVIEST
from adeptree.theory.losses import check_reach, check_weight

if TYPE_CHECKING:
    from adeptree.app.serve.service import Service


def openapi(learners: Mapping[str, ServiceColumns], limits: Limits) -> dict[str, Any]:
    """Return the OpenAPI document; the learner called main is also at the root."""
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
    """Fill a JSON template with values."""
    for name, value in known.items():
        text = text.replace(f'"{{{name}}}"', json.dumps(value))
    return json.loads(text)


T = TypeVar("T")
ROOT = "main"
"""The learner that is also at the root."""
MOST_RULES, USUAL_RULES = 1000, 100
LONGEST_KEY = 200


def service_of(request: Request) -> Service:
    """Return the service of a request."""
    return request.app  # type: ignore[no-any-return]


def learner_of(request: Request) -> Writer:
    """Return the learner of an address."""
    name, writers = request.path_params.get("name"), service_of(request).writers
    if (name or ROOT) not in writers:
        rest = request.scope["path"].removeprefix(f"/l/{name}").strip("/")
        known = ", ".join(f"/l/{other}/{rest}" for other in list(writers)[:20])
        called = f'learner "{brief(visible(name))}"' if name else "learner at the root"
        raise Refusal(404, f"there is no {called}; there are {known}")
    return writers[name or ROOT]


def said(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a value as JSON; infinite numbers, which JSON lacks, become null."""
    try:
        text: bytes | str = orjson.dumps(value)
    except TypeError:  # a number of NumPy, or an int of more than 64 bits
        text = json.dumps(_finite(value))
    return Response(text, status, headers, "application/json")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# --- Rounds ------------------------------------------------------------------------------------------------


async def answer(request: Request) -> Response:
    """Answer one instance, or many."""
    writer = learner_of(request)
    name, asked = _each(request, ("xs", "asked"), partial(_asked, writer))
    answers = await writer.carry_out(partial(writer.served.answer, asked))
    return said({"answers": answers} if name else answers[0])


def _each(request: Request, names: tuple[str, ...], read: Callable[[Any, str], T]) -> tuple[str, list[T]]:
    """Parse the body: one value, or each value of a list under one of these names."""
    found, some = json_of(request), list[T]()
    name = next((name for name in names if isinstance(found, dict) and name in found), "")
    for place, one in enumerate(_list(name, _object(found, name)[name], request) if name else [found]):
        try:
            some.append(read(one, name))
        except InvalidArgument as error:
            raise Refusal(400, f"{f'{name}[{place}]: ' if name else ''}{error}") from None
    return name, some


def _asked(writer: Writer, one: Any, name: str) -> Asked:
    columns, key = writer.served.columns, ""
    if name != "xs":
        if not isinstance(one, dict) or not {"x"} <= one.keys() <= {"x", "key"}:
            raise InvalidArgument(
                f"{_stray(one, 'x', 'key')}"
                'an answer takes {"x": instance}, optionally with "key"; a batch is {"xs": [instance, ...]} or '
                '{"asked": [{"x": instance, "key": text}, ...]}'
            )
        key, one = one.get("key", ""), one["x"]
        if not isinstance(key, str) or len(key) > LONGEST_KEY or not is_storable(key):
            raise InvalidArgument(f"a key must be a text of at most {LONGEST_KEY} letters; {got('key', key)}")
    cells = columns.cells(one)
    return Asked(cells, columns.instance(cells), key)


async def learn(request: Request) -> Response:
    """Learn one label, or many."""
    writer = learner_of(request)
    many, told = _each(request, ("labels",), _told)
    done = await writer.carry_out(partial(writer.served.learn, told))
    return said(done if many else {**done["labels"][0], "rounds": done["rounds"]})


def _told(label: Any, _: str) -> Told:
    if not isinstance(label, dict) or not {"ticket", "y"} <= label.keys() <= {"ticket", "y", "weight"}:
        raise InvalidArgument(
            f"{_stray(label, 'ticket', 'y', 'weight')}"
            'a label is {"ticket": 17, "y": 1}, perhaps with "weight"; many are {"labels": [...]}'
        )
    ticket, weight = label["ticket"], label.get("weight")
    if isinstance(ticket, float) and ticket.is_integer():  # 17.0 is a whole number in JSON
        ticket = int(ticket)
    if type(ticket) is not int or ticket < 1:
        raise InvalidArgument(f"a ticket is a whole number from 1 on, as it was given; {got('ticket', ticket)}")
    weighed = None if "weight" not in label else check_weight("weight", weight)
    return Told(ticket, label_of(label["y"]), weighed)


def _stray(found: Any, *known: str) -> str:
    """Return the beginning of a message about unknown names, "" if there are none."""
    stray = [name for name in found if name not in known] if isinstance(found, dict) else []
    return f'"{brief(visible(stray[0]))}" is unknown here; ' if stray else ""


def _object(found: Any, *known: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise Refusal(400, f"the body must be a JSON object with {', '.join(known)}")
    if stray := _stray(found, *known):
        raise Refusal(400, f"{stray}known are {', '.join(known)}")
    return found


def _list(name: str, found: Any, request: Request) -> list[Any]:
    most = service_of(request).limits.batch
    if not isinstance(found, list) or not found:
        raise Refusal(400, f"{name} must be a list of at least one")
    if len(found) > most:
        raise Refusal(400, f"{name} may have {most:,} at a time; got {len(found):,} (--max-batch)")
    return found


# --- Reports -----------------------------------------------------------------------------------------


async def certificate(request: Request) -> Response:
    """Return the certificate of the learner."""
    query_of(request)
    return said(await asyncio.to_thread(learner_of(request).served.certificate))


async def rules(request: Request) -> Response:
    """Return the near-best rules."""
    given = query_of(request, "within", "limit")
    within = check_reach("within", number(given.get("within", "0")))
    limit = number(given.get("limit", str(USUAL_RULES)))
    if type(limit) is not int or not 1 <= limit <= MOST_RULES:
        raise Refusal(400, f"limit must be a whole number from 1 to {MOST_RULES}; {got('limit', given['limit'])}")
    try:
        return said(await learner_of(request).desk.rules(within, limit))
    except InvalidArgument as error:
        raise Refusal(409, str(error)) from None


async def health(request: Request) -> Response:
    """Report if all learners can answer."""
    query_of(request)
    broken = any(writer.broken for writer in service_of(request).writers.values())
    return said({"status": "broken" if broken else "ok"}, 503 if broken else 200)


async def all_metrics(request: Request) -> Response:
    """Return the counts for Prometheus."""
    query_of(request)
    return Response(await asyncio.to_thread(service_of(request).metrics.text), headers={"Content-Type": TEXT})


async def document(request: Request) -> Response:
    """Return the OpenAPI document."""
    query_of(request)
    service = service_of(request)
    return said(openapi({name: writer.served.columns for name, writer in service.writers.items()}, service.limits))


async def moved(request: Request) -> Response:
    """Redirect to the page of a learner, whether it exists or not: names need the token."""
    if has_token(request, service_of(request).limits):
        learner_of(request)
    return Response(status_code=308, headers={"Location": f"{quote(request.path_params['name'])}/"})


async def no_icon(request: Request) -> Response:
    """Return an empty icon, which browsers request."""
    return Response(status_code=204, media_type="image/x-icon")
