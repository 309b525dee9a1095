"""What can be read: a path, text in memory, or a file object."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol, Union

from bvhmill import _bvhmill
from bvhmill._errors import os_error

if TYPE_CHECKING:
    import numpy.typing as npt

PIECE_BYTES = 1 << 20
Path = Union[str, "os.PathLike[str]"]


class Readable(Protocol):
    """An object such as a file that was opened with 'rb'."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


Source = Union[Path, bytes, bytearray, memoryview, "npt.NDArray[Any]",
               Readable]


def is_path(source: Any) -> bool:
    """Paths are str and os.PathLike, always."""
    return isinstance(source, (str, os.PathLike))


def name_of(source: Any) -> str:
    """The name for messages; empty if there is none."""
    if is_path(source):
        return str(os.fspath(source))
    name = getattr(source, "name", "")
    return name if isinstance(name, str) else ""


def piece_of(file: Readable) -> bytes:
    """The next piece of a file object. TypeError if it gives text."""
    piece: object = file.read(PIECE_BYTES)
    if isinstance(piece, str):
        raise TypeError("the file gives text: open it with 'rb'")
    return bytes(piece) if isinstance(piece, (bytes, bytearray)) else b""


def bytes_of(source: Any) -> Any:
    """The buffer of a source that is not a path."""
    if hasattr(source, "read"):
        pieces = []
        while piece := piece_of(source):
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    try:
        memoryview(source)
    except TypeError:
        raise TypeError(
            "source must be a path, bytes or a file that was opened with "
            f"'rb', not {type(source).__name__}") from None
    return source


def convert(source: Any, options: _bvhmill._Options) -> _bvhmill._Conversion:
    """Reads a source. OSError if a file cannot be read."""
    if not is_path(source):
        return _bvhmill.read_buffer(bytes_of(source), options)
    conversion = _bvhmill.read_path(os.fsencode(source), options)
    if conversion.os_error:
        raise os_error(conversion.os_error, os.fspath(source))
    return conversion
