"""Every claim of the paper as an experiment, and ``reproduce`` to run and check them all.

Nothing is imported here, so that the command line need not wait for it: take ``reproduce`` from
``adeptree.experiments.reproduce``, the experiments by name from ``registry``, and what they are from ``core``.
"""
