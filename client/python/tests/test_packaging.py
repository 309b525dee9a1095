"""The source package, and how setup.py calls CMake. Nothing is compiled."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

setuptools = pytest.importorskip("setuptools")

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
    assert len(wanted) > 400
    assert sorted(wanted - names) == []
    assert not [name for name in names if "__pycache__" in name]


class Build:
    """setup.py in a folder of its own, whose calls of CMake do nothing but lay
    out a package."""

    def __init__(self, folder, monkeypatch):
        monkeypatch.setattr(setuptools, "setup", lambda **words: None)
        spec = importlib.util.spec_from_file_location("setup_py",
                                                      ROOT / "setup.py")
        setup = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(setup)
        monkeypatch.setattr(setup, "ROOT", folder)
        monkeypatch.setattr(subprocess, "run", self._run)
        self._command = setup.ByCMake(setuptools.Distribution())
        self._command.build_lib = str(folder / "lib")
        self.calls = []
        # The files of the package.
        self.files = ["a.py"]

    def _run(self, words, **options):
        words = list(map(str, words))
        self.calls.append(words)
        if "--build" in words:
            package = pathlib.Path(words[2]) / "package/bvhmill"
            package.mkdir(parents=True, exist_ok=True)
            for name in self.files:
                (package / name).write_text("")

    def run(self):
        """The names of the files that are packed."""
        self._command.run()
        return sorted(os.listdir(pathlib.Path(self._command.build_lib)
                                 / "bvhmill"))


@pytest.fixture
def build(tmp_path, monkeypatch):
    monkeypatch.delenv("BVHMILL_BUILD_DIR", raising=False)
    return Build(tmp_path, monkeypatch)


def configure(folder, python):
    folder.mkdir(parents=True)
    (folder / "CMakeCache.txt").write_text(
        f"A:STRING=b\n_Python3_EXECUTABLE:INTERNAL={python}\nC:BOOL=ON\n")


def test_each_python_has_a_folder_of_its_own(build, tmp_path, monkeypatch):
    build.run()
    folder = tmp_path / f"build/wheel-{sys.implementation.cache_tag}"
    words = build.calls[0]
    assert words[0] == "cmake" and words[words.index("-B") + 1] == str(folder)
    assert f"-DPython3_EXECUTABLE={sys.executable}" in words
    assert build.calls[1][:3] == ["cmake", "--build", str(folder)]
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-99")
    build.run()
    assert build.calls[3][2] == str(tmp_path / "build/wheel-cpython-99")


def test_a_folder_of_this_python_is_taken_as_it_is(build, tmp_path,
                                                   monkeypatch):
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    configure(tmp_path / "mine", link)
    monkeypatch.setenv("BVHMILL_BUILD_DIR", str(tmp_path / "mine"))
    assert build.run() == ["a.py"]
    assert [call[:2] for call in build.calls] == [["cmake", "--build"]]


def test_a_folder_of_another_python_is_refused(build, tmp_path, monkeypatch):
    configure(tmp_path / "mine", "/opt/python3.9")
    monkeypatch.setenv("BVHMILL_BUILD_DIR", str(tmp_path / "mine"))
    with pytest.raises(SystemExit) as caught:
        build.run()
    assert "mine was configured for /opt/python3.9" in str(caught.value)
    assert not build.calls


def test_files_of_an_earlier_build_are_not_packed(build, tmp_path):
    target = tmp_path / "lib/bvhmill"
    target.mkdir(parents=True)
    (target / "_bvhmill.cpython-39-x86_64-linux-gnu.so").write_text("")
    assert build.run() == ["a.py"]
