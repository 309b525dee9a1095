"""The steps of a page: its commands and programs, in their order.

A step is
  an indented line          a command; a backslash at its end continues it
  an indented line `$ ...`  a command, with its output in the lines below
  a block of a language     a program. After "save this as `FILE`" it is saved;
                            without, it must be Python, and is run
A block without a language is the output of the step before it.
"""

import dataclasses
import re

INDENT = "    "
FENCE = "```"
SAVED = re.compile(r"save this\s+as\s+`([^`]+)`[^`]*$", re.IGNORECASE)


@dataclasses.dataclass
class Step:
    line: int
    text: str
    language: str = ""  # of a program; "" for a command
    file: str = ""  # of a program that is saved
    shown: str = ""  # the output that the page promises


def blocks_of(text):
    """(line, kind, lines) of each part between blank lines.

    The kind is "text", "indented", or that of a fence with its language.
    """
    kind, start, part = "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if kind.startswith(FENCE):
            if line == FENCE:
                yield start, kind, part
                kind, part = "", []
            else:
                part.append(line)
            continue
        now = ("" if not line.strip() else line if line.startswith(FENCE)
               else "indented" if line.startswith(INDENT) else "text")
        if now != kind or now.startswith(FENCE):
            if part:
                yield start, kind, part
            kind, start, part = now, number, []
        if now in ("text", "indented"):
            part.append(line)
    if kind.startswith(FENCE):
        raise ValueError(f"{start}: the block does not end")
    if part:
        yield start, kind, part


def commands_of(start, lines):
    """The commands of an indented part."""
    steps = []
    shows = continues = False
    for number, line in enumerate(lines, start):
        line = line[len(INDENT):]
        if continues:
            steps[-1].text += f"\n{line}"
        elif line.startswith("$ "):
            shows = True
            steps.append(Step(number, line[2:]))
        elif shows:
            steps[-1].shown += f"{line}\n"
            continue
        else:
            steps.append(Step(number, line))
        continues = line.endswith("\\")
    return steps


def steps_of(text):
    """Raises ValueError for a page that cannot be followed."""
    steps = []
    before = ""
    for line, kind, lines in blocks_of(text):
        body = "".join(f"{part}\n" for part in lines)
        if kind == "indented":
            steps += commands_of(line, lines)
        elif kind == FENCE:
            if not steps or steps[-1].shown or steps[-1].file:
                raise ValueError(f"{line}: an output of nothing")
            steps[-1].shown = body
        elif kind.startswith(FENCE):
            language = kind[len(FENCE):]
            saved = SAVED.search(before)
            if saved is None and language != "python":
                raise ValueError(
                    f"{line}: a program in {language} that is not saved")
            steps.append(Step(line, body, language, saved[1] if saved else ""))
        before = body
    return steps


def pattern_of(shown):
    """Matches a text that has the words of `shown`; a line `...` is any text.

    Lines may be folded elsewhere.
    """
    parts = []
    for line in shown.splitlines():
        if line.strip() == "...":
            parts.append(r"(?:\S+\s+)*?")
        else:
            parts += [re.escape(word) + r"\s+" for word in line.split()]
    return re.compile(r"\s*" + "".join(parts))


def mask_speeds(text):
    """Takes out the numbers that differ from run to run."""
    text = re.sub(r"[0-9.]+ MB in [0-9.]+ s, [0-9.]+ MB/s",
                  "N MB in N s, N MB/s", text)
    return re.sub(r"(?m)^(\S+\.bvh\s.*) [0-9]+\.[0-9]$", r"\1 RATE", text)


def differs(step, printed):
    """True if the page promises another output than what was printed."""
    pattern = pattern_of(mask_speeds(step.shown))
    return pattern.fullmatch(mask_speeds(printed) + "\n") is None
