"""The parts of both clients that need no connection: requests are made of
files, outputs are put together, and calls are tried again."""

from __future__ import annotations

import errno
import random
import time
from typing import Any, Iterator, Sequence

import grpc
import numpy as np

from bvhmill._batch import AnyOutcome, Failed
from bvhmill._errors import os_error
from bvhmill._source import flat_of, is_path, name_of, path_bytes
from bvhmill.client._connection import ServerError, detail_of
from bvhmill.client._messages import (encoding_of, options_of, outcome_of,
                                      source_format_of)
from bvhmill.v1 import clip_service_pb2 as clips

ATTEMPTS = 4
# The code of a unary call whose outputs a stream can give.
ANSWER_TOO_LARGE = "OUT_OF_RANGE"
_FIRST_BYTES = 4 << 20
# For a server that recommends no chunk size.
_CHUNK_BYTES = 256 << 10
# More than the fields around a chunk take.
_CHUNK_FRAME_BYTES = 64


def deadline(timeout: float | None) -> float | None:
    """The time at which a call must have ended; None: never."""
    return None if timeout is None else time.monotonic() + timeout


def seconds_to(end: float | None) -> float | None:
    """Seconds until the deadline, 0 if it has passed."""
    return None if end is None else max(0.0, end - time.monotonic())


def delay_before_retry(error: Any, attempt: int) -> float | None:
    """Seconds to wait before attempt number `attempt`; None: give up."""
    if attempt >= ATTEMPTS:
        return None
    retry = detail_of(error, "RetryInfo")
    if retry is not None and error.code() in (
            grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE):
        delay = retry.retry_delay.seconds + retry.retry_delay.nanos * 1e-9
        return float(delay) * (1 + random.random())
    if error.code() is grpc.StatusCode.UNAVAILABLE:
        return float(0.1 * 2 ** attempt * (0.5 + random.random()))
    return None


class Assembler:
    """Puts the outputs of clips together, each in one piece of memory."""

    def __init__(self) -> None:
        self._arriving: dict[str, list[np.ndarray[Any, Any]]] = {}
        self._ends: dict[str, list[int]] = {}

    def feed(self, response: Any) -> tuple[Any, list[Any]] | None:
        """(ClipResult, outputs as bytes) if the response ends a clip."""
        frame = response.WhichOneof("frame")
        if frame == "begin":
            sizes = [output.size_bytes for output in response.begin.outputs]
            self._arriving[response.begin.key] = [
                np.empty(max(0, min(size, _FIRST_BYTES)), np.uint8)
                for size in sizes]
            self._ends[response.begin.key] = [0] * len(sizes)
        elif frame == "output_chunk":
            self._add(response.output_chunk)
        elif frame == "result":
            return self._end(response.result)
        return None

    def _add(self, chunk: Any) -> None:
        parts = self._arriving[chunk.key]
        end = chunk.offset + len(chunk.data)
        part = parts[chunk.output_index]
        if end > len(part):
            part = np.empty(max(end, 2 * len(part)), np.uint8)
            known = self._ends[chunk.key][chunk.output_index]
            part[:known] = parts[chunk.output_index][:known]
            parts[chunk.output_index] = part
        part[chunk.offset:end] = np.frombuffer(chunk.data, np.uint8)
        ends = self._ends[chunk.key]
        ends[chunk.output_index] = max(ends[chunk.output_index], end)

    def _end(self, result: Any) -> tuple[Any, list[Any]]:
        parts = self._arriving.pop(result.key, [])
        ends = self._ends.pop(result.key, [])
        return result, [part[:end] for part, end in zip(parts, ends)]


def ended_of(ended: tuple[Any, list[Any]] | None) -> tuple[Any, list[Any]]:
    """The result of Assembler.feed. ServerError if there is none."""
    if ended is None:
        raise ServerError("the stream ended without a result", "INTERNAL")
    return ended


