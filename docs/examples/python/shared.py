"""Shared by the examples: checked options, arrays, and places of faults."""

import difflib

import numpy as np
from google.protobuf import json_format

from bvhmill.v1 import options_pb2 as options


def options_of(fields):
    """ConvertOptions of a dict, with the names of options.proto.

    Raises ValueError with the path of a name or a value that does not fit.
    """
    check_fields(options.ConvertOptions.DESCRIPTOR, fields, "options")
    try:
        return json_format.ParseDict(fields, options.ConvertOptions())
    except json_format.ParseError as error:
        raise ValueError(f"options: {error}") from None


def check_fields(message, fields, path):
    if not isinstance(fields, dict):
        raise ValueError(f"{path}: must be an object, a {message.name}")
    for name, value in fields.items():
        field = message.fields_by_name.get(name)
        place = f"{path}.{name}"
        if field is None:
            raise ValueError(f"{place}: {message.name} has no such field"
                             + choices(name, message.fields_by_name))
        check_field(field, value, place)


def check_field(field, value, path):
    kind = field.message_type
    if kind and kind.GetOptions().map_entry:
        for key, item in value.items():
            check_value(kind.fields_by_name["value"], item, f'{path}["{key}"]')
    elif field.label == field.LABEL_REPEATED:
        if not isinstance(value, list):
            raise ValueError(f"{path}: must be an array")
        for index, item in enumerate(value):
            check_value(field, item, f"{path}[{index}]")
    else:
        check_value(field, value, path)


def check_value(field, value, path):
    if field.message_type:
        check_fields(field.message_type, value, path)
    elif field.enum_type:
        kind = field.enum_type
        if value not in kind.values_by_name and (
                value not in kind.values_by_number):
            raise ValueError(f"{path}: {kind.name} has no value {value!r}"
                             + choices(str(value), kind.values_by_name))


def choices(word, names):
    """The name that may have been meant, and all of them."""
    def fold(name):
        return name.lower().replace("_", "")

    near = [name for name in names if name.lower().endswith(f"_{word.lower()}")]
    if not near:
        folded = {fold(name): name for name in names}
        near = [folded[match] for match in
                difflib.get_close_matches(fold(word), folded, 1)]
    hint = f"; did you mean {near[0]}?" if near else "."
    return f"{hint} It has: {', '.join(names)}"


def array_of(output, data=None):
    """The numpy array of an output; a view, without a copy."""
    data = output.data if data is None else data
    return np.frombuffer(data, "<f4").reshape(output.tensor.shape)


def faults(name, report):
    """The errors of a report, a line each, as a compiler would say them."""
    for issue in report.issues:
        if issue.severity != options.SEVERITY_ERROR:
            continue
        where = ""
        if issue.location.HasField("line"):
            where = f":{issue.location.line}:{issue.location.column}"
        yield f"{name}{where}: error: {issue.code}: {issue.message}"
