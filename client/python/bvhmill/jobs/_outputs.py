"""Outputs of jobs: arrays for takes, and files as `bvhmill convert` makes."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

from bvhmill._options import checked, unknown
from bvhmill._save import FORMATS, output_words
from bvhmill.client._messages import options_of
from bvhmill.jobs._formats import ArrayNames, id_of
from bvhmill.v1 import options_pb2 as v1

Emit = Union[Sequence[str], Mapping[str, Mapping[str, Any]]]

REPORT = "report"
_ARRAYS = ("positions", "rotations", "velocities")
_KINDS = {"quaternion": v1.ROTATION_KIND_QUATERNION_XYZW,
          "matrix": v1.ROTATION_KIND_MATRIX_3X3, "6d": v1.ROTATION_KIND_SIX_D}
_NPZ_ARRAYS = {"positions": v1.NPZ_ARRAY_POSITIONS,
               "rotations": v1.NPZ_ARRAY_ROTATIONS,
               "velocities": v1.NPZ_ARRAY_VELOCITIES}
# Words of an .anim whose field has another name.
_ANIM_FIELDS = {"loop_in": "loop_in_seconds", "loop_out": "loop_out_seconds",
                "ease_in": "ease_in_seconds", "ease_out": "ease_out_seconds"}
_ANIM_WORDS: dict[str, dict[str, int]] = {
    "profile": {"best": v1.ANIM_PROFILE_BEST,
                "viewer": v1.ANIM_PROFILE_VIEWER},
    "reference": {"auto": v1.ANIM_REFERENCE_AUTO,
                  "rest": v1.ANIM_REFERENCE_REST_POSE,
                  "first": v1.ANIM_REFERENCE_FIRST_FRAME}}
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
    words = {name: _words(name, wanted[name], end_sites) for name in files}
    checked({"outputs": [(name, name, words[name]) for name in files]})
    made = {output.id: output for output in message.outputs}
    for name in files:
        output = v1.OutputRequest(id=name)
        _set_output(name, words[name], output)
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
                             + ", ".join(names))
    if isinstance(emit, Mapping):
        return emit
    return {name: {} for name in emit}


def emitted(emit: Emit) -> list[str]:
    """The formats of files that were asked for, without the report."""
    return [name for name in _wanted(emit) if name != REPORT]


def has_report(emit: Emit) -> bool:
    """True if a .report.json is asked for."""
    return REPORT in emit


def _words(name: str, options: Mapping[str, Any],
           end_sites: bool) -> dict[str, Any]:
    if name in FORMATS:
        return output_words(name, options, end_sites)
    known = ("kind", "world") if name == "rotations" else ()
    for key in options:
        if key not in known:
            raise TypeError(unknown(key, known))
    kind = options.get("kind", "quaternion")
    if kind not in _KINDS:
        raise ValueError(f"kind={kind!r}: must be one of "
                         + ", ".join(map(repr, _KINDS)))
    words = dict(options)
    # As --end-sites of the command line, which rotations do not follow.
    if name in ("positions", "velocities"):
        words["end_sites"] = end_sites
    return words


def _set_output(name: str, words: Mapping[str, Any], output: Any) -> None:
    format = getattr(output, name)
    format.SetInParent()
    if words.get("end_sites"):
        format.include_end_sites = True
    world = bool(words.get("world"))
    if name == "rotations":
        if words.get("kind", "quaternion") != "quaternion":
            format.kind = _KINDS[words["kind"]]
        if world:
            format.space = v1.ROTATION_SPACE_WORLD
    elif name == "npz":
        if "kind" in words:
            format.rotation_kind = _KINDS[words["kind"]]
        if world:
            format.rotation_space = v1.ROTATION_SPACE_WORLD
        format.arrays.extend(_NPZ_ARRAYS[array]
                             for array in words.get("arrays", ()))
    elif name == "bvh" and "decimals" in words:
        format.decimals = words["decimals"]
    elif name == "anim":
        _set_anim(words, format)


def _set_anim(words: Mapping[str, Any], anim: Any) -> None:
    for key, value in words.items():
        if key == "joint_map_rows":
            for source, target in value:
                anim.joint_map_rows.add(source=source, target=target)
        elif key in _ANIM_WORDS:
            setattr(anim, key, _ANIM_WORDS[key][value])
        else:
            setattr(anim, _ANIM_FIELDS.get(key, key), value)
    # A joint's own priority would win over that of the base.
    if "priority" in words:
        anim.joint_priority = words["priority"]


class TakeRecipe:
    """Which outputs of a job make a take, by the options of the job."""

    def __init__(self, options: Any) -> None:
        read = options.read
        self.options: dict[str, Any] = {}
        words = {v1.JOINT_POSITIONS_ADD_TO_OFFSET: "add",
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
            return bool(format.include_end_sites)
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
    if format.kind not in (v1.ROTATION_KIND_UNSPECIFIED,
                           v1.ROTATION_KIND_QUATERNION_XYZW):
        return None
    world = format.space == v1.ROTATION_SPACE_WORLD
    return "world_rotations" if world else "rotations"
