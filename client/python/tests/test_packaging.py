"""The source package, and how setup.py calls CMake. Nothing is compiled."""

import shutil
import subprocess
import sys
import tarfile

import pytest

pytest.importorskip("setuptools")

from conftest import ROOT

# The wheel is built of these.
SOURCES = ["client", "cmake", "lib", "proto", "CMakeLists.txt",
           "CMakePresets.json", "LICENSE", "pyproject.toml", "setup.py",
           "docs/python.md"]


def test_a_source_package_has_what_the_wheel_is_built_of(tmp_path):
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")
    tracked = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=ROOT,
                             check=True, capture_output=True, text=True)
    done = subprocess.run([sys.executable, "setup.py", "-q", "sdist", "-d",
                           tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as package:
        names = {name.partition("/")[2] for name in package.getnames()}
    wanted = set(filter(None, tracked.stdout.split("\0")))
    assert len(wanted) > 700
    assert sorted(wanted - names) == []
    assert not [name for name in names if "__pycache__" in name]
