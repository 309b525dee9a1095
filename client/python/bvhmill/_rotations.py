"""Quaternions in other orders and signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float32]


def without_flips(quaternions: FloatArray) -> FloatArray:
    """q or -q, the one nearer to the frame before: float32 (F, J, 4).

    >>> without_flips(np.float32([[[0, 0, 0, 1]], [[0, 0, -0.1, -1]]]))[1, 0, 3]
    1.0
    """
    dots = np.einsum("fjc,fjc->fj", quaternions[1:], quaternions[:-1])
    signs = np.ones(quaternions.shape[:2], np.float32)
    # A sign turns with each flip before it.
    np.cumprod(np.where(dots < 0, np.float32(-1), np.float32(1)), axis=0,
               out=signs[1:])
    return quaternions * signs[..., None]


def in_order(quaternions: FloatArray, order: str) -> FloatArray:
    """A copy with the components x y z w in this order.

    >>> in_order(np.float32([[[0, 0, 0, 1]]]), "wxyz").tolist()
    [[[1.0, 0.0, 0.0, 0.0]]]
    """
    if order == "xyzw":
        return quaternions.copy()
    if order == "wxyz":
        return np.ascontiguousarray(quaternions[..., [3, 0, 1, 2]])
    raise ValueError(f"order={order!r}: must be 'xyzw' or 'wxyz'")
