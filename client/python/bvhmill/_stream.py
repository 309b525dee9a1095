"""Reading a file in blocks of frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generator, Iterator, Sequence

import numpy as np

from bvhmill import _bvhmill
from bvhmill._arrays import NamedArrays
from bvhmill._closing import Closing
from bvhmill._info import Info
from bvhmill._options import (Array, ReadOptions, array_names, conventions_of,
                              outputs_of, read_options, shows)
from bvhmill._read import error_of_conversion, take_of
from bvhmill._report import Report
from bvhmill._source import (PIECE_BYTES, Source, flat_of, is_buffer, is_path,
                             name_of, path_bytes, piece_of)

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack, npt


@dataclass(frozen=True, eq=False)
class Block(NamedArrays):
    """Frames of a take: `first_frame` is the frame of row 0 of each array.

    >>> import bvhmill
    >>> [block.first_frame for block in bvhmill.stream(bvhmill.example(),
    ...                                                block_frames=2)]
    [0, 2]
    """

    first_frame: int
    arrays: dict[str, npt.NDArray[np.float32]]
    info: Info
    # The report of the whole file, in its last block; else None.
    report: Report | None = None

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))


@shows(ReadOptions)
def stream(source: Source, *, arrays: Sequence[Array] = ("positions",),
           block_frames: int = 4096, end_sites: bool = False,
           **options: Unpack[ReadOptions]) -> Closing[Block]:
    """Gives blocks of `block_frames` frames.

    The source, which may be a pipe, is read when the first block is asked for.
    Its rows are kept, a third to a half of its text, and for a moment twice that;
    the arrays of a block are made when it is asked for. An error is raised before
    the first block. A take without frames gives no block. What is returned can be
    closed, and used in `with`. For a text above 512 MiB, set
    `limits={"max_clip_bytes": 0}`.

    >>> import bvhmill
    >>> sum(len(block) for block in bvhmill.stream(bvhmill.example()))
    3
    """
    if block_frames < 1:
        raise ValueError(f"block_frames={block_frames}: must be at least 1")
    names = array_names(arrays)
    if not names:
        raise ValueError("arrays must have a name, at least one")
    path = path_bytes(source) if is_path(source) else b""
    if "format" not in options and _bvhmill.format_name(path) == "anim":
        options["format"] = "anim"
    native = read_options((), end_sites, True, True, 1, options)
    conventions = conventions_of(options, {})
    return Closing(_blocks(source, path, native, names, block_frames,
                           end_sites, conventions))


def _blocks(source: Any, path: bytes, native: _bvhmill._Options,
            names: Sequence[str], frames: int, end_sites: bool,
            conventions: dict[str, Any]) -> Generator[Block, None, None]:
    flow = _bvhmill._Stream(native, path)
    for piece in _pieces(source):
        if not flow.push(piece):
            break
    conversion = flow.finish()
    error = error_of_conversion(conversion, name_of(source))
    if error is not None:
        raise error
    take = take_of(conversion, end_sites, conventions, name_of(source))
    if "velocities" in names and take.fps == 0:
        # Raises what `read` raises.
        take._convert({"emit": outputs_of(("velocities",), False, False)})
    del flow, conversion
    for first in range(0, take.frames, frames):
        part = take[first:first + frames]
        is_last = first + frames >= take.frames
        yield Block(first, {name: getattr(part, name) for name in names},
                    take.info, take.report if is_last else None)


def _pieces(source: Any) -> Iterator[Any]:
    if not is_path(source):
        if not is_buffer(source) and hasattr(source, "read"):
            while piece := piece_of(source):
                yield piece
            return
        yield from _parts(flat_of(source))
        return
    with open(source, "rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _parts(text: memoryview) -> Iterator[memoryview]:
    for begin in range(0, len(text), PIECE_BYTES):
        yield text[begin:begin + PIECE_BYTES]
