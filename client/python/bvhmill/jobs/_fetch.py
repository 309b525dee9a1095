"""Results of a job, step by step: takes, and files in a folder."""

from __future__ import annotations

import json
import os
from functools import partial as bound
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence

from bvhmill import _bvhmill
from bvhmill._batch import Failed
from bvhmill._errors import BvhError, printable
from bvhmill.client._messages import (error_of_output, error_of_result,
                                      has_facts, outcome_of,
                                      report_json, report_of)
from bvhmill.client._turns import Steps, Work
from bvhmill.jobs._blobs import Download, Fetched
from bvhmill.jobs._calls import Give, Several, unary
from bvhmill.jobs._formats import FileFormats
from bvhmill.jobs._folder import REPORT_EXTENSION, Folder, NewFiles
from bvhmill.jobs._outputs import TakeRecipe
from bvhmill.jobs._steps import (EMIT_NOTE, REPORT_NOTE, PageBounds,
                                 broken_answer, wait)
from bvhmill.jobs._types import JobLike, SavedClip, name_of_job
from bvhmill.v1 import job_service_pb2 as v1
from bvhmill.v1 import server_service_pb2

if TYPE_CHECKING:
    from bvhmill._report import Report

_PAGE_SIZE = 200
# What is fetched together: clips, and the bytes of their outputs. A clip that
# has more is fetched alone.
GROUP_CLIPS = 32
GROUP_BYTES = 32 << 20


def _described(job: JobLike, partial: bool) -> Steps:
    """The message of a job, which is over unless `partial`."""
    if not partial:
        yield from wait(job, None, None)
    answer = yield unary("JobService/GetJob",
                         v1.GetJobRequest(name=name_of_job(job)))
    return answer.job


def _for_each_group(job: Any, failed_only: bool, size: Callable[[Any], int],
                    work: Callable[[Sequence[Any]], Steps]) -> Steps:
    """Runs `work` on groups of results, in the order of the items. `size` has
    the bytes that are fetched for a result."""
    token = ""
    bounds = PageBounds()
    left = job.items.total
    while True:
        page = yield unary(
            "JobService/ListJobResults",
            v1.ListJobResultsRequest(name=job.name, page_size=_PAGE_SIZE,
                                     page_token=token,
                                     failed_only=failed_only))
        left -= len(page.results)
        if left < 0:
            raise broken_answer("more results than its job has clips")
        for group in _groups(page.results, size):
            yield from work(group)
        token = page.next_page_token
        bounds.take(token if page.results else "", 0)
        # A job that still runs has a token, too.
        if not token or not page.results:
            return


def _groups(results: Iterable[Any],
            size: Callable[[Any], int]) -> Iterator[list[Any]]:
    group: list[Any] = []
    total = 0
    for result in results:
        total += size(result)
        if group and (total > GROUP_BYTES or len(group) == GROUP_CLIPS):
            yield group
            group, total = [], size(result)
        group.append(result)
    if group:
        yield group


def _size_of(outputs: Iterable[Any]) -> int:
    return sum(max(0, output.size_bytes) for output in outputs)


def _downloaded(clips: Iterable[Fetched]) -> Steps:
    """Downloads the outputs of several clips; the error that has ended it, or
    None. The clips before it are complete."""
    calls = [call for clip in clips for call in clip.calls()]
    try:
        if calls:
            yield Several(calls)
    except Exception as error:
        return error
    return None


def results(job: JobLike, partial: bool, failed_only: bool) -> Steps:
    """Gives an Outcome a clip."""
    message = yield from _described(job, partial)
    recipe = TakeRecipe(message.options)
    yield from _for_each_group(
        message, failed_only,
        lambda result: _size_of(filter(None, _arrays_of(result, recipe))),
        lambda group: _outcomes(group, recipe))


def _arrays_of(result: Any, recipe: TakeRecipe) -> list[Any]:
    """The outputs that are arrays of a take; None for the other ones."""
    names, _ = recipe.names(result)
    return [None if name is None or output.HasField("status") else output
            for output, name in zip(result.outputs, names)]


