# Prints the example of an issue: awk -v code=CODE -v about=WORDS -v lines=N
# -v command=WORDS -f example.awk TEXT JSON CLIP. TEXT is what the command
# prints, JSON the report with the args. Of an issue with a line, N lines of the
# clip are shown; the last one is that of the issue. N+M shows M lines after it.
# If `about` is not empty, it stands for these lines.

# The value of "name": in `json`, up to the end of `pattern`.
function value_of(json, name, pattern) {
  if (!match(json, "\"" name "\":" pattern)) return ""
  return substr(json, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}

function unescaped(text) {
  gsub(/\\"/, "\"", text)
  gsub(/\\\\/, "\\", text)
  return text
}

# `name=value` of each arg.
function evidence_of(args, string, out, name, value) {
  string = "\"([^\"\\\\]|\\\\.)*\""
  while (match(args, string)) {
    name = substr(args, RSTART + 1, RLENGTH - 2)
    args = substr(args, RSTART + RLENGTH)
    if (!match(args, string)) break
    value = unescaped(substr(args, RSTART + 1, RLENGTH - 2))
    if (value != "") out = out (out == "" ? "" : ", ") "`" name "=" value "`"
    args = substr(args, RSTART + RLENGTH)
  }
  return out
}

function take(json, start) {
  start = index(json, "\"code\":\"" code "\",\"severity\"")
  if (start == 0) return
  json = substr(json, start)
  line = value_of(json, "line", "(null|[0-9]+)") + 0
  args = value_of(json, "args",
                  "[{](\"[a-z_]+\":\"([^\"\\\\]|\\\\.)*\",?)*[}]")
  has_issue = 1
}

BEGIN {
  split(lines, counts, "[+]")
  lines = counts[1] + 0
  after = counts[2] + 0
}

FILENAME == ARGV[1] {
  sub(/^bvhmill: /, "")
  if (printed == "" && index($0, ": " code ": ")) printed = $0
  next
}
FILENAME == ARGV[2] {
  if (!has_issue) take($0)
  next
}
line && FNR > line - lines && FNR <= line + after {
  sub(/\r$/, "")
  gsub(/\t/, "  ")
  shown = shown sprintf("%5d | %s\n", FNR, (length($0) > 74) ? \
                        substr($0, 1, 70) " ..." : $0)
}

END {
  if (printed == "" || !has_issue) {
    printf "%s: no example: %s\n", code, command
    exit 1
  }
  if (about != "") shown = "# " about "\n"
  printf "## %s\n\n```text\n%s$ %s\n%s\n```\n\n", code, shown, command, printed
  evidence = evidence_of(args)
  if (evidence != "") printf "Evidence: %s\n\n", evidence
}
