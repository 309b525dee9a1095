#!/usr/bin/python3
"""Loads bvhmilld as an honest web backend does, and checks what it answers.

    tests/load/honest_load.py [--server build/release/bin/bvhmilld] [--memory 2G]

Each line is a check and its figures; the exit status is 1 if any fails:

  burst     100 parallel calls of 4.8 MB over one channel, three times: each is
            answered
  crowd     400 such calls: each is answered, or refused with
            RESOURCE_EXHAUSTED, the name of the limit and a RetryInfo
  streams   200 streams, each with a clip of 4.8 MB: all are answered, and the
            memory grows by at most max_inflight_bytes and 200 MB
  idle      a minute later the memory is within 100 MB of the start

--memory puts the server into a group of the kernel (cgroup v2) with that limit;
without permission for that, into an address space of that size. Needs Python's
grpcio, and the Python package of the build (--package).
"""

import argparse
import asyncio
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "release"
MB = 1 << 20
CLIP_BYTES = 4_800_000
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def clip():
    """A chain of 60 joints, in 4.8 MB of text."""
    head = "HIERARCHY\n"
    for joint in range(60):
        places = "6 Xposition Yposition Zposition" if joint == 0 else "3"
        head += (f"{'JOINT' if joint else 'ROOT'} J{joint}\n{{\nOFFSET 0 1 0\n"
                 f"CHANNELS {places} Zrotation Xrotation Yrotation\n")
    head += "End Site\n{\nOFFSET 0 1 0\n}\n" + "}\n" * 60
    rows = [" ".join(f"{(frame * 7 + column * 131) % 17991 / 100:.4f}"
                     for column in range(183)) for frame in range(97)]
    size = sum(len(row) + 1 for row in rows) / len(rows)
    frames = int((CLIP_BYTES - len(head)) / size)
    body = "\n".join(rows[frame % len(rows)] for frame in range(frames))
    return (f"{head}MOTION\nFrames: {frames}\nFrame Time: 0.01\n"
            f"{body}\n").encode()


class Server:
    """The server, as a child of this process."""

    def __init__(self, program, memory):
        self.group = None
        limit = None
        if memory:
            group = pathlib.Path(f"/sys/fs/cgroup/bvhmill-load-{os.getpid()}")
            try:
                group.mkdir()
                (group / "memory.max").write_text(str(memory))
                self.group = group
                limit = lambda: (group / "cgroup.procs").write_text(
                    str(os.getpid()))
            except OSError as error:
                if group.exists():
                    group.rmdir()
                print(f"no group of the kernel ({error}): the address space is "
                      "limited")
                import resource
                limit = lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                   (memory, memory))
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
             "--data-dir", "none"], stdout=subprocess.PIPE, text=True,
            preexec_fn=limit)
        self.address = self.process.stdout.readline().split()[-1]

    def resident(self, field="VmRSS:"):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(field):
                    return int(line.split()[1]) << 10
        return 0

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as refs:
            refs.write("5")

    def stop(self):
        self.process.terminate()
        code = self.process.wait(40)
        # The kernel empties a group some time after its last process.
        while self.group and self.group.exists():
            try:
                self.group.rmdir()
            except OSError:
                time.sleep(0.1)
        return code


