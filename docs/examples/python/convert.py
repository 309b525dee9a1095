"""Has a server convert every BVH file of a folder, over one stream.

    PYTHONPATH=build/release/package /usr/bin/python3 \
        docs/examples/python/convert.py FOLDER OUT_FOLDER \
        [--server HOST:PORT] [--options JSON]

Writes OUT_FOLDER/a/take.positions.npy for FOLDER/a/take.bvh. Options are the
keywords of bvhmill.read. A bad file is reported, and the others go on. If the
server goes away and does not come back, everything that came before is kept.

Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the server failed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import Any

import numpy as np

from bvhmill.client import Client, ServerError


def save(take: Any, path: pathlib.Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, take.positions)
    print(f"{path}: {take.positions.shape}", flush=True)


def convert_all(client: Client, folder: pathlib.Path, out: pathlib.Path,
                options: dict[str, Any]) -> int:
    """The exit status."""
    paths = sorted(folder.rglob("*.bvh"))
    waiting = dict.fromkeys(map(str, paths))
    good = 0
    try:
        for outcome in client.read_many(paths, **options):
            del waiting[outcome.path]
            if outcome.take is None:
                print(outcome.error, file=sys.stderr)
                continue
            stem = pathlib.Path(outcome.path).relative_to(folder)
            save(outcome.take, (out / stem).with_suffix(".positions.npy"))
            good += 1
    except ServerError as error:
        print(f"the server failed: {error}\n{good} of {len(paths)} takes are "
              f"converted; without a result: {', '.join(waiting)}",
              file=sys.stderr)
        return 3
    return 0 if good == len(paths) else 1


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("out_folder", metavar="OUT_FOLDER", type=pathlib.Path)
    parser.add_argument("--server", metavar="HOST:PORT",
                        default="127.0.0.1:7450")
    parser.add_argument("--options", metavar="JSON", default={},
                        type=json.loads, help="keywords of bvhmill.read, such "
                        "as {\"fps\": 30}")
    args = parser.parse_args()
    if not any(args.folder.rglob("*.bvh")):
        parser.error(f"there is no .bvh file in {args.folder}")
    with Client(args.server) as client:
        try:
            return convert_all(client, args.folder, args.out_folder,
                               args.options)
        except (TypeError, ValueError) as error:
            parser.error(f"argument --options: {error}")


if __name__ == "__main__":
    sys.exit(main())
