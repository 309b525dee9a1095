"""Outputs of jobs: arrays for takes, and files as `bvhmill convert` makes."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

from bvhmill._options import checked, did_you_mean
from bvhmill._save import FORMATS, output_words
from bvhmill.client._messages import options_of
from bvhmill.client._option_fields import set_output
from bvhmill.jobs._formats import ArrayNames, id_of
from bvhmill.v1 import options_pb2 as v1

Emit = Union[Sequence[str], Mapping[str, Mapping[str, Any]]]

REPORT = "report"
_ARRAYS = ("positions", "rotations", "velocities")
EMITTED = (*_ARRAYS, "values", *FORMATS)


def job_options(arrays: Sequence[str] | None, emit: Emit, end_sites: bool,
                keep_values: bool, options: Mapping[str, Any]) -> Any:
    """ConvertOptions of a job. ValueError and TypeError as `read`."""
    wanted = _wanted(emit)
    files = [name for name in wanted if name != REPORT]
    if arrays is None:
        arrays = () if wanted else ("positions",)
    message = options_of(arrays, end_sites,
                         keep_values and (bool(arrays) or not wanted), options)
    words = {name: output_words(name, wanted[name], end_sites)
             for name in files}
    checked({"emit": list(words.values())})
    made = {output.id: output for output in message.outputs}
    for name in files:
        output = v1.OutputRequest(id=name)
        set_output(words[name], name, output)
        if name not in made:
            message.outputs.append(output)
        elif made[name] != output:
            raise ValueError(f"emit: {name} has other options than the array "
                             "of that name; submit two jobs")
    return message


def _wanted(emit: Emit) -> Mapping[str, Mapping[str, Any]]:
    if isinstance(emit, str):
        raise TypeError(f"emit must be a list of formats, such as [{emit!r}]")
    names = (*EMITTED, REPORT)
    for name in emit:
        if name not in names:
            raise ValueError(f"emit: there is no format {name!r}; there are "
                             + ", ".join(names) + did_you_mean(name, names))
    if isinstance(emit, Mapping):
        return emit
    return {name: {} for name in emit}


def emitted(emit: Emit) -> list[str]:
    """The formats of files that were asked for, without the report."""
    return [name for name in _wanted(emit) if name != REPORT]


def has_report(emit: Emit) -> bool:
    """True if a .report.json is asked for."""
    return REPORT in emit


class TakeRecipe:
    """Which outputs of a job make a take, by the options of the job."""

    def __init__(self, options: Any) -> None:
        read = options.read
        self.options: dict[str, Any] = {}
        words = {v1.JOINT_POSITIONS_ADD: "add",
                 v1.JOINT_POSITIONS_IGNORE: "ignore"}
        if read.joint_positions in words:
            self.options["joint_positions"] = words[read.joint_positions]
        if read.root_offset == v1.ROOT_OFFSET_ADD:
            self.options["root_offset"] = "add"
        arrays = {id_of(output): _array_of(output)
                  for output in options.outputs}
        self._names = ArrayNames(arrays, _has_end_sites(options.outputs))

    def names(self, result: Any) -> tuple[list[str | None], bool]:
        """The array of a take that each output is, None for one that is none;
        and if end sites have rows."""
        return self._names.of(result)


def _has_end_sites(outputs: Any) -> bool:
    """If the first array of poses has rows of end sites."""
    for output in outputs:
        if _array_of(output) not in (None, "values"):
            format = getattr(output, output.WhichOneof("format"))
            return bool(format.end_sites)
    return False


def _array_of(output: Any) -> str | None:
    """The array that a `read` gives in this form; None if there is none."""
    name: str = output.WhichOneof("format")
    if name == "values":
        return name
    if name not in _ARRAYS:
        return None
    format = getattr(output, name)
    if format.layout == v1.TENSOR_LAYOUT_JOINT_MAJOR:
        return None
    if name != "rotations":
        return name
    if format.rotation_kind not in (v1.ROTATION_KIND_UNSPECIFIED,
                           v1.ROTATION_KIND_QUATERNION):
        return None
    world = format.rotation_space == v1.ROTATION_SPACE_WORLD
    return "world_rotations" if world else "rotations"
