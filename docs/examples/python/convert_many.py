"""Converts every BVH file of a folder over one stream.

    docs/examples/python/make_stubs
    PYTHONPATH=build/python /usr/bin/python3 \
        docs/examples/python/convert_many.py FOLDER OUT_FOLDER \
        [--server HOST:PORT]

Files of any size: each is sent in chunks, and its outputs come back in chunks.
A bad file fails alone; the others go on. If the server goes away, everything
that came before is kept.

Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the stream failed.
"""

import argparse
import pathlib
import sys

import grpc
import numpy as np

from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc as clips_grpc
from shared import array_of, faults, options_of

CHUNK_BYTES = 256 << 10
OPTIONS = {"outputs": [{"positions": {}}]}


def say(text):
    print(text, file=sys.stderr)


def frames_of(path, key):
    """begin chunk* end of one take; one that cannot be read is given up."""
    source = clips.Source(display_name=path.name)
    yield clips.ConvertClipsRequest(
        begin=clips.ClipBegin(key=key, source=source))
    end = clips.ClipEnd()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield clips.ConvertClipsRequest(chunk=chunk)
    except OSError as error:
        say(f"{key}: {error.strerror}")
        end.abandon = True
    yield clips.ConvertClipsRequest(end=end)


def requests(takes):
    """open (begin chunk* end)*; gRPC asks for the next frame as it sends."""
    yield clips.ConvertClipsRequest(
        open=clips.StreamOpen(options=options_of(OPTIONS)))
    for key, path in takes.items():
        yield from frames_of(path, key)


def save(out, key, output, data):
    """Writes OUT/a/take.positions.npy for the key a/take.bvh."""
    target = (out / key).with_suffix(".positions.npy")
    target.parent.mkdir(parents=True, exist_ok=True)
    array = array_of(output, data)
    np.save(target, array)
    print(f"{target}: {array.shape}", flush=True)


def explain(result):
    """Prints why a take failed, with every error in the file."""
    lines = list(faults(result.key, result.report))
    for line in lines or [f"{result.key}: {result.status.message}"]:
        say(line)


def results(responses):
    """(result, bytes of its output) of each take, as they are ready."""
    arriving = {}
    for response in responses:
        frame = response.WhichOneof("frame")
        if frame == "begin":
            arriving[response.begin.key] = bytearray()
        elif frame == "output_chunk":
            chunk = response.output_chunk
            arriving[chunk.key] += chunk.data
        else:  # the result: the last frame of its clip
            result = response.result
            yield result, arriving.pop(result.key, None)


def convert_all(stub, takes, out):
    """The exit status."""
    good = 0
    waiting = dict.fromkeys(takes)  # a set that keeps its order
    try:
        for result, data in results(stub.ConvertClips(requests(takes))):
            del waiting[result.key]
            if result.status.code == 0:
                save(out, result.key, result.outputs[0], data)
                good += 1
            else:
                explain(result)
    except grpc.RpcError as error:
        say(f"the stream failed: {error.code().name}: {error.details()}")
        say(f"{good} of {len(takes)} takes are converted; without a result: "
            + ", ".join(waiting))
        return 3
    return 0 if good == len(takes) else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("out_folder", metavar="OUT_FOLDER", type=pathlib.Path)
    parser.add_argument("--server", metavar="HOST:PORT",
                        default="127.0.0.1:7450")
    args = parser.parse_args()
    takes = {str(path.relative_to(args.folder)): path
             for path in sorted(args.folder.rglob("*.bvh"))}
    if not takes:
        parser.error(f"there is no .bvh file in {args.folder}")
    with grpc.insecure_channel(args.server) as channel:
        stub = clips_grpc.ClipServiceStub(channel)
        return convert_all(stub, takes, args.out_folder)


if __name__ == "__main__":
    sys.exit(main())
