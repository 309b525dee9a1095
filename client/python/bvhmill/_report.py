"""Reports on files: issues, counts and a verdict."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NoReturn

if TYPE_CHECKING:
    from bvhmill import _bvhmill

_SHOWN_ISSUES = 10


class Severity(str, enum.Enum):
    """How bad an issue is.

    >>> Severity("warning") is Severity.WARNING
    True
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"

    def __str__(self) -> str:
        return self.value


class Verdict(str, enum.Enum):
    """The state of a file.

    >>> Verdict.VALID == "valid"
    True
    """

    VALID = "valid"
    ACCEPTED = "accepted"
    INVALID = "invalid"
    UNREADABLE = "unreadable"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Issue:
    """A fault or a remark, with its place. What does not apply is None.

    Lines and columns count from 1, all other numbers from 0. `text` is the
    line that a compiler would print, without a file name.

    >>> import bvhmill
    >>> report = bvhmill.validate(b"HIERARCHY ROOT")
    >>> report.issues[0].code, report.issues[0].line
    ('HIERARCHY_BRACE_MISSING', 1)
    """

    code: str
    severity: Severity
    message: str
    occurrences: int = 1
    byte_offset: int | None = None
    line: int | None = None
    column: int | None = None
    frame: int | None = None
    last_frame: int | None = None
    joint: int | None = None
    joint_name: str | None = None
    channel: int | None = None
    args: Mapping[str, str] = field(default_factory=dict, hash=False)
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"{self.severity}: {self.code}: {self.message}"


@dataclass(frozen=True)
class Counts:
    """Exact numbers of occurrences.

    >>> Counts(errors=1).errors
    1
    """

    errors: int = 0
    warnings: int = 0
    infos: int = 0
    hints: int = 0


@dataclass(frozen=True)
class Report:
    """The issues of one file, the most severe first.

    `truncated` is True if there are more different issues than are listed.

    >>> import bvhmill
    >>> bvhmill.validate(b"").verdict
    <Verdict.UNREADABLE: 'unreadable'>
    """

    verdict: Verdict
    counts: Counts = Counts()
    issues: tuple[Issue, ...] = ()
    truncated: bool = False
    rules_version: str = ""

    @property
    def ok(self) -> bool:
        """True if the file can be used: it is valid or accepted."""
        return self.verdict in (Verdict.VALID, Verdict.ACCEPTED)

    def __bool__(self) -> NoReturn:
        raise TypeError("a report is neither true nor false: use report.ok "
                        "or report.issues")

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary an issue, with the same keys in each; absent: None.

        >>> import bvhmill
        >>> row = bvhmill.validate(b"").rows()[0]
        >>> row["code"], row["severity"], row["frame"]
        ('TEXT_EMPTY', 'error', None)
        """
        return [_row_of(issue) for issue in self.issues]

    def _repr_html_(self) -> str:
        from bvhmill._html import html_of_report
        return html_of_report(self)

    def __repr__(self) -> str:
        counts = self.counts
        head = (f"<bvhmill.Report {self.verdict}: {counts.errors} errors, "
                f"{counts.warnings} warnings, {counts.infos} infos, "
                f"{counts.hints} hints")
        lines = [f"  {issue}" for issue in self.issues[:_SHOWN_ISSUES]]
        more = len(self.issues) - len(lines)
        if more > 0:
            lines.append(f"  and {more} more issues")
        elif self.truncated:
            lines.append("  and more issues that are not listed")
        return "\n".join([head, *lines]) + ">"


def _row_of(issue: Issue) -> dict[str, Any]:
    row = {name: getattr(issue, name) for name in Issue.__dataclass_fields__
           if name not in ("args", "text")}
    row["severity"] = str(issue.severity)
    return row


def issues_table(outcomes: Iterable[Any]) -> list[dict[str, Any]]:
    """The issues of many files, as rows with the path of their file.

    Takes what `read_many` gives, or any objects with `path`, `report` and
    `error`. A file that could not be opened has one row, with the code
    FILE_UNREADABLE; one that could not be decompressed has one, too.

    >>> import bvhmill
    >>> rows = bvhmill.issues_table(bvhmill.read_many(["absent.bvh"]))
    >>> rows[0]["path"], rows[0]["code"]
    ('absent.bvh', 'FILE_UNREADABLE')
    """
    table = []
    for outcome in outcomes:
        report = outcome.report
        if report is None:
            report = unreadable("FILE_UNREADABLE", str(outcome.error))
        elif not report.issues and getattr(outcome, "error", None):
            code = getattr(outcome.error, "code", "")
            report = unreadable(code, str(outcome.error)) if code else report
        table += [{"path": outcome.path, **row} for row in report.rows()]
    return table


def unreadable(code: str, message: str) -> Report:
    """The report of a file whose text is not known."""
    return Report(Verdict.UNREADABLE, Counts(errors=1),
                  (Issue(code, Severity.ERROR, message),))


def issue_of(value: tuple[Any, ...]) -> Issue:
    (code, severity, message, occurrences, offset, line, column, frame,
     last_frame, joint, joint_name, channel, args, text) = value
    return Issue(code, Severity(severity), message, occurrences, offset, line,
                 column, frame, last_frame, joint, joint_name, channel,
                 dict(args), text)


def report_of(native: _bvhmill._Report) -> Report:
    return Report(Verdict(native.verdict), Counts(*native.counts),
                  tuple(map(issue_of, native.issues())), native.truncated,
                  native.rules_version)
