"""The calls of both clients, step by step."""

from __future__ import annotations

from functools import partial as bound
from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

import grpc

from bvhmill._errors import BvhError
from bvhmill._options import array_names
from bvhmill._read import need_known
from bvhmill._source import Source, name_of
from bvhmill.client._calls import (ANSWER_TOO_LARGE, data_of, deadline,
                                   delay_before_retry, fits_message,
                                   fits_one_call, seconds_to, source_of)
from bvhmill.client._connection import (ServerError, server_error_of,
                                        was_closed)
from bvhmill.client._messages import (error_of_take, info_of, options_of,
                                      report_of_error, report_of_result,
                                      take_of)
from bvhmill.client._turns import Pause, Steps, Work
from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc, server_service_pb2
from bvhmill.v1 import server_service_pb2_grpc

if TYPE_CHECKING:
    from bvhmill.client._async import AsyncClient
    from bvhmill.client._sync import Client

    AnyClient = Union[Client, AsyncClient]


def server_info(client: AnyClient, end: float | None) -> Steps:
    """The GetServerInfoResponse of the server; asked for once."""
    if client._info is None:
        client._info = yield from _retried(client, bound(
            _unary, client, server_service_pb2_grpc.ServerServiceStub,
            "GetServerInfo", server_service_pb2.GetServerInfoRequest()), end)
    return client._info


def read(client: AnyClient, source: Source, arrays: Sequence[str],
         end_sites: bool, keep_values: bool, source_name: str | None,
         words: dict[str, Any]) -> Steps:
    """The Take of a clip."""
    end = deadline(client._settings.timeout)
    names = array_names(arrays)
    message = options_of(names, end_sites, keep_values, words)
    # Files may be large.
    name = name_of(source) if source_name is None else source_name
    text = yield Work(bound(source_of, source, name, words))
    result, data = yield from _converted(
        client, "ConvertClip", clips.ConvertClipRequest, text, name, message,
        lambda limits: fits_one_call(text, len(names), limits), end)
    return take_of(result, data, end_sites, words, name)


def validate(client: AnyClient, source: Source, words: dict[str, Any]) -> Steps:
    """The Report of a clip."""
    end = deadline(client._settings.timeout)
    message = options_of((), False, False, words)
    name = name_of(source)
    text = yield Work(bound(source_of, source, name, words))
    try:
        result, _ = yield from _converted(
            client, "ValidateClip", clips.ValidateClipRequest, text, name,
            message, bound(fits_message, text), end)
    except BvhError as error:
        return report_of_error(error)
    return report_of_result(result)


def info(client: AnyClient, source: Source, words: dict[str, Any]) -> Steps:
    """The Info of a clip."""
    end = deadline(client._settings.timeout)
    need_known(words)
    message = options_of((), False, False, {"ignore": ["DATA_*"], **words})
    name = name_of(source)
    text = yield Work(bound(source_of, source, name, words))
    result, _ = yield from _converted(
        client, "ValidateClip", clips.ValidateClipRequest, text, name, message,
        bound(fits_message, text), end)
    error = error_of_take(result, name)
    if error is not None:
        raise error
    return info_of(result.info)


def _converted(client: AnyClient, method: str, request: Any, text: Any,
               name: str, message: Any, fits: Callable[[Any], bool],
               end: float | None) -> Steps:
    """(ClipResult, outputs as bytes), by one call of `method` or a stream."""
    limits = (yield from server_info(client, end)).limits
    if fits(limits):
        try:
            answer = yield from _retried(client, bound(
                _unary, client, clip_service_pb2_grpc.ClipServiceStub, method,
                request(source=text, options=message)), end, name)
            return answer.result, data_of(answer.result)
        except ServerError as error:
            if error.code != ANSWER_TOO_LARGE:
                raise
    return (yield from _retried(
        client, bound(client._streamed, text, message, limits), end, name))


def _unary(client: AnyClient, stub: Any, method: str, request: Any,
           left: float | None) -> Any:
    return getattr(stub(client._open()), method)(
        request, timeout=left, metadata=client._settings.metadata())


def _retried(client: AnyClient, call: Callable[[float | None], Any],
             end: float | None, source_name: str = "") -> Steps:
    """`call(seconds left)`, tried again as often as it may be until the
    deadline `end`."""
    attempt = 0
    while True:
        try:
            return (yield bound(call, seconds_to(end)))
        except ValueError as error:
            if not was_closed(error):
                raise
        except grpc.RpcError as error:
            attempt += 1
            yield from pause_after(client, error, attempt, end, source_name)


def pause_after(client: AnyClient, error: Any, attempt: int, end: float | None,
                source_name: str = "") -> Steps:
    """Waits before a call is tried again. If it cannot be, raises the error for
    the caller."""
    delay = delay_before_retry(error, attempt)
    left = seconds_to(end)
    if delay is None or (left is not None and delay >= left):
        raise (yield Work(bound(server_error_of, error, client._settings,
                                source_name, left))) from None
    yield Pause(delay)