def _outcomes(group: Sequence[Any], recipe: TakeRecipe) -> Steps:
    clips = [Fetched(_arrays_of(result, recipe)) for result in group]
    fault = yield from _downloaded(clips)
    for result in group:
        clip = clips.pop(0)
        if clip.is_damaged(fault):
            error = _damage_of(result)
            yield Give(Failed(path_of(result), None, error, error.report))
            continue
        names, end_sites = recipe.names(result)
        for output, name in zip(result.outputs, names):
            output.id = name or output.id
        yield Give(outcome_of(path_of(result), result, clip.data,
                              end_sites, recipe.options))


def _damage_of(result: Any) -> BvhError:
    """The error of a clip with an output that has other bytes."""
    path = path_of(result)
    return BvhError(
        f"{printable(path)}: error: JOB_DAMAGED: the bytes of an output do not "
        "have its digest", code="JOB_DAMAGED", report=report_of(result.report),
        source_name=path)


class _Layout:
    """Which outputs of a job become files, and their extensions."""

    def __init__(self, job: Any, formats: Any) -> None:
        self._formats = FileFormats(job.options.outputs, formats)
        wanted = job.annotations.get(EMIT_NOTE)
        # The ids of the files that Python has asked for. None: all are files.
        self._chosen = None if wanted is None else set(wanted.split(","))
        self.has_report = REPORT_NOTE in job.annotations
        if wanted == "" and not self.has_report:
            raise ValueError(f"{job.name} makes no files; submit it with emit=")

    def files_of(self, result: Any) -> list[tuple[Any, str, bytes]]:
        """(Output, extension, head of the file) of each file. BvhError."""
        files = [output for output in result.outputs
                 if self._is_file(output) and not output.HasField("status")]
        path = path_of(result)
        return [(output, extension, _head_of(output)) for output, extension
                in self._formats.files_of(files, path)]

    def _is_file(self, output: Any) -> bool:
        return (self._chosen is None or output.id in self._chosen
                or not self._formats.is_asked(output))

    def error_of(self, result: Any) -> BvhError | None:
        """Why the first file that could not be made was not; else None."""
        errors = (error_of_output(result, output, path_of(result))
                  for output in result.outputs if self._is_file(output))
        return next((error for error in errors if error is not None), None)

    def size_of(self, result: Any) -> int:
        """The most bytes that are fetched for a result."""
        return _size_of(filter(self._is_file, result.outputs))


def path_of(result: Any) -> str:
    """The path of a clip, for people."""
    return str(result.display_name or result.key)


def save(job: JobLike, folder: str, overwrite: bool, partial: bool) -> Steps:
    """Writes outputs as files; gives a SavedClip a clip."""
    message = yield from _described(job, partial)
    info = yield unary("ServerService/GetServerInfo",
                       server_service_pb2.GetServerInfoRequest())
    layout = _Layout(message, info.formats)
    target: Folder = yield Work(lambda: Folder(folder))
    try:
        yield from _for_each_group(
            message, False, layout.size_of,
            lambda group: _saved(group, layout, target, overwrite))
    finally:
        target.close()


def _saved(group: Sequence[Any], layout: _Layout, folder: Folder,
           overwrite: bool) -> Steps:
    clips = [_Saving(result, layout) for result in group]
    try:
        for clip in clips:
            yield Work(bound(clip.look, folder, overwrite), must_end=True)
        # One that is alone may be larger than memory.
        is_large = layout.size_of(group[0]) > GROUP_BYTES
        fault = None
        if not is_large:
            fault = yield from _downloaded([clip.fetched() for clip in clips])
        for clip in clips:
            yield Give((yield from clip.saved(fault, is_large)))
            clip.close()
    finally:
        for clip in clips:
            clip.close()


