"""Writes completions of bvhmill for bash, zsh and fish, from its help.

    completions.py PROGRAM FOLDER

FOLDER gets bvhmill (for bash), _bvhmill (for zsh) and bvhmill.fish.
"""

import pathlib
import shlex
import sys

from help_text import commands_of

CLIPS = ["bvh", "bvh.gz", "bvh.zst", "anim"]


def clips_of(command):
    """The extensions of the clips that a command takes."""
    if "BVH" in command.arguments:
        return CLIPS
    return ["anim"] if ".anim" in command.arguments else []


def takes_file(option):
    return option.metavar.split("|")[-1] in ("FILE", "FILE.csv")


def description_of(option):
    """One line, for the menus of zsh and fish."""
    return option.text.split("; ")[0].replace("\n", " ").rstrip(":")


BASH = r"""# Completions of bvhmill for bash, made from its help. The keys are commands,
# and options of commands.
declare -gA _bvhmill_words=(
%s
)
declare -gA _bvhmill_files=(
%s
)
_bvhmill() {
  local cur=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}
  [[ $cur == = ]] && cur=
  [[ $last == = ]] && last=${COMP_WORDS[COMP_CWORD-2]}
  local path=bvhmill begin= word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ ${_bvhmill_words["$path $word"]+x} && $word != -* ]] && path+=" $word"
  done
  local key="$path $last"
  if [[ ${_bvhmill_words[$key]+x} && $last == -* ]]; then
    begin=${cur%%"${cur##*,}"}
  else
    key=$path
  fi
  local IFS=$' \n'
  COMPREPLY=($(compgen -P "$begin" -W "${_bvhmill_words[$key]}" \
    -- "${cur#"$begin"}"))
  local files=${_bvhmill_files[$key]-}
  [[ -n $files && $cur != -* ]] || return
  compopt -o filenames
  IFS=$'\n'
  COMPREPLY+=($(compgen -d -- "$cur"))
  while read -r word; do
    [[ -d $word ]] || COMPREPLY+=("$word")
  done < <(compgen -f -- "$cur" | grep -E "$files")
}
complete -F _bvhmill bvhmill
"""


def bash(commands):
    words, files = [], []

    def add(table, key, value):
        table.append(f"  [{shlex.quote(key)}]={shlex.quote(value)}")

    for command in commands:
        path = " ".join(("bvhmill", *command.path))
        names = [option.names[-1] for option in command.options]
        add(words, path, " ".join(
            [name for name, _ in command.commands] + names))
        if clips_of(command):
            add(files, path, rf"\.({'|'.join(clips_of(command))})$")
        for option in command.options:
            if not option.metavar:
                continue
            for name in option.names:
                add(words, f"{path} {name}",
                    " ".join(option.values(command.options)))
                if takes_file(option):
                    add(files, f"{path} {name}", ".")
                elif option.metavar == "DIR":
                    add(files, f"{path} {name}", "/$")
    return BASH % ("\n".join(words), "\n".join(files))


def zsh_text(text):
    for char in "\\[]:":
        text = text.replace(char, "\\" + char)
    return text


def zsh_action(option, options):
    words = " ".join(option.values(options))
    if option.metavar == "LIST":
        return f"_values -s , word {words}"
    if takes_file(option):
        return f" _bvhmill_word_or_file {words}" if words else "_files"
    if option.metavar == "DIR":
        return "_files -/"
    return f"({words})" if words else " "


def zsh_option(option, options):
    spec = f"[{zsh_text(description_of(option))}]"
    if option.metavar:
        spec += (f":{zsh_text(option.metavar)}:"
                 f"{zsh_action(option, options)}")
    names = option.names
    if len(names) == 1:
        return shlex.quote(names[0] + spec)
    return f"'({' '.join(names)})'{{{','.join(names)}}}{shlex.quote(spec)}"


def zsh_function(command):
    name = "_".join(("_bvhmill", *command.path))
    specs = [zsh_option(option, command.options) for option in command.options]
    end = []
    if command.commands:
        listed = " ".join(
            f"{word}\\:{shlex.quote(zsh_text(text))}"
            for word, text in command.commands)
        specs += [shlex.quote(f"1:command:(({listed}))"), "'*::word:->words'"]
        end = [f'  [[ $state == words ]] && {name}_$line[1]']
    elif clips_of(command):
        globs = " ".join(f"*.{extension}" for extension in clips_of(command))
        specs.append(shlex.quote(f'*:clip:_files -g "{globs}"'))
    return "\n".join([
        f"{name}() {{", "  local state line", "  typeset -A opt_args",
        "  _arguments -C \\", *(f"    {spec} \\" for spec in specs[:-1]),
        f"    {specs[-1]}", *end, "}"])


def zsh(commands):
    return "\n".join([
        "#compdef bvhmill", "# Completions for zsh, made from the help.",
        '_bvhmill_word_or_file() { compadd -- "$@"; _files }',
        *map(zsh_function, commands), '_bvhmill "$@"', ""])


FISH = """# Completions of bvhmill for fish, made from its help.
# True if the words of the command line begin with these commands.
function __bvhmill_in
    set -l words (string match -v -- '-*' (commandline -opc)[2..])
    set -l last (count $argv)
    test $last -eq 0; or test "$words[1..$last]" = "$argv"
end
# True if these commands are all words.
function __bvhmill_at
    set -l words (string match -v -- '-*' (commandline -opc)[2..])
    test "$words" = "$argv"
end
complete -c bvhmill -f
"""


def fish_option(option, options):
    line = "".join(f" {'-l' if name.startswith('--') else '-s'} "
                   f"{name.lstrip('-')}" for name in option.names)
    line += f" -d {shlex.quote(description_of(option))}"
    words = " ".join(option.values(options))
    if option.metavar == "LIST":
        return line + f" -x -a '(__fish_append , {words})'"
    if takes_file(option):
        return line + f" -r -F -a '{words}'"
    if option.metavar == "DIR":
        return line + " -x -a '(__fish_complete_directories)'"
    return line + (f" -x -a '{words}'" if option.metavar else "")


def fish(commands):
    lines = []
    for command in commands:
        path = " ".join(command.path)
        inside = f"complete -c bvhmill -n '__bvhmill_in {path}'"
        for name, text in command.commands:
            lines.append(f"complete -c bvhmill -n '__bvhmill_at {path}' "
                         f"-a {name} -d {shlex.quote(text)}")
        lines += [inside + fish_option(option, command.options)
                  for option in command.options]
        lines += [f"{inside} -k -a '(__fish_complete_suffix .{extension})'"
                  for extension in clips_of(command)]
    return FISH + "\n".join(lines) + "\n"


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    commands = list(commands_of(program))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bvhmill").write_text(bash(commands))
    (folder / "_bvhmill").write_text(zsh(commands))
    (folder / "bvhmill.fish").write_text(fish(commands))


main()
