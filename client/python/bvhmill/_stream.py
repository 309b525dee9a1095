"""Reading a file in blocks of frames, in memory that does not grow."""

from __future__ import annotations

import contextlib
import gzip
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

from bvhmill import _bvhmill
from bvhmill._errors import error_of, os_error
from bvhmill._info import Info, info_of
from bvhmill._options import read_options
from bvhmill._report import Report, report_of
from bvhmill._source import (PIECE_BYTES, Source, bytes_of, is_path, name_of,
                             piece_of)

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from bvhmill._options import Array, ReadOptions


@dataclass(frozen=True, eq=False)
class Block:
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

    def __getattr__(self, name: str) -> npt.NDArray[np.float32]:
        arrays = self.__dict__.get("arrays", {})
        if name in arrays:
            array: npt.NDArray[np.float32] = arrays[name]
            return array
        raise AttributeError(f"this block has no {name!r}; it has the arrays "
                             + ", ".join(arrays))


def stream(source: Source, *, arrays: Sequence[Array] = ("positions",),
           block_frames: int = 4096, end_sites: bool = False,
           **options: Unpack[ReadOptions]) -> Iterator[Block]:
    """Gives blocks of `block_frames` frames while the source is read.

    A file object is read as its blocks are asked for, so it may be a pipe. An
    error in the middle of a file is raised after the blocks before it. A .zst
    is decompressed as a whole first. `info.frames` is the number that the file
    states.

    >>> import bvhmill
    >>> sum(len(block) for block in bvhmill.stream(bvhmill.example()))
    3
    """
    if block_frames < 1:
        raise ValueError(f"block_frames={block_frames}: must be at least 1")
    if not arrays:
        raise ValueError("arrays must have a name, at least one")
    if (is_path(source) and "format" not in options
            and _bvhmill.format_name(name_of(source)) == "anim"):
        options["format"] = "anim"
    native = read_options(arrays, end_sites, False, False, 1, options)
    names = tuple(dict.fromkeys(arrays))
    return _blocks(source, native, names, block_frames)


def _blocks(source: Any, native: _bvhmill._Options, names: Sequence[str],
            frames: int) -> Iterator[Block]:
    flow = _bvhmill._Stream(native)
    info: Info | None = None
    for piece in _pieces(source, native):
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


def _pieces(source: Any, native: _bvhmill._Options) -> Iterator[Any]:
    if not is_path(source):
        if hasattr(source, "read"):
            while piece := piece_of(source):
                yield piece
            return
        yield from _parts(memoryview(bytes_of(source)))
        return
    path = os.fspath(source)
    if path.lower().endswith(".zst"):
        yield from _parts(_whole_file(path, native))
        return
    with contextlib.ExitStack() as stack:
        file: Any = stack.enter_context(open(path, "rb"))
        if path.lower().endswith(".gz"):
            file = stack.enter_context(gzip.GzipFile(fileobj=file))
        while piece := file.read(PIECE_BYTES):
            yield piece


def _parts(buffer: memoryview) -> Iterator[memoryview]:
    flat = buffer.cast("B")
    for begin in range(0, len(flat), PIECE_BYTES):
        yield flat[begin:begin + PIECE_BYTES]


def _whole_file(path: str, native: _bvhmill._Options) -> memoryview:
    block, number, error = _bvhmill.read_file(os.fsencode(path), native)
    if number:
        raise os_error(number, path)
    if error is not None:
        raise error_of(error, None, path)
    return np.asarray(block).data
