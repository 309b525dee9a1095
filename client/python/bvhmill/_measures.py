"""The measures of a take: its size, its speed, and the ranges of its joints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bvhmill._take import Take


def measures_of(take: Take) -> dict[str, Any]:
    text = take._convert({"measures": True}).measures
    assert text is not None
    found: dict[str, Any] = json.loads(text)
    nodes = [i for i, node in enumerate(take.info.nodes)
             if take.has_end_sites or not node.is_end_site]
    row_of = {node: row for row, node in enumerate(nodes)}
    joints = found["joints"]
    found["rest_size"] = np.array(found["rest_size"], np.float64)
    found["joints"] = {
        "degrees": np.array([joints[i]["degrees"] for i in nodes], np.float64),
        # Null, as of a channel without finite values, is NaN.
        **{side: np.array([value for joint in joints for value in joint[side]],
                          np.float32) for side in ("min", "max")}}
    if found["extents"] is not None:
        found["extents"] = {side: np.array(corner, np.float32)
                            for side, corner in found["extents"].items()}
    if found["fastest"] is not None:
        found["fastest"]["joint"] = row_of[found["fastest"]["joint"]]
    if found["body_root"] is not None:
        found["body_root"] = row_of[found["body_root"]]
    return found
