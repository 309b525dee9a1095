"""Types, doctests, and the compiled module."""

import ast
import doctest
import importlib
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import bvhmill
from bvhmill import _bvhmill
from conftest import ROOT

PACKAGE = pathlib.Path(bvhmill.__file__).parent
SOURCE = ROOT / "client/python"
# Modules without examples, and those that test_jobs runs with a server.
OTHER = (".v1", "._bvhmill", ".jobs")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    names = ["bvhmill"]
    for module in pkgutil.walk_packages([str(PACKAGE)], "bvhmill."):
        if not any(part in module.name for part in OTHER):
            names.append(module.name)
    return names


class Finder(doctest.DocTestFinder):
    """Finds the examples of what a module defines: doctest itself leaves out
    classes that name another module, and their methods."""

    def _from_module(self, module, value):
        if isinstance(value, property):
            return True
        if not isinstance(value, type):
            return getattr(value, "__globals__", None) is module.__dict__
        tree = ast.parse(pathlib.Path(module.__file__).read_text())
        return value.__name__ in {node.name for node in tree.body
                                  if isinstance(node, ast.ClassDef)}


def run_examples(name, **names):
    """(failures, examples) of the docstrings of a module."""
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in Finder().find(module, name, extraglobs=names):
        runner.run(test)
    return runner.failures, runner.tries


@pytest.mark.parametrize("name", modules())
def test_examples_of_docstrings(name):
    if ".client" in name:
        pytest.importorskip("grpc")
    assert run_examples(name)[0] == 0


def test_examples_of_methods_are_found():
    assert run_examples("bvhmill._take")[1] > 10


def test_everything_public_has_an_example():
    for name in bvhmill.__all__:
        value = getattr(bvhmill, name)
        if name.endswith("Options") or name in (
                "AmbiguousName", "ConventionUnknown", "EditError",
                "LimitError", "TakeIterator"):
            assert value.__doc__, name
            continue
        assert ">>>" in value.__doc__, name


def test_every_method_of_a_take_has_an_example():
    for name, value in vars(bvhmill.Take).items():
        if not name.startswith("_") and not isinstance(value, property):
            assert ">>>" in (getattr(value, "__doc__", "") or ""), name


def test_the_docstring_of_options_has_every_keyword():
    for options in (bvhmill.CheckOptions, bvhmill.EditOptions,
                    bvhmill.NpzOptions, bvhmill.AnimOptions):
        words = set(re.findall(r"^ {4}(\w+):$", options.__doc__, re.M))
        assert set(options.__annotations__) == words


def run_mypy(*files):
    pytest.importorskip("mypy")
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file",
         SOURCE / "mypy.ini", "--cache-dir", ROOT / "build/mypy", *files],
        # With the files that CMake makes.
        cwd=PACKAGE.parent, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        capture_output=True, text=True)


def test_mypy_is_content_with_the_package():
    done = run_mypy("-p", "bvhmill")
    assert done.returncode == 0, done.stdout


def test_mypy_is_content_with_the_examples():
    examples = sorted((ROOT / "docs/examples/python").glob("*.py"))
    assert len(examples) >= 4
    done = run_mypy(*examples)
    assert done.returncode == 0, done.stdout


def test_mypy_finds_wrong_calls(tmp_path):
    program = tmp_path / "user.py"
    program.write_text(
        "import bvhmill\n"
        "take = bvhmill.read('a.bvh', fps=30.0, arrays=['rotations'])\n"
        "reveal_type(take.positions)\n"
        "bvhmill.read('a.bvh', fsp=3)\n"
        "bvhmill.read('a.bvh', arrays=['rotation'])\n"
        "take.edit(up='w')\n"
        "bvhmill.read_many_async(['a'], thread=2)\n"
        "take.to_npz(arays=['positions'])\n"
        "take.save('a.anim', prioritee=3)\n"
        "bvhmill.read_batch(['a']).position\n"
        "next(bvhmill.stream('a')).position\n")
    lines = [line for line in run_mypy(program).stdout.splitlines()
             if "user.py" in line]
    assert "ndarray" in lines[0] and ":3:" in lines[0]
    assert [re.search(r":(\d+): error", line).group(1)
            for line in lines[1:] if "error" in line] == [
        str(number) for number in range(4, 12)]


