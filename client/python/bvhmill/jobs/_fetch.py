"""Results of a job, step by step: takes, and files in a folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Sequence

from bvhmill import _bvhmill
from bvhmill.client._messages import (error_of_result, has_facts, outcome_of,
                                      report_json, report_of)
from bvhmill.jobs._blobs import Download, Memory
from bvhmill.jobs._calls import Give, Work, unary
from bvhmill.jobs._folder import REPORT_EXTENSION, Folder, NewFiles
from bvhmill.jobs._outputs import TakeRecipe
from bvhmill.jobs._steps import EMIT_NOTE, REPORT_NOTE, Steps, wait
from bvhmill.jobs._types import JobLike, SavedClip, name_of_job
from bvhmill.v1 import job_service_pb2 as v1
from bvhmill.v1 import server_service_pb2

if TYPE_CHECKING:
    from bvhmill._errors import BvhError

_PAGE_SIZE = 200


def _described(job: JobLike, partial: bool) -> Steps:
    """The message of a job, which is over unless `partial`."""
    if not partial:
        yield from wait(job, None, None)
    answer = yield unary("JobService/GetJob",
                         v1.GetJobRequest(name=name_of_job(job)))
    return answer.job


def _for_each_result(name: str, failed_only: bool,
                     work: Callable[[Any], Steps]) -> Steps:
    """Gives what `work` makes of each result, in the order of the items."""
    token = ""
    while True:
        page = yield unary(
            "JobService/ListJobResults",
            v1.ListJobResultsRequest(name=name, page_size=_PAGE_SIZE,
                                     page_token=token,
                                     failed_only=failed_only))
        for result in page.results:
            made = yield from work(result)
            yield Give(made)
        token = page.next_page_token
        # A job that still runs has a token, too.
        if not token or not page.results:
            return


def results(job: JobLike, partial: bool, failed_only: bool) -> Steps:
    """Gives an Outcome a clip."""
    message = yield from _described(job, partial)
    recipe = TakeRecipe(message.options)
    yield from _for_each_result(message.name, failed_only,
                                lambda result: _outcome(result, recipe))


def _outcome(result: Any, recipe: TakeRecipe) -> Steps:
    data: list[Any] = []
    names = recipe.names(len(result.outputs))
    for output, name in zip(result.outputs, names):
        if name is None:
            data.append(None)
            continue
        output.id = name
        memory = Memory(max(0, output.size_bytes))
        yield from _downloaded(output.blob, memory.add)
        data.append(memory.bytes)
    return outcome_of(result.display_name or result.key, result, data,
                      recipe.end_sites, recipe.options)


def _downloaded(blob: str, take: Callable[[bytes], None]) -> Steps:
    download = Download(blob, take)
    yield download.call()
    download.check()


class _Layout:
    """Which outputs of a job become files, and their extensions."""

    def __init__(self, job: Any, formats: Any) -> None:
        extensions = {row.format: row.file_extension for row in formats}
        wanted = job.annotations.get(EMIT_NOTE)
        chosen = None if wanted is None else set(wanted.split(","))
        self.extensions: list[str | None] = []
        for output in job.options.outputs:
            format = output.WhichOneof("format")
            is_file = chosen is None or output.id in chosen
            self.extensions.append(extensions[format] if is_file else None)
        self.has_report = REPORT_NOTE in job.annotations
        if not self.has_report and not any(self.extensions):
            raise ValueError(f"{job.name} makes no files; submit it with emit=")

    def outputs_of(self, result: Any) -> list[tuple[Any, str, bytes]]:
        """(Output, extension, head of the file) of each file."""
        return [(output, extension, _head_of(output)) for output, extension
                in zip(result.outputs, self.extensions)
                if extension is not None]


def save(job: JobLike, folder: str, overwrite: bool, partial: bool) -> Steps:
    """Writes outputs as files; gives a SavedClip a clip."""
    message = yield from _described(job, partial)
    info = yield unary("ServerService/GetServerInfo",
                       server_service_pb2.GetServerInfoRequest())
    layout = _Layout(message, info.formats)
    target: Folder = yield Work(lambda: Folder(folder))
    try:
        yield from _for_each_result(
            message.name, False,
            lambda result: _saved(result, layout, target, overwrite))
    finally:
        target.close()


def _saved(result: Any, layout: _Layout, folder: Folder,
           overwrite: bool) -> Steps:
    path = result.display_name or result.key
    error: BvhError | OSError | None = error_of_result(result, path)
    report = report_of(result.report) if result.HasField("report") else None
    outputs = layout.outputs_of(result) if error is None else []
    files: tuple[str, ...] = ()
    try:
        name = os.fsdecode(_bvhmill.name_of_key(result.key))
        new = NewFiles(folder, name, overwrite)
        try:
            there: tuple[str, ...] = yield Work(lambda: _there(
                outputs, layout.has_report, new))
            files = there or (yield from _written(
                result, outputs, layout.has_report, new))
        finally:
            new.close()
    except OSError as fault:
        return SavedClip(path, files, error or fault, report)
    return SavedClip(path, files, error, report, bool(there))


def _there(outputs: Sequence[tuple[Any, str, bytes]], has_report: bool,
           new: NewFiles) -> tuple[str, ...]:
    """The paths of the outputs if all are there with their bytes."""
    names = [extension for _, extension, _ in outputs]
    names += [REPORT_EXTENSION] if has_report else []
    is_there = outputs and new.exists(names) and all(
        new.has(extension, head, output.blob)
        for output, extension, head in outputs)
    return new.paths(names) if is_there else ()


def _written(result: Any, outputs: Sequence[tuple[Any, str, bytes]],
             has_report: bool, new: NewFiles) -> Steps:
    """Fetches the outputs of a clip; their paths."""
    has_report = has_report and has_facts(result)
    for _, extension, _ in outputs:
        new.check_free(extension)
    if has_report:
        new.check_free(REPORT_EXTENSION)
    for output, extension, head in outputs:
        new.begin(extension, head)
        yield from _downloaded(output.blob, new.add)
    if has_report:
        new.begin(REPORT_EXTENSION, report_json(result).encode() + b"\n")
    return (yield Work(new.commit))


def _head_of(output: Any) -> bytes:
    if not output.HasField("tensor"):
        return b""
    return _bvhmill.npy_header(list(output.tensor.shape))
