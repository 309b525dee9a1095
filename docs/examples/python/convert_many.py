"""Converts every BVH file of a folder over one stream.

    docs/examples/python/make_stubs
    PYTHONPATH=build/stubs /usr/bin/python3 \
        docs/examples/python/convert_many.py FOLDER OUT_FOLDER \
        [--server HOST:PORT] [--options JSON]

Files of any size: each is sent in chunks, and its outputs come back in chunks.
A bad file fails alone; the others go on. If the server goes away, everything
that came before is kept.

Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the stream failed.
"""

import argparse
import pathlib
import sys

import grpc

from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc as clips_grpc
from shared import faults, options_argument, save

CHUNK_BYTES = 256 << 10
OUTPUTS = '{"outputs": [{"positions": {}}]}'


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


def requests(takes, options):
    """open (begin chunk* end)*; gRPC asks for the next frame as it sends."""
    yield clips.ConvertClipsRequest(
        open=clips.StreamOpen(options=options))
    for key, path in takes.items():
        yield from frames_of(path, key)


def save_all(out, result, parts):
    """Writes OUT/a/take.positions.npy for the key a/take.bvh."""
    stem = (out / result.key).with_suffix("")
    stem.parent.mkdir(parents=True, exist_ok=True)
    for output, data in zip(result.outputs, parts):
        save(stem, output, data)


def results(responses):
    """(result, bytes of each output) of each take, as they are ready."""
    arriving = {}
    for response in responses:
        frame = response.WhichOneof("frame")
        if frame == "begin":
            begin = response.begin
            arriving[begin.key] = [bytearray() for _ in begin.outputs]
        elif frame == "output_chunk":
            chunk = response.output_chunk
            arriving[chunk.key][chunk.output] += chunk.data
        else:  # the result: the last frame of its clip
            result = response.result
            yield result, arriving.pop(result.key, [])


def convert_all(stub, takes, options, out):
    """The exit status."""
    good = 0
    waiting = dict.fromkeys(takes)  # a set that keeps its order
    try:
        responses = stub.ConvertClips(requests(takes, options))
        for result, parts in results(responses):
            del waiting[result.key]
            if result.status.code == 0:
                save_all(out, result, parts)
                good += 1
            else:
                for line in faults(result.key, result):
                    say(line)
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
    parser.add_argument("--options", metavar="JSON", default=OUTPUTS,
                        type=options_argument,
                        help="ConvertOptions, with the names of options.proto")
    args = parser.parse_args()
    takes = {str(path.relative_to(args.folder)): path
             for path in sorted(args.folder.rglob("*.bvh"))}
    if not takes:
        parser.error(f"there is no .bvh file in {args.folder}")
    with grpc.insecure_channel(args.server) as channel:
        stub = clips_grpc.ClipServiceStub(channel)
        return convert_all(stub, takes, args.options, args.out_folder)


if __name__ == "__main__":
    sys.exit(main())
