"""The outcomes of a server as one batch, as `bvhmill.read_batch` gives it."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np

from bvhmill._batch import AnyOutcome, Batch
from bvhmill._info import Info
from bvhmill._options import array_names


def kinds_of(arrays: Sequence[str]) -> tuple[Any, ...]:
    """The names of arrays, at least one."""
    kinds = array_names(arrays)
    if not kinds:
        raise ValueError("arrays must have a name, at least one")
    return kinds


def batch_of(outcomes: Iterable[AnyOutcome], kinds: Sequence[str],
             end_sites: bool) -> Batch:
    """The batch of the most frequent list of joints; `other` has the others."""
    groups: dict[Any, list[Any]] = {}
    errors = {}
    for outcome in outcomes:
        if outcome.ok:
            groups.setdefault(_layout(outcome.take.info), []).append(outcome)
        else:
            errors[outcome.path] = outcome.error
    batches = [_group_of(group, kinds, end_sites)
               for group in sorted(groups.values(), key=len, reverse=True)]
    if not batches:
        empty = {name: np.zeros((0, 0, 4 if "rotations" in name else 3),
                                np.float32) for name in kinds}
        batches = [Batch(empty, np.zeros(1, np.int64), np.zeros(0, np.int32),
                         np.zeros(0), [], [], {}, [], end_sites)]
    batches[0].errors.update(errors)
    batches[0].other.extend(batches[1:])
    return batches[0]


def _layout(info: Info) -> Any:
    return tuple(("" if node.is_end_site else node.name, node.channels,
                  node.parent) for node in info.nodes)


def _group_of(group: list[Any], kinds: Sequence[str],
              end_sites: bool) -> Batch:
    takes = [outcome.take for outcome in group]
    rigs: dict[Any, int] = {}
    rig = [rigs.setdefault(take.info.nodes, len(rigs)) for take in takes]
    return Batch(
        {name: np.concatenate([getattr(take, name) for take in takes])
         for name in kinds},
        np.cumsum([0, *(take.frames for take in takes)], dtype=np.int64),
        np.array(rig, np.int32), np.array([take.frame_time for take in takes]),
        [outcome.path for outcome in group],
        [takes[rig.index(number)].info for number in range(len(rigs))], {}, [],
        end_sites)
