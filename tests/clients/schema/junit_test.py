"""The JUnit XML of `bvhmill validate` against what readers of it require.

There is no standard. TABLE has the elements and attributes that the schemas of
Ant and of Jenkins both allow, and those that one of them requires.
"""

import dataclasses
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

from server_process import BIN, ROOT, make_takes

DATA = ROOT / "tests" / "data"


@dataclasses.dataclass
class Element:
    # Attributes, with a pattern of each; all are required.
    attributes: dict
    # A pattern of the names of the children.
    children: str = ""
    has_text: bool = False


NUMBER = r"\d+"
TABLE = {
    "testsuites": Element({}, r"(testsuite )*"),
    "testsuite": Element(
        {"name": ".+", "package": ".*", "id": NUMBER, "tests": NUMBER,
         "failures": NUMBER, "errors": NUMBER, "time": NUMBER,
         "hostname": ".+", "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"},
        r"properties (testcase )*system-out system-err "),
    "properties": Element({}),
    "testcase": Element({"name": ".+", "classname": ".+", "time": NUMBER},
                        r"(failure |error )?"),
    "failure": Element({"type": ".+", "message": ".*"}, has_text=True),
    "error": Element({"type": ".+", "message": ".+"}),
    "system-out": Element({}, has_text=True),
    "system-err": Element({}),
}


def faults(element):
    """What is wrong with an element and those below it."""
    rule = TABLE.get(element.tag)
    if rule is None:
        return [f"no element {element.tag}"]
    found = []
    if set(element.attrib) != set(rule.attributes):
        found.append(f"{element.tag}: attributes {sorted(element.attrib)}")
    for name, pattern in rule.attributes.items():
        if not re.fullmatch(pattern, element.get(name, "")):
            found.append(f"{element.tag}: {name}={element.get(name)}")
    names = "".join(f"{child.tag} " for child in element)
    if not re.fullmatch(rule.children, names):
        found.append(f"{element.tag}: children {names}")
    if not rule.has_text and (element.text or "").strip():
        found.append(f"{element.tag}: text")
    for child in element:
        found += faults(child)
    return found


def count(suite, name):
    return len(suite.findall(f"testcase/{name}"))


class JunitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls._folder.name)
        make_takes(cls.work / "takes")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def report(self, *words):
        ran = subprocess.run(
            [BIN / "bvhmill", "validate", "--format", "junit", *words],
            cwd=self.work, capture_output=True, check=False)
        return xml.fromstring(ran.stdout)

    def test_every_report_has_the_form(self):
        root = self.report("-r", "takes", DATA / "cases", DATA / "malformed",
                           "missing.bvh")
        self.assertEqual(faults(root), [])
        self.assertGreaterEqual(len(root), 4)
        for suite in root:
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
            self.assertEqual(int(suite.get("failures")),
                             count(suite, "failure"))
            self.assertEqual(int(suite.get("errors")), count(suite, "error"))

    def test_what_fails_is_what_fail_on_says(self):
        clip = DATA / "cases" / "comment_between_rows.bvh"
        self.assertEqual(count(self.report(clip)[0], "failure"), 0)
        suite = self.report(clip, "--fail-on", "warning")[0]
        self.assertEqual(faults(suite), [])
        self.assertEqual(count(suite, "failure"), 1)

    def test_a_wrong_form_is_found(self):
        suite = self.report("takes/walk_cycle.bvh")[0]
        self.assertEqual(faults(suite), [])
        del suite.attrib["hostname"]
        self.assertTrue(faults(suite))
        suite.set("hostname", "localhost")
        self.assertEqual(faults(suite), [])
        suite.remove(suite.find("system-err"))
        self.assertTrue(faults(suite))


if __name__ == "__main__":
    unittest.main()
