"""A run on disk, to resume after a crash: its settings, a checkpoint, and the journal of rows since then.

``settings.json`` describes the run; a run with other settings is refused. ``checkpoint`` is the learner (``load`` reads
it) and the position of the run, replaced atomically. ``rows.journal`` holds every row taken since, in blocks: lines of
``core/json_lines.py``, each with a SHA-256 checksum, the number of its first row, and rows that were taken together. It
needs no closing line, because a crash leaves none; every other mismatch is damage. With ``--follow`` the input cannot
be read again: ``answered`` then holds the number of rows taken, and a journal with fewer rows is damage too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from adeptree.core import files
from adeptree.core.cell_text import brief
from adeptree.core.errors import AdeptreeError, DamagedFile, InvalidArgument
from adeptree.core.json_lines import UNFIT, LineFormat, damaged
from adeptree.learners.loading import check_written
from adeptree.runner.appended_file import AppendedFile, Counter, Written
from adeptree.runner.rows import Row, block_of, is_texts, rows_in

SETTINGS, CHECKPOINT, ROWS, ANSWERED = "settings.json", "checkpoint", "rows.journal", "answered"
REMEDY = "start again with another --save"
RUN = LineFormat("adeptree run", 8, "the settings of a run", REMEDY)
JOURNAL = LineFormat("adeptree journal", 4, "the journal of a run", REMEDY, True)
PARTS = ("columns", "found")  # settings that are not plain values
CHECKPOINT_SECONDS = 2.0
SYNC_SECONDS = 1.0
SHARE = 20
"""A checkpoint waits until the run has taken this many times as long as writing the last one."""


class RunFolder:
    """The folder of one run, not written before ``begin``. If ``durable``, every ``append`` is flushed to disk."""

    def __init__(self, path: str, resume: bool, follow: bool = False, durable: bool = False) -> None:
        self.path = Path(path)
        self._sync_seconds, self._option = (0.0, "--save") if durable else (SYNC_SECONDS, "--resume")
        self._answered = Counter(self.path / ANSWERED) if follow else None
        self.saved: dict[str, Any] | None = None
        self._same = True
        self._rows: AppendedFile | None = None
        self._lines = JOURNAL.writer()
        self._lock = -1
        self._due = self._sync_due = 0.0
        self._check(resume)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._rows is not None:
            self._rows.__exit__()
        if self._answered is not None:
            self._answered.close()
        if self._lock >= 0:
            os.close(self._lock)

    # --- Settings ----------------------------------------------------------------------------------

    def _check(self, resume: bool) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise InvalidArgument(f"--save: {self.path} is not a directory; name a new one, for the files of this run")
        present = sorted(os.listdir(self.path)) if self.path.exists() else []
        if SETTINGS in present:
            if not resume:
                said = "holds a run; resume it with --resume, or name another directory"
                raise InvalidArgument(f"--save: {self.path} {said}")
            self.saved = RUN.read(self.path / SETTINGS).head(_settings_in)
        elif present and any(not name.endswith(".part") for name in present):
            raise InvalidArgument(f"--save: {self.path} is not empty and holds no run; name a new directory")

    def begin(self, settings: dict[str, Any]) -> None:
        """Lock the folder and write the settings, unless a run with the same settings is resumed."""
        try:
            self.path.mkdir(exist_ok=True)
            self._lock = _locked(self.path)
        except OSError as error:
            raise InvalidArgument(f"--save: {self.path} cannot be written: {error.strerror}") from None
        for left_over in self.path.glob("*.part"):  # left by a process that was killed while writing
            left_over.unlink(missing_ok=True)
        if self.saved is None or not self._same:
            files.write_atomically(self.path / SETTINGS, RUN.writer(settings=settings).header.encode())

    def refuse_differences(self, given: dict[str, Any]) -> None:
        """Raise an error if the settings differ from those of the first start."""
        saved = self.saved or given
        if (saved.get("on_bad_row"), given.get("on_bad_row")) == ("stop", "skip"):  # advised by the message of a stop
            saved["on_bad_row"], self._same = "skip", False
        different = [name for name in given if saved.get(name) != given[name]]
        # The layout of the columns follows from the other settings, so it is compared only if those are equal.
        if different := [name for name in different if name not in PARTS] or different:
            lines = [f"  {name}: saved {_shown(saved.get(name))} / given {_shown(given[name])}" for name in different]
            said = f"{self._option}: the run in {self.path} has other settings; give the same, or name another --save"
            raise InvalidArgument("\n".join([said, *lines]))

    def damaged_settings(self) -> DamagedFile:
        """Return the error for settings that a run cannot have written, although the checksum matches."""
        return damaged(str(self.path / SETTINGS), 1, REMEDY)

    # --- Checkpoint --------------------------------------------------------------------------------

    @property
    def checkpoint_path(self) -> Path:
        """The path of the checkpoint, from which ``adeptree.load`` reads the learner."""
        return self.path / CHECKPOINT

    def due(self) -> bool:
        """Return True if it is time for a checkpoint."""
        return time.monotonic() >= self._due

    def checkpoint(self, learner: dict[str, Any], run: dict[str, Any]) -> None:
        """Replace the checkpoint atomically by one that loads, and clear the journal of the rows that it covers."""
        start = time.monotonic()
        files.save(self.checkpoint_path, {**learner, "run": run}, check_written)
        if self._answered is not None:
            # A row whose answer could not be delivered (broken pipe) is not part of the run.
            self._answered.set(run["position"]["taken"])
        # If killed here, the journal still holds rows that the checkpoint covers; their numbers identify them.
        self._start_rows()
        end = time.monotonic()
        self._due = end + max(CHECKPOINT_SECONDS, SHARE * (end - start))

    def restore(self, take: Callable[[dict[str, Any]], None]) -> None:
        """Restore a run from the checkpoint, if there is one."""
        if not self.checkpoint_path.exists():
            return
        try:
            take(files.load(self.checkpoint_path)["run"])
        except UNFIT:
            said = "does not say where its run was; start again with another --save"
            raise DamagedFile(f"{self.checkpoint_path} {said}") from None

    def impossible(self, number: int, why: object) -> DamagedFile:
        """Return the error for a row of the journal that the run cannot have taken."""
        why = f"holds a row {number} that cannot have been taken ({why}); start again with another --save"
        return DamagedFile(f"{self.path / ROWS} {why}")

    # --- Journal -----------------------------------------------------------------------------------

    def append(self, number: int, rows: Sequence[Row]) -> None:
        """Append rows of the run to the journal; the first is row ``number`` (counted from 1)."""
        file = self._rows or self._start_rows()
        file.append(self._lines.row({"from": number, **block_of(rows)}).encode())
        now = time.monotonic()
        if now >= self._sync_due:
            # A killed process loses nothing even without this; a power failure loses this many seconds.
            file.sync()
            self._sync_due = now + self._sync_seconds
        if self._answered is not None:
            # In this order, because a process killed in between must leave the journal ahead of the count.
            self._answered.set(number + len(rows) - 1)

    def fate(self) -> str:
        """Return "removed" or "replaced" if that happened to the name of the open journal, else ""."""
        return "" if self._rows is None else self._rows.fate()

    def rows_after(self, taken: int) -> list[Row]:
        """Return the journal's rows that the checkpoint does not cover, in order, after checking the whole journal."""
        entries = self._entries()
        first, count = entries[0][0] if entries else taken + 1, len(entries)
        if first > taken + 1:
            raise DamagedFile(f"{self.path / ROWS} continues with row {first}, but row {taken + 1} is missing")
        self._refuse_forgotten(max(taken, first + count - 1))
        return [row for number, row in entries if number > taken]

    def take_again(self, rows: list[Row], taken: int, take: Callable[[list[Row]], object], most: int = 1) -> None:
        """Replay rows of the journal after the first ``taken`` of the run; raise an error for impossible ones."""
        for start in range(0, len(rows), most):
            try:
                take(rows[start : start + most])
            except (*UNFIT, AdeptreeError) as error:
                raise self.impossible(taken + start + 1, error) from None

    def _entries(self) -> list[tuple[int, Row]]:
        """Return the rows of every complete block of the journal, after checking that their numbers are consecutive."""
        path, entries = self.path / ROWS, list[tuple[int, Row]]()

        def take(values: dict[str, Any]) -> None:
            number, rows = values["from"], rows_in(values)
            whole = type(number) is int and number > 0 and len(values) == 2 and all(map(self._fits, rows))
            if not whole or not rows or (entries and number != entries[-1][0] + 1):
                raise ValueError
            entries.extend(enumerate(rows, number))

        if path.exists():
            JOURNAL.read(path).each(take)
        return entries

    def _fits(self, row: Row) -> bool:
        """Return True if the row has a cell for each column; a faulty row may have any number."""
        return bool(row.fault) or self.saved is None or len(row.cells) == len(self.saved["columns"])

    def counts_nothing(self) -> bool:
        """Return True if this is a resumed ``--follow`` run without its count of answered rows.

        The count was deleted to resume without lost rows, or the run was killed right after its start.
        """
        return self._answered is not None and self.saved is not None and not (self.path / ANSWERED).exists()

    def _refuse_forgotten(self, known: int) -> None:
        """Raise an error if more rows were answered than the checkpoint and the journal hold."""
        answered = 0 if self._answered is None else self._answered.value()
        if answered > known:
            raise DamagedFile(
                f"{self.path / ROWS} ends with row {known}, but {answered} rows were answered: the end of the journal "
                f"is lost; put it back, or remove {self.path / ANSWERED} to continue without "
                f"{f'row {answered}' if answered == known + 1 else f'rows {known + 1} to {answered}'}"
            )

    def _start_rows(self) -> AppendedFile:
        if self._rows is not None:
            self._rows.__exit__()
        self._lines = JOURNAL.writer()
        self._rows = AppendedFile(str(self.path / ROWS), "--save", Written())
        self._rows.append(self._lines.header.encode())
        return self._rows


def _settings_in(header: dict[str, Any]) -> dict[str, Any]:
    """Decode the settings of a run: plain values, the columns and the resolved rules; else raise ValueError."""
    settings = dict(header["settings"])
    found = settings["found"]
    plain = [value for name, value in settings.items() if name not in PARTS]
    texts = settings["columns"], *found["label"], found["reads"], found.get("times", [])
    if not all(value is None or isinstance(value, (bool, int, float, str)) for value in plain):
        raise ValueError("settings are plain values")
    if not (all(map(is_texts, texts)) and len(found["label"]) == 2 and is_texts([found["class"], found["shown"]])):
        raise ValueError("columns, class and labels are texts")
    return settings


def _locked(folder: Path) -> int:
    """Lock the folder against a second process while this one lives, if the system supports such locks."""
    try:
        import fcntl
    except ImportError:
        return -1
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InvalidArgument(f"--save: another run is writing to {folder}; wait for its end") from None
    except OSError:  # the file system does not support locks
        with contextlib.suppress(OSError):
            os.close(handle)
        return -1
    return handle


def _shown(value: object) -> str:
    return "nothing" if value is None else brief(str(value))
