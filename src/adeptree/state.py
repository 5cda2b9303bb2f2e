"""Saved state: data only. A text line, a checksum, then named arrays; written atomically, never executed.

The file is ``adeptree state <version>``, the SHA-256 of the rest, and the rest: a numpy archive that
holds plain arrays and one JSON text. Reading checks the version, then the checksum, and only then parses.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.errors import DamagedFile, StateError, UnknownVersion

MAGIC = b"adeptree state "
VERSION = 1


def save(path: str | os.PathLike[str], state: dict[str, Any]) -> None:
    """Write nested plain values and arrays to a file, all or nothing."""
    arrays: list[NDArray[Any]] = []
    text = json.dumps(encode(state, arrays), sort_keys=True)
    buffer = io.BytesIO()
    named = {str(i): array for i, array in enumerate(arrays)}
    np.savez(buffer, json=np.frombuffer(text.encode(), dtype=np.uint8), **named)  # type: ignore[arg-type]
    payload = buffer.getvalue()
    header = MAGIC + str(VERSION).encode() + b"\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n"
    write_atomically(Path(path), header + payload)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what :func:`save` wrote, or say in a sentence why not."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise StateError(f"{path} could not be read: {error.strerror or error}") from error
    except ValueError as error:  # e.g. a null character in the name
        raise StateError(f"{path!r} is not the name of a file: {error}") from error
    line, _, rest = content.partition(b"\n")
    if not line.startswith(MAGIC):
        raise DamagedFile(f"{path} is not a file saved by adeptree (or its beginning is damaged)")
    if line != MAGIC + str(VERSION).encode():
        version = line[len(MAGIC) :].decode(errors="replace")[:20]
        raise UnknownVersion(
            f"{path} is in state format {version!r}; this release reads format {VERSION}: use the release that wrote it"
        )
    digest, _, payload = rest.partition(b"\n")
    if hashlib.sha256(payload).hexdigest().encode() != digest:
        raise DamagedFile(f"{path} is truncated or altered (checksum mismatch); use an earlier copy")
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
            arrays = [archive[str(i)] for i in range(len(archive.files) - 1)]
            decoded: dict[str, Any] = decode(json.loads(archive["json"].tobytes()), arrays)
    except Exception as error:  # the checksum fits, so somebody else wrote this
        raise DamagedFile(f"{path} does not hold plain arrays and values as adeptree saves them: {error}") from error
    return decoded


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file in one step, so that a crash or a full disk leaves the old one whole."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise StateError(f"{path} could not be written: it is not an ordinary file; name another")
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise StateError(f"{path} could not be written: {error.strerror or error}; what was there stays") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """The permissions the file has, or those a new file would get (mkstemp's are only its owner's)."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def encode(value: Any, arrays: list[NDArray[Any]] | None = None) -> Any:
    """Return plain values as JSON values, tagging what JSON lacks; arrays go into the list."""
    if isinstance(value, np.ndarray):
        if arrays is None:
            return encode(value.tolist())
        if value.dtype.hasobject:
            raise StateError("an array of Python objects cannot be saved; use numbers, texts, tuples or lists")
        arrays.append(value)
        return {"$array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return encode(value.item(), arrays)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        inner = [encode(v, arrays) for v in value]
        return inner if isinstance(value, list) else {"$tuple": inner}
    if isinstance(value, dict):
        return {"$map": [[encode(k, arrays), encode(v, arrays)] for k, v in value.items()]}
    raise StateError(
        f"a {type(value).__name__} cannot be saved ({str(value)[:60]}); use numbers, texts, tuples, lists or dicts"
    )


def decode(value: Any, arrays: Sequence[NDArray[Any]] = ()) -> Any:
    """Return what :func:`encode` was given."""
    if isinstance(value, list):
        return [decode(v, arrays) for v in value]
    if isinstance(value, dict):
        ((tag, inner),) = value.items()
        if tag == "$array":
            return arrays[inner]
        if tag == "$tuple":
            return tuple(decode(v, arrays) for v in inner)
        return {decode(k, arrays): decode(v, arrays) for k, v in inner}
    return value
