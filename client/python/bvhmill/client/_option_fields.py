"""Options as messages of the API, by the table of options."""

from __future__ import annotations

from typing import Any, Mapping

from bvhmill._option_types import ROWS, UNITS, Row


def set_options(words: Mapping[str, Any], message: Any) -> None:
    """Sets the fields of a ConvertOptions; words are those of `words_of`."""
    for key, value in words.items():
        row = ROWS.get(key)
        if row is None or row.formats:
            continue
        target = message
        for name in row.path.split(".") if row.path else ():
            target = getattr(target, name)
        _set(row, row.field, value, target)


def set_output(words: Mapping[str, Any], format: str, message: Any) -> None:
    """Sets the format of an OutputRequest, and the options that it has."""
    target = getattr(message, format)
    target.SetInParent()
    for key, value in words.items():
        row = ROWS.get(key)
        if row is not None and format in row.formats:
            # Formats that share an option have it by its own name.
            _set(row, row.field, value, target)


def _set(row: Row, name: str, value: Any, target: Any) -> None:
    field = target.DESCRIPTOR.fields_by_name[name]
    if row.kind == "unit":
        value = UNITS.get(value, value)
    if row.kind == "word" and field.enum_type is not None:
        value = _number_of(field.enum_type, value)
    if row.kind in ("names", "numbers"):
        getattr(target, name).extend(value)
    elif row.kind == "arrays":
        getattr(target, name).extend(_number_of(field.enum_type, word)
                                     for word in value)
    elif row.kind == "pairs":
        getattr(target, name).update(value)
    elif row.kind == "severities":
        kind = field.message_type.fields_by_name["value"].enum_type
        getattr(target, name).update(
            {code: _number_of(kind, word) for code, word in value.items()})
    elif row.kind == "thresholds":
        for key, number in value.items():
            code, _, threshold = key.partition(".")
            getattr(target, name).add(code=code, name=threshold, value=number)
    elif row.kind == "priorities":
        for joint, priority in value.items():
            getattr(target, name).add(joint=joint, priority=priority)
    elif row.kind == "map" and not isinstance(value, str):
        for source, to in value.items():
            getattr(target, name + "_rows").add(source=source, target=to)
    elif row.kind == "frames":
        begin, end, step = (*value, None)[:3]
        target.frames.begin = begin or 0
        target.frames.end = end or 0
        target.frames.step = 1 if step is None else step
    elif row.kind == "trim":
        target.trim.begin_seconds, target.trim.end_seconds = (
            part or 0 for part in value)
    elif row.kind == "loop":
        target.loop = value is not False
        if not isinstance(value, bool):
            target.loop_in, target.loop_out = value
    else:
        setattr(target, name, value)


def _number_of(kind: Any, word: str) -> int:
    """The value of an enum: AXIS_Y for "y"."""
    prefix = kind.values[0].name[:-len("UNSPECIFIED")]
    number: int = kind.values_by_name[prefix + word.upper()].number
    return number
