"""Exceptions. Each can be pickled, with its report."""

from __future__ import annotations

import os
import re
from typing import Any, Mapping, NamedTuple, Sequence

from bvhmill import _bvhmill
from bvhmill._option_types import ROWS
from bvhmill._report import Issue, Report, Severity


def printable(text: str) -> str:
    """A text of a peer or a file as one line for people, as all programs show
    it: what would be obeyed or hidden is escaped."""
    try:
        # The bytes of a path that is no UTF-8.
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogatepass")
    return _bvhmill.printable(raw)


class BvhError(ValueError):
    """A file, or an edit of a file, that gives no take.

    The text is the line that a compiler would print. `code` is a code of
    docs/issues.md, or that of a refused call. `line`, `column`, `frame` and
    `joint` are those of the first error of the report, or None.

    >>> import bvhmill
    >>> try:
    ...     bvhmill.read(b"HIERARCHY\\nJOINT", source_name="walk.bvh")
    ... except bvhmill.BvhError as error:
    ...     print(error.code, error.line)
    HIERARCHY_NO_ROOT 2
    """

    def __init__(self, message: str, *, code: str = "",
                 report: Report | None = None, source_name: str = "",
                 args: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.report = report
        self.source_name = source_name
        self.details: dict[str, str] = dict(args or {})

    @property
    def issue(self) -> Issue | None:
        """The first error of the report."""
        return first_error(self.report)

    @property
    def line(self) -> int | None:
        """The line of the first error."""
        return self.issue.line if self.issue else None

    @property
    def column(self) -> int | None:
        """The column of the first error, in bytes."""
        return self.issue.column if self.issue else None

    @property
    def frame(self) -> int | None:
        """The frame of the first error."""
        return self.issue.frame if self.issue else None

    @property
    def joint(self) -> str | None:
        """The name of the joint of the first error."""
        return self.issue.joint_name if self.issue else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), str(self), self.code, self.report,
                          self.source_name, self.details)


class LimitError(BvhError):
    """A file that exceeds a limit. `limit_name` and `limit` say which."""

    @property
    def limit_name(self) -> str:
        """The name of the limit, a key of `limits`."""
        return self.details.get("limit_name", "")

    @property
    def limit(self) -> int:
        """The value of the limit; 0 if it is not known."""
        return int(self.details.get("limit", "0"))


class EditError(BvhError):
    """An edit that does not fit the take."""


class ConventionUnknown(BvhError):
    """A fact that the file does not state, such as its unit or its rate."""


class AmbiguousName(KeyError):
    """A name that several joints have."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def _rebuild(kind: type[BvhError], message: str, code: str,
             report: Report | None, source_name: str,
             details: dict[str, str]) -> BvhError:
    return kind(message, code=code, report=report, source_name=source_name,
                args=details)


def first_error(report: Report | None) -> Issue | None:
    for issue in (report.issues if report is not None else ()):
        if issue.severity is Severity.ERROR:
            return issue
    return None


def _keyword_of(field: str) -> str:
    """The keyword whose value is in this field of the API, or below it; the
    field if there is none."""
    at = field.removeprefix("options.")
    if at.startswith("outputs["):
        format, _, name = at.partition(".")[2].partition(".")
        found = [key for key, row in ROWS.items() if format in row.formats
                 and _is_below(name, row.field)]
    else:
        found = [key for key, row in ROWS.items() if not row.formats
                 and _is_below(at, f"{row.path}.{row.field}".lstrip("."))]
    return found[0] if found else field


def _is_below(field: str, path: str) -> bool:
    rest = field[len(path):].removeprefix("_rows")
    return field.startswith(path) and (not rest or rest[0] in ".[")


def in_keywords(field: str, message: str) -> str:
    """The text of an error of the API, with the names of keywords."""
    message = re.sub(r"options\.[a-z_.]*[a-z]",
                     lambda found: _keyword_of(found[0]), message)
    return f"{_keyword_of(field)}: {message}" if field else message


class NativeError(NamedTuple):
    """An error of the native module, which gives these values as a tuple."""

    status: str
    reason: str
    field: str
    limit_name: str
    limit: int
    args: list[tuple[str, str]]
    message: str


def error_of(value: Sequence[Any], report: Report | None,
             source_name: str = "") -> BvhError:
    """The exception of the values of a NativeError."""
    status, reason, field, limit_name, limit, args, message = value
    kind = BvhError
    details = dict(args)
    if field:
        details["field"] = field
    if status == "RESOURCE_EXHAUSTED":
        kind = LimitError
        details.update(limit_name=limit_name, limit=str(limit))
    elif status == "FAILED_PRECONDITION" and (
            field.startswith("options.edits") or reason.endswith("_UNKNOWN")):
        kind = ConventionUnknown
    elif reason == "EDIT_DOES_NOT_FIT" or field.startswith("options.edits"):
        kind = EditError
    return kind(_text_of(reason, field, message, report, source_name),
                code=reason, report=report, source_name=source_name,
                args=details)


def _text_of(reason: str, field: str, message: str, report: Report | None,
             source_name: str) -> str:
    name = printable(source_name) or "<bytes>"
    issue = first_error(report)
    if issue is None or report is None:
        return f"{name}: error: {reason}: {printable(in_keywords(field, message))}"
    space = "" if issue.line or issue.byte_offset is not None else " "
    more = report.counts.errors - issue.occurrences
    rest = f" (+{more} more errors)" if more > 0 else ""
    return f"{name}:{space}{issue}{rest}"


def os_error(number: int, path: str) -> OSError:
    """The subclass of OSError for errno `number`."""
    return OSError(number, os.strerror(number), path)
