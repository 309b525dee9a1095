"""Keywords as messages of the API, and its results as takes and errors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from bvhmill import _bvhmill
from bvhmill._batch import AnyOutcome, Failed, Loaded
from bvhmill._errors import BvhError
from bvhmill._info import Info, Node
from bvhmill._options import (ARRAYS, CHECK_KEYS, EDIT_KEYS, checked,
                              conventions_of, outputs_of, words_of)
from bvhmill._report import (Counts, Issue, Report, Severity, Verdict,
                             unreadable)
from bvhmill._take import Take
from bvhmill.client._connection import error_of_status, text_of_status
from bvhmill.client._option_fields import set_options, set_output
from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import options_pb2 as v1
from bvhmill.v1 import report_pb2

if TYPE_CHECKING:
    import numpy.typing as npt

_FORMATS = {"bvh": clips.SOURCE_FORMAT_BVH, "anim": clips.SOURCE_FORMAT_ANIM}
_SEVERITIES = {v1.SEVERITY_ERROR: Severity.ERROR,
               v1.SEVERITY_WARNING: Severity.WARNING,
               v1.SEVERITY_INFO: Severity.INFO,
               v1.SEVERITY_HINT: Severity.HINT}
_ENCODINGS = {"": clips.CONTENT_ENCODING_IDENTITY,
              "gzip": clips.CONTENT_ENCODING_GZIP,
              "zstd": clips.CONTENT_ENCODING_ZSTD}
# The limits on the size of a clip that a server has let pass.
_PASSED = {"limits": dict.fromkeys(
    ("max_joints", "max_depth", "max_channels", "max_frames"), 0)}
_STATUSES = {3: "INVALID_ARGUMENT", 8: "RESOURCE_EXHAUSTED",
             9: "FAILED_PRECONDITION", 1: "CANCELLED"}


def options_of(arrays: Sequence[str], end_sites: bool, keep_values: bool,
               options: Mapping[str, Any]) -> Any:
    """ConvertOptions of keywords, which are checked as those of `read`."""
    if "limits" in options:
        raise TypeError("limits are those of the server")
    words = words_of(options, CHECK_KEYS + EDIT_KEYS)
    outputs = outputs_of(arrays, end_sites, keep_values)
    checked({**words, "emit": outputs})
    message = v1.ConvertOptions()
    set_options(words, message)
    for output in outputs:
        set_output(output, output["format"],
                   message.outputs.add(id=output["id"]))
    return message


def source_format_of(name: str, options: Mapping[str, Any]) -> Any:
    """The SourceFormat: by option, or by the name of the file."""
    by_name = _bvhmill.format_name(os.fsencode(name))
    return _FORMATS[options.get("format") or by_name or "bvh"]


def encoding_of(name: str, head: bytes) -> Any:
    """The ContentEncoding of a file that begins with `head`: by these bytes, or
    else by its name."""
    return _ENCODINGS[_bvhmill.packing_name(os.fsencode(name), head)]


def report_of(message: Any) -> Report:
    """The Report of a ValidationReport."""
    verdicts = [Verdict.UNREADABLE, Verdict.VALID, Verdict.ACCEPTED,
                Verdict.INVALID, Verdict.UNREADABLE]
    counts = message.counts
    issues = tuple(_issue_of(issue, _SEVERITIES.get(issue.severity,
                                                    Severity.ERROR))
                   for issue in message.issues)
    verdict = message.verdict if message.verdict < len(verdicts) else 0
    return Report(verdicts[verdict],
                  Counts(counts.errors, counts.warnings, counts.infos,
                         counts.hints),
                  issues, message.truncated, message.rules_version)


def _issue_of(issue: Any, severity: Severity) -> Issue:
    at = issue.location

    def part(name: str) -> Any:
        return getattr(at, name) if at.HasField(name) else None

    joint = part("joint")
    parts = (part("byte_offset"), part("line"), part("column"), part("frame"),
             part("last_frame"), joint)
    name = at.joint_name if joint is not None else None
    args = dict(issue.args)
    text = _bvhmill.issue_text(issue.code, str(severity), issue.message,
                               issue.occurrences, *parts, name or "",
                               part("channel"), args)
    return Issue(issue.code, severity, issue.message, issue.occurrences,
                 *parts, name, part("channel"), args, text)


def has_facts(result: Any) -> bool:
    """False if the report was never filled: no text of the clip was read."""
    report = result.report
    good = (report_pb2.VERDICT_VALID, report_pb2.VERDICT_ACCEPTED)
    return (report.verdict in good or bool(report.issues)
            or report.counts.errors > 0 or bool(result.info.joints))


def report_json(result: Any) -> str:
    """The report of a ClipResult as the .report.json of the command line."""
    report, info = result.report, result.info
    counts = report.counts
    values = []
    for message in report.issues:
        issue = _issue_of(message, _SEVERITIES.get(message.severity,
                                                   Severity.ERROR))
        values.append((issue.code, str(issue.severity), issue.message,
                       issue.occurrences, issue.byte_offset, issue.line,
                       issue.column, issue.frame, issue.last_frame,
                       issue.joint, issue.joint_name or "", issue.channel,
                       sorted(issue.args.items())))
    thresholds = [(row.code, row.name, row.value) for row in report.thresholds]
    joints = [(joint.name, joint.parent, joint.channels, joint.end_site,
               _offset_of(joint)) for joint in info.joints]
    return _bvhmill.report_json(
        result.display_name or result.key,
        (report.verdict if report.verdict in range(1, 5) else 4,
         (counts.errors, counts.warnings, counts.infos, counts.hints), values,
         report.truncated, report.rules_version, thresholds),
        (info.frames, info.frame_time_seconds, info.frames_per_second,
         info.joint_count, joints))


def info_of(message: Any) -> Info:
    """The Info of a ClipInfo."""
    nodes = tuple(Node(joint.name, joint.parent, joint.channels,
                       joint.end_site, _offset_of(joint))
                  for joint in message.joints)
    return Info(message.frames, message.frame_time_seconds,
                message.frames_per_second, nodes)


def _offset_of(joint: Any) -> tuple[float, float, float]:
    x, y, z = joint.offset or (0.0, 0.0, 0.0)
    return x, y, z


def error_of_result(result: Any, source_name: str) -> BvhError | None:
    """The exception of a ClipResult; None if its status is OK."""
    return _error_of(result.status, result, source_name)


def error_of_output(result: Any, output: Any,
                    source_name: str) -> BvhError | None:
    """Why an output of a ClipResult could not be made; None if it was."""
    return _error_of(output.status, result, source_name)


def _error_of(status: Any, result: Any, source_name: str) -> BvhError | None:
    if status.code == 0:
        return None
    return error_of_status(_STATUSES.get(status.code, "INTERNAL"), status.info,
                           status.message, report_of(result.report),
                           source_name)


def error_of_take(result: Any, source_name: str) -> BvhError | None:
    """Why a ClipResult gives no take; None if it gives one."""
    error = error_of_result(result, source_name)
    for output in result.outputs:
        if error is None and output.id in ARRAYS:
            error = error_of_output(result, output, source_name)
    if error is not None or "info.joints" not in result.left_out:
        return error
    # Without joints the arrays have no names.
    return BvhError(
        f"{source_name}: error: RESPONSE_TOO_LARGE: the result has more "
        "joints than one answer holds; save the files of the job instead",
        code="RESPONSE_TOO_LARGE", report=report_of(result.report),
        source_name=source_name)


def report_of_result(result: Any) -> Report:
    """The report of a ClipResult of ValidateClip, as `validate` gives it."""
    report = report_of(result.report)
    status = result.status
    if status.code != 0 and status.info.reason and not report.issues:
        return unreadable(status.info.reason,
                          text_of_status(status.info, status.message))
    return report


def report_of_error(error: BvhError) -> Report:
    """The report of a clip that cannot be decompressed, or is too large."""
    return unreadable(error.code, str(error).split(f"{error.code}: ", 1)[-1])


def _stated_name(joint: Any, joints: Sequence[Any]) -> bytes:
    """The name in the file: end sites without one are shown as NAME_End."""
    name: str = joint.name
    if joint.end_site and name == f"{joints[joint.parent].name}_End":
        return b""
    return name.encode()


def take_of(result: Any, data: Sequence[npt.NDArray[np.uint8] | None],
            end_sites: bool, options: Mapping[str, Any],
            source_name: str) -> Take:
    """
    The take of a ClipResult and its outputs; None: an output that is no array
    of a take. BvhError if it has no take.
    """
    error = error_of_take(result, source_name)
    if error is not None:
        raise error
    arrays = {output.id: part.view(np.float32).reshape(output.tensor.shape)
              for output, part in zip(result.outputs, data)
              if part is not None}
    values = arrays.pop("values", None)
    if values is not None:
        values.flags.writeable = False
    joints = result.info.joints
    conventions = conventions_of(options, _PASSED)
    clip = _bvhmill._Clip(
        [_stated_name(joint, joints) for joint in joints],
        [joint.parent for joint in joints],
        [joint.end_site for joint in joints],
        [_offset_of(joint) for joint in joints],
        [joint.channels for joint in joints], values, result.info.frames,
        result.info.frame_time_seconds, checked(conventions), True)
    take = Take._of(clip, report_of(result.report), end_sites, conventions,
                    source_name)
    take._made.update(arrays)
    take._facts["info"] = info_of(result.info)
    return take


def outcome_of(path: str, result: Any, data: Sequence[Any], end_sites: bool,
               options: Mapping[str, Any]) -> AnyOutcome:
    """The Outcome of a ClipResult of a stream."""
    # It is not raised: a traceback would keep the frames of the caller.
    error = error_of_take(result, path)
    times = result.times
    seconds = sum(part.seconds + part.nanos * 1e-9 for part in (
        times.read, times.validate, times.solve, times.encode, times.edit))
    if error is not None:
        return Failed(path, None, error, error.report, seconds)
    take = take_of(result, data, end_sites, options, path)
    return Loaded(path, take, None, take.report, seconds)
