"""The report: one HTML page with the table of claims, the figures and the errata of the paper."""