def test_mypy_tells_outcomes_apart_by_ok(tmp_path):
    program = tmp_path / "user.py"
    program.write_text(
        "import bvhmill\n"
        "def frames(outcome: bvhmill.Outcome) -> int:\n"
        "    return outcome.unwrap().frames\n"
        "for outcome in bvhmill.read_many(['a']):\n"
        "    frames(outcome)\n"
        "    if outcome.ok:\n"
        "        outcome.take.frames\n"
        "        outcome.report.counts\n"
        "    else:\n"
        "        str(outcome.error.args)\n"
        "    if not outcome.ok:\n"
        "        raise outcome.error\n"
        "    outcome.take.frames\n")
    done = run_mypy(program)
    assert done.returncode == 0, done.stdout
    program.write_text(
        "import bvhmill\n"
        "for outcome in bvhmill.read_many(['a']):\n"
        "    outcome.take.frames\n")
    assert "has no attribute" in run_mypy(program).stdout


# contextlib has aclosing since Python 3.10.
def test_mypy_knows_that_iterators_can_be_closed(tmp_path):
    program = tmp_path / "user.py"
    program.write_text(
        "import contextlib\n"
        "import bvhmill\n"
        "from bvhmill.client import AsyncClient, Client\n"
        "from bvhmill.jobs import AsyncJobs, Jobs\n"
        "bvhmill.read_many(['a']).close()\n"
        "with contextlib.closing(bvhmill.stream('a')) as blocks:\n"
        "    reveal_type(next(blocks).info)\n"
        "with Client('x:1').read_many(['a']) as outcomes:\n"
        "    reveal_type(next(outcomes).take)\n"
        "with Jobs('x:1').results('j') as results:\n"
        "    reveal_type(next(results).take)\n"
        "async def many() -> None:\n"
        "    async with bvhmill.read_many_async(['a']) as ours:\n"
        "        reveal_type([outcome.take async for outcome in ours])\n"
        "    await AsyncClient('x:1').read_many(['a']).aclose()\n"
        "    await AsyncJobs('x:1').results('j').aclose()\n")
    done = run_mypy(program)
    assert done.returncode == 0, done.stdout
    types = [line.split("Revealed type is ")[1]
             for line in done.stdout.splitlines() if "Revealed" in line]
    assert [re.search(r"(\w+)(, None)?\]*\"", kind).group(1)
            for kind in types] == ["Info", "Take", "Take", "Take"], types


def names_of_stub():
    """(name, names inside it) of the stub."""
    tree = ast.parse((SOURCE / "bvhmill/_bvhmill.pyi").read_text())
    names = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {item.name for item in node.body
                                if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = set()
    return names


def test_the_stub_has_the_names_of_the_module():
    stub = names_of_stub()
    module = {name: {key for key in vars(value) if not key.startswith("__")}
              if isinstance(value, type) else set()
              for name, value in vars(_bvhmill).items()
              if not name.startswith("__")}
    assert {name: names - {"__init__"} for name, names in stub.items()} == {
        name: names - {"_pybind11_conduit_v1_"}
        for name, names in module.items()}


def test_the_module_exports_one_symbol():
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", _bvhmill.__file__],
        capture_output=True, text=True, check=True).stdout.split()
    # _ZTV and such: what C++ shares between libraries.
    names = [name for name in listed[2::3]
             if not name.startswith(("_ZG", "_ZT"))]
    assert "PyInit__bvhmill" in names
    assert [n for n in names if "bvhmill" in n.lower()] == ["PyInit__bvhmill"]


def test_the_module_needs_neither_grpc_nor_numpy():
    listed = subprocess.run(["ldd", _bvhmill.__file__], capture_output=True,
                            text=True, check=True).stdout
    for library in ("libgrpc", "libprotobuf", "libpython"):
        assert library not in listed


def test_the_version_is_that_of_cmake():
    text = (ROOT / "CMakeLists.txt").read_text()
    version = re.search(r"project\(bvhmill\s+VERSION\s+([\d.]+)", text)
    assert bvhmill.__version__.startswith(version.group(1))


def test_the_package_has_its_types():
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_bvhmill.pyi").exists()


def test_keywords_are_the_keys_of_the_schema():
    from bvhmill._option_types import ROWS

    schema = json.loads((ROOT / "docs/schema/options.schema.json").read_text())
    assert set(schema["properties"]) == {"emit", *ROWS}
