#!/usr/bin/env python3
"""Lists a ZIP archive by Python's zipfile: name, size, CRC and offset of each
entry, the first bytes that are read from it, whether its local header and its
row of the directory have a ZIP64 record, and the version that each of the two
needs."""

import struct
import sys
import zipfile


def local_header(file, offset):
    """The version and the extra field of the local header there."""
    file.seek(offset)
    header = file.read(30)
    version, = struct.unpack("<H", header[4:6])
    name_size, extra_size = struct.unpack("<2H", header[26:30])
    file.seek(name_size, 1)
    return version, file.read(extra_size)


def main(path):
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for entry in archive.infolist():
            with archive.open(entry) as content:
                first = content.read(4).hex()
            version, extra = local_header(file, entry.header_offset)
            print(entry.filename, entry.file_size, entry.CRC,
                  entry.header_offset, first, "local" if extra else "-",
                  "directory" if entry.extra else "-", version,
                  entry.extract_version)


main(sys.argv[1])
