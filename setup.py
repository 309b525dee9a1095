"""Builds the Python package by CMake, which has the version and the files.

    python3 -m pip install --no-build-isolation .

BVHMILL_BUILD_DIR is the folder that CMake builds in; default: build/wheel-TAG,
where TAG is that of the Python, such as cpython-311. One that was configured
for this Python is taken as it is.

A wheel for other systems has the libraries that it needs:

    python3 setup.py bdist_wheel --plat-name manylinux_2_36_x86_64
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.extension import Extension

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(bvhmill VERSION ([\d.]+)", text).group(1)


def jobs():
    return os.environ.get("BVHMILL_JOBS", str(len(os.sched_getaffinity(0))))


class NoPython(build_py):
    """CMake lays out all files, with those that it makes."""

    def run(self):
        pass


def python_of(folder):
    """The Python that a folder was configured for; None: for none."""
    cache = folder / "CMakeCache.txt"
    found = cache.exists() and re.search(
        r"^_Python3_EXECUTABLE:\w+=(.+)$", cache.read_text(), re.M)
    return found.group(1) if found else None


def is_this(python):
    return os.path.realpath(python) == os.path.realpath(sys.executable)


def bundle(package):
    """Puts the libraries of the module into the package. manylinux has the C++
    library."""
    (module,) = package.glob("_bvhmill*.so")
    subprocess.run(["strip", module], check=True)
    subprocess.run([ROOT / "cmake/packages/bundle", module, package / "libs", "libs",
                    "bvhmill-", "libstdc++.so", "libgcc_s.so"], check=True)


class ByCMake(build_ext):
    def _is_for_other_systems(self):
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        return wheel is not None and "manylinux" in str(wheel.plat_name)

    def run(self):
        # A module is for one version of Python.
        folder = pathlib.Path(os.environ.get(
            "BVHMILL_BUILD_DIR",
            ROOT / f"build/wheel-{sys.implementation.cache_tag}"))
        python = python_of(folder)
        if python is None:
            subprocess.run(
                ["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder,
                 "-DCMAKE_BUILD_TYPE=Release", "-DBVHMILL_PYTHON=ON",
                 *(f"-DBVHMILL_{part}=OFF" for part in
                   ("SERVICE", "TESTS", "BENCH", "INSTALL")),
                 f"-DPython3_EXECUTABLE={sys.executable}"],
                check=True, cwd=ROOT)
        elif not is_this(python):
            raise SystemExit(
                f"{folder} was configured for {python}, and this is "
                f"{sys.executable}: remove it, or set BVHMILL_BUILD_DIR")
        subprocess.run(["cmake", "--build", folder, "-j", jobs(),
                        "--target", "bvhmill_python"], check=True)
        target = pathlib.Path(self.build_lib) / "bvhmill"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder / "package/bvhmill", target,
                        ignore=shutil.ignore_patterns("__pycache__"))
        if self._is_for_other_systems():
            bundle(target)


class Compiled(Distribution):
    """The wheel is for one platform and one version of Python."""

    def has_ext_modules(self):
        return True


(ROOT / "build").mkdir(exist_ok=True)
setup(
    name="bvhmill",
    version=version(),
    description="BVH motion capture as NumPy arrays",
    long_description=(ROOT / "docs/python.md").read_text()
    if (ROOT / "docs/python.md").exists() else "",
    long_description_content_type="text/markdown",
    license_files=["LICENSE"],
    python_requires=">=3.9",
    install_requires=["numpy >= 1.23"],
    extras_require={"client": ["grpcio >= 1.46", "protobuf >= 3.20"]},
    distclass=Compiled,
    ext_modules=[Extension("bvhmill._bvhmill", [])],
    cmdclass={"build_py": NoPython, "build_ext": ByCMake},
    options={"egg_info": {"egg_base": "build"},
             "build": {"build_base": "build/setuptools"}},
)
