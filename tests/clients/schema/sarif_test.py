"""The SARIF of `bvhmill validate` against the schema of SARIF 2.1.0.

    sarif_test.py FOLDER

FOLDER holds the schema, sarif-2.1.0*.json, as a package of npm has it. The
reports hold every kind of issue that the files of tests/data show.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import jsonschema

from server_process import BIN, ROOT, make_takes

DATA = ROOT / "tests" / "data"


def schema_in(folder):
    path, = pathlib.Path(folder).glob("sarif-2.1.0*.json")
    return json.loads(path.read_text())


def sarif(*words, cwd):
    ran = subprocess.run([BIN / "bvhmill", "validate", "--format", "sarif",
                          *words], cwd=cwd, capture_output=True, check=False)
    return json.loads(ran.stdout)


class SarifTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls._folder.name)
        make_takes(cls.work / "takes")
        (cls.work / "takes" / "a b%ü.bvh").write_bytes(
            (DATA / "cases" / "num_comma.bvh").read_bytes())
        schema = schema_in(SCHEMA_FOLDER)
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        cls.validator = kind(schema, format_checker=jsonschema.FormatChecker())

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def expect_valid(self, log):
        errors = [f"{list(error.absolute_path)}: {error.message}"
                  for error in self.validator.iter_errors(log)]
        self.assertEqual(errors, [])
        run, = log["runs"]
        return run

    def test_reports_of_all_kinds(self):
        run = self.expect_valid(sarif(
            "-r", "takes", DATA / "cases", DATA / "malformed", "missing.bvh",
            cwd=self.work))
        results = run["results"]
        self.assertGreater(len(results), 200)
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(sorted(set(rules)), rules)
        self.assertEqual({result["ruleId"] for result in results}, set(rules))
        self.assertGreater(len(rules), 40)
        invocation, = run["invocations"]
        self.assertFalse(invocation["executionSuccessful"])
        self.assertIn("missing.bvh",
                      json.dumps(invocation["toolExecutionNotifications"]))

    def test_an_empty_report(self):
        run = self.expect_valid(sarif(DATA / "cases" / "ok_plain.bvh",
                                      cwd=self.work))
        self.assertEqual(run["results"], [])
        invocation, = run["invocations"]
        self.assertTrue(invocation["executionSuccessful"])

    def test_locations_name_files_below_the_working_folder(self):
        run = self.expect_valid(sarif("-r", "takes", cwd=self.work))
        uris = {place["physicalLocation"]["artifactLocation"]["uri"]
                for result in run["results"] for place in result["locations"]}
        for uri in uris:
            path = self.work / urllib.parse.unquote(uri)
            self.assertTrue(path.is_file(), uri)
        self.assertIn("takes/a%20b%25%C3%BC.bvh", uris)

    def test_the_schema_refuses_a_damaged_log(self):
        log = sarif("-r", "takes", cwd=self.work)
        self.assertTrue(self.validator.is_valid(log))
        del log["runs"][0]["results"][0]["message"]
        self.assertFalse(self.validator.is_valid(log))


if __name__ == "__main__":
    SCHEMA_FOLDER = sys.argv.pop(1)
    unittest.main()
