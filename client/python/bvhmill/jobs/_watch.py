"""Uploads and downloads that a server does not answer are given up."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from typing import Any, Callable, Iterator

from bvhmill.client._connection import ServerError

_LONGEST_LOOK = 1.0


class Watch:
    """Cancels a call after `seconds` in which the server gives no sign.

    The time in which this program works between messages does not count.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._cancel: Callable[[], object] | None = None
        # The time at which the call is given up.
        self._end = math.inf
        # True if the call was given up.
        self.is_silent = False
        # A thread looks while another one begins a call.
        self._lock = threading.Lock()

    def begin(self, cancel: Callable[[], object]) -> None:
        """Watches a call that `cancel` ends, and no other one."""
        with self._lock:
            self._cancel = cancel
            self.is_silent = False
            self.sign()

    def sign(self) -> None:
        """A message was sent or received: the server is to go on."""
        self._end = time.monotonic() + self._seconds

    def pause(self) -> None:
        """It is not the turn of the server."""
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

    def _look(self) -> float:
        """Cancels a silent call. Seconds until the next look."""
        with self._lock:
            left = self._end - time.monotonic()
            if left <= 0 and self._cancel is not None:
                self.is_silent = True
                self.pause()
                self._cancel()
            rest = min(_LONGEST_LOOK, self._seconds / 4)
            return max(0.01, min(left, rest) if left > 0 else rest)


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
