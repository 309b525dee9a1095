"""Has a server convert a folder as a durable job, and fetches the files.

    PYTHONPATH=build/release/package /usr/bin/python3 \
        docs/examples/python/job.py FOLDER OUT_FOLDER [--server HOST:PORT] \
        [--token-file FILE]

Interrupt it whenever you like, and run it again: the server works on, and
nothing is uploaded, converted or fetched twice.

Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the server failed.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from bvhmill.jobs import Job, Jobs, ServerError


def show(job: Job) -> None:
    print(f"{job.state}: {job.done} of {job.total} clips", file=sys.stderr)


def run(jobs: Jobs, folder: pathlib.Path, out: pathlib.Path) -> int:
    """The exit status."""
    submitted = jobs.submit([folder], emit=["npz", "report"],
                            name=folder.name)
    print(submitted)
    jobs.wait(submitted, progress=show)
    saved = jobs.save(submitted, out)
    for clip in saved:
        if clip.error is not None:
            print(clip.error, file=sys.stderr)
    good = sum(clip.ok for clip in saved)
    print(f"{good} of {submitted.job.total} clips are in {out}")
    return 0 if good == len(saved) and not submitted.errors else 1


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("out_folder", metavar="OUT_FOLDER", type=pathlib.Path)
    parser.add_argument("--server", metavar="HOST:PORT",
                        default="127.0.0.1:7450")
    parser.add_argument("--token-file", metavar="FILE", type=pathlib.Path)
    args = parser.parse_args()
    token = args.token_file and args.token_file.read_text().strip()
    with Jobs(args.server, token=token) as jobs:
        try:
            return run(jobs, args.folder, args.out_folder)
        except ValueError as error:
            parser.error(str(error))
        except ServerError as error:
            print(f"the server failed: {error}", file=sys.stderr)
            return 3


if __name__ == "__main__":
    sys.exit(main())
