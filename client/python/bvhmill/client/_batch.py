"""The takes of a server as one batch, or one of them in blocks."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, Sequence

import numpy as np

from bvhmill._batch import AnyOutcome, Batch
from bvhmill._info import Info
from bvhmill._options import array_names
from bvhmill._stream import Block
from bvhmill._take import Take


def blocks_of(take: Take, kinds: Sequence[str],
              frames: int) -> Iterator[Block]:
    """The blocks of `frames` frames of a take that has these arrays."""
    for first in range(0, take.frames, frames):
        is_last = first + frames >= take.frames
        yield Block(first, {name: getattr(take, name)[first:first + frames]
                            for name in kinds},
                    take.info, take.report if is_last else None)


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
