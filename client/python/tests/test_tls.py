"""The clients over TLS, with certificates that openssl makes."""

import shutil
import socket
import subprocess
import threading

import pytest

pytest.importorskip("grpc")

import bvhmill
import servers
from bvhmill.client import AsyncClient, Client, ServerError
from bvhmill.client._tls import tls_fault
from bvhmill.jobs import Jobs
from servers import Server

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None,
                                reason="there is no openssl")


class Awaited(servers.Awaited):
    kind = AsyncClient


KINDS = pytest.mark.parametrize("kind", [Client, Awaited],
                                ids=["sync", "async"])


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True,
                   capture_output=True)


def authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
            "2", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out",
            f"{name}.pem")


def certificate(folder, name, signer):
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj",
            f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    (folder / "names").write_text(
        "subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA",
            f"{signer}.pem", "-CAkey", f"{signer}.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", f"{name}.pem")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A folder with authorities `ca` and `other`, and what they signed."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ca", "other"):
        authority(folder, name)
    certificate(folder, "server", "ca")
    certificate(folder, "client", "ca")
    certificate(folder, "stranger", "other")
    return folder


@pytest.fixture(scope="module")
def server(keys):
    with Server("--tls-cert", keys / "server.pem", "--tls-key",
                keys / "server.key", "--data-dir", keys / "data") as server:
        yield server


@pytest.fixture(scope="module")
def mutual(keys):
    """A server that wants certificates of `ca`."""
    with Server("--tls-cert", keys / "server.pem", "--tls-key",
                keys / "server.key", "--tls-client-ca",
                keys / "ca.pem") as server:
        yield server


def pair(keys, name):
    return str(keys / f"{name}.pem"), str(keys / f"{name}.key")


@KINDS
def test_takes_come_over_tls(kind, server, keys, walk):
    client = kind(server.address, tls=str(keys / "ca.pem"), timeout=20)
    theirs = client.read(walk)
    assert theirs.positions.tobytes() == bvhmill.read(walk).positions.tobytes()


def test_true_means_the_authorities_of_the_system(server, keys, walk,
                                                  monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(keys / "ca.pem"))
    assert Client(server.address, tls=True, timeout=20).read(walk).frames == 200


def refusal(call):
    with pytest.raises(ServerError) as caught:
        call()
    assert (caught.value.code, caught.value.reason) == ("UNAVAILABLE", "TLS")
    return str(caught.value)


@KINDS
def test_a_certificate_of_another_authority_is_refused(kind, server, keys,
                                                       walk):
    client = kind(server.address, tls=str(keys / "other.pem"), timeout=5)
    assert refusal(lambda: client.read(walk)) == (
        f"UNAVAILABLE: the certificate of {server.address} is not trusted: "
        "unable to get local issuer certificate")


# The timeout of jobs is a minute.
def test_jobs_do_not_wait_for_a_certificate_to_become_right(server, keys):
    jobs = Jobs(server.address, tls=str(keys / "other.pem"))
    assert "not trusted" in refusal(jobs.list)
    assert Jobs(server.address, tls=str(keys / "ca.pem")).list() == []


def test_a_client_without_tls_is_told_to_use_it(server, walk):
    assert refusal(lambda: Client(server.address, timeout=5).read(walk)) == (
        f"UNAVAILABLE: {server.address} wants TLS: set tls=")


def test_tls_with_a_server_that_has_none_says_so(keys, walk):
    with Server() as plain:
        client = Client(plain.address, tls=str(keys / "ca.pem"), timeout=5)
        assert refusal(lambda: client.read(walk)) == (
            f"UNAVAILABLE: {plain.address} does not speak TLS: leave out tls=")


@KINDS
def test_both_sides_show_certificates(kind, mutual, keys, walk):
    client = kind(mutual.address, tls=str(keys / "ca.pem"),
                  cert=pair(keys, "client"), timeout=20)
    assert client.read(walk).frames == 200


@pytest.mark.parametrize("name", [None, "stranger"])
def test_a_server_that_wants_a_certificate_says_so(name, mutual, keys, walk):
    cert = None if name is None else pair(keys, name)
    client = Client(mutual.address, tls=str(keys / "ca.pem"), cert=cert,
                    timeout=5)
    assert "want a certificate of the client" in refusal(
        lambda: client.read(walk))


def test_a_resolver_that_does_not_answer_is_not_waited_for(monkeypatch):
    goes_on = threading.Event()
    answered = []

    def slow(*words, **how):
        goes_on.wait(30)
        answered.append(words)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert tls_fault("takes.example:7450", True, None, 0.2) == ""
    assert not answered
    goes_on.set()


def test_a_name_that_no_resolver_takes_is_no_fault_of_tls():
    assert tls_fault(f"{'x' * 80}.example:7450", True, None, 1) == ""


def test_faults_of_settings_are_faults_of_the_call(keys, walk):
    with pytest.raises(FileNotFoundError):
        Client("127.0.0.1:9", tls="absent.pem").read(walk)
    with pytest.raises(OSError, match="more than 4194304 bytes"):
        Client("127.0.0.1:9", tls="/dev/zero").read(walk)
    with pytest.raises(ValueError, match="cert= needs tls="):
        Client("127.0.0.1:9", cert=pair(keys, "client")).read(walk)
