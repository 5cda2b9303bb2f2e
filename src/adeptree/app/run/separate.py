"""``--separate``: a learner for each segment, in this process or in several."""

from __future__ import annotations

import signal
from collections import defaultdict
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adeptree.app.run.layout import Examples
from adeptree.app.run.progress import ProgressBar
from adeptree.app.run.run_loop import Game
from adeptree.app.run.run_setup import fresh
from adeptree.app.terminal import show
from adeptree.core.cell_text import is_missing
from adeptree.core.escaping import visible
from adeptree.learners.segment_learners import learn_all, seed_of
from adeptree.pages.summary import of_segments
from adeptree.runner.rows import Row

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


class SeparateGame(Game):
    """A game that collects the rows of each segment; at its end each segment's learner learns them."""

    def __init__(self, *game: Any) -> None:
        super().__init__(*game)
        self.by = self.options.by or ""
        self.place, self.gathered = self.stream.place(self.by, "--by"), defaultdict[str, list[tuple[Any, ...]]](list)

    def _is_round(self, row: Row, y: int) -> bool:
        return False  # each learner has its own horizon

    def _play(self, part: Examples, bar: ProgressBar | None) -> None:
        if part.learnt:
            xs = part.xs if isinstance(part.xs, list) else self.layout.concept_class.instances_of(part.xs)
            weights = self.weight.of(part.rows) if self.weight else [1.0] * len(xs)
            for row, *example in zip(part.rows, xs, map(int, part.ys), weights, strict=True):
                name = row.cells[self.place].strip()
                self.gathered["" if is_missing(name) else name].append(tuple(example))

    def _summarise(self) -> None:
        tasks, alone = {}, replace(self.options, by=None)
        for name, examples in self.gathered.items():
            xs, ys, weights = map(list, zip(*examples, strict=True))
            learner = fresh(replace(alone, seed=seed_of(alone.seed, name)), self.layout)
            tasks[name] = learner, xs, ys, weights if self.weight else None
        jobs = min(self.options.jobs or 1, len(tasks))
        with _processes(jobs) if jobs > 1 else nullcontext() as executor:
            learners = learn_all(tasks, executor)
        if learners and not self.options.quiet:
            show(of_segments(learners, replace(self._run_facts(), record=None), visible(self.by)))


def _processes(jobs: int) -> ProcessPoolExecutor:
    """Return a pool whose workers end silently at Ctrl-C."""
    import multiprocessing  # not available in a browser
    from concurrent.futures import ProcessPoolExecutor

    ended = signal.SIGINT, signal.SIG_DFL
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=spawn, initializer=signal.signal, initargs=ended)
