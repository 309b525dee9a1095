"""The description of a take: joints and frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bvhmill import _bvhmill


@dataclass(frozen=True)
class Node:
    """A joint or an end site. `parent` is an index into `Info.nodes`, -1 for a
    root. `channels` has one letter for each channel: XYZ positions, xyz
    rotations, ijk scales.

    >>> Node("Hips", -1, "XYZzxy").is_end_site
    False
    """

    name: str
    parent: int
    channels: str
    is_end_site: bool = False
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Info:
    """The facts about a file.

    `frame_time` is in seconds, 0.0 if the file states none; `fps` is 0.0
    without a usable frame time. `nodes` has joints and end sites, depth-first.

    >>> import bvhmill
    >>> bvhmill.info(bvhmill.example()).joints
    3
    """

    frames: int
    frame_time: float
    fps: float
    nodes: tuple[Node, ...]

    @property
    def joints(self) -> int:
        """The number of joints, without end sites."""
        return sum(not node.is_end_site for node in self.nodes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the joints, without end sites."""
        return self.row_names(False)

    def row_names(self, end_sites: bool) -> tuple[str, ...]:
        """The name of each row of arrays with or without `end_sites`."""
        return tuple(node.name for node in self.nodes
                     if end_sites or not node.is_end_site)

    @property
    def duration(self) -> float:
        """Seconds: frames times frame time."""
        return self.frames * self.frame_time


def info_of(native: _bvhmill._Info) -> Info:
    nodes = tuple(Node(*node) for node in native.joints())
    return Info(native.frames, native.frame_time, native.fps, nodes)
