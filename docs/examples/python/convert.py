"""Converts one BVH file through a bvhmill server.

    docs/examples/python/make_stubs
    PYTHONPATH=build/python /usr/bin/python3 docs/examples/python/convert.py \
        TAKE.bvh [HOST:PORT]

Writes TAKE.positions.npy and TAKE.rotations.npy into the current folder, or
says what is wrong with the file.
"""

import pathlib
import sys

import grpc
import numpy as np

from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc as clips_grpc
from bvhmill.v1 import options_pb2 as options
from bvhmill.v1 import status_pb2 as status


def array_of(output):
    """The numpy array of an output; a view, without a copy."""
    return np.frombuffer(output.data, "<f4").reshape(output.tensor.shape)


def error_info(error):
    """google.rpc.ErrorInfo of a failed call: reason and metadata, or None."""
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin":
            continue
        for detail in status.RpcStatus.FromString(value).details:
            if detail.type_url.endswith("/google.rpc.ErrorInfo"):
                return status.ErrorInfo.FromString(detail.value)
    return None


def explain(stub, source, error):
    """Prints why a conversion failed, with the whole report of the file."""
    print(f"{error.code().name}: {error.details()}", file=sys.stderr)
    info = error_info(error)
    if info is not None:
        print(f"reason {info.reason}, {dict(info.metadata)}", file=sys.stderr)
    if error.code() != grpc.StatusCode.INVALID_ARGUMENT:
        return
    result = stub.ValidateClip(clips.ValidateClipRequest(source=source)).result
    for issue in result.report.issues:
        where = f"{issue.location.line}:{issue.location.column}"
        severity = options.Severity.Name(issue.severity)
        print(f"{where}: {severity}: {issue.code}: {issue.message}",
              file=sys.stderr)


def main():
    path = pathlib.Path(sys.argv[1])
    server = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1:7450"
    source = clips.Source(data=path.read_bytes(), display_name=path.name)
    request = clips.ConvertClipRequest(
        source=source,
        options=options.ConvertOptions(
            outputs=[
                options.OutputRequest(positions=options.PositionsFormat()),
                options.OutputRequest(rotations=options.RotationsFormat()),
            ]
        ),
    )
    with grpc.insecure_channel(server) as channel:
        stub = clips_grpc.ClipServiceStub(channel)
        try:
            result = stub.ConvertClip(request).result
        except grpc.RpcError as error:
            explain(stub, source, error)
            return 1
    joints = [joint.name for joint in result.info.joints if not joint.end_site]
    print(f"{path.name}: {len(joints)} joints, {result.info.frames} frames, "
          f"{result.info.frames_per_second:g} frames per second")
    for output in result.outputs:
        array = array_of(output)
        name = f"{path.stem}.{output.id}.npy"
        np.save(name, array)
        print(f"{name}: {array.shape} {array.dtype} {list(output.tensor.axes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
