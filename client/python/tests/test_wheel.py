"""The package becomes a wheel without a network, is installed and tested."""

import os
import subprocess
import sys
import sysconfig
import zipfile

import pytest

import bvhmill
from conftest import ROOT

# Tests that packaging could break; all others run the same code.
TESTS = ["test_read.py", "test_report.py", "test_take.py", "test_batch.py"]

pytestmark = pytest.mark.skipif(
    "BVHMILL_WHEEL_DIR" not in os.environ,
    reason="BVHMILL_WHEEL_DIR is not set; ./dev test sets it")


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True,
                          capture_output=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation",
        "--no-deps", "--no-index", "-w", folder, ROOT,
        env={**os.environ,
             "BVHMILL_BUILD_DIR": os.environ["BVHMILL_WHEEL_DIR"]})
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of an environment with the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    return python


def test_its_name_has_version_and_platform(wheel):
    tag = "cp{}{}".format(*sys.version_info[:2])
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name == f"bvhmill-{bvhmill.__version__}-{tag}-{tag}-" \
                         f"{platform}.whl"


def test_it_has_the_files_of_the_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {path.relative_to(ROOT / "client/python").as_posix()
              for path in (ROOT / "client/python/bvhmill").rglob("*")
              if path.is_file() and "__pycache__" not in path.parts}
    assert wanted <= set(names)
    assert "bvhmill/v1/clip_service_pb2_grpc.py" in names
    assert not [name for name in names if "test" in name]


def test_the_suite_passes_with_it(python):
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("PYTHONPATH", "BVHMILL_WHEEL_DIR")}
    tests = ROOT / "client/python/tests"
    place = run(python, "-c", "import bvhmill; print(bvhmill.__file__)",
                cwd=tests, env=environment)
    assert place.startswith(str(python.parent.parent))
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS,
        cwd=tests, env=environment)
