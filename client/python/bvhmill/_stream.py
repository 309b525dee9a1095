"""Reading a file in blocks of frames, in memory that does not grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generator, Iterator, Sequence

import numpy as np

from bvhmill import _bvhmill
from bvhmill._arrays import NamedArrays
from bvhmill._closing import Closing
from bvhmill._errors import error_of
from bvhmill._info import Info, info_of
from bvhmill._options import (Array, ReadOptions, array_names,
                              read_options)
from bvhmill._report import Report, report_of
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


def stream(source: Source, *, arrays: Sequence[Array] = ("positions",),
           block_frames: int = 4096, end_sites: bool = False,
           **options: Unpack[ReadOptions]) -> Closing[Block]:
    """Gives blocks of `block_frames` frames while the source is read.

    A file is read as its blocks are asked for, so it may be a pipe. An error in
    the middle of a file is raised after the blocks before it. `info.frames` is
    the number that the file states. A take without frames gives no block. What
    is returned can be closed, and used in `with`.

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
    native = read_options(names, end_sites, False, False, 1, options)
    return Closing(_blocks(source, path, native, names, block_frames))


def _blocks(source: Any, path: bytes, native: _bvhmill._Options,
            names: Sequence[str],
            frames: int) -> Generator[Block, None, None]:
    flow = _bvhmill._Stream(native, path)
    info: Info | None = None
    for piece in _pieces(source):
        more = flow.push(piece)
        # One block waits until it is known if it is the last.
        while flow.waiting > frames:
            info = info or info_of(flow.info)
            yield _block(flow, names, frames, info, None)
        if not more:
            break
    flow.finish()
    report = report_of(flow.report)
    if flow.error is None:
        info = info_of(flow.info)
    while flow.waiting > 0:
        count = min(frames, flow.waiting)
        is_last = count == flow.waiting and flow.error is None
        yield _block(flow, names, count, info or info_of(flow.info),
                     report if is_last else None)
    if flow.error is not None:
        raise error_of(flow.error, report, name_of(source))


def _block(flow: _bvhmill._Stream, names: Sequence[str], frames: int,
           info: Info, report: Report | None) -> Block:
    first = flow.taken
    blocks = flow.take(frames)
    return Block(first, {name: np.asarray(block)
                         for name, block in zip(names, blocks)}, info, report)


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
