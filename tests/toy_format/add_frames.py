"""Adds the toy format "frames" to a copy of the three files of a format.

    add_frames.py SOURCE OVERLAY

Follows "How to add a format" in CONTRIBUTING.md. Each changed or new file is
written below OVERLAY, at its path in the tree SOURCE; the tree stays as it is.
The output of the format is the number of frames, as one line of text.
"""

import pathlib
import sys

# Each edit inserts text before an anchor, which must occur exactly once.
EDITS = {
    # 1. The options and the row.
    "lib/bvhmill/encode/output.h": [
        ("using FormatOptions =\n",
         "struct FramesFormat {\n"
         "  bool operator==(const FramesFormat& other) const = default;\n"
         "};\n\n"),
        (">;\n\nstruct OutputRequest {", ", FramesFormat"),
        ("\n\ninline constexpr std::string_view kTensorMedia =\n",
         ' \\\n  F(Frames, "frames", "text/plain", ".frames", kText)'),
    ],
    # 3. The message, and its field.
    "proto/bvhmill/v1/options.proto": [
        ("    VelocitiesFormat velocities = 9;\n",
         "    FramesFormat frames = 1000;\n"),
        ("message PositionsFormat {\n", "message FramesFormat {}\n\n"),
    ],
}

# 2. The format.
NEW_FILES = {
    "lib/bvhmill/encode/frames.cc": """\
#include <string>

#include "bvhmill/encode/encode.h"

namespace bvhmill {

absl::Status CheckFramesFormat(const FramesFormat& /*format*/) {
  return absl::OkStatus();
}

int64_t DescribeFramesFormat(const FramesFormat& /*format*/,
                             const Skeleton& /*skeleton*/, int64_t /*frames*/,
                             OutputInfo* info) {
  return DescribeUnknownSize(info);
}

absl::Status EncodeFramesFormat(const FramesFormat& /*format*/,
                                const EncodeContext& context, Sink* sink) {
  return sink->Append(std::to_string(context.frames()) + "\\n");
}

}  // namespace bvhmill
""",
}


def edited(path, text):
    for anchor, insertion in EDITS[path]:
        if text.count(anchor) != 1:
            sys.exit(f"{path}: the anchor {anchor!r} occurs "
                     f"{text.count(anchor)} times, expected once")
        text = text.replace(anchor, insertion + anchor)
    return text


def main():
    source, overlay = map(pathlib.Path, sys.argv[1:])
    files = dict(NEW_FILES)
    for path in EDITS:
        files[path] = edited(path, (source / path).read_text(encoding="utf-8"))
    for path, text in files.items():
        (overlay / path).parent.mkdir(parents=True, exist_ok=True)
        (overlay / path).write_text(text, encoding="utf-8")


main()
