"""Features of a motion: joints by pattern, windows, heading, contacts."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from bvhmill._errors import AmbiguousName

if TYPE_CHECKING:
    import numpy.typing as npt

    from bvhmill._take import Take

    FloatArray = npt.NDArray[np.float32]
else:
    from bvhmill._typing import FloatArray, npt

# The names of the scheme that `body_rows` asks for.
_SCHEME = "mixamo"
_FEET = ("LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase")


@dataclass(frozen=True, eq=False)
class Contacts:
    """The frames in which feet touch the ground.

    `touches` is bool (F, N), `rows` and `names` are those of the N joints.

    >>> import bvhmill
    >>> Contacts(("LeftFoot",), np.array([3]), np.ones((2, 1), bool)).names
    ('LeftFoot',)
    """

    names: tuple[str, ...]
    rows: npt.NDArray[np.intp]
    touches: npt.NDArray[np.bool_]


def select(take: Take, patterns: Sequence[str]) -> npt.NDArray[np.intp]:
    rows: list[int] = []
    for pattern in patterns:
        # A name may have the characters of a pattern.
        found = [row for row, name in enumerate(take.names) if name == pattern]
        if len(found) > 1:
            raise AmbiguousName(f"{len(found)} joints are named {pattern!r}")
        if not found:
            found = [row for row, name in enumerate(take.names)
                     if fnmatch.fnmatchcase(name, pattern)]
        if not found:
            raise KeyError(pattern)
        rows += found
    return np.array(list(dict.fromkeys(rows)), np.intp)


def windows(array: npt.NDArray[Any], length: int,
            stride: int) -> npt.NDArray[Any]:
    if length < 1 or stride < 1:
        raise ValueError(f"length={length}, stride={stride}: must be at least "
                         "1")
    if len(array) < length:
        return np.empty((0, length, *array.shape[1:]), array.dtype)
    view = np.lib.stride_tricks.sliding_window_view(array, length, axis=0)
    # The frames of a window come last there.
    return np.moveaxis(view[::stride], -1, 1)


def root_rows(take: Take) -> npt.NDArray[np.intp]:
    """The row of the root above each joint; parents come first."""
    rows: list[int] = []
    for row, parent in enumerate(take.parents):
        rows.append(row if parent < 0 else rows[parent])
    return np.array(rows, np.intp)


def body_rows(take: Take, names: Sequence[str]) -> dict[str, int]:
    """The rows of those joints of Mixamo that the skeleton has, whatever the
    names of its scheme. EditError if the scheme is not known."""
    body = take[:1].edit(names_to=_SCHEME)
    return {name: body.joint(name) for name in names if name in body.names}


def heading(take: Take, up: str | None) -> FloatArray:
    _, forward, left = axes_of(take, up)
    rows = body_rows(take, ("LeftUpLeg", "RightUpLeg", "LeftArm", "RightArm"))
    pairs = [(rows["Left" + part], rows["Right" + part])
             for part in ("UpLeg", "Arm")
             if "Left" + part in rows and "Right" + part in rows]
    if not pairs:
        raise ValueError("the skeleton has neither two hips nor two shoulders")
    positions = take.positions
    across = np.sum([positions[:, a] - positions[:, b] for a, b in pairs], 0)
    # A body that faces forward has its left side at the axis `left`.
    angles: FloatArray = np.arctan2(-across[:, forward], across[:, left])
    return angles


def facing(take: Take, up: str | None) -> FloatArray:
    axis, forward, left = axes_of(take, up)
    yaw = heading(take, up)[:, None]
    positions = take.positions - _ground(take, axis)
    sin, cos = np.sin(yaw), np.cos(yaw)
    turned = positions.copy()
    turned[..., forward] = (positions[..., forward] * cos
                            + positions[..., left] * sin)
    turned[..., left] = (positions[..., left] * cos
                         - positions[..., forward] * sin)
    return turned


def _ground(take: Take, axis: int) -> FloatArray:
    """The point of the ground below the root, (F, 1, 3)."""
    ground = take.positions[:, :1].copy()
    ground[..., axis] = 0
    return ground


def axes_of(take: Take, up: str | None) -> tuple[int, int, int]:
    """The axes up, forward and left of a body with heading 0."""
    word = up or take._conventions.get("up", "y")
    if word not in ("x", "y", "z"):
        raise ValueError(f"up={word!r}: must be 'x', 'y' or 'z'")
    axis = "xyz".index(word)
    return axis, (axis + 1) % 3, (axis + 2) % 3


def contacts(take: Take, speed: float | None, height: float | None,
             up: str | None) -> Contacts:
    axis, _, _ = axes_of(take, up)
    found = body_rows(take, _FEET)
    if not found:
        raise ValueError("the skeleton has no feet")
    rows = np.array(list(found.values()), np.intp)
    reach = _reach(take)
    most = 0.2 * reach if speed is None else speed
    high = 0.04 * reach if height is None else height
    speeds = np.linalg.norm(take.velocities[:, rows], axis=-1)
    heights = take.positions[:, rows, axis]
    if take.frames:
        heights = heights - heights.min(0)
    return Contacts(tuple(take.names[row] for row in rows), rows,
                    (speeds < most) & (heights < high))


def _reach(take: Take) -> float:
    """The longest way along OFFSETs from a root to a joint."""
    ways = np.zeros(take.joints)
    for row, parent in enumerate(take.parents):
        if parent >= 0:
            ways[row] = ways[parent] + np.linalg.norm(take.offsets[row])
    return float(ways.max(initial=0))
