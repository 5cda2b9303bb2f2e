"""Files that a run appends to: complete up to the last row at any moment, however the run ends."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from adeptree.core.errors import DamagedFile, InvalidArgument, StateError
from adeptree.core.files import write_atomically
from adeptree.core.json_lines import UNFIT, seal, unseal

CHUNK = 1 << 20


@dataclass(frozen=True)
class Written:
    """The verified part of a file: its length and checksum."""

    length: int = 0
    checksum: int = 0


class AppendedFile:
    """An append-only file without a buffer: written data survives if the process is killed.

    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "f")
    >>> with AppendedFile(path, "--predictions", Written()) as file:
    ...     file.append(b"one\\n")
    ...     kept = file.written
    ...     file.append(b"two\\n")
    >>> with AppendedFile(path, "--predictions", kept) as file:
    ...     file.append(b"TWO\\n")
    >>> Path(path).read_bytes()
    b'one\\nTWO\\n'
    """

    def __init__(self, path: str, option: str, kept: Written) -> None:
        self._path, self._option = path, option
        self.written = kept
        with self._explained():
            # Read old content only to continue it. Do not open a named pipe for that.
            mode = os.O_RDWR if kept.length else os.O_WRONLY
            self._file = os.open(path, mode | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self.ordinary = stat.S_ISREG(os.fstat(self._file).st_mode)
        try:
            self._rewind(kept)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def append(self, content: bytes) -> None:
        """Append data; ``written`` counts it only when this call returns."""
        with self._explained():
            left = content
            while left:
                left = left[os.write(self._file, left) :]
        self.written = Written(self.written.length + len(content), zlib.crc32(content, self.written.checksum))

    def sync(self) -> None:
        """Flush the file to the disk (fsync)."""
        if self.ordinary:
            with self._explained():
                os.fsync(self._file)

    def fate(self) -> str:
        """Return "removed" or "replaced" if that happened to the file's name since it was opened, else ""."""
        try:
            same = os.path.samestat(os.stat(self._path), os.fstat(self._file))
        except OSError:
            return "removed"
        return "" if same else "replaced"

    def _rewind(self, kept: Written) -> None:
        """Truncate the file after ``kept``, after checking that the part before is unchanged."""
        if not self.ordinary:
            return
        with self._explained():
            checksum, left = 0, kept.length
            while left and (chunk := os.read(self._file, min(CHUNK, left))):
                checksum, left = zlib.crc32(chunk, checksum), left - len(chunk)
            if left or checksum != kept.checksum:
                raise InvalidArgument(
                    f"{self._option}: {self._path} is not as the run left it ("
                    + (f"{left:,} bytes are missing" if left else "it was changed")
                    + "); put it back, or start again with another --save"
                )
            os.ftruncate(self._file, kept.length)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StateError(f"{self._option}: {self._path} could not be written: {error.strerror}") from error


class Counter:
    """A number in a separate file, overwritten in place: a killed process leaves the old number or the new one.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "answered")
    >>> counter = Counter(path)
    >>> counter.set(41), counter.set(42), counter.close()
    (None, None, None)
    >>> Counter(path).value(), path.read_bytes()
    (42, b'{"count": "00000000000000000042", "check": "2554986f84328c8a"}\\n')
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def value(self) -> int:
        """Return the number, 0 if there is no file."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StateError(f"{self._path} could not be read: {error.strerror}") from None
        try:
            if (text := unseal(content.decode().removesuffix("\n"))["count"]).isdecimal():
                return int(text)
            raise ValueError
        except UNFIT:  # Python does not parse ints of thousands of digits
            raise DamagedFile(f"{self._path} is damaged; put it back, or start again with another --save") from None

    def set(self, value: int) -> None:
        """Write the number with a fixed length, so that no part of an old one remains."""
        content = seal(f'{{"count": "{value:020}"}}').encode() + b"\n"
        try:
            if self._file < 0:
                # Create the file atomically, so that it is complete even after a power failure.
                write_atomically(self._path, content)
                self._file = os.open(self._path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, content)
        except OSError as error:
            raise StateError(f"{self._path} could not be written: {error.strerror}") from error
