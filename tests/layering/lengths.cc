#include "tests/layering/lengths.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "tests/layering/source_text.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// `text` without a leading "template <...>".
std::string_view WithoutTemplate(std::string_view text) {
  if (!text.starts_with("template")) return text;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : 0;
    if (text[i] == '>' && --depth == 0) return Trimmed(text.substr(i + 1));
  }
  return text;
}

// The parts of `text` outside of parentheses.
std::string Outside(std::string_view text) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    depth -= c == ')' ? 1 : 0;
    if (depth == 0) out += c;
    depth += c == '(' ? 1 : 0;
  }
  return out;
}

// True if `statement` is a constructor that waits for the value of a member,
// as in "A() : b_".
bool IsInitializer(std::string_view statement) {
  if (statement.empty() || !IsWordLetter(statement.back())) return false;
  const std::string outside = Outside(statement);
  const size_t parameters = outside.find(')');
  if (parameters == std::string::npos) return false;
  for (size_t i = parameters; i + 1 < outside.size(); ++i) {
    if (outside[i] != ':') continue;
    if (outside[i + 1] != ':') return true;
    ++i;
  }
  return false;
}

// `text` without a leading `extern "C"`, whose letter is blank.
std::string_view WithoutLinkage(std::string_view text) {
  constexpr std::string_view kBegin = "extern \"";
  if (!text.starts_with(kBegin)) return text;
  const size_t end = text.find('"', kBegin.size());
  return end == text.npos ? text : Trimmed(text.substr(end + 1));
}

// True if a brace after `statement` opens a namespace, a type or a block of
// `extern "C"`, but not if it opens a function that returns a `struct A*`.
bool IsScope(std::string_view statement) {
  const std::string_view declared = WithoutLinkage(statement);
  if (declared.empty()) return !statement.empty();
  constexpr std::string_view kAlignment = " alignas()";
  for (const std::string_view word :
       {"namespace", "inline namespace", "class", "struct", "enum", "union"}) {
    if (!declared.starts_with(word)) continue;
    const std::string_view rest = declared.substr(word.size());
    if (!rest.empty() && IsWordLetter(rest[0])) continue;
    const std::string outside = Outside(rest);
    const bool is_aligned = outside.starts_with(kAlignment);
    return outside.find('(', is_aligned ? kAlignment.size() : 0) ==
           outside.npos;
  }
  return false;
}

enum class Brace { kScope, kFunction, kInitializer, kOther };

// Returns what a brace after `statement` opens, outside of functions.
Brace BraceAfter(std::string_view statement) {
  statement = WithoutTemplate(Trimmed(statement));
  if (IsScope(statement)) return Brace::kScope;
  if (IsInitializer(statement)) return Brace::kInitializer;
  const std::string outside = Outside(statement);
  const bool is_operator = HasWord(outside, "operator");
  const bool is_value = outside.find('=') != std::string::npos && !is_operator;
  const bool has_parameters = outside.find('(') != std::string::npos;
  return has_parameters && !is_value ? Brace::kFunction : Brace::kOther;
}

// Reads code letter by letter and keeps what is open.
class FunctionScanner {
 public:
  void Add(char c, size_t line) {
    if (c == '{') return Open(line);
    if (c == '}') return Close(line);
    if (c == '(') ++parentheses_;
    if (c == ')') --parentheses_;
    if (c == ';' && parentheses_ == 0) return statement_.clear();
    if (c == ' ' && statement_.empty()) return;
    if (statement_.empty()) first_ = line;
    statement_ += c;
    if (statement_ == "public:" || statement_ == "private:" ||
        statement_ == "protected:") {
      statement_.clear();
    }
  }

  std::vector<FunctionLines> Take() { return std::move(functions_); }

 private:
  struct OpenBrace {
    Brace brace;
    size_t first;
  };

  void Open(size_t line) {
    const bool is_in_scope = std::all_of(
        open_.begin(), open_.end(),
        [](const OpenBrace& open) { return open.brace == Brace::kScope; });
    Brace brace = Brace::kOther;
    if (is_in_scope && parentheses_ > 0) brace = Brace::kInitializer;
    if (is_in_scope && parentheses_ == 0) brace = BraceAfter(statement_);
    open_.push_back({brace, statement_.empty() ? line : first_});
    if (brace != Brace::kInitializer) statement_.clear();
  }

  void Close(size_t line) {
    if (open_.empty()) return;
    const OpenBrace open = open_.back();
    open_.pop_back();
    if (open.brace == Brace::kInitializer) {
      statement_ += '}';
      return;
    }
    if (open.brace == Brace::kFunction) {
      functions_.push_back({open.first, line - open.first + 1});
    }
    statement_.clear();
  }

  std::vector<FunctionLines> functions_;
  std::vector<OpenBrace> open_;
  // The code since the last brace or semicolon, and its first line.
  std::string statement_;
  size_t first_ = 0;
  int parentheses_ = 0;
};

std::string Fault(std::string_view path, size_t line, std::string_view what,
                  size_t count, size_t most) {
  return std::string(path) + ":" + std::to_string(line + 1) + ": " +
         std::string(what) + " of " + std::to_string(count) +
         " lines, more than " + std::to_string(most);
}

bool IsLongByTable(std::string_view path) {
  return std::any_of(LongFiles().begin(), LongFiles().end(),
                     [&](const LongFile& file) { return file.path == path; });
}

}  // namespace

std::vector<FunctionLines> FunctionsIn(std::string_view text) {
  FunctionScanner scanner;
  const std::vector<std::string> lines = Split(CodeOnly(text), '\n');
  bool is_directive = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = Trimmed(lines[i]);
    const bool continues = i > 0 && lines[i - 1].ends_with('\\');
    is_directive = (is_directive && continues) || line.starts_with('#');
    if (is_directive) continue;
    for (const char c : line) scanner.Add(c, i);
    scanner.Add(' ', i);
  }
  return scanner.Take();
}

size_t LinesIn(std::string_view text) {
  const auto ends =
      static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::vector<std::string> CheckLengths(std::string_view path,
                                      std::string_view text) {
  std::vector<std::string> faults;
  const size_t lines = LinesIn(text);
  if (lines > kMaxFileLines && !IsLongByTable(path)) {
    faults.push_back(Fault(path, 0, "a file", lines, kMaxFileLines));
  }
  for (const FunctionLines& function : FunctionsIn(text)) {
    if (function.count <= kMaxFunctionLines) continue;
    faults.push_back(Fault(path, function.first, "a function", function.count,
                           kMaxFunctionLines));
  }
  return faults;
}

std::vector<std::string> CheckFolders(std::span<const std::string> paths) {
  std::map<std::string, size_t> units;
  for (const std::string& path : paths) {
    if (path.ends_with(".cc")) ++units[path.substr(0, path.rfind('/'))];
  }
  std::vector<std::string> faults;
  for (const auto& [folder, count] : units) {
    if (count <= kMaxUnits) continue;
    faults.push_back(folder + ": " + std::to_string(count) +
                     " units, more than " + std::to_string(kMaxUnits));
  }
  return faults;
}

}  // namespace bvhmill::testing
