"""The connection to a server: settings, channels, and errors of calls."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import os
import time
import weakref
from dataclasses import astuple, dataclass, field
from typing import Any, Iterator

import grpc
import grpc.aio

from bvhmill._errors import BvhError, error_of, printable
from bvhmill._report import Report, Verdict
from bvhmill.client._threads import in_thread
from bvhmill.client._tls import authorities, tls_fault
from bvhmill.client._turns import Pause, Steps, Turns, Work
from bvhmill.v1 import status_pb2


class ServerError(Exception):
    """A call that failed as a whole: no connection, no right, a busy server.

    `code` is the name of the gRPC status. `reason` is one of docs/api.md, or
    "TLS" if certificates do not fit; the text then says why.

    >>> ServerError("UNAVAILABLE: no server", "UNAVAILABLE").code
    'UNAVAILABLE'
    """

    def __init__(self, message: str, code: str = "",
                 reason: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code, self.reason)


# The reason of errors whose cause is TLS.
TLS = "TLS"

# The largest certificate or key, in bytes.
_MAX_PEM_BYTES = 4 << 20

# The process that has opened a channel.
_process: int | None = None


def check_process() -> None:
    """
    Raises RuntimeError in a child that was forked after a call.

    The threads of gRPC do not exist there, so that a call would wait forever.
    """
    global _process
    if _process is None:
        _process = os.getpid()
    elif _process != os.getpid():
        raise RuntimeError(
            "this process was forked from one that had called a server, which "
            "gRPC does not support; start processes by \"spawn\" or "
            "\"forkserver\", or make the first call in the child")


def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        content = file.read(_MAX_PEM_BYTES + 1)
    if len(content) > _MAX_PEM_BYTES:
        raise OSError(errno.EFBIG, f"more than {_MAX_PEM_BYTES} bytes", path)
    return content


@dataclass(frozen=True)
class Settings:
    """The settings of a client. A pickle of it has them and nothing else."""

    target: str
    # It is not shown: a traceback may have the settings.
    token: str | None = field(default=None, repr=False)
    tls: bool | str = False
    timeout: float | None = None
    cert: tuple[str, str] | None = None

    def credentials(self) -> Any:
        """The credentials of a channel; None without TLS. OSError."""
        if not self.tls:
            if self.cert is not None:
                raise ValueError("cert= needs tls=")
            return None
        path = authorities(self.tls)
        roots = None if path is None else _contents(path)
        if self.cert is None:
            return grpc.ssl_channel_credentials(roots)
        chain, key = self.cert
        return grpc.ssl_channel_credentials(roots, _contents(key),
                                            _contents(chain))

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The metadata of each call."""
        if self.token is None:
            return ()
        return (("authorization", f"Bearer {self.token}"),)

    def channel_options(self) -> list[tuple[str, int]]:
        """The same as in the C++ client. The server states its own limits."""
        return [("grpc.max_receive_message_length", -1),
                ("grpc.max_send_message_length", -1),
                # Notices a peer that is gone without a word.
                ("grpc.keepalive_time_ms", 30_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.http2.max_pings_without_data", 0),
                ("grpc.initial_reconnect_backoff_ms", 100),
                ("grpc.enable_retries", 0)]


def detail_of(error: Any, name: str) -> Any:
    """The detail google.rpc.NAME of a failed call; None if it has none."""
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin":
            continue
        for detail in status_pb2.RpcStatus.FromString(value).details:
            if detail.type_url.endswith("/google.rpc." + name):
                return getattr(status_pb2, name).FromString(detail.value)
    return None


def error_of_status(code: str, info: Any, message: str, report: Report | None,
                    source_name: str) -> BvhError:
    """The exception of a status about a clip; `info` is its ErrorInfo."""
    args = dict(info.metadata)
    text = text_of_status(info, message)
    field = args.pop("field", "")
    # Callers of this package know no fields of a source.
    field = "" if field.startswith("source.") else field
    value = (code, info.reason, field, args.pop("limit_name", ""),
             int(args.pop("limit", "0")), list(args.items()), text)
    return error_of(value, report, source_name)


def text_of_status(info: Any, message: str) -> str:
    """The message of a status without the field that its ErrorInfo names."""
    return message.removeprefix(f"{info.metadata['field']}: ")


# Reasons of clips that cannot be decompressed, or are too large. Another limit
# may be one of the server, such as that of a message.
def _is_of_clip(code: str, info: Any) -> bool:
    if code == "INVALID_ARGUMENT":
        return bool(info.reason == "ENCODING_BROKEN")
    return (code == "RESOURCE_EXHAUSTED" and info.reason == "LIMIT_EXCEEDED"
            and info.metadata["limit_name"].startswith("max_clip_"))


def server_error_of(error: Any, settings: Settings,
                    source_name: str = "",
                    seconds: float | None = None) -> Exception:
    """The exception of a failed call: ValueError for a wrong option, BvhError
    for a clip that cannot be decompressed or is too large.

    It asks a server that cannot be reached what is wrong with TLS. That takes
    `seconds`, 3 at most: an event loop calls this in a thread.
    """
    info = detail_of(error, "ErrorInfo")
    reason = info.reason if info else ""
    code, details = error.code().name, error.details()
    if info and _is_of_clip(code, info):
        return error_of_status(code, info, details, Report(Verdict.UNREADABLE),
                               source_name)
    if code == "INVALID_ARGUMENT":
        return ValueError(printable(details or ""))
    if code == "UNAVAILABLE" and not reason:
        # Looking for an unknown name again may take long.
        fault = "" if "DNS resolution" in (details or "") else tls_fault(
            settings.target, settings.tls, settings.cert, seconds)
        reason = TLS if fault else ""
        details = fault or f"cannot reach {settings.target}: {details}"
    return ServerError(f"{code}: {printable(details or '')}", code, reason)


def _channel(module: Any, settings: Settings) -> Any:
    """A channel of `module`, which is grpc or grpc.aio."""
    credentials = settings.credentials()
    options = settings.channel_options()
    if credentials is None:
        return module.insecure_channel(settings.target, options)
    return module.secure_channel(settings.target, credentials, options)


def was_closed(error: ValueError) -> bool:
    """True if a call found that another thread had closed its channel."""
    return "on closed channel" in str(error)


_CONNECTIONS: weakref.WeakSet[Connection] = weakref.WeakSet()
_ASYNC_CONNECTIONS: weakref.WeakSet[AsyncConnection] = weakref.WeakSet()


def _close_idle() -> None:
    """A child has no channel that its parent does not use."""
    for connection in list(_CONNECTIONS):
        connection._close_if_idle()


def _keep_others() -> None:
    """A child that frees a channel of its parent may hang or crash: it has the
    others until it ends."""
    everything: list[Connection | AsyncConnection] = [*_CONNECTIONS,
                                                      *_ASYNC_CONNECTIONS]
    for connection in everything:
        channel, connection._channel = connection._channel, None
        if channel is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(channel))