class Clips:
    """A batch of paths as one stream: requests, and outcomes of responses."""

    def __init__(self, paths: Sequence[str], arrays: Sequence[str],
                 end_sites: bool, keep_values: bool, chunk_bytes: int,
                 options: dict[str, Any]) -> None:
        self._paths = paths
        self._end_sites = end_sites
        self._options = options
        self._chunk_bytes = chunk_bytes or _CHUNK_BYTES
        self._message = options_of(arrays, end_sites, keep_values, options)
        self._assembler = Assembler()
        # Outcomes that are not given out yet, by index.
        self._ready: dict[int, AnyOutcome] = {}
        self._next = 0

    @property
    def is_done(self) -> bool:
        """True if every path has its outcome."""
        return self._next == len(self._paths)

    def need_done(self) -> None:
        """ServerError if the stream has ended too early."""
        if not self.is_done:
            raise ServerError("the stream ended without all results",
                              "INTERNAL")

    def requests(self) -> Iterator[Any]:
        """The requests for all paths without an outcome."""
        self._assembler = Assembler()
        yield clips.ConvertClipsRequest(
            open=clips.StreamOpen(options=self._message, ordered=True))
        for index in range(self._next, len(self._paths)):
            if index not in self._ready:
                yield from self._requests_of(index)

    def _requests_of(self, index: int) -> Iterator[Any]:
        path = self._paths[index]
        try:
            file = open(path_bytes(path), "rb")
        except (OSError, ValueError) as error:
            self._fail(index, error)
            return
        with file:
            try:
                chunk = file.read(self._chunk_bytes)
            except OSError as error:
                self._fail(index, error)
                return
            source = clips.Source(
                display_name=shown(path), encoding=encoding_of(path, chunk[:4]),
                format=source_format_of(path, self._options))
            yield clips.ConvertClipsRequest(
                begin=clips.ClipBegin(key=str(index), source=source))
            end = clips.ClipEnd()
            try:
                while chunk:
                    yield clips.ConvertClipsRequest(chunk=chunk)
                    chunk = file.read(self._chunk_bytes)
            except OSError as error:
                self._fail(index, error)
                end.abandon = True
            yield clips.ConvertClipsRequest(end=end)

    def _fail(self, index: int, error: OSError | ValueError) -> None:
        path = self._paths[index]
        number = getattr(error, "errno", None) or errno.EIO
        self._ready[index] = Failed(path, None, os_error(number, path), None)

    def feed(self, response: Any) -> Iterator[AnyOutcome]:
        """Outcomes that are known now, in the order of the paths."""
        ended = self._assembler.feed(response)
        if ended is not None:
            result, data = ended
            index = int(result.key)
            self._ready.setdefault(index, outcome_of(
                self._paths[index], result, data, self._end_sites,
                self._options))
        return self.outcomes()

    def outcomes(self) -> Iterator[AnyOutcome]:
        """Outcomes whose turn it is."""
        while self._next in self._ready:
            self._next += 1
            yield self._ready.pop(self._next - 1)


def shown(name: str) -> str:
    """A name as a string of a message: a path may be no UTF-8."""
    return name.encode("utf-8", "replace").decode()


def source_of(source: Any, source_name: str, options: dict[str, Any]) -> Any:
    """The Source message of a path, text or file. OSError."""
    name = name_of(source)
    if is_path(source):
        try:
            with open(path_bytes(source), "rb") as file:
                data = file.read()
        except OSError as error:
            raise os_error(error.errno or errno.EIO, name) from None
    else:
        data = bytes(flat_of(source))
    path = name if is_path(source) else ""
    return clips.Source(data=data, display_name=shown(source_name),
                        encoding=encoding_of(path, data[:4]),
                        format=source_format_of(path, options))


def fits_message(source: Any, limits: Any) -> bool:
    """True if the text and what is sent with it fit one message."""
    size = len(source.data)
    return size + 4096 <= (limits.max_request_message_bytes or size + 4096)


def fits_one_call(source: Any, arrays: int, limits: Any) -> bool:
    """True if text and outputs are likely to be small enough for a unary call.

    A value of four bytes takes two of text at least, and a joint of three
    values gives at most four numbers an array; but a joint may have fewer, and
    an edit may add frames. The text of a packed clip may have any size.
    """
    size = len(source.data)
    if source.encoding != clips.CONTENT_ENCODING_IDENTITY:
        return False
    outputs = 2 * size * (1 + 2 * arrays)
    most = limits.max_unary_response_bytes or outputs
    return fits_message(source, limits) and outputs + (64 << 10) <= most


def _chunk_bytes(limits: Any) -> int:
    """The bytes of a chunk: as recommended, but so that one fits a message."""
    chunk: int = limits.recommended_chunk_bytes or _CHUNK_BYTES
    most: int = limits.max_request_message_bytes
    return max(1, min(chunk, most - _CHUNK_FRAME_BYTES)) if most else chunk


def clip_requests(source: Any, options: Any, limits: Any) -> Iterator[Any]:
    """The requests of one clip over a stream."""
    yield clips.ConvertClipsRequest(open=clips.StreamOpen(options=options))
    begin = clips.Source(display_name=source.display_name,
                         encoding=source.encoding, format=source.format)
    yield clips.ConvertClipsRequest(
        begin=clips.ClipBegin(key="0", source=begin))
    data = memoryview(source.data)
    step = _chunk_bytes(limits)
    for first in range(0, len(data), step):
        yield clips.ConvertClipsRequest(chunk=bytes(data[first:first + step]))
    yield clips.ConvertClipsRequest(end=clips.ClipEnd())


def data_of(result: Any) -> list[Any]:
    """The outputs of a unary answer."""
    return [np.frombuffer(bytearray(output.data), np.uint8)
            for output in result.outputs]