class _Saving:
    """A clip of a job whose outputs become files.

    Call `look`, `fetched` unless the clip is too large for memory, `saved`, and
    `close`, which may be repeated.
    """

    def __init__(self, result: Any, layout: _Layout) -> None:
        self._result = result
        self._path = path_of(result)
        self._error = error_of_result(result, self._path)
        self._outputs: list[tuple[Any, str, bytes]] = []
        try:
            self._outputs = layout.files_of(result)
        except BvhError as error:
            # A traceback would keep the frames of the caller.
            self._error = error.with_traceback(None)
        is_refused = self._error is not None and bool(result.outputs)
        self._has_report = layout.has_report and not is_refused
        self._error = self._error or layout.error_of(result)
        self._new: NewFiles | None = None
        self._overwrite = False
        # The extensions of the files that are there already.
        self._there: set[str] = set()
        self._fault: OSError | BvhError | None = None
        self._fetched = Fetched([])

    def look(self, folder: Folder, overwrite: bool) -> None:
        """Finds out which files are to be written."""
        try:
            name = os.fsdecode(_bvhmill.name_of_key(self._result.key))
            self._overwrite = overwrite
            self._new = NewFiles(folder, name, overwrite)
            self._there = self._find()
            for extension in self._extensions():
                if extension not in self._there:
                    self._new.check_free(extension)
        except OSError as fault:
            self._fault = fault

    def fetched(self) -> Fetched:
        """What is to be downloaded."""
        if self._fault is None:
            self._fetched = Fetched([
                None if extension in self._there else output
                for output, extension, _ in self._outputs])
        return self._fetched

    def saved(self, fault: Exception | None, is_large: bool) -> Steps:
        """Writes the files; the SavedClip. `fault` has ended the downloads."""
        is_damaged = self._fetched.is_damaged(fault)
        files: tuple[str, ...] = ()
        was_there = False
        try:
            if self._fault is None and is_large:
                is_damaged = yield from self._stream()
            if is_damaged:
                self._fault = _damage_of(self._result)
            if self._fault is None:
                named = yield Work(self._write, must_end=True)
                was_there = bool(self._outputs) and not named
                files = self._files.paths(self._extensions())
        except OSError as error:
            self._fault = error
        return SavedClip(self._path, files, self._error or self._fault,
                         self._report, was_there)

    def close(self) -> None:
        """Lets memory and folder go, and removes files without a name."""
        self._fetched = Fetched([])
        if self._new is not None:
            self._new.close()
        self._new = None

    @property
    def _report(self) -> Report | None:
        has_one = self._result.HasField("report")
        return report_of(self._result.report) if has_one else None

    @property
    def _has_new_report(self) -> bool:
        return self._has_report and has_facts(self._result)

    def _extensions(self) -> list[str]:
        return ([extension for _, extension, _ in self._outputs]
                + [REPORT_EXTENSION] * self._has_new_report)

    def _find(self) -> set[str]:
        """The extensions of the files that are there with their bytes."""
        new = self._files
        there = {extension for output, extension, head in self._outputs
                 if new.has(extension, head, output.blob)}
        # With all outputs, the report may be that of another path.
        is_whole = bool(self._outputs) and len(there) == len(self._outputs)
        if self._has_new_report and self._has_report_file(is_whole):
            there.add(REPORT_EXTENSION)
        return there

    def _has_report_file(self, of_any_path: bool) -> bool:
        text = self._report_text()
        if self._files.holds(REPORT_EXTENSION, text):
            return True
        if self._overwrite or not of_any_path:
            return False
        found = _without_path(self._files.contents(REPORT_EXTENSION))
        return found is not None and found == _without_path(text)

    def _report_text(self) -> bytes:
        return report_json(self._result).encode() + b"\n"

    @property
    def _files(self) -> NewFiles:
        assert self._new is not None
        return self._new

    def _stream(self) -> Steps:
        """True if an output has other bytes than those of its name."""
        for output, extension, head in self._outputs:
            if extension in self._there:
                continue
            yield Work(bound(self._files.begin, extension, head),
                       must_end=True)
            download = Download(output, self._files.add, writes=True)
            yield download.call()
            if not download.is_complete:
                return True
        return False

    def _write(self) -> list[str]:
        """The extensions of the files that were not there."""
        new = self._files
        for (_, extension, head), data in zip(self._outputs,
                                              self._fetched.data):
            if data is not None:
                new.begin(extension, head)
                new.add(data)
        if self._has_new_report and REPORT_EXTENSION not in self._there:
            new.begin(REPORT_EXTENSION, self._report_text())
        named = new.commit()
        new.claim(self._extensions())
        return named


def _without_path(report: bytes | None) -> dict[str, Any] | None:
    """What a .report.json says but for its path; None if it is none."""
    try:
        found = json.loads(report or b"")
        return {**found, "file": None}
    except (ValueError, TypeError, RecursionError):
        return None


def _head_of(output: Any) -> bytes:
    if not output.HasField("tensor"):
        return b""
    return _bvhmill.npy_header(list(output.tensor.shape))
