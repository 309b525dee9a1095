"""Uploads and downloads, which go on where they were broken off."""

from __future__ import annotations

import hashlib
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from bvhmill.client._connection import ServerError
from bvhmill.jobs._calls import Call, committed_bytes_of, has_other_digest
from bvhmill.jobs._sources import Clip
from bvhmill.v1 import blob_service_pb2 as v1

_CHUNK_BYTES = 256 << 10
# For smaller clips it is faster to send them again than to ask.
ASK_BYTES = 1 << 20


class Upload:
    """Stores a clip. After the call, `fault` says why it could not be read."""

    def __init__(self, clip: Clip, chunk_bytes: int,
                 sent: Callable[[int], None]) -> None:
        self._clip = clip
        self._chunk_bytes = chunk_bytes or _CHUNK_BYTES
        self._sent = sent
        # The bytes that the server has.
        self._at = 0
        self._begins_again = False
        self.fault: Exception | None = None

    def call(self) -> Call:
        """The call that uploads."""
        return Call("BlobService/WriteBlob", self._requests,
                    recover=self._recover, progress=lambda: self._at,
                    is_long=True)

    def ask(self) -> Call:
        """A call that asks how much of the clip the server has."""
        return Call("BlobService/WriteBlob", lambda: iter(
            [v1.WriteBlobRequest(blob=self._clip.blob)]), is_long=True)

    def go_on(self, response: Any) -> None:
        """Takes the answer of `ask`."""
        self._at = response.committed_bytes

    # gRPC may run this in a thread of its own, and hides exceptions.
    def _requests(self) -> Iterator[Any]:
        at, self.fault = self._at, None
        request = v1.WriteBlobRequest(blob=self._clip.blob, offset=at)
        try:
            for piece in self._clip.pieces(at, self._chunk_bytes):
                at += len(piece)
                request.data = piece
                request.finish = at >= self._clip.size
                yield request
                self._sent(at)
                if request.finish:
                    return
                request = v1.WriteBlobRequest()
        except Exception as error:
            self.fault = error
            return
        if at < self._clip.size:
            self.fault = self._changed()
        else:
            request.finish = True
            yield request

    def _changed(self) -> Exception:
        return ValueError(f"{self._clip.path or self._clip.key}: changed while "
                          "it was submitted")

    def _recover(self, error: Any) -> bool:
        if self.fault is not None:
            raise self.fault
        if has_other_digest(error):
            if self._at == 0 or self._begins_again:
                raise self._changed()
            # The bytes of an earlier upload were wrong; the server has dropped
            # them.
            self._begins_again = True
            self._at = 0
            return True
        committed = committed_bytes_of(error)
        if committed is None or committed == self._at:
            return False
        self._at = committed
        return True

    def check(self, response: Any) -> None:
        """Raises if the blob is not stored."""
        if self.fault is not None:
            raise self.fault
        if not response.finished:
            raise ServerError("INTERNAL: a file is not stored", "INTERNAL")


class Download:
    """Gets the bytes of an output, in order, each once, and no more than were
    stated. `writes` is true if `take` writes to a file."""

    def __init__(self, output: Any, take: Callable[[bytes], None],
                 writes: bool = False) -> None:
        self._blob: str = output.blob
        self._size: int = output.size_bytes
        self._take = take
        self._writes = writes
        self._at = 0
        self._digest = hashlib.sha256()

    def call(self) -> Call:
        """The call that downloads."""
        return Call(
            "BlobService/ReadBlob",
            lambda: v1.ReadBlobRequest(blob=self._blob, offset=self._at),
            receive=self._receive, progress=lambda: self._at,
            writes=self._writes, is_long=True)

    def _receive(self, response: Any) -> bool:
        data = response.data
        self._digest.update(data)
        self._take(data[:max(0, self._size - self._at)])
        self._at += len(data)
        return self._at <= self._size

    @property
    def is_complete(self) -> bool:
        """True if as many bytes have come as were stated, and they have the
        digest of their name."""
        return (self._at == self._size
                and "blobs/" + self._digest.hexdigest() == self._blob)


class Memory:
    """One piece of memory of a size that was stated."""

    def __init__(self, size: int) -> None:
        self.bytes = np.empty(max(0, size), np.uint8)
        self._at = 0

    def add(self, data: bytes) -> None:
        """Keeps bytes, no more than were stated."""
        room = self.bytes[self._at:self._at + len(data)]
        room[:] = np.frombuffer(data, np.uint8)
        self._at += len(data)

    @property
    def is_full(self) -> bool:
        """True if all bytes have come that were stated."""
        return self._at >= len(self.bytes)


class Fetched:
    """Outputs of a clip that are downloaded into memory; None: one that is not
    wanted."""

    def __init__(self, outputs: Sequence[Any]) -> None:
        # The bytes of each output, None if it is not wanted.
        self.data: list[Any] = []
        self._downloads: list[tuple[Memory, Download]] = []
        for output in outputs:
            if output is None:
                self.data.append(None)
                continue
            memory = Memory(output.size_bytes)
            self.data.append(memory.bytes)
            self._downloads.append((memory, Download(output, memory.add)))

    def calls(self) -> list[Call]:
        """The calls that download."""
        return [download.call() for _, download in self._downloads]

    def is_damaged(self, fault: Exception | None) -> bool:
        """True if an output has other bytes than those of its name. Raises
        `fault`, which has ended the downloads, if one has not come."""
        for memory, download in self._downloads:
            if download.is_complete:
                continue
            if fault is not None and not memory.is_full:
                raise fault
            return True
        return False
