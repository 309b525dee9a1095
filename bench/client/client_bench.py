"""Times the command line through a server: ./dev bench client [--json [FILE]]

The same takes are converted by a server on this machine and, in turns, in the
process of the command. Both must write the same bytes.
"""

import os
import pathlib
import subprocess
import tempfile

from turns import (in_turns, median_ratio, metrics, run, seconds_of, spread,
                   walk_text)

BIN = pathlib.Path(os.environ["BVHMILL_BIN"])


class Server:
    def __enter__(self):
        self._process = subprocess.Popen(
            [BIN / "bvhmilld", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self._process.stdout:
            if line.startswith("listening on "):
                return line.split()[2]
        raise RuntimeError("the server did not start")

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()


def convert(takes, out, *where):
    subprocess.run([BIN / "bvhmill", "convert", "-qfr", takes, "-o", out,
                    "--emit", "positions", *where], check=True,
                   stdout=subprocess.DEVNULL)


def bench(args):
    # A folder of the checkout: /tmp may be too small, or memory.
    with tempfile.TemporaryDirectory(dir=BIN.parent.parent) as name, \
            Server() as server:
        folder = pathlib.Path(name)
        takes = folder / "takes"
        takes.mkdir()
        text = walk_text(args.kilobytes / 1000)
        for i in range(args.takes):
            (takes / f"take{i:05}.bvh").write_bytes(text)
        ways = [[folder / "local", "--local"],
                [folder / "served", "--server", server]]
        turns = in_turns(*(
            lambda way=way: seconds_of(lambda: convert(takes, *way))
            for way in ways), turns=args.turns)
        subprocess.run(["diff", "-r", "-x", ".*", *(way[0] for way in ways)],
                       check=True)
        metrics["client.ratio_to_local"] = median_ratio(turns)
        for i, word in enumerate(("local", "served")):
            metrics[f"client.{word}.takes_per_s"] = spread(
                [args.takes / turn[i] for turn in turns])


if __name__ == "__main__":
    run({"client": bench}, __doc__, takes=3000, kilobytes=180, turns=5)
