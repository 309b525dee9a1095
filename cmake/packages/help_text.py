"""The commands and options of bvhmill, read from its help."""

import re
import subprocess
from dataclasses import dataclass, field


@dataclass
class Option:
    # "--emit", and "-o" before it if there is a short one.
    names: list
    # Such as FILE or WORD; empty for a flag.
    metavar: str
    text: str

    def values(self, others=()):
        """The words that it takes, as far as the help lists them. It may refer
        to another option: "see --NAME"."""
        for other in others:
            if f"(see {other.names[-1]})" in self.text:
                return other.values()
        if self.metavar in ("LIST", "SCHEME", "SCHEME|FILE.csv"):
            return _list_of(self.text)
        if re.fullmatch(r"[a-z]+(\|[a-z]+)+", self.metavar):
            return self.metavar.split("|")
        if self.metavar != "WORD":
            return []
        found = _words_of(self.text)
        if len(found) < 2 or len(found) > len(set(found)):
            raise SystemExit(f"the help of {self.names[-1]} lists no words: "
                             f"{self.text}")
        return found


@dataclass
class Command:
    # ("job", "submit"); empty for bvhmill itself.
    path: tuple
    description: str
    options: list = field(default_factory=list)
    # (name, description) of each command below it.
    commands: list = field(default_factory=list)
    # The text about its arguments; empty if it takes none.
    arguments: str = ""


def _list_of(text):
    """`A list:\\n a b\\n c` and `arrays: a, b; default a`."""
    listed = re.sub(r"\s+", " ", text.split(":")[-1].split(";")[0])
    return re.findall(r"[\w-]+", listed) if ":" in text else []


def _words_of(text):
    """`severity: error or warning; default error`, `auto (if ...) or never`,
    and `best: any skeleton; viewer: the same bytes; default best`."""
    text = re.sub(r"\([^()]*\)", "", re.sub(r"\s+", " ", text))
    parts = re.findall(r"(?:^|; )([\w-]+): ", text)
    if len(parts) > 1 and "default" not in parts:
        return parts
    listed = text.split(";")[0].split(": ")[-1]
    return [part.split()[0] for part in re.split(r",| or ", listed)
            if part.strip()]


def _rows_of(lines):
    """Pairs of the left and the right column of a section of the help."""
    rows = []
    for line in lines:
        left, right = line[2:28].rstrip(), line[28:]
        if len(line) > 2 and line[2] != " ":
            if len(line) > 27 and line[26:28] != "  ":
                left, right = line[2:], ""
            rows.append([left, right])
        elif rows:
            rows[-1][1] += "\n" + line.strip()
    return [(left, right.strip()) for left, right in rows]


def _option_of(left, text):
    names, _, metavar = left.partition(" ")
    return Option(names.split(","), metavar, text)


def _sections_of(text):
    name, lines = "", []
    for line in text.splitlines():
        if re.match(r"[A-Z].*:$", line):
            yield name, lines
            name, lines = line[:-1], []
        elif line.startswith("  "):
            lines.append(line)
    yield name, lines


def help_of(program, path):
    done = subprocess.run([program, *path, "--help"], check=True, text=True,
                          capture_output=True)
    return done.stdout


def commands_of(program, path=()):
    """The command at `path`, and all commands below it."""
    text = help_of(program, path)
    command = Command(path, text.split("\n")[0].split(": ", 1)[1])
    for name, lines in _sections_of(text):
        if name == "Subcommands":
            command.commands = _rows_of(lines)
        elif name == "Arguments":
            command.arguments = " ".join(text for _, text in _rows_of(lines))
        elif name != "Examples":
            command.options += [_option_of(*row) for row in _rows_of(lines)
                                if row[0].startswith("-")]
    yield command
    for name, _ in command.commands:
        yield from commands_of(program, (*path, name))
