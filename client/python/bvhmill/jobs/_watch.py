"""Uploads and downloads that a server does not answer are given up."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from typing import Any, Callable, Iterator

from bvhmill.client._connection import ServerError

_LONGEST_LOOK = 1.0


class CallWatch:
    """Gives up one call after `seconds` in which the server gives no sign.

    The time in which this program works between messages does not count.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._cancel: Callable[[], object] = lambda: None
        # The time at which the call is given up.
        self._end = math.inf
        self._is_paused = False
        # True if the call was given up.
        self.is_silent = False
        # Three threads: gRPC asks for messages, the caller waits, and one
        # looks.
        self._lock = threading.Lock()

    def begin(self, cancel: Callable[[], object]) -> None:
        """From now on `cancel` may end the call, which may be paused."""
        with self._lock:
            self._cancel = cancel
            if not self._is_paused:
                self._end = time.monotonic() + self._seconds

    def sign(self) -> None:
        """A message was sent or received: the server is to go on."""
        with self._lock:
            self._is_paused = False
            self._end = time.monotonic() + self._seconds

    def pause(self) -> None:
        """It is not the turn of the server."""
        with self._lock:
            self._is_paused = True
            self._end = math.inf

    def requests(self, messages: Iterator[Any]) -> Iterator[Any]:
        """Messages to send, each of which is a sign."""
        while True:
            self.pause()
            try:
                message = next(messages, None)
            finally:
                self.sign()
            if message is None:
                return
            yield message

    def error(self) -> ServerError:
        """The error of a call that was given up."""
        return ServerError("DEADLINE_EXCEEDED: the server has been silent for "
                           f"more than {self._seconds:g} s",
                           "DEADLINE_EXCEEDED")

    def look(self) -> float:
        """Cancels the call if the server is silent. Seconds until then."""
        with self._lock:
            left = self._end - time.monotonic()
            if left > 0:
                return left
            self.is_silent = True
            self._end = math.inf
        self._cancel()
        return math.inf


class Watch:
    """Looks at the call that the caller waits for, again and again."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._call: CallWatch | None = None
        self._lock = threading.Lock()

    def call(self) -> CallWatch:
        """For a call that is to be watched later."""
        return CallWatch(self._seconds)

    def begin(self, call: CallWatch, cancel: Callable[[], object]) -> None:
        """Watches `call`, which `cancel` ends, and no other one."""
        call.begin(cancel)
        with self._lock:
            self._call = call

    def end(self) -> None:
        """Watches no call. After this none is cancelled."""
        with self._lock:
            self._call = None

    def _look(self) -> float:
        """Seconds until the next look."""
        with self._lock:
            left = math.inf if self._call is None else self._call.look()
        return max(0.01, min(left, _LONGEST_LOOK, self._seconds / 4))


class ThreadWatch(Watch):
    """Looks in a thread of its own, inside of `with`."""

    def __enter__(self) -> ThreadWatch:
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def _run(self) -> None:
        while not self._is_over.wait(self._look()):
            pass

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()


class LoopWatch(Watch):
    """Looks in the event loop, inside of `with`."""

    def __enter__(self) -> LoopWatch:
        self._loop = asyncio.get_running_loop()
        self._run()
        return self

    def _run(self) -> None:
        self._timer = self._loop.call_later(self._look(), self._run)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
