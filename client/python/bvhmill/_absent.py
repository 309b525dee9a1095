"""In place of the compiled module where it is not installed: what the clients of
a server need. Options are then checked by the server alone. Everything else
raises ImportError.
"""

from __future__ import annotations

import importlib.metadata
import os
import unicodedata
from typing import Any, Sequence

import numpy as np

try:
    version = importlib.metadata.version("bvhmill")
except importlib.metadata.PackageNotFoundError:
    version = "unknown"

_PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_FIRST_BYTES = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError("bvhmill is installed without its compiled module "
                      f"({name} is missing); only clients of a server work "
                      "without it")


class _Missing:
    """A class of the compiled module that annotations name."""

    def __init__(self, *values: Any) -> None:
        __getattr__("this class")


_Batch = _Conversion = _Report = _Stream = _Missing


class _Options:
    """Options that are not checked here."""

    error = None

    def __init__(self, *values: Any) -> None:
        pass


class _Info:
    """The skeleton of a clip."""

    def __init__(self, joints: Sequence[tuple[Any, ...]]) -> None:
        self._joints = joints

    def _rows(self, end_sites: bool) -> list[int]:
        return [i for i, joint in enumerate(self._joints)
                if end_sites or not joint[3]]

    def names(self, end_sites: bool, /) -> tuple[str, ...]:
        return tuple(self._joints[i][0] for i in self._rows(end_sites))

    def channels(self, end_sites: bool, /) -> tuple[str, ...]:
        return tuple(self._joints[i][2] for i in self._rows(end_sites))

    def parents(self, end_sites: bool, /) -> Any:
        rows = self._rows(end_sites)
        row_of = {-1: -1, **{node: row for row, node in enumerate(rows)}}
        return np.array([row_of[self._joints[i][1]] for i in rows], np.int32)

    def offsets(self, end_sites: bool, /) -> Any:
        return np.array([self._joints[i][4] for i in self._rows(end_sites)],
                        np.float32)


class _Clip:
    """A clip that a server has read. It is not solved or edited here."""

    first_frame = 0

    def __init__(self, names: Sequence[bytes], parents: Sequence[int],
                 ends: Sequence[bool], offsets: Sequence[Any],
                 channels: Sequence[str], rows: Any, frames: int,
                 frame_time: float, options: _Options, was_read: bool, /
                 ) -> None:
        texts: list[str] = []
        for name, parent in zip(names, parents):
            texts.append(name.decode() or f"{texts[parent]}_End")
        self._info = _Info(list(zip(texts, parents, channels, ends, offsets)))
        self.rows, self.frames, self.frame_time = rows, frames, frame_time

    def info(self) -> _Info:
        return self._info

    def __getattr__(self, name: str) -> Any:
        return __getattr__(name)


def printable(text: bytes, /) -> str:
    shown = ""
    for char in text.decode("utf-8", "surrogateescape"):
        hidden = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        raw = char.encode("utf-8", "surrogateescape") if hidden else b""
        shown += "".join(f"\\x{byte:02X}" for byte in raw) or char
    return shown


def packing_name(path: bytes, head: bytes, /) -> str:
    for first, packing in _FIRST_BYTES.items():
        if head.startswith(first):
            return packing
    stem, ending = os.path.splitext(os.fsdecode(path).lower())
    return _PACKINGS.get(ending, "") if stem.endswith((".bvh", ".anim")) else ""


def format_name(path: bytes, /) -> str:
    name = os.fsdecode(path).lower()
    if packing_name(path, b""):
        name = os.path.splitext(name)[0]
    ending = os.path.splitext(name)[1]
    return ending[1:] if ending in (".bvh", ".anim") else ""


def issue_text(code: str, severity: str, message: str, occurrences: int,
               byte_offset: int | None, line: int | None, column: int | None,
               frame: int | None, *rest: Any) -> str:
    place = "".join(f"{number}:" for number in (line, column)
                    if number is not None)
    at = "" if frame is None else f" (frame {frame})"
    return f"{place} {severity}: {code}: {message}{at}".lstrip()


def name_of_key(key: str, /) -> bytes:
    if key.startswith("bytes:"):
        __getattr__("name_of_key")
    return key.encode()
