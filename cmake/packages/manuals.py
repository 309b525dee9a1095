"""Writes manual pages from the help of the programs, by help2man.

    manuals.py VERSION BVHMILL BVHMILLD FOLDER

FOLDER gets man1/bvhmill.1.gz, man1/bvhmill-COMMAND.1.gz of each command, and
man8/bvhmilld.8.gz.
"""

import gzip
import pathlib
import re
import subprocess
import sys

from help_text import commands_of


def page(command, name, section, description, version, see_also):
    """The page of a command line, as bytes. Its title is NAME."""
    done = subprocess.run(
        ["help2man", "--no-info", f"--section={section}",
         f"--name={description}", "--source=bvhmill",
         f"--version-string={version}", "--include=/dev/stdin", command],
        input="[SEE ALSO]\n" + ",\n".join(f".BR {other}" for other in see_also),
        check=True, text=True, capture_output=True)
    # Each example keeps its line.
    text = re.sub(r"(\.SH EXAMPLES\n)(.*?)(?=\.SH )", r"\1.nf\n\2.fi\n",
                  done.stdout, flags=re.S)
    # help2man takes the first word of a command for its name.
    text = re.sub(r'^\.TH .*? "', f'.TH {name.upper()} "', text, flags=re.M)
    text = re.sub(r"(\.SH NAME\n).*? \\- ", rf"\1{name} \\- ", text)
    return gzip.compress(text.encode(), mtime=0)


def main():
    version, bvhmill, bvhmilld, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    for section in ("man1", "man8"):
        (folder / section).mkdir(parents=True, exist_ok=True)
    commands = list(commands_of(bvhmill))
    names = {command.path: "-".join(("bvhmill", *command.path))
             for command in commands}
    for command in commands:
        near = [name for path, name in names.items()
                if path[:-1] == command.path and path] or ["bvhmill"]
        (folder / f"man1/{names[command.path]}.1.gz").write_bytes(page(
            " ".join((bvhmill, *command.path)), names[command.path], 1,
            command.description, version, [f"{name} (1)" for name in near]))
    (folder / "man8/bvhmilld.8.gz").write_bytes(page(
        bvhmilld, "bvhmilld", 8, "the gRPC server of bvhmill", version,
        ["bvhmill (1)"]))


main()
