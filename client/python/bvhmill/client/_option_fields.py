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
        _check(key, row, value)
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
            _check(key, row, value)
            _set(row, row.field, value, target)


def _check(key: str, row: Row, value: Any) -> None:
    """ValueError for a value that the message would not hold, or would hold as
    one that is not set. Others are checked by the native module, or the
    server."""
    wrong = ""
    if row.words and value not in row.words[not row.words[0]:]:
        wrong = "one of " + ", ".join(filter(None, row.words))
    elif row.kind == "unit" and isinstance(value, str) and value not in UNITS:
        wrong = "a number of meters, or one of " + ", ".join(UNITS)
    elif row.kind in ("whole", "real", "unit") and not isinstance(value, str):
        if not row.least <= value <= row.most or (row.is_above
                                                  and value == row.least):
            wrong = f"from {row.least:g} to {row.most:g}"
            wrong = f"above {row.least:g}" if row.is_above else wrong
    elif row.kind == "frames":
        begin, end, step = (*value, None)[:3]
        if len(value) not in (2, 3) or (end is not None and end <= (begin or 0)
                                        ) or (step is not None and step < 1):
            wrong = "begin, end and maybe step, with the end after the begin"
    elif row.kind == "trim":
        if len(value) != 2 or (value[1] is not None
                               and value[1] <= (value[0] or 0)):
            wrong = "begin and end, with the end after the begin"
    elif row.kind == "arrays" and not value:
        wrong = "one array at least"
    if wrong:
        raise ValueError(f"{key}={value!r}: must be {wrong}")


def _set(row: Row, name: str, value: Any, target: Any) -> None:
    field = target.DESCRIPTOR.fields_by_name[name]
    if row.kind == "unit":
        value = UNITS.get(value, value)
    if row.kind == "word" and value == row.words[0]:
        return
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
    known = kind.values_by_name.get(prefix + str(word).upper())
    if known is None or known.number == 0:
        raise ValueError(f"{word!r}: must be one of " + ", ".join(
            value.name[len(prefix):].lower() for value in kind.values[1:]))
    number: int = known.number
    return number
