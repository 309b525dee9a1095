"""Why a TLS connection fails: gRPC says it in words of its library only."""

from __future__ import annotations

import os
import queue
import socket
import ssl
import threading
import time
from typing import Any

_SECONDS = 3.0


def authorities(tls: bool | str) -> str | None:
    """The file of trusted certificates: the one that is named, SSL_CERT_FILE,
    or that of the system. None: those of gRPC."""
    if isinstance(tls, (str, os.PathLike)):
        return os.fspath(tls)
    paths = ssl.get_default_verify_paths()
    for path in (paths.cafile, "/etc/ssl/certs/ca-certificates.crt"):
        if path and os.path.exists(path):
            return path
    return None


def tls_fault(target: str, tls: bool | str,
              cert: tuple[str, str] | None,
              seconds: float | None = None) -> str:
    """Tries a handshake with a server that gRPC could not reach.

    Returns what is wrong with TLS; "" if nothing is, or if the server cannot be
    reached at all within `seconds`, 3 at most.
    """
    end = time.monotonic() + min(_SECONDS, _SECONDS if seconds is None
                                 else seconds)
    host, _, port = target.rpartition(":")
    host = host.strip("[]")
    if not port.isdigit():
        return ""
    try:
        with _connected(host, int(port), end) as plain:
            return _handshake(plain, host, target, tls, cert, end)
    except OSError:
        return ""


def _left(end: float) -> float:
    """Seconds to the end. TimeoutError if there are none."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _addresses(host: str, port: int, end: float) -> list[Any]:
    """What getaddrinfo says. It has no limit of its own, so a thread waits for
    it, which outlives this call if no name server answers."""
    answers: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port,
                                           type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            answers.put([])

    threading.Thread(target=ask, daemon=True).start()
    try:
        return answers.get(timeout=_left(end))
    except queue.Empty:
        raise TimeoutError from None


def _connected(host: str, port: int, end: float) -> socket.socket:
    for family, kind, number, _, address in _addresses(host, port, end):
        plain = socket.socket(family, kind, number)
        try:
            plain.settimeout(_left(end))
            plain.connect(address)
            return plain
        except OSError:
            plain.close()
    raise ConnectionError


def _handshake(plain: socket.socket, host: str, target: str, tls: bool | str,
               cert: tuple[str, str] | None, end: float) -> str:
    wanted = (f"{target} closes the connection after the handshake: it may "
              "want a certificate of the client that it trusts; set cert=")
    try:
        context = ssl.create_default_context(
            cafile=authorities(tls) if tls else None)
        if cert is not None:
            context.load_cert_chain(*cert)
        if not tls:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        plain.settimeout(_left(end))
        with context.wrap_socket(plain, server_hostname=host) as secret:
            if not tls:
                return f"{target} wants TLS: set tls="
            # A server that refuses the client's certificate does so after the
            # handshake. All others send their settings.
            secret.settimeout(_left(end))
            if not secret.recv(1):
                return wanted
    except ssl.SSLCertVerificationError as error:
        return (f"the certificate of {target} is not trusted: "
                f"{error.verify_message}")
    except ssl.SSLError as error:
        if not tls:
            return ""
        if error.reason in ("TLSV13_ALERT_CERTIFICATE_REQUIRED",
                            "TLSV1_ALERT_UNKNOWN_CA"):
            return wanted
        if error.reason == "WRONG_VERSION_NUMBER":
            return f"{target} does not speak TLS: leave out tls="
        return f"TLS with {target} fails: {error.reason}"
    return ""
