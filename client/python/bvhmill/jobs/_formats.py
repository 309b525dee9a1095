"""The formats of the outputs of a job's results.

An item of a job may have options of its own, so the outputs themselves are
asked: nothing is taken from their places in the list.
"""

from __future__ import annotations

from typing import Any, Iterable, Iterator

from bvhmill._errors import BvhError

# The media type of all formats that are arrays.
_TENSOR = "application/vnd.bvhmill.tensor"


def id_of(request: Any) -> str:
    """The id of the output that a request gives."""
    return str(request.id or request.WhichOneof("format"))


class FileFormats:
    """The extensions of outputs, by the requests of a job and the formats of
    its server."""

    def __init__(self, requests: Iterable[Any], formats: Iterable[Any]) -> None:
        self._rows = list(formats)
        by_name = {row.format: row for row in self._rows}
        self._asked = {
            id_of(request): by_name[request.WhichOneof("format")]
            for request in requests if request.WhichOneof("format") in by_name}

    def is_asked(self, output: Any) -> bool:
        """True if the options of the job ask for this output."""
        row = self._asked.get(output.id)
        return row is not None and row.media_type == output.media_type

    def extension_of(self, output: Any) -> str | None:
        """The extension of the request with this id and media type, or of the
        format with this name, or of the only one with this media type."""
        if self.is_asked(output):
            return str(self._asked[output.id].file_extension)
        same = [row for row in self._rows
                if row.media_type == output.media_type]
        named = [row for row in same if row.format == output.id]
        found = named or (same if len(same) == 1 else [])
        return str(found[0].file_extension) if found else None

    def files_of(self, outputs: Iterable[Any],
                 path: str) -> Iterator[tuple[Any, str]]:
        """(output, extension) of each. BvhError if an output has no file of
        its own."""
        used = set()
        for output in outputs:
            extension = self.extension_of(output)
            if extension is None:
                raise _refused(output, path, "is of a format that this program "
                               "does not know")
            if extension in used:
                raise _refused(output, path,
                               "would have the file of another one")
            used.add(extension)
            yield output, extension


def _refused(output: Any, path: str, why: str) -> BvhError:
    return BvhError(f"{path}: error: its output {output.id!r} {why}",
                    code="FAILED_PRECONDITION", source_name=path)


def _axes_of(name: str) -> list[str]:
    if name == "values":
        return ["frame", "channel"]
    last = "xyzw" if name.endswith("rotations") else "xyz"
    return ["frame", "joint", last]


class ArrayNames:
    """Which outputs are arrays of a take.

    `arrays` has the array of each request of a job, by id; None: it is none of
    a take. `end_sites` is true if the job asks for rows of end sites.
    """

    def __init__(self, arrays: dict[str, str | None], end_sites: bool) -> None:
        self._arrays = arrays
        self._end_sites = end_sites

    def of(self, result: Any) -> tuple[list[str | None], bool]:
        """The array that each output is, or None; and if end sites have rows.

        A result does not say whether rotations are local. Those of an item with
        options of its own are no array, since that is not known.
        """
        is_own = [output.id for output in result.outputs] != list(self._arrays)
        names: list[str | None] = []
        for output in result.outputs:
            name = self._arrays.get(output.id)
            if is_own:
                name = name or output.id
                if name.endswith("rotations"):
                    name = None
            is_array = name is not None and name not in names
            names.append(name if is_array and _is(output, name) else None)
        return _with_same_rows(result, names, self._end_sites)


def _is(output: Any, name: str | None) -> bool:
    return (name in ("positions", "rotations", "world_rotations", "velocities",
                     "values")
            and output.media_type == _TENSOR
            and list(output.tensor.axes) == _axes_of(name)
            and len(output.tensor.shape) == len(output.tensor.axes))


def _with_same_rows(result: Any, names: list[str | None],
                    end_sites: bool) -> tuple[list[str | None], bool]:
    """Arrays of a take have the same rows: those of the first one."""
    nodes = len(result.info.joints)
    joints = sum(not joint.end_site for joint in result.info.joints)
    wanted: int | None = None
    for i, (output, name) in enumerate(zip(result.outputs, names)):
        if name is None or name == "values":
            continue
        rows = output.tensor.shape[1]
        if wanted is None and rows in (joints, nodes):
            wanted = rows
            if joints != nodes:
                end_sites = rows == nodes
        if rows != wanted:
            names[i] = None
    return names, end_sites
