"""NumPy archives that become takes: those of this project, and AMASS-like ones.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from bvhmill._errors import BvhError, printable
from bvhmill._report import unreadable
from bvhmill._rows import RotationKind
from bvhmill._source import bytes_of, is_path

if TYPE_CHECKING:
    import numpy.typing as npt

    from bvhmill._take import Take

_SKELETON = ("names", "parents", "offsets", "channels")
# The arrays that make a take, and how many axes they may have.
_NDIMS = {"names": (1,), "parents": (1,), "offsets": (2,), "channels": (1,),
          "rotations": (3, 4), "positions": (3,), "frame_time": (0,),
          "poses": (2,), "trans": (2,), "mocap_framerate": (0,)}
# The kinds of their types, as NumPy calls them; others are numbers.
_KINDS_OF = {"names": "US", "channels": "US", "parents": "iu"}
# The code of an .npz that gives no take.
NO_TAKE = "NPZ_NO_TAKE"
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


def is_npz(source: Any) -> bool:
    """True for a path that ends in .npz, and for the bytes of an archive."""
    if is_path(source):
        return os.fsdecode(source).lower().endswith(".npz")
    view = memoryview(source)
    return (view.c_contiguous and view.itemsize == 1 and view.nbytes > 4
            and bytes(view.cast("B")[:4]) == b"PK\x03\x04")


def take_of_npz(kind: type[Take], source: Any, source_name: str) -> Take:
    """The take of an .npz. OSError, or BvhError if it gives none."""
    try:
        return _take_of_arrays(kind, _arrays_in(source), source_name)
    except ValueError as error:
        reason = str(error)
    text = f"{printable(source_name) or '<bytes>'}: error: {NO_TAKE}: {reason}"
    raise BvhError(text, code=NO_TAKE, report=unreadable(NO_TAKE, reason),
                   source_name=source_name)


def _arrays_in(source: Any) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an .npz that make a take. OSError, or ValueError."""
    opened = (open(source, "rb") if is_path(source)
              else io.BytesIO(bytes_of(source)))
    with opened as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("is no .npz, which is a zip archive")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as archive:
                names = archive.files
                arrays = {key: archive[key] for key in _NDIMS if key in names}
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError,
                ValueError) as error:
            raise ValueError(f"is no .npz that can be read: {error}") from None
    absent = [key for key in (*_SKELETON, *_keys_of(arrays))
              if key not in arrays]
    if absent:
        raise ValueError("the .npz lacks " + ", ".join(absent)
                         + "; it has " + (", ".join(names) or "nothing"))
    return arrays


def _keys_of(arrays: Mapping[str, Any]) -> tuple[str, str, str]:
    """The names of the rotations, the positions and the rate."""
    if "poses" in arrays:
        return "poses", "trans", "mocap_framerate"
    return "rotations", "positions", "frame_time"


def _need_shapes(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """ValueError for arrays whose kinds or numbers of axes are wrong, and for
    joints that are not below one before them."""
    for key, array in arrays.items():
        kinds = _KINDS_OF.get(key, "fiu")
        if array.dtype.kind not in kinds or array.ndim not in _NDIMS[key]:
            raise ValueError(f"{key} has the type {array.dtype} and the shape "
                             f"{array.shape}")
    count = len(arrays["names"])
    if any(len(arrays[key]) != count for key in _SKELETON):
        raise ValueError(", ".join(_SKELETON) + " differ in length")
    if arrays["offsets"].shape != (count, 3):
        raise ValueError(f"offsets has the shape {arrays['offsets'].shape}")
    parents = arrays["parents"]
    if (parents >= np.arange(count)).any() or (parents < -1).any():
        raise ValueError("parents are not rows of joints before theirs")


def _take_of_arrays(kind: type[Take], arrays: Mapping[str, npt.NDArray[Any]],
                    source_name: str) -> Take:
    _need_shapes(arrays)
    keys = _keys_of(arrays)
    rotations, positions, rate = (arrays[key] for key in keys)
    frame_time = float(rate.item())
    word: RotationKind = _KINDS.get(rotations.shape[2:], "quaternion")
    if "poses" in arrays:
        if rotations.shape[1] % 3:
            raise ValueError(f"poses has the shape {rotations.shape}")
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
