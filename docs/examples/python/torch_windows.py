"""A PyTorch dataset over windows of takes.

    PYTHONPATH=build/release/package /usr/bin/python3 \
        docs/examples/python/torch_windows.py FOLDER

Prints the shape of each batch of one pass. Takes that cannot be read are named
and left out.
"""

from __future__ import annotations

import collections
import os
import pathlib
import sys
from typing import Any, Iterable, Iterator, Literal

import numpy as np
import torch

import bvhmill

Array = Literal["positions", "rotations"]
Paths = Iterable["str | pathlib.Path"]


class BvhDataset(torch.utils.data.Dataset[torch.Tensor]):
    """Windows of `window` frames, `stride` frames apart.

    Holds paths (as bytes) and an index as arrays: a list of str would grow in
    each worker by its counts of references. A worker keeps the takes that it
    used last, up to `cache_bytes`.
    """

    def __init__(self, paths: Paths, window: int, stride: int,
                 array: Array = "rotations",
                 cache_bytes: int = 256 << 20) -> None:
        self.window, self.cache_bytes = window, cache_bytes
        self.array: Array = array
        frames, names = [], []
        for outcome in bvhmill.read_many(paths, arrays=[], keep_values=False,
                                         ignore=["DATA_*"]):
            if outcome.take is not None:
                names.append(os.fsencode(outcome.path))
                frames.append(outcome.take.frames)
            else:
                print(outcome.error, file=sys.stderr)
        self.paths = np.array(names, "S")
        self.index = np.array(
            [(take, begin) for take, count in enumerate(frames)
             for begin in range(0, count - window + 1, stride)],
            np.int64).reshape(-1, 2)
        self._cache: collections.OrderedDict[int, np.ndarray[Any, Any]] = (
            collections.OrderedDict())
        self._bytes = 0

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, item: int) -> torch.Tensor:
        take, begin = self.index[item]
        array = self._array(int(take))
        return torch.from_numpy(array[begin:begin + self.window])

    def _array(self, take: int) -> np.ndarray[Any, Any]:
        if take in self._cache:
            self._cache.move_to_end(take)
            return self._cache[take]
        array: np.ndarray[Any, Any] = getattr(bvhmill.read(
            os.fsdecode(self.paths[take]), arrays=[self.array],
            keep_values=False, ignore=["DATA_*"]), self.array)
        self._cache[take] = array
        self._bytes += array.nbytes
        while self._bytes > self.cache_bytes and len(self._cache) > 1:
            self._bytes -= self._cache.popitem(last=False)[1].nbytes
        return array


class TakeStream(torch.utils.data.IterableDataset[torch.Tensor]):
    """Whole takes, read by threads of this process; for num_workers=0."""

    def __init__(self, paths: Paths, array: Array = "rotations",
                 threads: int = 2) -> None:
        self.paths = list(paths)
        self.array: Array = array
        self.threads = threads

    def __iter__(self) -> Iterator[torch.Tensor]:
        with bvhmill.read_many(self.paths, arrays=[self.array],
                               keep_values=False, threads=self.threads,
                               ignore=["DATA_*"]) as outcomes:
            for outcome in outcomes:
                if outcome.ok:
                    yield torch.from_numpy(getattr(outcome.take, self.array))


def padded(
        takes: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """(batch, longest, joints, n) and a mask of the frames that exist."""
    batch = torch.nn.utils.rnn.pad_sequence(takes, batch_first=True)
    lengths = torch.tensor([len(take) for take in takes])
    return batch, torch.arange(batch.shape[1])[None] < lengths[:, None]


def same_joints(paths: Paths) -> list[str]:
    """The paths of the takes with the most frequent list of joints."""
    return bvhmill.read_batch(paths, ignore=["DATA_*"]).paths


def main() -> None:
    paths = same_joints(sorted(pathlib.Path(sys.argv[1]).rglob("*.bvh")))
    windows = torch.utils.data.DataLoader(
        BvhDataset(paths, window=16, stride=8), batch_size=8, shuffle=True,
        num_workers=2)
    for batch in windows:
        print("windows", tuple(batch.shape))
    takes = torch.utils.data.DataLoader(TakeStream(paths), batch_size=2,
                                        collate_fn=padded)
    for batch, mask in takes:
        print("takes", tuple(batch.shape), int(mask.sum()))


if __name__ == "__main__":
    main()
