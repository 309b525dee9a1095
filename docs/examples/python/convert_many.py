"""Converts every BVH file of a folder over one stream.

    docs/examples/python/make_stubs
    PYTHONPATH=build/python /usr/bin/python3 \
        docs/examples/python/convert_many.py FOLDER OUT_FOLDER [HOST:PORT]

Files of any size: each is sent in chunks, and its outputs come back in chunks.
A broken file fails alone; the others go on.
"""

import pathlib
import sys

import grpc
import numpy as np

from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc as clips_grpc
from bvhmill.v1 import options_pb2 as options

CHUNK_BYTES = 256 << 10


def requests(folder):
    """open (begin chunk* end)*; gRPC asks for the next frame as it sends."""
    yield clips.ConvertClipsRequest(
        open=clips.StreamOpen(
            options=options.ConvertOptions(
                outputs=[
                    options.OutputRequest(positions=options.PositionsFormat())
                ]
            )
        )
    )
    for path in sorted(folder.rglob("*.bvh")):
        key = str(path.relative_to(folder))
        yield clips.ConvertClipsRequest(
            begin=clips.ClipBegin(
                key=key, source=clips.Source(display_name=path.name)
            )
        )
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield clips.ConvertClipsRequest(chunk=chunk)
        yield clips.ConvertClipsRequest(end=clips.ClipEnd())


def save(out, key, output, data):
    """Writes OUT/a/take.positions.npy for the key a/take.bvh."""
    target = (out / key).with_suffix(".positions.npy")
    target.parent.mkdir(parents=True, exist_ok=True)
    array = np.frombuffer(data, "<f4").reshape(output.tensor.shape)
    np.save(target, array)
    print(f"{target}: {array.shape}")


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    server = sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1:7450"
    failed = 0
    arriving = {}  # key -> bytes of its output so far
    with grpc.insecure_channel(server) as channel:
        stub = clips_grpc.ClipServiceStub(channel)
        for response in stub.ConvertClips(requests(folder)):
            frame = response.WhichOneof("frame")
            if frame == "begin":
                arriving[response.begin.key] = bytearray()
            elif frame == "output_chunk":
                chunk = response.output_chunk
                arriving[chunk.key] += chunk.data
            else:  # the result: the last frame of its clip
                result = response.result
                data = arriving.pop(result.key, None)
                if result.status.code == 0:
                    save(out, result.key, result.outputs[0], data)
                else:
                    failed += 1
                    print(f"{result.key}: {result.status.message}",
                          file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
