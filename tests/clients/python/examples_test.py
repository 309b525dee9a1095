"""The programs of docs/examples/python do what they say."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

from server_process import ROOT, ServerProcess, convert_here, make_takes

EXAMPLES = ROOT / "docs" / "examples" / "python"
BROKEN = "HIERARCHY\nROOT Hips\n{\n  OFSET 0\n"
# The joints alone are more than a short answer holds.
MANY_JOINTS = (
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    + 300 * "JOINT b\n{\nOFFSET 0 1 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\nx\n")
# Where a file comes among the two takes that are good.
PLACES = {"first": "a.bvh", "middle": "m.bvh", "last": "z.bvh"}
GOOD = {"c.bvh": "walk_cycle", "p.bvh": "hand_wave"}


def feed(pipe, program):
    """Writes to the pipe when the program reads it, if it ever does."""
    while program.poll() is None:
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # there is no reader yet
            time.sleep(0.01)
            continue
        os.write(end, b"HIERARCHY\n")
        os.close(end)
        return


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.dir.name)
        cls.takes = cls.folder / "takes"
        cls.names = make_takes(cls.takes)
        convert_here(cls.takes, cls.folder / "here", "positions,rotations,csv")
        cls.server = ServerProcess()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.dir.cleanup()

    def setUp(self):
        self.out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def command(self, name, *args, server=None):
        return [sys.executable, EXAMPLES / name, *args,
                "--server", (server or self.server).address]

    def run_example(self, name, *args):
        return subprocess.run(self.command(name, *args), cwd=self.out,
                              capture_output=True, text=True, check=False)

    def good_takes(self):
        """A folder with the two good takes."""
        folder = self.out / "in"
        folder.mkdir()
        for name, stem in GOOD.items():
            (folder / name).write_bytes(
                (self.takes / f"{stem}.bvh").read_bytes())
        return folder

    def expect_same(self, path, stem, output="positions"):
        here = self.folder / "here" / f"{stem}.{output}.npy"
        np.testing.assert_array_equal(np.load(path), np.load(here), stem)

    def expect_good(self, folder):
        for name, stem in GOOD.items():
            path = (folder / name).with_suffix(".positions.npy")
            self.expect_same(path, stem)

    def test_convert_writes_what_the_command_line_writes(self):
        takes = [self.takes / f"{stem}.bvh" for stem in self.names]
        ran = self.run_example("convert.py", *takes)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for stem in self.names:
            for output in ("positions", "rotations"):
                self.expect_same(
                    self.out / f"{stem}.{output}.npy", stem, output)

    def test_convert_says_where_a_file_is_broken(self):
        (self.out / "broken.bvh").write_text(BROKEN)
        ran = self.run_example("convert.py", "broken.bvh")
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"(?m)^broken.bvh:4:3: error: [A-Z_]+: ")

    def test_convert_goes_on_after_a_bad_file(self):
        for place, name in PLACES.items():
            with self.subTest(place):
                self.setUp()
                folder = self.good_takes()
                (folder / name).write_text(BROKEN)
                ran = self.run_example("convert.py", *sorted(folder.iterdir()))
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertIn(f"{folder / name}:4:3: error: ", ran.stderr)
                self.expect_good(self.out)

    def test_convert_goes_on_after_a_missing_file(self):
        for place, name in PLACES.items():
            with self.subTest(place):
                self.setUp()
                folder = self.good_takes()
                takes = sorted([*folder.iterdir(), folder / name])
                ran = self.run_example("convert.py", *takes)
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertIn(f"{name}: No such file", ran.stderr)
                self.expect_good(self.out)

    def test_convert_goes_on_after_a_report_that_is_too_long(self):
        broken, good = self.out / "a.bvh", self.takes / "static_pose.bvh"
        broken.write_text(MANY_JOINTS)
        server = ServerProcess("--max-unary-response-bytes", "4000")
        ran = subprocess.run(
            self.command("convert.py", broken, good, server=server),
            cwd=self.out,
            capture_output=True, text=True, check=False)
        server.stop()
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertRegex(ran.stderr, "a.bvh: OUT_OF_RANGE: .* use ConvertClips")
        self.expect_same(self.out / "static_pose.positions.npy", "static_pose")

    def test_convert_refuses_two_takes_of_one_name(self):
        ran = self.run_example("convert.py", "a/take.bvh", "b/take.bvh")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("two takes of one name", ran.stderr)

    def test_convert_many_goes_on_after_a_bad_file(self):
        for place, name in PLACES.items():
            with self.subTest(place):
                self.setUp()
                folder = self.good_takes()
                (folder / name).write_text(BROKEN)
                ran = self.run_example("convert_many.py", folder, "many")
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertIn(f"{name}:4:3: error: ", ran.stderr)
                self.expect_good(self.out / "many")

    def test_convert_many_goes_on_after_a_file_that_cannot_be_read(self):
        for place, name in PLACES.items():
            with self.subTest(place):
                self.setUp()
                folder = self.good_takes()
                (folder / name).mkdir()
                ran = self.run_example("convert_many.py", folder, "many")
                self.assertEqual(ran.returncode, 1, ran.stderr)
                # One line: the server says nothing about the part that it got.
                self.assertEqual(ran.stderr, f"{name}: Is a directory\n")
                self.expect_good(self.out / "many")

    def test_convert_many_wants_takes(self):
        ran = self.run_example("convert_many.py", "nowhere", "many")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("there is no .bvh file in nowhere", ran.stderr)

    def lose_server(self, name, words, result):
        """Runs an example whose server is killed when `result` is there.

        The second take is a pipe: the example waits for it.
        """
        folder = self.good_takes()
        pipe = folder / PLACES["middle"]
        os.mkfifo(pipe)
        server = ServerProcess()
        program = subprocess.Popen(
            self.command(name, *words(folder), server=server), cwd=self.out,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in program.stdout:
            if result in line:
                break
        server.kill()
        feed(pipe, program)
        _, stderr = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 3, stderr)
        self.assertNotIn("Traceback", stderr)
        return stderr

    def test_convert_keeps_results_when_the_server_goes_away(self):
        stderr = self.lose_server(
            "convert.py", lambda folder: sorted(folder.iterdir()),
            "c.rotations.npy")
        self.assertIn("the server failed: UNAVAILABLE: ", stderr)
        self.assertRegex(stderr, r"1 of 3 takes are converted; "
                                 r"not done: .*/m\.bvh, .*/p\.bvh\n$")
        self.expect_same(self.out / "c.positions.npy", "walk_cycle")

    def test_convert_many_keeps_results_when_the_server_goes_away(self):
        stderr = self.lose_server(
            "convert_many.py", lambda folder: [folder, "many"],
            "c.positions.npy")
        self.assertIn("the stream failed: UNAVAILABLE: ", stderr)
        self.assertIn("1 of 3 takes are converted; without a result: "
                      "m.bvh, p.bvh\n", stderr)
        self.expect_same(self.out / "many" / "c.positions.npy", "walk_cycle")

    def test_options_are_checked_before_anything_is_sent(self):
        for options, said in (
                ('{"outputs": [{"positions": {"includeEndsites": true}}]}',
                 "options.outputs[0].positions.includeEndsites: PositionsFormat"
                 " has no such field; did you mean include_end_sites? It has: "
                 "layout, include_end_sites"),
                ('{"output": []}', "options.output: ConvertOptions has no such "
                 "field; did you mean outputs? It has: read, "),
                ('{"read": {"zzz": 1}}', "options.read.zzz: ReadOptions has no "
                 "such field. It has: strictness, "),
                ('{"read": {"up_axis": "Z"}}', "options.read.up_axis: Axis has "
                 "no value 'Z'; did you mean AXIS_Z? It has: "),
                ('{"read": {"up_axis": 7}}', "Axis has no value 7. It has: "),
                ('{"validation": {"severity_overrides": {"A": "EROR"}}}',
                 'options.validation.severity_overrides["A"]: Severity has no '
                 "value 'EROR'"),
                ('{"outputs": {}}', "options.outputs: must be an array"),
                ('{"read": []}', "options.read: must be an object"),
                ('{"edits": {"resample_fps": "fast"}}', "resample_fps"),
                ('{', "Expecting property name")):
            with self.subTest(options):
                for words in (
                        ["convert.py", self.takes / "walk_cycle.bvh"],
                        ["convert_many.py", self.takes, "many"]):
                    ran = self.run_example(*words, "--options", options)
                    self.assertEqual(ran.returncode, 2, ran.stderr)
                    self.assertIn(said, ran.stderr)
                    self.assertNotIn("Traceback", ran.stderr)
                    self.assertEqual(list(self.out.iterdir()), [])

    def test_options_choose_the_outputs(self):
        options = ('{"outputs": [{"csv": {}}, {"rotations": {}}], '
                   '"read": {"up_axis": "AXIS_Y"}}')
        csv = (self.folder / "here" / "walk_cycle.csv").read_bytes()
        for out, *words in (
                (self.out, "convert.py", self.takes / "walk_cycle.bvh"),
                (self.out / "many", "convert_many.py", self.takes, "many")):
            ran = self.run_example(*words, "--options", options)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual((out / "walk_cycle.csv").read_bytes(), csv)
            self.expect_same(out / "walk_cycle.rotations.npy", "walk_cycle",
                             "rotations")


if __name__ == "__main__":
    unittest.main()