class Load:
    """The calls. All share one channel."""

    def __init__(self, address, text):
        import grpc
        from bvhmill.v1 import clip_service_pb2, status_pb2
        self.grpc, self.pb, self.status_pb = grpc, clip_service_pb2, status_pb2
        self.channel = grpc.aio.insecure_channel(
            address, [("grpc.max_receive_message_length", -1)])
        self.request = clip_service_pb2.ConvertClipRequest()
        self.request.source.data = text
        self.request.options.outputs.add().positions.SetInParent()
        self.data = self.request.SerializeToString()
        self.text = text

    async def call(self):
        """OK, or the reason of the status."""
        method = self.channel.unary_unary(
            "/bvhmill.v1.ClipService/ConvertClip",
            response_deserializer=self.pb.ConvertClipResponse.FromString)
        try:
            answer = await method(self.data, timeout=300)
            return "OK" if answer.result.outputs else "empty"
        except self.grpc.aio.AioRpcError as error:
            return self.reason(error)

    def reason(self, error):
        details = dict(error.trailing_metadata()).get(
            "grpc-status-details-bin", b"")
        status = self.status_pb.RpcStatus.FromString(details)
        kinds = {detail.type_url.rsplit(".", 1)[-1] for detail in status.details}
        is_refusal = (error.code() == self.grpc.StatusCode.RESOURCE_EXHAUSTED
                      and "RetryInfo" in kinds)
        return ("refused" if is_refusal else
                f"{error.code().name}: {error.details()}")

    async def stream(self):
        method = self.channel.stream_stream(
            "/bvhmill.v1.ClipService/ConvertClips",
            request_serializer=self.pb.ConvertClipsRequest.SerializeToString,
            response_deserializer=self.pb.ConvertClipsResponse.FromString)

        async def requests():
            request = self.pb.ConvertClipsRequest()
            request.begin.options.CopyFrom(self.request.options)
            yield request
            for at in range(0, len(self.text), 256 << 10):
                yield self.pb.ConvertClipsRequest(
                    chunk=self.text[at:at + (256 << 10)])
            end = self.pb.ConvertClipsRequest()
            end.end.SetInParent()
            yield end

        try:
            result = "no result"
            async for response in method(requests(), timeout=300):
                if response.HasField("result"):
                    status = response.result.status
                    result = status.message or "OK" if status.code else "OK"
            return result
        except self.grpc.aio.AioRpcError as error:
            return self.reason(error)


def count(results):
    return {result: results.count(result) for result in sorted(set(results))}


async def run(server, inflight_bytes):
    failures = []

    def check(name, is_good, text):
        print(f"{name:8} {'ok' if is_good else 'FAILED':6} {text}", flush=True)
        if not is_good:
            failures.append(name)

    text = clip()
    load = Load(server.address, text)
    await load.call()
    start = server.resident()
    for _ in range(3):
        begun = time.monotonic()
        results = await asyncio.gather(*[load.call() for _ in range(100)])
        check("burst", results == ["OK"] * 100,
              f"{count(results)} in {time.monotonic() - begun:.1f} s, peak "
              f"{(server.resident('VmHWM:') - start) / MB:.0f} MB beyond start")
    begun = time.monotonic()
    results = await asyncio.gather(*[load.call() for _ in range(400)])
    check("crowd", set(results) <= {"OK", "refused"} and "OK" in results,
          f"{count(results)} in {time.monotonic() - begun:.1f} s, peak "
          f"{(server.resident('VmHWM:') - start) / MB:.0f} MB beyond start")
    server.forget_peak()
    begun = time.monotonic()
    results = await asyncio.gather(*[load.stream() for _ in range(200)])
    grown = server.resident("VmHWM:") - start
    check("streams", results == ["OK"] * 200 and
          grown <= inflight_bytes + 200 * MB,
          f"{count(results)} in {time.monotonic() - begun:.1f} s, peak "
          f"{grown / MB:.0f} MB beyond start, max_inflight_bytes "
          f"{inflight_bytes / MB:.0f} MB")
    await load.channel.close()
    await asyncio.sleep(60)
    grown = server.resident() - start
    check("idle", grown <= 100 * MB, f"{grown / MB:.0f} MB beyond start")
    return failures


def inflight_bytes(address):
    import grpc
    from bvhmill.v1 import server_service_pb2 as pb
    with grpc.insecure_channel(address) as channel:
        info = channel.unary_unary(
            "/bvhmill.v1.ServerService/GetServerInfo",
            response_deserializer=pb.GetServerInfoResponse.FromString)
        return info(b"", timeout=20).limits.max_inflight_bytes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server", default=BUILD / "bin" / "bvhmilld")
    parser.add_argument("--package", default=BUILD / "package")
    parser.add_argument("--memory", default="",
                        help="what the server may have, such as 2G")
    args = parser.parse_args()
    sys.path.insert(0, str(args.package))
    memory = 0
    if args.memory:
        memory = int(float(args.memory[:-1]) * UNITS[args.memory[-1]])
    server = Server(str(args.server), memory)
    try:
        most = inflight_bytes(server.address)
        failures = asyncio.run(run(server, most))
    finally:
        code = server.stop()
    if code != 0:
        print(f"the server ended with {code}")
        failures.append("server")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
