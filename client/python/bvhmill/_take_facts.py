"""The facts of a take: names, joints, frames, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bvhmill import _bvhmill
from bvhmill._errors import AmbiguousName
from bvhmill._info import Info, info_of
from bvhmill._report import Report, report_of

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float32]

_PLANES = "xyz"


class TakeFacts:
    """The facts of a take that need no arrays; the base of `Take`."""

    __slots__ = ("_clip", "_made", "_facts", "_native_report", "_end_sites",
                 "_conventions", "source_name", "__weakref__")

    _clip: _bvhmill._Clip
    # Arrays that were made, by name; nothing is locked, so that a child of a
    # fork finds no lock that stays held. Two threads may make one array at
    # the same time; both get the one that was kept.
    _made: dict[str, np.ndarray[Any, Any]]
    _facts: dict[str, Any]
    _native_report: _bvhmill._Report | None
    _end_sites: bool
    _conventions: dict[str, Any]
    source_name: str

    @property
    def report(self) -> Report:
        """The report of the reading that gave this take."""
        report: Report | None = self._facts.get("report")
        if report is None:
            assert self._native_report is not None
            report = self._facts.setdefault("report",
                                            report_of(self._native_report))
        return report

    @property
    def info(self) -> Info:
        """Joints and end sites, and the number of frames."""
        info: Info | None = self._facts.get("info")
        if info is None:
            info = self._facts.setdefault("info", info_of(self._clip.info()))
        return info

    @property
    def frames(self) -> int:
        """F, the number of frames."""
        return self._clip.frames

    @property
    def joints(self) -> int:
        """J, the number of rows a frame: joints, and end sites if the take
        was read with `end_sites=True`."""
        return len(self.names)

    @property
    def frame_time(self) -> float:
        """Seconds, as the file states it; 0.0 if it states none."""
        return self._clip.frame_time

    @property
    def fps(self) -> float:
        """Frames per second; 0.0 without a usable frame time."""
        return self.info.fps

    @property
    def duration(self) -> float:
        """Seconds: frames times frame time."""
        return self.frames * self.frame_time

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """Seconds of each frame, float64 (F,)."""
        return np.arange(self.frames) * self.frame_time

    @property
    def has_end_sites(self) -> bool:
        """True if end sites have rows, too."""
        return self._end_sites

    def _fact(self, name: str) -> Any:
        value = self._facts.get(name)
        if value is None:
            native = self._clip.info()
            value = getattr(native, name)(self._end_sites)
            if name in ("parents", "offsets"):
                value = np.asarray(value)
                value.flags.writeable = False
            value = self._facts.setdefault(name, value)
        return value

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each row."""
        names: tuple[str, ...] = self._fact("names")
        return names

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels of each row as letters: XYZ positions, xyz rotations."""
        channels: tuple[str, ...] = self._fact("channels")
        return channels

    @property
    def parents(self) -> npt.NDArray[np.int32]:
        """int32 (J,): the row of the parent, -1 for a root; read-only."""
        parents: npt.NDArray[np.int32] = self._fact("parents")
        return parents

    @property
    def offsets(self) -> FloatArray:
        """float32 (J, 3): the OFFSETs, in the unit of the file; read-only."""
        offsets: FloatArray = self._fact("offsets")
        return offsets

    def joint(self, name: str) -> int:
        """The row of a joint. KeyError if there is none, AmbiguousName if
        there are several.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).joint("Spine")
        1
        """
        count = self.names.count(name)
        if count > 1:
            raise AmbiguousName(f"{count} joints are named {name!r}")
        if count == 0:
            raise KeyError(name)
        return self.names.index(name)

    def _rotation_columns(self) -> list[tuple[str, list[int]]]:
        """Rotation letters and their columns in `values`, a row each."""
        rows = []
        first = 0
        for node in self.info.nodes:
            turning = [i for i, letter in enumerate(node.channels)
                       if letter in _PLANES]
            if node.is_end_site:
                turning = []
            if self._end_sites or not node.is_end_site:
                letters = "".join(node.channels[i] for i in turning)
                rows.append((letters, [first + i for i in turning]))
            first += len(node.channels)
        return rows
