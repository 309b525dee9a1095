"""What the API promises, as a client sees it that is not ours."""

import pathlib
import subprocess
import tempfile
import threading
import unittest

import grpc
import numpy as np

from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc as clips_grpc
from bvhmill.v1 import options_pb2 as options
from server_process import BIN, ServerProcess, convert_here, make_takes

POSITIONS = options.ConvertOptions(
    outputs=[options.OutputRequest(positions=options.PositionsFormat())])
OPEN = clips.ConvertClipsRequest(open=clips.StreamOpen(options=POSITIONS))
END = clips.ConvertClipsRequest(end=clips.ClipEnd())


def begin(key):
    return clips.ConvertClipsRequest(
        begin=clips.ClipBegin(key=key, source=clips.Source()))


def chunk(data):
    return clips.ConvertClipsRequest(chunk=data)


class Takes:
    """Sample takes, and the positions that the command line makes of one."""

    def __init__(self):
        self.dir = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.dir.name)
        make_takes(self.folder / "takes")
        convert_here(self.folder / "takes", self.folder / "here", "positions")
        self.text = (self.folder / "takes" / "walk_cycle.bvh").read_bytes()
        self.positions = np.load(
            self.folder / "here" / "walk_cycle.positions.npy").tobytes()


class CallsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.takes = Takes()
        cls.server = ServerProcess("--idle-seconds", "600")
        cls.channel = grpc.insecure_channel(cls.server.address)
        cls.stub = clips_grpc.ClipServiceStub(cls.channel)
        cls.request = clips.ConvertClipRequest(
            source=clips.Source(data=cls.takes.text), options=POSITIONS)

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        cls.server.stop()
        cls.takes.dir.cleanup()

    def expect_works(self):
        result = self.stub.ConvertClip(self.request).result
        self.assertEqual(result.outputs[0].data, self.takes.positions)

    def test_messages_may_be_packed_by_grpc(self):
        for packing in grpc.Compression:
            result = self.stub.ConvertClip(
                self.request, compression=packing).result
            self.assertEqual(result.outputs[0].data, self.takes.positions)
            frames = iter([OPEN, begin("a"), chunk(self.takes.text), END])
            data = b"".join(
                response.output_chunk.data for response in
                self.stub.ConvertClips(frames, compression=packing))
            self.assertEqual(data, self.takes.positions, packing)

    def test_a_deadline_ends_a_stream(self):
        waits = threading.Event()

        def frames():
            yield OPEN
            yield begin("half")
            yield chunk(self.takes.text[:1000])
            waits.wait(60)

        with self.assertRaises(grpc.RpcError) as raised:
            list(self.stub.ConvertClips(frames(), timeout=0.5))
        waits.set()
        self.assertEqual(raised.exception.code(),
                         grpc.StatusCode.DEADLINE_EXCEEDED)
        self.expect_works()

    def test_a_stream_may_be_cancelled(self):
        waits = threading.Event()

        def frames():
            yield OPEN
            yield begin("whole")
            yield chunk(self.takes.text)
            yield END
            waits.wait(60)

        call = self.stub.ConvertClips(frames())
        self.assertEqual(next(call).begin.key, "whole")
        call.cancel()
        with self.assertRaises(grpc.RpcError):
            list(call)
        waits.set()
        self.assertEqual(call.code(), grpc.StatusCode.CANCELLED)
        self.expect_works()

    def test_issues_come_before_the_rest_is_sent(self):
        hierarchy, motion = self.takes.text.split(b"MOTION", 1)
        early = threading.Event()

        def frames():
            yield clips.ConvertClipsRequest(
                open=clips.StreamOpen(report_issues_early=True))
            yield begin("a")
            # The first rows come with the header.
            yield chunk(b"# a comment\n" + hierarchy + b"MOTION"
                        + motion[:5000])
            early.wait(60)
            yield chunk(motion[5000:])
            yield END

        found = []
        kinds = []
        for response in self.stub.ConvertClips(frames(), timeout=120):
            kinds.append(response.WhichOneof("frame"))
            if kinds[-1] == "issues_found":
                self.assertFalse(early.is_set())
                self.assertEqual(response.issues_found.key, "a")
                found += response.issues_found.issues
                early.set()
        self.assertEqual(kinds, ["issues_found", "result"])
        self.assertEqual([issue.code for issue in found], ["TEXT_COMMENT"])
        listed = response.result.report.issues
        self.assertIn((found[0].code, found[0].location),
                      [(issue.code, issue.location) for issue in listed])

    def test_an_anim_is_a_source(self):
        convert_here(self.takes.folder / "takes" / "walk_cycle.bvh",
                     self.takes.folder / "anims",
                     "anim")
        anim = (self.takes.folder / "anims" / "walk_cycle.anim").read_bytes()
        source = clips.Source(data=anim, format=clips.SOURCE_FORMAT_ANIM)
        result = self.stub.ConvertClip(clips.ConvertClipRequest(
            source=source, options=POSITIONS)).result
        shape = list(result.outputs[0].tensor.shape)
        self.assertEqual(shape,
                         [result.info.frames, result.info.joint_count, 3])
        self.assertEqual(result.info.joints[0].name, "mPelvis")

    def test_too_much_for_one_message_names_the_other_method(self):
        heads, rows = self.takes.text.split(b"Frame Time", 1)
        first, rows = rows.split(b"\n", 1)
        text = heads.replace(b"Frames: 120", b"Frames: 24000")
        text += b"Frame Time" + first + b"\n" + 200 * rows
        with self.assertRaises(grpc.RpcError) as raised:
            self.stub.ConvertClip(clips.ConvertClipRequest(
                source=clips.Source(data=text), options=POSITIONS))
        self.assertEqual(raised.exception.code(), grpc.StatusCode.OUT_OF_RANGE)
        self.assertIn("use ConvertClips", raised.exception.details())

    def test_a_refused_clip_has_its_report_after_one_call(self):
        broken = self.takes.text.replace(b"OFFSET", b"OFSET", 1)
        result = self.stub.ConvertClip(clips.ConvertClipRequest(
            source=clips.Source(data=broken), options=POSITIONS)).result
        invalid = grpc.StatusCode.INVALID_ARGUMENT.value[0]
        self.assertEqual(result.status.code, invalid)
        issue = result.report.issues[0]
        self.assertEqual(issue.code, result.status.info.reason)
        line = broken[:broken.index(b"OFSET")].count(b"\n") + 1
        self.assertEqual(issue.location.line, line)
        self.assertFalse(result.outputs)

    def test_ids_come_back(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        _, call = self.stub.ConvertClip.with_call(
            self.request,
            metadata=(("x-request-id", "take-7"), ("traceparent", trace)))
        metadata = dict(call.initial_metadata())
        self.assertEqual(metadata["x-request-id"], "take-7")
        self.assertEqual(metadata["traceparent"], trace)
        _, call = self.stub.ConvertClip.with_call(self.request)
        self.assertTrue(dict(call.initial_metadata())["x-request-id"])

    def test_health_is_that_of_grpc(self):
        check = self.channel.unary_unary("/grpc.health.v1.Health/Check")
        self.assertEqual(check(b""), b"\x08\x01")


class SecureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.takes = Takes()
        cls.request = clips.ConvertClipRequest(
            source=clips.Source(data=cls.takes.text), options=POSITIONS)
        cls.make_certificate("server")
        cls.make_certificate("client")
        token = subprocess.run(
            [BIN / "bvhmilld", "--hash-token", "studio"], input="secret",
            text=True, capture_output=True, check=True).stdout
        cls.path("tokens").write_text(token)
        cls.server = ServerProcess(
            "--tls-cert", cls.path("server.pem"),
            "--tls-key", cls.path("server.key"),
            "--tls-client-ca", cls.path("client.pem"),
            "--token-file", cls.path("tokens"))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.takes.dir.cleanup()

    @classmethod
    def path(cls, name):
        return cls.takes.folder / name

    @classmethod
    def make_certificate(cls, name):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-days", "2", "-subj", f"/CN={name}",
             "-addext", "subjectAltName=IP:127.0.0.1",
             "-out", cls.path(f"{name}.pem"),
             "-keyout", cls.path(f"{name}.key")],
            check=True, capture_output=True)
        cls.path(f"{name}.key").chmod(0o600)

    def call(self, token, with_certificate=True):
        own = {}
        if with_certificate:
            own = {"private_key": self.path("client.key").read_bytes(),
                   "certificate_chain": self.path("client.pem").read_bytes()}
        credentials = grpc.ssl_channel_credentials(
            self.path("server.pem").read_bytes(), **own)
        if token:
            credentials = grpc.composite_channel_credentials(
                credentials, grpc.access_token_call_credentials(token))
        with grpc.secure_channel(self.server.address, credentials) as channel:
            stub = clips_grpc.ClipServiceStub(channel)
            return stub.ConvertClip(self.request, timeout=60).result

    def expect_refused(self, code, *args):
        with self.assertRaises(grpc.RpcError) as raised:
            self.call(*args)
        self.assertEqual(raised.exception.code(), code)

    def test_a_token_over_tls_is_let_in(self):
        data = self.call("secret").outputs[0].data
        self.assertEqual(data, self.takes.positions)

    def test_others_are_not(self):
        unauthenticated = grpc.StatusCode.UNAUTHENTICATED
        self.expect_refused(unauthenticated, "guess")
        self.expect_refused(unauthenticated, None)
        self.expect_refused(grpc.StatusCode.UNAVAILABLE, "secret", False)


if __name__ == "__main__":
    unittest.main()
