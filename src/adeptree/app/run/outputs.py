"""Outputs of a run, looked at before it begins: what would fail at its end, or destroy its input."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING

from adeptree.app.terminal import Nobody
from adeptree.core.errors import InvalidArgument, StateError

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options


def check_outputs(options: Options) -> None:
    """Refuse, before anything is learnt, an output that would fail at the end or destroy the input."""
    stream = options.stream
    _check_separate(options)
    if options.labels and not options.key:
        raise InvalidArgument("--labels: say which column joins its labels to the rows, with --key COLUMN")
    if options.labels and os.path.realpath(options.labels) == os.path.realpath(stream):
        raise InvalidArgument("--labels: that is the stream itself, whose rows may bring labels too; leave it out")
    for option, path in (("--predictions", options.predictions), ("--report", options.report)):
        for source in (stream, options.labels or ""):
            if path and os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
                what = "the stream itself" if source == stream else "the file of the labels"
                raise InvalidArgument(f"{option}: {path} is {what}; name another file")
    both = [os.path.realpath(path) for path in (options.predictions, options.report) if path]
    if len(both) == 2 and both[0] == both[1]:
        raise InvalidArgument(f"--report: {options.report} is the file of the predictions too; name another")
    if options.resume and not options.save:
        raise InvalidArgument("--resume goes on with the run in a directory; name it with --save")
    if options.save and options.predictions and _special(options.predictions):
        raise InvalidArgument(
            f"--predictions: {options.predictions} is not an ordinary file, so a resumed run could not go on in it; "
            f"name another"
        )
    if options.follow and isinstance(sys.stdout, Nobody):
        raise InvalidArgument("--follow: stdout is closed, and the answers go there; open it, or leave --follow out")
    if options.predictions and (why := unwritable(options.predictions, in_place=True)):
        raise StateError(f"--predictions: {options.predictions} could not be written: {why}")
    if options.report:
        _check_report(options.report)


def _check_separate(options: Options) -> None:
    """Refuse what separate learners do not have."""
    if options.jobs and not options.separate:
        raise InvalidArgument(
            "--jobs is the number of processes of --separate --by COLUMN; give these, or leave it out"
        )
    if options.separate and not options.by:
        raise InvalidArgument("--separate needs --by COLUMN, the column that names the segment of a row")
    for name in ("follow", "save", "resume", "key", "labels", "predictions", "report", "frequency", "segments"):
        if options.separate and getattr(options, name):
            raise InvalidArgument(f"--separate cannot be used with --{name}; leave one of them out")


def unwritable(path: str, in_place: bool = False) -> str:
    """Return why a file cannot be replaced (or written to, where it is), "" if it can; nothing is left behind."""
    try:
        if not (in_place and os.path.exists(path)):
            tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))).close()
        elif not _special(path):
            os.close(os.open(path, os.O_WRONLY))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _check_report(path: str) -> None:
    if _special(path):
        raise InvalidArgument(f"--report: {path} is not an ordinary file; name another")
    if why := unwritable(path):
        raise StateError(f"--report: {path} cannot be written: {why}")
