"""The report: one self-contained page with the table, the figures and the findings."""

from adeptree.report.page import page, write_report

__all__ = ["page", "write_report"]
