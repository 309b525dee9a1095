"""Follows a page as a newcomer would: every command in its order, as it stands.

    follow.py NODE_MODULES PAGE...

The pages are paths below the root of the project. Each is followed in a fresh
copy of the project, whose build/release is the build that BVHMILL_BIN is of.
There is no network. A command that cannot be run as it stands is replaced by a
rule, and the rule is printed:

  ./dev demo      writes the sample takes only: everything has been built
  ./dev test      is left out: this test is one of them
  ./dev build     is left out: everything has been built
  ./dev build python
                  is left out, too, if the package is in build/release
  apt-get install looks whether the packages are there
  npm install     links NODE_MODULES, if it has the packages
  bvhmilld        serves on a free port until the page ends. Commands, programs
                  and examples of the page find it there

A command must fail where the page shows an `error:` of it, and succeed
otherwise. Exit status: 0 all pages hold, 1 one does not, 77 programs of Node or
Python were left out, since NODE_MODULES or the package is not there.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from server_process import BIN, ROOT, ServerProcess
from steps import differs, steps_of

SERVER = "127.0.0.1:7450"
HTTP = "127.0.0.1:7452"
HTTP_FLAGS = ["--http", "7452"]
NOT_COPIED = shutil.ignore_patterns(".git", "build", "out", "node_modules")
LEFT_OUT = 77


class Failure(Exception):
    pass


class Newcomer:
    """Somebody with a fresh copy and a terminal."""

    def __init__(self, root, node_modules):
        self._node_modules = node_modules
        self._server = None
        self._root = root / "checkout"
        shutil.copytree(ROOT, self._root, ignore=NOT_COPIED, symlinks=True)
        (self._root / "build").mkdir()
        (self._root / "build" / "release").symlink_to(BIN.parent)
        ours = ("BVHMILL_", "NODE_", "PYTHONPATH")
        self._env = {name: value for name, value in os.environ.items()
                     if not name.startswith(ours)}
        self._env["HOME"] = str(root)
        self._has_no_python = False
        self.left_out = False

    def stop(self):
        if self._server is not None:
            self._server.stop()

    def take(self, step):
        """Raises Failure if the step does not do what the page says."""
        if step.file:
            file = self._root / step.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self._with_server(step.text))
            return
        if step.language:
            command = f"/usr/bin/python3 -c {shlex.quote(step.text)}"
        else:
            command = self._by_rule(step.text)
        if command is not None:
            self._run(step, command)

    def _with_server(self, text):
        if self._server is None:
            return text
        text = text.replace(SERVER, self._server.address)
        if self._server.http_address is None:
            return text
        return text.replace(HTTP, self._server.http_address)

    def _by_rule(self, text):
        """The command to run instead; None if there is none."""
        words = shlex.split(text.replace("\\\n", ""))
        if text == "./dev demo":
            return self._say(
                "everything has been built",
                "build/release/bin/bvhmill_samples build/demo/takes")
        if words[:2] == ["./dev", "test"]:
            return self._say("this test is one of them", None)
        if words == ["./dev", "build", "python"]:
            return self._find_python()
        if words[:2] == ["./dev", "build"]:
            return self._say("everything has been built", None)
        if words[:3] == ["sudo", "apt-get", "install"]:
            return self._say("no network",
                             shlex.join(["dpkg-query", "-W", *words[3:]]))
        if words[:2] == ["npm", "install"]:
            return self._link_packages(words[2:])
        if pathlib.Path(words[0]).name == "bvhmilld":
            return self._serve(words)
        if "/usr/bin/python3" in words and self._has_no_python:
            return self._say("the Python package is not built", None)
        if "node" in words and self._node_modules is None:
            self.left_out = True
            return self._say("there are no packages of Node", None)
        return self._with_server(text)

    def _say(self, reason, command):
        print(f"  RULE: {reason}; instead: {command or 'nothing'}")
        return command

    def _find_python(self):
        if not (BIN.parent / "package").is_dir():
            self.left_out = self._has_no_python = True
            return self._say("the Python package is not built", None)
        return self._say("the package has been built", None)

    def _link_packages(self, words):
        if self._node_modules is None:
            self.left_out = True
            return self._say("there are no packages of Node", None)
        if words[0] != "--prefix":
            raise Failure("npm install needs a rule for other than --prefix")
        commands = [f"test -d {self._node_modules}/{package}"
                    for package in words[2:]]
        commands += [f"mkdir -p {words[1]}",
                     f"ln -s {self._node_modules} {words[1]}/node_modules"]
        return self._say("no network", " && ".join(commands))

    def _serve(self, words):
        if shutil.which(words[0], path=self._env["PATH"]) is None and (
                not (self._root / words[0]).exists()):
            raise Failure(f"there is no {words[0]}")
        # Jobs go to the copy, too.
        if self._server is not None:
            raise Failure("the page starts a second server")
        flags = ["--http", "0"] if words[1:] == HTTP_FLAGS else words[1:]
        self._server = ServerProcess("--data-dir", self._root / "build/data",
                                     *flags)
        self._env["BVHMILL_SERVER"] = self._server.address
        for file in (self._root / "docs" / "examples").rglob("*"):
            if file.suffix in (".js", ".py"):
                file.write_text(self._with_server(file.read_text()))
        return self._say(f"{SERVER} is {self._server.address}, here, in "
                         "BVHMILL_SERVER and in docs/examples", None)

    def _run(self, step, command):
        state = self._root / "build" / "environment"
        ran = subprocess.run(
            ["bash", "-c", f"{command}\nstatus=$?\nenv -0 > {state}\n"
                           "exit $status"],
            cwd=self._root, env=self._env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120, check=False)
        self._keep_exports(state)
        # A terminal shows data first, then the summary.
        printed = ran.stdout + ran.stderr
        if self._server is not None:
            printed = printed.replace(self._server.address, SERVER)
        if (ran.returncode == 0) == ("error:" in step.shown):
            raise Failure(f"exit status {ran.returncode}; it printed:\n"
                          f"{printed}")
        if step.shown and differs(step, printed):
            raise Failure(f"the page shows:\n{step.shown}\n"
                          f"but it printed:\n{printed}")

    def _keep_exports(self, state):
        if state.exists():
            pairs = state.read_text().split("\0")
            self._env = dict(pair.split("=", 1) for pair in pairs if pair)


def follow(page, node_modules):
    """Whether programs were left out; raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        newcomer = Newcomer(pathlib.Path(folder), node_modules)
        try:
            for step in steps_of((ROOT / page).read_text()):
                name = f"{step.language} {step.file}"
                print(f"{page}:{step.line}:",
                      name if step.language else step.text, flush=True)
                newcomer.take(step)
        finally:
            newcomer.stop()
        return newcomer.left_out


def main():
    node_modules = pathlib.Path(sys.argv[1]).absolute()
    if not node_modules.is_dir():
        node_modules = None
    left_out = False
    for page in sys.argv[2:]:
        try:
            left_out |= follow(page, node_modules)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    return LEFT_OUT if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
