"""The manual, the tutorial and the examples run as they stand."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import bvhmill
from conftest import ROOT, walk_text
from servers import Server

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
    with Server("--data-dir", here / "data") as server:
        names["night"](names["Jobs"](server.address))
    takes = list((here / "takes").glob("*.bvh"))
    assert len(list((here / "out").glob("*.npz"))) == len(takes)


def test_the_manual_names_what_exists():
    pytest.importorskip("bvhmill.jobs")
    text = (DOCS / "python.md").read_text()
    for name in re.findall(r"bvhmill\.(\w+)\(", text):
        assert hasattr(bvhmill, name), name
    for name in re.findall(r"\bjobs\.(\w+)\(", text):
        assert hasattr(bvhmill.jobs.Jobs, name), name
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


# One of two takes of the same joints; the other one has a name in Latin-1.
def test_windows_of_a_take_whose_name_is_not_utf8(here, walk):
    pytest.importorskip("torch")
    (here / "in").mkdir()
    for name in (b"in/a.bvh", b"in/caf\xe9.bvh"):
        with open(name, "wb") as file:
            file.write(walk)
    lines = run_example("torch_windows.py", "in").splitlines()
    # 200 frames have 24 windows of 16 frames.
    assert sum(int(line.split("(")[1].split(",")[0]) for line in lines
               if line.startswith("windows")) == 2 * 24


def test_takes_of_one_name_in_several_folders_in_dask(here):
    pytest.importorskip("dask.dataframe")
    pytest.importorskip("distributed")
    names = ["a", "one/a", "one/two/a"]
    for frames, name in enumerate(names, 5):
        path = here / f"in/{name}.bvh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(walk_text(frames))
    assert "3 of 3 takes, 18 frames" in run_example("dask_folder.py", "in",
                                                    "out")
    assert [len(np.load(here / f"out/{name}.npy")) for name in names] == [
        5, 6, 7]


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


@pytest.fixture
def server(tmp_path):
    pytest.importorskip("grpc")
    with Server("--data-dir", tmp_path / "data") as server:
        yield server


def refused(status, name, *args):
    """The words of an example that ends with this exit status."""
    done = subprocess.run([sys.executable, EXAMPLES / name, *args],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


BROKEN = "HIERARCHY\nROOT Hips\n{\n  OFSET 0\n"


def test_a_folder_on_a_server(here, server):
    run_example("convert.py", "takes", "out", "--server", server.address,
                "--options", '{"fps": 30}')
    paths = sorted((here / "takes").rglob("*.bvh"))
    for path in paths:
        np.testing.assert_array_equal(
            np.load(here / "out" / f"{path.stem}.positions.npy"),
            bvhmill.read(path, fps=30).positions)


def test_a_folder_with_a_bad_take_on_a_server(here, server):
    (here / "in/deep").mkdir(parents=True)
    for name in ("a.bvh", "z.bvh", "deep/b.bvh"):
        (here / "in" / name).write_bytes(bvhmill.example())
    (here / "in/m.bvh").write_text(BROKEN)
    said = refused(1, "convert.py", "in", "out", "--server", server.address)
    assert said.startswith("in/m.bvh:4:3: error: ")
    assert sorted(path.name for path in (here / "out").rglob("*.npy")) == [
        "a.positions.npy", "b.positions.npy", "z.positions.npy"]
    said = refused(2, "convert.py", "in", "out", "--server", server.address,
                   "--options", '{"fsp": 30}')
    assert "did you mean 'fps'" in said
    assert "no .bvh file" in refused(2, "convert.py", "out", "more")
    said = refused(3, "convert.py", "in", "more", "--server", "127.0.0.1:9")
    assert "0 of 4 takes are converted; without a result: in/a.bvh, " in said


def test_a_folder_as_a_job(here, server, cli):
    (here / "in/deep").mkdir(parents=True)
    for path in (here / "takes").glob("*.bvh"):
        (here / "in/deep" / path.name).write_bytes(path.read_bytes())
    words = ("in", "out", "--server", server.address)
    first = run_example("job.py", *words)
    subprocess.run([cli, "convert", "-r", "in", "-o", "there", "--emit",
                    "npz,report", "--local", "-q"], check=True)
    names = sorted(path.name for path in (here / "there/deep").iterdir())
    assert len(names) > 4
    for name in names:
        assert (here / "there/deep" / name).read_bytes() == (
            here / "out/deep" / name).read_bytes(), name
    again = run_example("job.py", *words)
    assert again.splitlines()[-1] == first.splitlines()[-1]
    assert again.split(":")[0] == first.split(":")[0]
    (here / "in/bad.bvh").write_text(BROKEN)
    assert "in/bad.bvh:4:3: error: " in refused(1, "job.py", *words)
    assert "no *.bvh below it" in refused(
        2, "job.py", "there", "out", "--server", server.address)


@pytest.mark.parametrize("page", ["ray.md", "spark.md"])
def test_pages_that_were_not_run_say_so(page):
    assert "not run here" in (EXAMPLES / page).read_text()
