"""``--separate``: a learner for each segment, in this process or in several."""

from __future__ import annotations

import multiprocessing
import signal
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.app.run.layout import UNKNOWN, Layout, WeightColumn
from adeptree.app.run.progress import Skipped
from adeptree.app.run.rounds import MOST
from adeptree.app.run.starting import fresh
from adeptree.app.run.streams import Stream
from adeptree.app.terminal import show
from adeptree.core.cell_text import is_missing
from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import visible
from adeptree.learners.segment_learners import learn_all, seed_of
from adeptree.pages.standing import Account
from adeptree.pages.summary import of_segments

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options


def play_separate(options: Options, stream: Stream, layout: Layout) -> None:
    """Learn all rows, each with the learner of its segment, and show the summary."""
    alone, place = replace(options, by=None), stream.place(options.by or "", "--by")
    weight = WeightColumn(stream, options.weight, layout, fresh(alone, layout)) if options.weight else None
    rows: dict[str, list[tuple[Any, int, float]]] = defaultdict(list)
    skipped, unlabelled = Skipped(), 0
    while taken := stream.take(MOST):
        found = layout.examples(weight.marked(taken) if weight else taken, labelled=False)
        for at, error in found.bad.items():
            sentence = f"{stream.where(taken[at])}{':' if taken[at].fault else ','} {error}"
            if options.on_bad_row == "stop":
                raise type(error)(f"{sentence}; to go on without such rows, add --on-bad-row skip")
            skipped.add(sentence)
        xs = found.xs if isinstance(found.xs, list) else layout.concept_class.instances_of(found.xs)
        weights = weight.of(found.rows) if weight else np.ones(len(found.rows)).tolist()
        for row, x, y, cost in zip(found.rows, xs, np.asarray(found.ys).tolist(), weights, strict=True):
            name = row.cells[place].strip()
            if y == UNKNOWN:
                unlabelled += 1
            else:
                rows["" if is_missing(name) else name].append((x, y, cost))
    if not rows:
        raise InvalidArgument(f"{stream.name} has no row with a label")
    tasks = {}
    for name, some in rows.items():
        own_xs, ys, costs = map(list, zip(*some, strict=True))
        learner = fresh(replace(alone, seed=seed_of(options.seed, name)), layout)
        tasks[name] = learner, own_xs, ys, costs if weight else None
    jobs = min(options.jobs or 1, len(tasks))
    with _processes(jobs) if jobs > 1 else nullcontext() as executor:
        learners = learn_all(tasks, executor)
    if skipped.count:
        show(f"adeptree: {skipped.line()}", err=True)
    if not options.quiet:
        label = visible(layout.label.said())
        names = visible(stream.name), visible(layout.shown), layout.names
        show(of_segments(learners, Account(*names, skipped.count, unlabelled, label), visible(options.by or "")))


def _processes(jobs: int) -> ProcessPoolExecutor:
    """Return a pool whose workers end at Ctrl-C without a word."""
    ended = signal.SIGINT, signal.SIG_DFL
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=spawn, initializer=signal.signal, initargs=ended)
