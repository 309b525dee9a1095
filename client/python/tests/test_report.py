"""Reports: the same as those of the command line, and their tables."""

import csv
import io
import json
import pickle

import pytest

import bvhmill
from bvhmill import Severity, Verdict
from conftest import ROOT, clips_in

GOLDEN = [path for path in clips_in(ROOT / "tests/data/golden")
          if path.with_suffix(".report.json").exists()]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_reports_are_those_of_the_golden_files(path):
    expected = json.loads(path.with_suffix(".report.json").read_text())
    expected = expected.get("report", expected)
    report = bvhmill.validate(path.read_bytes())
    assert f"VERDICT_{report.verdict}".upper() == expected["verdict"]
    found = [(issue.code, f"SEVERITY_{issue.severity}".upper(), issue.message)
             for issue in report.issues]
    assert found == [(issue["code"], issue["severity"], issue["message"])
                     for issue in expected.get("issues", [])]


def test_a_report_is_neither_true_nor_false(walk):
    with pytest.raises(TypeError, match="report.ok"):
        bool(bvhmill.validate(walk))


def test_rows_have_fixed_keys(golden):
    reports = [bvhmill.validate(path) for path in GOLDEN]
    rows = [row for report in reports for row in report.rows()]
    assert len(rows) > 30
    assert len({tuple(row) for row in rows}) == 1
    assert {"line", "frame", "joint_name", "last_frame"} <= set(rows[0])
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    back = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert [row["code"] for row in back] == [row["code"] for row in rows]


def test_rows_become_a_table_of_pandas():
    pandas = pytest.importorskip("pandas")
    rows = bvhmill.issues_table(bvhmill.read_many([*GOLDEN, "absent.bvh"]))
    table = pandas.DataFrame(rows)
    assert set(table["path"]) <= {str(path) for path in GOLDEN} | {"absent.bvh"}
    assert (table["code"] == "FILE_UNREADABLE").sum() == 1
    assert table["occurrences"].min() >= 1


def test_options_change_a_report(golden):
    path = golden / "comments.bvh"
    codes = {issue.code for issue in bvhmill.validate(path).issues}
    code = sorted(codes)[0]
    assert code not in {issue.code for issue in
                        bvhmill.validate(path, ignore=[code]).issues}
    report = bvhmill.validate(path, only=[code], severities={code: "error"})
    assert report.verdict == Verdict.INVALID
    assert {issue.severity for issue in report.issues} == {Severity.ERROR}
    assert len(bvhmill.validate(path, max_issues=1).issues) == 1


def test_reports_can_be_pickled(golden):
    for path in GOLDEN[:10]:
        report = bvhmill.validate(path)
        assert pickle.loads(pickle.dumps(report)) == report


def test_repr_shows_at_most_ten_issues():
    bad = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\n"
    bad += "MOTION\nFrames: 30\nFrame Time: 0.1\n" + "x\n" * 30
    text = repr(bvhmill.validate(bad.encode()))
    assert text.startswith("<bvhmill.Report ")
    assert len(text.splitlines()) <= 12


def test_a_notebook_shows_each_issue_as_text():
    text = bvhmill.example().decode().replace(
        "ROOT Hips", "ROOT <script>")
    take = bvhmill.read(text.encode())
    shown = take.report._repr_html_()
    assert "<script>" not in shown
    broken = bvhmill.validate(b"HIERARCHY\nROOT a\n{\n")
    shown = broken._repr_html_()
    for issue in broken.issues:
        assert f">{issue.code}</td>" in shown
    assert "no issues" in bvhmill.Report(bvhmill.Verdict.VALID)._repr_html_()
