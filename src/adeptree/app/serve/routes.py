"""What each address of a service does: reads the request, asks the learner, and says it in JSON."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from adeptree.app.serve.counters import metrics
from adeptree.app.serve.exchange import Reply, Request, said
from adeptree.app.serve.openapi import openapi
from adeptree.app.serve.refusals import Refusal
from adeptree.app.serve.requests import query_of
from adeptree.app.serve.served_learner import Asked, Told
from adeptree.app.serve.writer import Writer
from adeptree.core.cell_text import brief, is_storable, number
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.escaping import visible
from adeptree.core.types import label_of
from adeptree.theory.losses import check_reach, check_weight

MOST_RULES, USUAL_RULES = 1000, 100
LONGEST_KEY = 200


# --- Rounds ------------------------------------------------------------------------------------------------


async def answer(request: Request) -> Reply:
    """Answer an instance, or many."""
    found = await request.json()
    name = next((name for name in ("xs", "asked") if isinstance(found, dict) and name in found), None)
    given = [found] if name is None else _list(name, _object(found, name)[name], request)
    asked = []
    for place, one in enumerate(given):
        try:
            asked.append(_asked(request.learner, {"x": one} if name == "xs" else one))
        except InvalidArgument as error:
            raise Refusal(400, f"{f'{name}[{place}]: ' if name else ''}{error}") from None
    answers = await request.learner.carry_out(partial(request.learner.served.answer, asked))
    return said({"answers": answers} if name else answers[0])


def _asked(writer: Writer, one: Any) -> Asked:
    if not isinstance(one, dict) or not {"x"} <= one.keys() <= {"x", "key"}:
        raise InvalidArgument(
            f"{_stray(one, 'x', 'key')}"
            'what to answer is {"x": instance}, perhaps with "key"; many are {"xs": [instance, ...]} or '
            '{"asked": [{"x": instance, "key": text}, ...]}'
        )
    key = one.get("key", "")
    if not isinstance(key, str) or len(key) > LONGEST_KEY or not is_storable(key):
        raise InvalidArgument(f"a key must be a text of at most {LONGEST_KEY} letters; {got('key', key)}")
    columns = writer.served.columns
    cells = columns.cells(one["x"])
    return Asked(cells, columns.instance(cells), key)


async def learn(request: Request) -> Reply:
    """Learn a label, or many."""
    found = await request.json()
    many = isinstance(found, dict) and "labels" in found
    labels = _list("labels", _object(found, "labels")["labels"], request) if many else [found]
    told = []
    for place, label in enumerate(labels):
        try:
            told.append(_told(label))
        except InvalidArgument as error:
            raise Refusal(400, f"{f'labels[{place}]: ' if many else ''}{error}") from None
    return said(await request.learner.carry_out(partial(request.learner.served.learn, told)))


def _told(label: Any) -> Told:
    known = ("ticket", "y", "weight")
    if not isinstance(label, dict) or not {"ticket", "y"} <= label.keys() <= set(known):
        raise InvalidArgument(
            f"{_stray(label, *known)}"
            'a label is {"ticket": 17, "y": 1}, perhaps with "weight"; many are {"labels": [...]}'
        )
    ticket, weight = label["ticket"], label.get("weight")
    if isinstance(ticket, float) and ticket.is_integer():  # (in JSON 17.0 is a whole number, too)
        ticket = int(ticket)
    if type(ticket) is not int or ticket < 1:
        raise InvalidArgument(f"a ticket is a whole number from 1 on, as it was given; {got('ticket', ticket)}")
    weighed = None if "weight" not in label else check_weight("weight", weight)
    return Told(ticket, label_of(label["y"]), weighed)


def _stray(found: Any, *known: str) -> str:
    """Return the beginning of a sentence that names what is unknown, "" if nothing is."""
    stray = [name for name in found if name not in known] if isinstance(found, dict) else []
    return f'"{brief(visible(stray[0]))}" is unknown here; ' if stray else ""


def _object(found: Any, *known: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise Refusal(400, f"the body must be a JSON object with {', '.join(known)}")
    if stray := _stray(found, *known):
        raise Refusal(400, f"{stray}known are {', '.join(known)}")
    return found


def _list(name: str, found: Any, request: Request) -> list[Any]:
    most = request.service.limits.batch
    if not isinstance(found, list) or not found:
        raise Refusal(400, f"{name} must be a list of at least one")
    if len(found) > most:
        raise Refusal(400, f"{name} may have {most:,} at a time; got {len(found):,} (--max-batch)")
    return found


# --- What is known -----------------------------------------------------------------------------------------


async def certificate(request: Request) -> Reply:
    """Return where the learner stands, and what is proven of it."""
    query_of(request.scope, ())
    found = await asyncio.to_thread(request.learner.served.certificate)
    return said({**dict(found), "text": str(found)})


async def rules(request: Request) -> Reply:
    """Return the rules that are nearly as good as the best."""
    given = query_of(request.scope, ("within", "limit"))
    within = check_reach("within", number(given.get("within", "0")))
    limit = number(given.get("limit", str(USUAL_RULES)))
    if type(limit) is not int or not 1 <= limit <= MOST_RULES:
        raise Refusal(400, f"limit must be a whole number from 1 to {MOST_RULES}; {got('limit', given['limit'])}")
    try:
        return said(await request.learner.desk.rules(within, limit))
    except InvalidArgument as error:
        raise Refusal(409, str(error)) from None


async def health(request: Request) -> Reply:
    """Say whether all learners can answer."""
    query_of(request.scope, ())
    broken = any(writer.broken for writer in request.service.writers.values())
    return said({"status": "broken" if broken else "ok"}, 503 if broken else 200)


async def all_metrics(request: Request) -> Reply:
    """Return the counts for Prometheus."""
    query_of(request.scope, ())
    text = await asyncio.to_thread(metrics, request.service.counters, request.service.writers)
    return Reply(text.encode(), "text/plain; version=0.0.4; charset=utf-8")


async def document(request: Request) -> Reply:
    """Return the OpenAPI document."""
    query_of(request.scope, ())
    service = request.service
    return said(openapi({name: writer.served.columns for name, writer in service.writers.items()}, service.limits))


async def no_icon(request: Request) -> Reply:
    """Browsers ask for it."""
    return Reply(b"", "image/x-icon", 204)
