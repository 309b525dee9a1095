"""The manual, the tutorial and the examples run as they stand."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import bvhmill
from conftest import ROOT

DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples/python"


@pytest.fixture
def here(tmp_path, samples, monkeypatch):
    """A folder with `takes`, where programs run."""
    (tmp_path / "takes").symlink_to(samples)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_manual(here):
    pytest.importorskip("grpc")
    text = (DOCS / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M)
    assert len(blocks) > 8
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert (here / "small.bvh").exists()


def test_the_manual_names_what_exists():
    text = (DOCS / "python.md").read_text()
    for name in re.findall(r"bvhmill\.(\w+)\(", text):
        assert hasattr(bvhmill, name), name
    for link in re.findall(r"\]\(([\w/.]+)\)", text):
        assert (DOCS / link).exists(), link


def test_the_tutorial(here):
    for package in ("pandas", "matplotlib", "scipy"):
        pytest.importorskip(package)
    book = json.loads((EXAMPLES / "tutorial.ipynb").read_text())
    names = {}
    cells = ["".join(cell["source"]) for cell in book["cells"]
             if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        exec(compile(cell, f"tutorial.ipynb cell {number}", "exec"), names)
    assert names["training"].ndim == 4 and len(names["training"]) > 4
    assert (here / "heights.png").stat().st_size > 1000
    assert all(not cell.get("outputs") for cell in book["cells"])


def test_the_tutorial_is_a_notebook():
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.read(EXAMPLES / "tutorial.ipynb", as_version=4)
    nbformat.validate(book)


def run_example(name, *args):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *args], capture_output=True,
        text=True, timeout=240, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_windows_in_pytorch(here):
    pytest.importorskip("torch")
    lines = run_example("torch_windows.py", "takes").splitlines()
    windows = [line for line in lines if line.startswith("windows")]
    assert len(windows) >= 2 and ", 16, " in windows[0]
    assert any(line.startswith("takes (2, ") for line in lines)


def test_a_folder_in_dask(here):
    pytest.importorskip("dask.dataframe")
    pytest.importorskip("distributed")
    out = run_example("dask_folder.py", "takes", "out")
    takes = {path.stem: bvhmill.read(path)
             for path in (here / "takes").glob("*.bvh")}
    assert f"{len(takes)} of {len(takes)} takes" in out
    for name, take in takes.items():
        np.testing.assert_array_equal(np.load(here / f"out/{name}.npy"),
                                      take.positions)
    table = (here / "out/issues.csv").read_text()
    issues = sum(len(take.report.issues) for take in takes.values())
    assert table.startswith("path,code,severity,message,occurrences\n")
    assert table.count("\n") >= issues


@pytest.mark.parametrize("page", ["ray.md", "spark.md"])
def test_pages_that_were_not_run_say_so(page):
    assert "not run here" in (EXAMPLES / page).read_text()
