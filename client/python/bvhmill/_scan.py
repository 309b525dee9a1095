"""A table of the files of a folder."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np

from bvhmill import _bvhmill
from bvhmill._batch import Outcome, read_many
from bvhmill._info import Info
from bvhmill._option_types import CheckOptions
from bvhmill._options import shows
from bvhmill._report import Severity, unreadable

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack


@shows(CheckOptions)
def scan(folder: str | os.PathLike[str], *, threads: int = 0,
         **options: Unpack[CheckOptions]) -> list[dict[str, Any]]:
    """A dictionary for each file of clips below a folder, sorted by path.

    Keys: path, frames, fps, seconds, joints, height, verdict, errors, warnings,
    code and issue. `height` is that of the rest pose, with end sites, along Y;
    `code` and `issue` are those of the first error or warning, or None. What a
    file that gives no take does not have is None. Files are those whose names
    end in .bvh or .anim, also packed. `pandas.DataFrame(rows)` is the table.

    >>> import bvhmill, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bvhmill.read(bvhmill.example()).save(os.path.join(folder, "a.bvh"))
    ...     rows = bvhmill.scan(folder)
    >>> rows[0]["frames"], rows[0]["joints"], round(rows[0]["height"], 3)
    (3, 3, 1.1)
    """
    if not os.path.isdir(folder):
        raise NotADirectoryError(20, os.strerror(20), os.fspath(folder))
    paths = sorted(str(path) for path in pathlib.Path(folder).rglob("*")
                   if _bvhmill.format_name(os.fsencode(path))
                   and not path.is_dir())
    with read_many(paths, arrays=(), keep_values=False, threads=threads,
                   **options) as outcomes:
        return [_row_of(outcome) for outcome in outcomes]


def _row_of(outcome: Outcome) -> dict[str, Any]:
    report = outcome.report
    if report is None or (outcome.error is not None and not report.issues):
        code = getattr(outcome.error, "code", "") or "FILE_UNREADABLE"
        report = unreadable(code, str(outcome.error))
    issue = next((issue for issue in report.issues if issue.severity in (
        Severity.ERROR, Severity.WARNING)), None)
    info = None if outcome.take is None else outcome.take.info
    facts = (None,) * 5 if info is None else (
        info.frames, info.fps, info.duration, info.joints, _height_of(info))
    keys = ("frames", "fps", "seconds", "joints", "height")
    return {"path": outcome.path, **dict(zip(keys, facts)),
            "verdict": str(report.verdict),
            "errors": report.counts.errors,
            "warnings": report.counts.warnings,
            "code": issue and issue.code, "issue": issue and str(issue)}


def _height_of(info: Info) -> float:
    heights: list[float] = []
    for node in info.nodes:
        heights.append(heights[node.parent] + node.offset[1]
                       if node.parent >= 0 else 0.0)
    return float(np.ptp(heights)) if heights else 0.0
