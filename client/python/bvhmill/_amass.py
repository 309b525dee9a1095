"""NumPy archives that become takes: those of this project, and AMASS-like ones.
"""

from __future__ import annotations

import io
import os
import zipfile
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from bvhmill._rows import RotationKind
from bvhmill._source import bytes_of, is_path

if TYPE_CHECKING:
    import numpy.typing as npt

    from bvhmill._take import Take

_SKELETON = ("names", "parents", "offsets", "channels")
# The kind of rotations with this shape of one of them.
_KINDS: dict[tuple[int, ...], RotationKind] = {
    (4,): "quaternion", (3, 3): "matrix", (6,): "6d"}
# The largest error of a bone, as a part of the largest OFFSET.
_BONE_ERROR = 1e-3


def amass_of(take: Take) -> dict[str, npt.NDArray[Any]]:
    if (take.parents < 0).sum() != 1:
        raise ValueError("trans is that of one root; edit(figure=...) keeps "
                         "one")
    _need_bones(take)
    return {"poses": vectors_of(take.rotations).reshape(
                take.frames, 3 * take.joints),
            "trans": take.positions[:, 0].astype(np.float64),
            "mocap_framerate": np.array(take.fps),
            **{name: np.asarray(getattr(take, name)) for name in _SKELETON}}


def vectors_of(quaternions: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Rotation vectors, in radians, of x y z w.

    >>> vectors_of([0, 0, 1, 0]).round(3).tolist()
    [0.0, 0.0, 3.142]
    """
    q = np.asarray(quaternions, np.float64)
    sin = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    # An angle that is nearly 0 is twice its sine.
    factor = np.where(sin < 1e-9, 2, 2 * np.arctan2(sin, q[..., 3:])
                      / np.maximum(sin, 1e-9))
    vectors: npt.NDArray[np.float64] = factor * q[..., :3]
    return vectors


def _need_bones(take: Take) -> None:
    """ValueError if a joint moves from its OFFSET, which poses do not have."""
    rows = np.flatnonzero(take.parents >= 0)
    above = take.parents[rows]
    bones = np.einsum("fjik,jk->fji", take.matrices(world=True)[:, above],
                      take.offsets[rows])
    far = np.abs(take.positions[:, rows] - take.positions[:, above] - bones)
    if far.max(initial=0) > _BONE_ERROR * np.abs(take.offsets).max(initial=0):
        row = rows[int(far.max(axis=(0, 2)).argmax())]
        raise ValueError(f"{take.names[row]!r} does not stay at its OFFSET, "
                         "which poses cannot state")


def arrays_in(source: Any) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an .npz. OSError, or ValueError if it is none."""
    file = source if is_path(source) else io.BytesIO(bytes_of(source))
    name = os.fspath(source) if is_path(source) else "<bytes>"
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (zipfile.BadZipFile, AttributeError, EOFError, ValueError) as error:
        raise ValueError(f"{name}: is no .npz: {error}") from None


def take_of_arrays(kind: type[Take], arrays: Mapping[str, npt.NDArray[Any]],
                   source_name: str) -> Take:
    keys = ("poses", "trans", "mocap_framerate") if "poses" in arrays else (
        "rotations", "positions", "frame_time")
    absent = [key for key in (*_SKELETON, *keys) if key not in arrays]
    if absent:
        raise ValueError(f"{source_name or '<bytes>'}: the .npz lacks "
                         + ", ".join(absent))
    rotations, positions, rate = (arrays[key] for key in keys)
    frame_time = float(rate)
    word: RotationKind = _KINDS.get(rotations.shape[2:], "quaternion")
    if "poses" in arrays:
        rotations = rotations.reshape(len(rotations), -1, 3)
        word = "rotation_vector"
        frame_time = 1 / frame_time if frame_time else 0.0
    skeleton = {key: arrays[key] for key in _SKELETON}
    ends = _end_sites_of(*(arrays[key].tolist() for key in _SKELETON))
    width = sum(map(len, arrays["channels"].tolist()))

    def made(rows: Any) -> Take:
        return kind.from_arrays(rows=rows, frame_time=frame_time,
                                is_end_site=ends, source_name=source_name,
                                **skeleton)

    empty = made(np.zeros((0, width)))
    return made(empty.with_positions(positions, rotations, kind=word).values)


def _end_sites_of(names: list[str], parents: list[int], offsets: Any,
                  channels: list[str]) -> list[bool] | None:
    """True for rows of end sites; None if the arrays have no such rows."""
    ends = [not channels[row] and row not in parents and parent >= 0
            and name == f"{names[parent]}_End"
            for row, (name, parent) in enumerate(zip(names, parents))]
    return ends if any(ends) else None
