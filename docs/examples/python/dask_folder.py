"""A folder of takes on a Dask cluster of processes: arrays, and issues.

    PYTHONPATH=build/release/package /usr/bin/python3 \
        docs/examples/python/dask_folder.py FOLDER OUT

Writes OUT/a/take.npy with positions for FOLDER/a/take.bvh, and OUT/issues.csv.
Paths are sent, not clips: each worker reads its own files, with one thread for
a Dask thread.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Sequence

import dask
import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import bvhmill

COLUMNS = {"path": "object", "code": "object", "severity": "object",
           "message": "object", "occurrences": "int64"}


def convert_part(paths: Sequence[str], folder: str,
                 out: str) -> list[tuple[str, int]]:
    """(path, frames) of the takes of one partition, whose arrays it writes."""
    done = []
    for outcome in bvhmill.read_many(paths, threads=1, ignore=["DATA_*"]):
        frames = -1
        if outcome.take is not None:
            frames = outcome.take.frames
            stem = pathlib.Path(outcome.path).relative_to(folder)
            path = pathlib.Path(out, stem).with_suffix(".npy")
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, outcome.take.positions)
        done.append((outcome.path, frames))
    return done


@dask.delayed
def issues_of(paths: Sequence[str]) -> pd.DataFrame:
    """The issues of one partition as a table."""
    rows = bvhmill.issues_table(bvhmill.read_many(paths, threads=1))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    paths = [str(path) for path in sorted(folder.rglob("*.bvh"))]
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    parts = [list(part) for part in np.array_split(paths, 4) if len(part)]
    with LocalCluster(n_workers=2, threads_per_worker=1,
                      dashboard_address=None) as cluster, Client(cluster):
        bag = dask.bag.from_sequence(paths, npartitions=len(parts))
        takes = bag.map_partitions(convert_part, str(folder),
                                   str(out)).compute()
        meta = pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS)
        issues = dask.dataframe.from_delayed(
            [issues_of(part) for part in parts], meta=meta).compute()
    good = [frames for _, frames in takes if frames >= 0]
    print(f"{len(good)} of {len(takes)} takes, {sum(good)} frames")
    issues.to_csv(out / "issues.csv", index=False)
    print(issues.groupby(["severity", "code"])["occurrences"].sum())


if __name__ == "__main__":
    main()
