"""Reproduction of the paper: every claim as an experiment with a check, mutants that test the checks, and a report.

Run it from a clone: ``python3 make.py reproduce``. It is not installed with adeptree.
"""
