"""A take in a notebook: a table and three poses; a report: its issues."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from bvhmill._errors import printable

if TYPE_CHECKING:
    import numpy.typing as npt

    from bvhmill._report import Issue, Report
    from bvhmill._take import Take

_WIDTH, _HEIGHT, _MARGIN = 420, 160, 8
# More bones would only make the picture large.
_MAX_BONES = 120
_MAX_ISSUES = 50


def html_of(take: Take) -> str:
    """At most 20 KB. Attributes alone, which untrusted notebooks keep."""
    report = take.report
    rows = [
        ("file", take.source_name[:200] or "-"),
        ("frames", f"{take.frames} ({take.duration:.2f} s at "
                   f"{take.fps:g} fps)"),
        ("joints", str(take.joints)),
        ("first joints", ", ".join(take.names[:5])[:200]),
        ("report", f"{report.verdict}: {report.counts.errors} errors, "
                   f"{report.counts.warnings} warnings"),
    ]
    cells = "".join(f"<tr><th align=\"left\">{html.escape(key)}</th>"
                    f"<td align=\"left\">{html.escape(printable(value))}</td></tr>"
                    for key, value in rows)
    return f"<table>{cells}</table>{_picture(take)}"


def html_of_report(report: Report) -> str:
    """A row for each issue; one that says so if there is none."""
    counts = report.counts
    head = (f"{report.verdict}: {counts.errors} errors, {counts.warnings} "
            f"warnings, {counts.infos} infos, {counts.hints} hints")
    rows = [(str(issue.severity), issue.code, _place(issue), issue.message)
            for issue in report.issues[:_MAX_ISSUES]]
    more = len(report.issues) - len(rows)
    if more > 0:
        rows.append(("", "", "", f"and {more} more issues"))
    if not rows:
        rows.append(("", "", "", "no issues"))
    cells = "".join("<tr>" + "".join(
        f"<td align=\"left\">{html.escape(printable(cell))}</td>"
        for cell in row) + "</tr>" for row in rows)
    titles = "".join(f"<th align=\"left\">{title}</th>"
                     for title in ("severity", "code", "place", "message"))
    return (f"<p>{html.escape(head)}</p><table><tr>{titles}</tr>{cells}"
            "</table>")


def _place(issue: Issue) -> str:
    parts = [("frame", issue.frame), ("joint", issue.joint_name),
             ("line", issue.line), ("column", issue.column)]
    return ", ".join(f"{name} {value}" for name, value in parts
                     if value is not None and value != "")


def _picture(take: Take) -> str:
    if take.frames == 0 or take.joints == 0:
        return ""
    frames = sorted({0, take.frames // 2, take.frames - 1})
    try:
        poses = take.positions[frames][..., :2].astype(float)
    except ValueError:
        return ""
    if not np.isfinite(poses).all():
        return ""
    poses = poses - poses.mean(axis=1, keepdims=True) * [1, 0]
    low, high = poses.min(axis=(0, 1)), poses.max(axis=(0, 1))
    column = _WIDTH / len(frames)
    size = np.maximum(high - low, 1e-6)
    scale = min((column - 2 * _MARGIN) / size[0],
                (_HEIGHT - 2 * _MARGIN) / size[1])
    floor = _HEIGHT - _MARGIN + min(0.0, low[1]) * scale
    parts = [_path(f"M0 {floor:.0f}H{_WIDTH}", 0.3)]
    for i, pose in enumerate(poses):
        x = column * (i + 0.5) + (pose[:, 0] - (low[0] + high[0]) / 2) * scale
        y = _HEIGHT - _MARGIN - (pose[:, 1] - min(low[1], 0.0)) * scale
        parts.append(_path(_bones(take, x, y), 1.5))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" '
            f'height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">'
            + "".join(parts) + "</svg>")


def _bones(take: Take, x: npt.NDArray[np.float64],
           y: npt.NDArray[np.float64]) -> str:
    bones = [(i, int(parent)) for i, parent in enumerate(take.parents)
             if parent >= 0][:_MAX_BONES]
    return "".join(f"M{x[a]:.0f} {y[a]:.0f}L{x[b]:.0f} {y[b]:.0f}"
                   for a, b in bones)


def _path(line: str, width: float) -> str:
    return (f'<path d="{line}" fill="none" stroke="currentColor" '
            f'stroke-width="{width:g}"/>')
