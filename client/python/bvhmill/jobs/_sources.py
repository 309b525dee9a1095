"""The clips of a submission: files below folders, or text in memory."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Mapping, Union

from bvhmill import _bvhmill
from bvhmill._batch import _paths_of
from bvhmill._source import Path, Source, flat_of, is_path, name_of
from bvhmill.client._calls import shown
from bvhmill.client._messages import encoding_of, source_format_of
from bvhmill.v1 import job_service_pb2 as v1

Sources = Union[Iterable[Path], Mapping[str, Source]]
_PIECE = 1 << 20


@dataclass
class Clip:
    """A source. `text` is None for a file."""

    key: str
    path: str
    display_name: str
    # Numbers of ContentEncoding and SourceFormat.
    encoding: Any
    format: Any
    text: Any = None
    error: OSError | ValueError | None = None
    blob: str = ""
    size: int = 0

    def pieces(self, offset: int = 0,
               piece_bytes: int = _PIECE) -> Iterator[bytes]:
        """The bytes after `offset`. OSError."""
        if self.text is not None:
            for first in range(offset, len(self.text), piece_bytes):
                yield bytes(self.text[first:first + piece_bytes])
            return
        with _open(self.path) as file:
            file.seek(offset)
            while piece := file.read(piece_bytes):
                yield piece

    def name_bytes(self) -> None:
        """Sets the name of the blob, its size and encoding, or `error`."""
        digest = hashlib.sha256()
        size = 0
        try:
            for piece in self.pieces():
                if not size:
                    self.encoding = encoding_of(self.path, piece[:4])
                digest.update(piece)
                size += len(piece)
        except OSError as error:
            self.error = error
            return
        self.blob, self.size = "blobs/" + digest.hexdigest(), size

    def item(self) -> Any:
        """The JobItem."""
        return v1.JobItem(key=self.key, source=v1.BlobSource(
            blob=self.blob, encoding=self.encoding,
            display_name=self.display_name, format=self.format))


def _open(path: str) -> Any:
    # Opening a pipe would wait for its writer; and a file is read twice.
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(mode):
        raise OSError(errno.ESPIPE, "not a regular file, which a job needs",
                      path)
    return open(path, "rb")


def clips_of(sources: Sources, options: Mapping[str, Any]) -> list[Clip]:
    """The clips, in the order of the sources. TypeError and ValueError."""
    if isinstance(sources, Mapping):
        for key in sources:
            _check_key(key)
        return [_named(key, source, options)
                for key, source in sources.items()]
    paths = [os.fsencode(path) for path in _paths_of(sources)]
    return [_found(found) for found in _bvhmill.collect_inputs(
        paths, options.get("format") or "")] if paths else []


def _check_key(key: Any) -> None:
    if not isinstance(key, str):
        raise TypeError(f"names of clips must be str, not {key!r}")
    if shown(key) != key:
        raise ValueError(f"{key!r}: the name of a clip must be UTF-8")


def _named(key: str, source: Any, options: Mapping[str, Any]) -> Clip:
    path = name_of(source) if is_path(source) else ""
    clip = Clip(key, path, shown(path or key), encoding_of(path, b""),
                source_format_of(path, options))
    if not is_path(source):
        clip.text = flat_of(source)
    return clip


def _found(found: tuple[bytes, str, str, str, str]) -> Clip:
    name, key, display_name, format, why = found
    path = os.fsdecode(name)
    clip = Clip(key, path, display_name, encoding_of(path, b""),
                source_format_of("", {"format": format}))
    if why:
        clip.error = _refusal(path, why)
    return clip


def _refusal(path: str, why: str) -> OSError | ValueError:
    try:
        os.stat(path)
        if os.path.isdir(path):
            os.scandir(path).close()
    except OSError as error:
        return error
    return ValueError(f"{path}: {why}")
