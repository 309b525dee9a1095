"""Shared by the examples: checked options, outputs, and places of faults."""

import argparse
import difflib
import json
import pathlib

import numpy as np
from google.protobuf import json_format

from bvhmill.v1 import options_pb2 as options


def options_argument(text):
    """ConvertOptions of JSON, as the type of an argument of argparse."""
    try:
        return options_of(json.loads(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


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


def array_of(output, data):
    """The numpy array of an output; a view, without a copy."""
    return np.frombuffer(data, "<f4").reshape(output.tensor.shape)


def save(stem, output, data):
    """Writes STEM.positions.npy, or STEM.csv if the output is no array."""
    if output.HasField("tensor"):
        path = f"{stem}.{output.id}.npy"
        array = array_of(output, data)
        np.save(path, array)
        print(f"{path}: {array.shape} {list(output.tensor.axes)}", flush=True)
    else:
        path = f"{stem}.{output.id}"
        pathlib.Path(path).write_bytes(data)
        print(f"{path}: {len(data)} bytes", flush=True)


def faults(name, result):
    """Why a take was refused, a line each, as a compiler would say it: the
    errors of its report or, if the take was not read, its status."""
    errors = [issue for issue in result.report.issues
              if issue.severity == options.SEVERITY_ERROR]
    for issue in errors:
        where = ""
        if issue.location.HasField("line"):
            where = f":{issue.location.line}:{issue.location.column}"
        yield f"{name}{where}: error: {issue.code}: {issue.message}"
    if not errors:
        yield f"{name}: {result.status.message}"
