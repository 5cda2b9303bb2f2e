"""A separate learner per segment, so that several processes or machines can share the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adeptree.core.dataframes import table_rows
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.seeds import stream
from adeptree.core.types import labels_of
from adeptree.families.registry import columns_of
from adeptree.learners.adept_learner import Adept
from adeptree.learners.inputs import same_length
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory.losses import check_weights

if TYPE_CHECKING:
    from concurrent.futures import Executor

Task = tuple[Adept, Any, Any, list[float] | None]
"""A new learner with the rows, labels and weights of its segment."""


def learn_segments(
    frame: Any,
    label: Any,
    by: str,
    rules: Any = "stumps",
    *,
    executor: Executor | None = None,
    weights: Any = None,
    seed: int = 0,
    **settings: Any,
) -> dict[str, Adept]:
    """Learn the rows of each segment with a separate learner; return the learners by segment, in order of appearance.

    The results do not depend on the executor. If a worker of a process pool dies, this process takes over its work. A
    Dask cluster moves it to another worker.

    Parameters
    ----------
    frame
        A data frame (pandas, polars, pyarrow, ...), or a mapping of names to columns.
    label
        The column with the labels, or the labels.
    by
        The column with the name of the segment. Rows where it is missing form a segment named "".
    rules
        A text as for ``adeptree run --rules``, or a concept class over rows. Rules that name no columns read all but
        the label and the segment.
    executor
        Any ``concurrent.futures.Executor``, such as a ``ProcessPoolExecutor`` or ``client.get_executor()`` of Dask.
        Without one, this process learns one segment after the other.
    weights
        The weight of each row.
    seed
        The random stream of each segment is derived from the seed and the segment's name.
    settings
        Parameters of ``Adept``, such as ``costs``, ``review`` and ``drift``.

    Examples
    --------
    >>> rows = {"tenant": ["a", "b", "a", "b"], "score": [0.2, 0.3, 0.8, 0.9], "y": [0, 1, 1, 0]}
    >>> learners = learn_segments(rows, "y", by="tenant", rules="stumps(score)", costs=(5, 1))
    >>> {name: str(learner.best_rule()) for name, learner in learners.items()}
    {'a': 'score >= 0.5', 'b': 'score < 0.5'}
    """
    from concurrent.futures import Executor  # (imports slowly, as all rules do: see adeptree/__init__.py)

    from adeptree.families.combined.segments import name_of

    if executor is not None and not isinstance(executor, Executor):
        raise InvalidArgument(
            f"executor must be a concurrent.futures.Executor, such as a ProcessPoolExecutor or that which Dask's "
            f"client.get_executor() returns; {got('executor', executor)}"
        )
    rows = table_rows(frame)
    if rows is None:
        raise InvalidArgument(f"frame must be a data frame or a mapping of names to columns; {got('frame', frame)}")
    columns = list(rows[0]) if rows else []
    apart = [label, by] if isinstance(label, str) else [by]
    if missing := [name for name in apart if name not in columns]:
        raise InvalidArgument(f"the frame must have the column {missing[0]!r}; it has {columns}")
    labels = labels_of([row[label] for row in rows] if isinstance(label, str) else label).tolist()
    weighed = None if weights is None else check_weights(weights)
    same_length(frame=rows, label=labels, weights=weighed)
    concept_class = _rules(rules, rows, [name for name in columns if name not in apart])
    read, places = columns_of(concept_class).names(concept_class) or (), dict[str, list[int]]()
    for place, row in enumerate(rows):
        places.setdefault(name_of(row[by]), []).append(place)
    tasks = dict[str, Task]()
    for name, some in places.items():
        learner = Adept(concept_class, seed=seed_of(seed, name), **settings)
        xs = [{column: rows[i].get(column) for column in read} for i in some]
        tasks[name] = learner, xs, [labels[i] for i in some], weighed and [weighed[i] for i in some]
    return learn_all(tasks, executor)


def seed_of(seed: int, name: str) -> int:
    """Return the seed of a segment."""
    return int(stream(seed, f"segment {name}").integers(2**32))


def _rules(rules: Any, rows: list[dict[str, Any]], others: list[str]) -> ConceptClass:
    """Return the rules of a learner over rows."""
    if isinstance(rules, str):
        from adeptree.families.rules_text import rules_on
        from adeptree.families.tables.detecting import SAMPLED, FirstRows

        rules, column = rules_on(rules, FirstRows.of(rows[:SAMPLED], list(rows[0])), others)
        rules = rules if column is None else rules.on(column)
    if not isinstance(rules, ConceptClass) or columns_of(rules).names(rules) is None:
        raise InvalidArgument(
            f'rules must name the columns they read, as RealThresholds().on("score") does; {got("rules", rules)}'
        )
    return rules


def learn_all(tasks: dict[str, Task], executor: Executor | None) -> dict[str, Adept]:
    """Run all tasks, the largest first; run the tasks of dead workers in this process."""
    found: dict[str, Adept | None] = dict.fromkeys(tasks)
    if executor is not None:
        from concurrent.futures import BrokenExecutor

        order = sorted(tasks, key=lambda name: -len(tasks[name][1]))
        try:
            futures = {name: executor.submit(_learnt, tasks[name]) for name in order}
            for name, future in futures.items():
                found[name] = future.result()
        except BrokenExecutor:
            pass  # the remaining tasks run below in this process
    return {name: _learnt(tasks[name]) if learner is None else learner for name, learner in found.items()}


def _learnt(task: Task) -> Adept:
    """Return the learner of a segment after learning its rows."""
    learner, rows, labels, weights = task
    learner.learn_many(rows, labels, weights)
    return learner
