"""A learner at work: rows, a journal, a book of open tickets, and resuming; for ``run`` and ``serve`` alike."""