os.register_at_fork(before=_close_idle, after_in_child=_keep_others)


class Connection:
    """A channel that is opened when it is needed, for threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._channel: Any = None
        # True after a call that was answered: TLS fits.
        self._has_worked = False
        # Calls in progress. Threads may change a set without a lock, which a
        # child could find locked.
        self._calls: set[object] = set()
        _CONNECTIONS.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), astuple(self._settings))

    def __repr__(self) -> str:
        kind = type(self)
        return f"<{kind.__module__}.{kind.__name__} {self._settings.target!r}>"

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection; the next call opens another one."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def _close_if_idle(self) -> None:
        # A thread that begins a call notes it in `_calls` before it takes the
        # channel. So a channel that was taken is never closed here.
        channel, self._channel = self._channel, None
        if channel is None:
            return
        if not self._calls:
            channel.close()
        elif self._channel is None:
            self._channel = channel

    def _open(self) -> Any:
        check_process()
        # Another thread may set it to None.
        channel = self._channel
        if channel is None:
            channel = self._channel = _channel(grpc, self._settings)
        return channel

    @contextlib.contextmanager
    def _calling(self) -> Iterator[None]:
        call = object()
        self._calls.add(call)
        try:
            yield
        finally:
            self._calls.discard(call)

    def _reopen(self) -> None:
        """A channel that has failed waits a second before it connects."""
        self._close_if_idle()

    def _run(self, steps: Steps) -> Any:
        """What the steps return."""
        turns = Turns(steps)
        try:
            while (step := turns.next()) is not None:
                with turns.answering():
                    turns.answer = self._do(step)
            return turns.value
        finally:
            turns.close()

    def _do(self, step: Any) -> Any:
        if isinstance(step, Work):
            return step.run()
        if isinstance(step, Pause):
            self._reopen()
            return time.sleep(step.seconds)
        with self._calling():
            return step()


class AsyncConnection:
    """The same for the event loop of the first call."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._channel: Any = None
        # True after a call that was answered: TLS fits.
        self._has_worked = False
        _ASYNC_CONNECTIONS.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), astuple(self._settings))

    def __repr__(self) -> str:
        kind = type(self)
        return f"<{kind.__module__}.{kind.__name__} {self._settings.target!r}>"

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection; the next call opens another one."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    def _open(self) -> Any:
        check_process()
        if self._channel is None:
            self._channel = _channel(grpc.aio, self._settings)
        return self._channel

    async def _run(self, steps: Steps) -> Any:
        turns = Turns(steps)
        try:
            while (step := turns.next()) is not None:
                with turns.answering():
                    turns.answer = await self._do(step)
            return turns.value
        finally:
            turns.close()

    async def _do(self, step: Any) -> Any:
        if isinstance(step, Work):
            return await in_thread(step)
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        return await step()


def _rebuild(kind: Any, settings: tuple[Any, ...]) -> Any:
    target, token, tls, timeout, cert = settings
    return kind(target, token=token, tls=tls, timeout=timeout, cert=cert)
