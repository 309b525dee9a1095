"""Sources of clips: a path, text in memory, or a file object."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, Protocol, Union

from bvhmill import _bvhmill
from bvhmill._errors import os_error

if TYPE_CHECKING:
    import numpy.typing as npt
else:
    from bvhmill._typing import npt

PIECE_BYTES = 1 << 20
Path = Union[str, os.PathLike[str]]


class Readable(Protocol):
    """An object such as a file that was opened with 'rb'."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


Source = Union[Path, bytes, bytearray, memoryview, npt.NDArray[Any], Readable]


def is_path(source: Any) -> bool:
    """Paths are str and os.PathLike, always."""
    return isinstance(source, (str, os.PathLike))


def is_buffer(source: Any) -> bool:
    """True for bytes and what else has the buffer protocol."""
    try:
        memoryview(source)
    except TypeError:
        return False
    return True


def name_of(source: Any) -> str:
    """The name for messages; empty if there is none."""
    if is_path(source):
        return os.fsdecode(source)
    name = getattr(source, "name", "")
    return name if isinstance(name, str) else ""


def path_bytes(path: Any) -> bytes:
    """A path for the compiled module. ValueError if it holds a NUL, TypeError
    if it is the text of a file."""
    if isinstance(path, str) and path.lstrip().startswith("HIERARCHY\n"):
        raise TypeError("a str is a path, and this one is the text of a BVH "
                        "file: text must be bytes, such as text.encode()")
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


def piece_of(file: Readable) -> bytes:
    """The next piece of a file object; empty at the end.

    TypeError if it does not give bytes, BlockingIOError if it gives None: it
    has no bytes now, and does not wait for them.
    """
    piece: object = file.read(PIECE_BYTES)
    if isinstance(piece, bytes):
        return piece
    if isinstance(piece, str):
        raise TypeError("the file gives text: open it with 'rb'")
    if piece is None:
        raise BlockingIOError(errno.EAGAIN, "the file does not wait for bytes",
                              name_of(file))
    if not is_buffer(piece):
        raise TypeError(f"the file gives {type(piece).__name__}, not bytes")
    return bytes(piece)  # type: ignore[call-overload, no-any-return]


def bytes_of(source: Any) -> Any:
    """The buffer of a source that is not a path."""
    if is_buffer(source):
        return source
    if hasattr(source, "read"):
        pieces = []
        while piece := piece_of(source):
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
    raise TypeError(
        "source must be a path, bytes or a file that was opened with 'rb', "
        f"not {type(source).__name__}")


def flat_of(source: Any) -> memoryview:
    """The bytes of a source that is not a path."""
    view = memoryview(bytes_of(source))
    # An array without elements cannot be cast.
    return view.cast("B") if view.nbytes else memoryview(b"")


def convert(source: Any, options: _bvhmill._Options) -> _bvhmill._Conversion:
    """Reads a source. OSError if a file cannot be read."""
    if not is_path(source):
        return _bvhmill.read_buffer(bytes_of(source), options)
    conversion = _bvhmill.read_path(path_bytes(source), options)
    if conversion.os_error:
        raise os_error(conversion.os_error, name_of(source))
    return conversion
