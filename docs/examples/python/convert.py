"""Converts BVH files through a bvhmill server, a call for each.

    docs/examples/python/make_stubs
    PYTHONPATH=build/stubs /usr/bin/python3 docs/examples/python/convert.py \
        TAKE.bvh... [--server HOST:PORT] [--options JSON]

Writes TAKE.positions.npy and TAKE.rotations.npy into the current folder, or the
outputs that the options ask for. A bad file is reported, and the others go on.

Exit status: 0 all good, 1 some take failed, 2 wrong usage, 3 the server did not
answer.
"""

import argparse
import pathlib
import sys

import grpc

from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc as clips_grpc
from shared import faults, options_argument, save

OUTPUTS = '{"outputs": [{"positions": {}}, {"rotations": {}}]}'
# With these the next take would fail, too.
HOPELESS = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED,
            grpc.StatusCode.PERMISSION_DENIED)


def say(text):
    print(text, file=sys.stderr)


def save_all(path, result):
    joints = [joint.name for joint in result.info.joints if not joint.end_site]
    print(f"{path.name}: {len(joints)} joints, {result.info.frames} frames, "
          f"{result.info.frames_per_second:g} frames per second")
    for output in result.outputs:
        save(path.stem, output, output.data)


def convert(stub, path, options):
    """False if the take failed; raises RpcError if every take would."""
    try:
        data = path.read_bytes()
    except OSError as error:
        say(f"{path}: {error.strerror}")
        return False
    request = clips.ConvertClipRequest(
        source=clips.Source(data=data, display_name=path.name),
        options=options)
    try:
        result = stub.ConvertClip(request).result
    except grpc.RpcError as error:
        if error.code() in HOPELESS:
            raise
        say(f"{path}: {error.code().name}: {error.details()}")
        return False
    if result.status.code != 0:
        for line in faults(path, result):
            say(line)
        return False
    save_all(path, result)
    return True


def convert_all(stub, takes, options):
    """The exit status."""
    good = 0
    for index, path in enumerate(takes):
        try:
            good += convert(stub, path, options)
        except grpc.RpcError as error:
            say(f"the server failed: {error.code().name}: {error.details()}")
            say(f"{good} of {len(takes)} takes are converted; not done: "
                + ", ".join(map(str, takes[index:])))
            return 3
    return 0 if good == len(takes) else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("takes", metavar="TAKE.bvh", nargs="+",
                        type=pathlib.Path)
    parser.add_argument("--server", metavar="HOST:PORT",
                        default="127.0.0.1:7450")
    parser.add_argument("--options", metavar="JSON", default=OUTPUTS,
                        type=options_argument,
                        help="ConvertOptions, with the names of options.proto")
    args = parser.parse_args()
    if len({path.stem for path in args.takes}) < len(args.takes):
        parser.error("two takes of one name, whose outputs would be one file")
    with grpc.insecure_channel(args.server) as channel:
        stub = clips_grpc.ClipServiceStub(channel)
        return convert_all(stub, args.takes, args.options)


if __name__ == "__main__":
    sys.exit(main())
