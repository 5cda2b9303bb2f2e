"""Saved state: a text line, a checksum and named arrays. It holds data only and is written atomically.

The file is ``adeptree state <version>``, the SHA-256 of the rest, and the rest: a numpy archive that holds plain arrays
and one JSON text. Reading checks the version, then the checksum, then that no member is larger than the file declares,
and only then parses. (Files of JSON lines are in ``json_lines``.)
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from adeptree.core.errors import DamagedFile, StateError, unsupported
from adeptree.core.types import NDArray

AnyPath = str | os.PathLike[str]
MOST_BITS = 8192
"""The longest int that Python writes in decimal digits; the number of paths can be longer."""
MAGIC = b"adeptree state "
VERSION = 2


def save(path: AnyPath, state: dict[str, Any], check: Callable[[str], object] = lambda written: None) -> None:
    """Write nested plain values and arrays to a file, all or nothing.

    ``check`` reads the new file under a temporary name. If it raises, the old file stays.
    """
    import hashlib
    import json

    arrays: list[NDArray[Any]] = []
    text = json.dumps(encode(state, arrays), sort_keys=True)
    buffer = io.BytesIO()
    named = {str(i): array for i, array in enumerate(arrays)}
    np.savez(buffer, json=np.frombuffer(text.encode(), dtype=np.uint8), **named)  # type: ignore[arg-type]
    payload = buffer.getvalue()
    header = MAGIC + str(VERSION).encode() + b"\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n"
    write_atomically(path, header + payload, check)


def load(path: AnyPath) -> dict[str, Any]:
    """Read what :func:`save` wrote; raise DamagedFile or UnknownVersion if that is not possible."""
    import hashlib
    import json

    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise StateError(f"{path} could not be read: {error.strerror or error}") from error
    except ValueError as error:  # e.g. a null character in the name
        raise StateError(f"{path!r} is not the name of a file: {error}") from error
    line, _, rest = content.partition(b"\n")
    if not line.startswith(MAGIC):
        raise DamagedFile(f"{path} is not a file saved by adeptree (or its beginning is damaged)")
    if line != MAGIC + str(VERSION).encode():
        version = line[len(MAGIC) :].decode(errors="replace")[:20]
        raise unsupported(path, repr(version), VERSION)
    digest, _, payload = rest.partition(b"\n")
    if hashlib.sha256(payload).hexdigest().encode() != digest:
        raise DamagedFile(f"{path} is truncated or altered (checksum mismatch); use an earlier copy")
    try:
        arrays = _arrays(payload)
        text = arrays.pop("json").tobytes()
        decoded: dict[str, Any] = decode(json.loads(text), [arrays[str(i)] for i in range(len(arrays))])
        if not isinstance(decoded, dict):
            raise ValueError(f"a {type(decoded).__name__} in place of named values")
    except Exception as error:  # the checksum matches, so another program wrote this
        raise DamagedFile(f"{path} does not hold plain arrays and values as adeptree saves them: {error}") from error
    return decoded


def _arrays(payload: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive; refuse an array of more memory than the file has bytes."""
    import zipfile  # slow to import, like tempfile, and most programs neither load nor save

    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        members = archive.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise ValueError("a compressed member; adeptree writes none")
        if sum(member.file_size for member in members) > len(payload):
            raise ValueError("members larger than the file")
        return {member.filename.removesuffix(".npy"): _array(archive.read(member)) for member in members}


def _array(member: bytes) -> NDArray[Any]:
    file = io.BytesIO(member)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(file)
    if dtype.kind not in "biufSU" or any(side < 0 for side in shape):
        raise ValueError(f"an array of {dtype} and shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(member) - file.tell():
        raise ValueError(f"{len(member) - file.tell()} bytes for an array of {dtype} and shape {shape}")
    flat = np.frombuffer(bytearray(member), dtype, offset=file.tell())  # a bytearray makes the array writable
    return flat.reshape(shape, order="F" if fortran else "C")


def write_atomically(path: AnyPath, content: bytes, check: Callable[[str], object] = lambda written: None) -> None:
    """Replace the file in one step, so that a crash or a full disk leaves the old one whole."""
    import tempfile

    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    if os.path.exists(target) and not os.path.isfile(target):
        raise StateError(f"{path} could not be written: it is not an ordinary file; name another")
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=name, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        check(temporary)
        os.replace(temporary, target)
        temporary = None
        sync_folder(folder)
    except OSError as error:
        raise StateError(f"{path} could not be written: {error.strerror or error}; the file before it stays") from error
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def sync_folder(folder: AnyPath) -> None:
    """fsync the directory as well, where the platform supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _mode(target: str) -> int:
    """Return the file's permissions, or those of a new file (mkstemp would restrict them to the owner)."""
    with suppress(FileNotFoundError):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def encode(value: Any, arrays: list[NDArray[Any]] | None = None) -> Any:
    """Encode plain values as JSON, with tags for types that JSON lacks; arrays are appended to the list."""
    if isinstance(value, np.ndarray):
        if arrays is None:
            return encode(value.tolist())
        if value.dtype.hasobject:
            raise StateError("an array of Python objects cannot be saved; use numbers, texts, tuples or lists")
        arrays.append(value)
        return {"$array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return encode(value.item(), arrays)
    if type(value) is int and value.bit_length() > MOST_BITS:
        return {"$hex": hex(value)}
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


def decode(value: Any, arrays: list[Any] | None = None) -> Any:
    """Decode the result of :func:`encode`; every array is used once, so that no two values share one."""
    if isinstance(value, list):
        return [decode(v, arrays) for v in value]
    if isinstance(value, dict):
        ((tag, inner),) = value.items()
        if tag == "$hex":
            return int(inner, 16)
        if tag == "$array":
            return _taken(arrays or [], inner)
        if tag not in ("$tuple", "$map") or not isinstance(inner, list):
            raise ValueError(f"{tag!r} of a {type(inner).__name__} is not a value that can be saved")
        if tag == "$tuple":
            return tuple(decode(v, arrays) for v in inner)
        return {decode(k, arrays): decode(v, arrays) for k, v in inner}
    return value


def _taken(arrays: list[Any], place: Any) -> Any:
    if type(place) is not int or not 0 <= place < len(arrays) or arrays[place] is None:
        raise ValueError("an array that is not there, or was there before")
    array, arrays[place] = arrays[place], None
    return array
