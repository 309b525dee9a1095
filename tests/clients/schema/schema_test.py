"""Outputs of the command line against the JSON Schemas of docs/schema.

Every command that prints JSON runs on good and on broken files; each line must
be valid. Then every valid line is damaged in every place: the schema must
refuse the line without the key, with another type, and with a key more.
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema

from server_process import BIN, ROOT, ServerProcess, make_takes

SCHEMAS = ROOT / "docs" / "schema"
DATA = ROOT / "tests" / "data"
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith("BVHMILL_")}


def load(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


def validator(name):
    """A validator that finds referenced schemas by their $id."""
    store = {schema["$id"]: schema for schema in
             (json.loads(path.read_text()) for path in SCHEMAS.glob("*.json"))}
    schema = load(name)
    resolver = jsonschema.RefResolver(schema["$id"], schema, store)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def bvhmill(*words, cwd):
    """What the command prints; its exit status is not looked at."""
    return subprocess.run([BIN / "bvhmill", *words], cwd=cwd, env=ENVIRONMENT,
                          capture_output=True, check=False).stdout.decode()


def lines_of(text):
    # NaN and Infinity are no JSON, but Python reads them.
    def refuse(word):
        raise ValueError(f"{word} is no JSON")
    return [json.loads(line, parse_constant=refuse)
            for line in text.splitlines()]


def damaged(value):
    """(what, copy) for each object and number in `value`, damaged once."""
    if isinstance(value, dict):
        yield "a key more", {**value, "no such key": 1}
        for key, item in value.items():
            rest = {name: copy.deepcopy(other)
                    for name, other in value.items() if name != key}
            yield f"without {key}", rest
            for what, other in damaged(item):
                yield f"{key}: {what}", {**value, key: other}
    elif isinstance(value, list):
        # One item of each list is enough.
        for what, other in damaged(value[0]) if value else ():
            yield f"[0]: {what}", [other, *value[1:]]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield f"{value} as text", str(value)
    elif isinstance(value, (str, bool)):
        yield f"{value} as a number", 1.5


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls._folder.name)
        make_takes(cls.work / "takes")
        bvhmill("convert", "takes/walk_cycle.bvh", "-o", ".", "--emit", "anim",
                "--anim-map", "mixamo", "--units", "cm", "-q", cwd=cls.work)
        walk = (cls.work / "walk_cycle.anim").read_bytes()
        (cls.work / "cut.anim").write_bytes(walk[:300])
        (cls.work / "odd.anim").write_bytes(walk.replace(b"mHead", b"mHeat"))

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def expect_valid(self, name, text, least):
        """Every line of `text` is valid; there are at least that many."""
        schema = validator(name)
        lines = lines_of(text)
        self.assertGreaterEqual(len(lines), least)
        for line in lines:
            errors = [error.message for error in schema.iter_errors(line)]
            self.assertEqual(errors, [], line.get("file"))
        return lines

    def expect_strict(self, name, line, free=()):
        """No damaged copy of `line` is valid, but below the keys `free`."""
        schema = validator(name)
        for what, other in damaged(line):
            if any(f"{key}: " in what for key in free):
                continue
            self.assertFalse(schema.is_valid(other), what)

    def test_schemas_are_schemas(self):
        names = [path.name for path in SCHEMAS.glob("*.json")]
        self.assertGreaterEqual(len(names), 7)
        for path in SCHEMAS.glob("*.json"):
            schema = json.loads(path.read_text())
            self.assertEqual(schema["$id"], path.name)
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_validate(self):
        text = bvhmill("validate", "-r", "takes", DATA / "cases",
                       DATA / "malformed", "missing.bvh", "--json", "-q",
                       cwd=self.work)
        lines = self.expect_valid("validate", text, 100)
        self.assertIsNone(lines[-1]["report"])
        self.assertIsNotNone(lines[-1]["error"])
        with_issue = next(line for line in lines if line["report"]["issues"]
                          and line["info"]["joints"])
        self.expect_strict("validate", with_issue, free=["args"])

    def test_summary(self):
        """Folders in which every list of the summary has items."""
        slow = re.sub(r"(?m)^(Frame Time:).*", r"\1 0.5",
                      (self.work / "takes" / "walk_cycle.bvh").read_text())
        for name in ("slow", "equal"):
            (self.work / f"{name}.bvh").write_text(slow)
        (self.work / "expect.toml").write_text("[expect]\nup_axis = 'y'\n")
        known = self.work / "known.jsonl"
        # A clip that is not read would leave no baseline.
        for words in (["--write-baseline", known],
                      ["missing.bvh", "--baseline", known]):
            bvhmill("validate", "-r", "takes", "slow.bvh", "equal.bvh",
                    DATA / "cases", DATA / "malformed",
                    "--expectations", "expect.toml", "--summary",
                    "summary.json", "-f", "-q", *words, cwd=self.work)
            text = (self.work / "summary.json").read_text()
            line, = self.expect_valid("summary", text, 1)
            self.expect_strict("summary", line)
            self.assertTrue(line["odd"] and line["equal_files"])
            self.assertTrue(line["equal_motions"] and line["expectations"])
            usual, other = line["bodies"]["skeletons"][0]["bodies"][:2]
            self.assertIsNone(usual["difference"])
            self.assertIsNotNone(other["difference"])
            self.assertEqual(line["clips"], sum(line["verdicts"].values()))
            has_known = line["known_issues"] > 0
            self.assertEqual(has_known, "--baseline" in words)
            self.assertNotEqual(has_known, bool(line["codes"]))

    def test_info(self):
        text = bvhmill("info", "-r", "takes", DATA / "cases", "--json",
                       cwd=self.work)
        lines = self.expect_valid("info", text, 20)
        self.expect_strict("info", lines[0])

    def test_convert(self):
        bvhmill("convert", "-r", "takes", DATA / "malformed", "missing.bvh",
                "-o", "out", "--emit", "csv,report", "-q", "--report-jsonl",
                "lines.jsonl", cwd=self.work)
        text = (self.work / "lines.jsonl").read_text()
        lines = self.expect_valid("convert", text, 20)
        self.assertIn(None, [line["report"] for line in lines])
        self.assertIn("OK", [line["status"] for line in lines])
        good = next(line for line in lines if line["status"] == "OK")
        self.expect_strict("convert", good, free=["args"])
        for file in (self.work / "out").rglob("*.report.json"):
            self.expect_valid("report", file.read_text(), 1)

    def test_inspect(self):
        text = bvhmill("inspect", "walk_cycle.anim", "cut.anim", "odd.anim",
                       "missing.anim", "--json", "-q", cwd=self.work)
        lines = self.expect_valid("inspect", text, 4)
        self.assertIsNotNone(lines[0]["motion"])
        self.assertIsNotNone(lines[3]["error"])
        self.expect_strict("inspect", lines[0])

    def test_explain(self):
        text = bvhmill("explain", "--json", cwd=self.work)
        lines = self.expect_valid("explain", text, 50)
        self.expect_strict("explain", lines[0])

    def test_server_info(self):
        server = ServerProcess()
        try:
            text = bvhmill("server", "info", "--server", server.address,
                           "--json", cwd=self.work)
        finally:
            server.stop()
        lines = self.expect_valid("server-info", text, 1)
        self.assertIsInstance(lines[0]["limits"]["max_frames"], int)
        self.expect_strict("server-info", {**lines[0], "limits": {"a": 1}},
                           free=["limits"])

    def test_the_page_shows_a_valid_line(self):
        page = (ROOT / "docs" / "cli-json.md").read_text()
        blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
        self.assertEqual(len(blocks), 1)
        line = json.loads(blocks[0])
        self.assertTrue(validator("validate").is_valid(line))


if __name__ == "__main__":
    unittest.main()
