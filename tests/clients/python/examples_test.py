"""The programs of docs/examples/python do what they say."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from mill import ROOT, Mill, convert_here, make_takes

EXAMPLES = ROOT / "docs" / "examples" / "python"


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.dir.name)
        cls.takes = cls.folder / "takes"
        cls.names = make_takes(cls.takes)
        convert_here(cls.takes, cls.folder / "here", "positions,rotations")
        (cls.takes / "broken.bvh").write_text(
            "HIERARCHY\nROOT Hips\n{\n  OFSET 0\n")
        cls.mill = Mill()

    @classmethod
    def tearDownClass(cls):
        cls.mill.stop()
        cls.dir.cleanup()

    def run_example(self, name, *args):
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, EXAMPLES / name, *args, self.mill.address],
            cwd=out, capture_output=True, text=True, check=False)

    def expect_same(self, path, stem, output):
        here = self.folder / "here" / f"{stem}.{output}.npy"
        np.testing.assert_array_equal(np.load(path), np.load(here), stem)

    def test_convert_writes_what_the_command_line_writes(self):
        for stem in self.names:
            ran = self.run_example("convert.py", self.takes / f"{stem}.bvh")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            for output in ("positions", "rotations"):
                path = self.folder / "out" / f"{stem}.{output}.npy"
                self.expect_same(path, stem, output)

    def test_convert_says_where_a_file_is_broken(self):
        ran = self.run_example("convert.py", self.takes / "broken.bvh")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("INVALID_ARGUMENT: 4:3: error:", ran.stderr)
        self.assertRegex(ran.stderr, r"reason [A-Z_]+, \{.*'line': '4'")
        self.assertRegex(ran.stderr, r"(?m)^4:3: SEVERITY_ERROR: [A-Z_]+: ")

    def test_convert_many_goes_on_behind_a_broken_file(self):
        ran = self.run_example("convert_many.py", self.takes, "many")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("broken.bvh: 4:3: error:", ran.stderr)
        for stem in self.names:
            path = self.folder / "out" / "many" / f"{stem}.positions.npy"
            self.expect_same(path, stem, "positions")

    def test_first_of_the_readme_prints_the_shape(self):
        readme = (ROOT / "README.md").read_text()
        program = readme.split("save this as `first.py`")[1]
        program = program.split("```python\n")[1].split("```")[0]
        program = program.replace("127.0.0.1:7450", self.mill.address)
        program = program.replace("build/demo/takes", str(self.takes))
        ran = subprocess.run([sys.executable, "-c", program],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(
            ran.stdout, r"^\(120, \d+, 3\) \['frame', 'joint', 'xyz'\]$")


if __name__ == "__main__":
    unittest.main()
