"""Poses of a take, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from bvhmill import _motion

if TYPE_CHECKING:
    from bvhmill._take import Take


def plot(take: Take, frames: int | Iterable[int], axes: Any,
         up: str | None) -> Any:
    axis, forward, left = _motion.axes_of(take, up)
    numbers = np.atleast_1d(np.asarray(
        frames if isinstance(frames, (int, np.integer)) else list(frames), int))
    positions = take.positions[numbers][..., [forward, left, axis]]
    if axes is None:
        axes = _new_axes()
    if not hasattr(axes, "get_zlim"):
        raise TypeError("ax must be three-dimensional: "
                        "figure.add_subplot(projection='3d')")
    rows = np.flatnonzero(take.parents >= 0)
    for number, pose in zip(numbers, positions):
        # A line of all bones; NaN are the gaps between them.
        gap = np.full((len(rows), 3), np.nan)
        bones = np.stack([pose[take.parents[rows]], pose[rows], gap], 1)
        axes.plot(*bones.reshape(-1, 3).T, marker=".", linewidth=1,
                  label=f"frame {number % take.frames}")
    for name, row in zip("xyz", (forward, left, axis)):
        getattr(axes, f"set_{name}label")("XYZ"[row])
    low, high = (np.array([getattr(axes, f"get_{name}lim")()
                           for name in "xyz"]).T)
    axes.set_box_aspect(high - low)
    return axes


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib, which is not installed: pip "
                          "install matplotlib, or python3-matplotlib of Debian"
                          ) from None
    return pyplot.figure().add_subplot(projection="3d")
