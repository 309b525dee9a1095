"""Fixtures of all tests: clips of the project, and the programs."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ.get("BVHMILL_BIN", ROOT / "build/release/bin"))
DATA = os.environ.get("BVHMILL_DATA", "")


def run(code, timeout=120, **env):
    """Runs a program of its own; its output."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)],
                          capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **env})
    assert done.returncode == 0, done.stderr
    return done.stdout


def clips_in(*folders: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.bvh"))


def project_clips() -> list[pathlib.Path]:
    """The clips of tests/data: golden files and cases, good and bad."""
    return clips_in(ROOT / "tests/data/golden", ROOT / "tests/data/cases")


@pytest.fixture(scope="session")
def golden() -> pathlib.Path:
    return ROOT / "tests/data/golden"


@pytest.fixture(scope="session")
def cli() -> pathlib.Path:
    program = BIN / "bvhmill"
    if not program.exists():
        pytest.skip(f"there is no {program}")
    return program


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with long and odd takes that the project makes."""
    program = BIN / "bvhmill_samples"
    if not program.exists():
        pytest.skip(f"there is no {program}")
    folder = tmp_path_factory.mktemp("samples")
    subprocess.run([program, folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def walk_text(frames: int = 200, joints: int = 5) -> bytes:
    """A chain of joints that turns, in this many frames."""
    lines = ["HIERARCHY"]
    for i in range(joints):
        kind = "JOINT" if i else "ROOT"
        lines += [f"{kind} j{i}", "{", f"OFFSET 0 {i and 1} 0",
                  "CHANNELS 3 Zrotation Xrotation Yrotation" if i else
                  "CHANNELS 6 Xposition Yposition Zposition "
                  "Zrotation Xrotation Yrotation"]
    lines += ["End Site", "{", "OFFSET 0 1 0", "}"] + ["}"] * joints
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.01"]
    for frame in range(frames):
        turns = [f"{(frame * (i + 1) * 0.7) % 90:.3f}"
                 for i in range(3 * joints)]
        lines.append(" ".join([f"{frame * 0.01:.3f}", "0.9", "0"] + turns))
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture(scope="session")
def walk() -> bytes:
    return walk_text()


@pytest.fixture
def walk_path(tmp_path: pathlib.Path, walk: bytes) -> pathlib.Path:
    path = tmp_path / "walk.bvh"
    path.write_bytes(walk)
    return path


@pytest.fixture(scope="session")
def long_path(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A take that is read in more than half a second."""
    path = tmp_path_factory.mktemp("long") / "long.bvh"
    head, rows = walk_text(60_000, 20).split(b"0.01\n", 1)
    head = head.replace(b"60000", b"360000")
    path.write_bytes(head + b"0.01\n" + rows * 6)
    return path
