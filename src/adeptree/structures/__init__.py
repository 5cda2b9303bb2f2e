"""Structures: representations of sets of weighted paths with which a learner predicts, and their combinations.

A round is played in ``roles/round_kernel.py``; the list of paths, Algorithm 2 as it stands, is ``learners/adept.py``.

- Line: ``line_tree`` (sorted points under a tree of sums, on ``ordered_tree``); on it ``thresholds``, ``column_tree``,
  ``cuts`` (rules with several cuts), ``intervals`` (the case of two cuts, written out) and ``steps`` (any number).
- Sets: ``block`` (sets of points), ``value_sets`` and ``column`` (the values of a table's column).
- Partition: ``partition`` (listed rules, a cell per path); ``votes`` (models); ``experts`` (a plain list, for Hedge).
- Combinators: ``mixture`` (one of these), ``segments`` (one per segment, at one rate or on two levels), ``sharing``
  with ``shared_line`` (drift), ``restarts`` (drift for products).
"""
