#include "bvhmill/settings/settings_text.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "bvhmill/base/nearest.h"
#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr std::string_view kNameBytes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// True if a line ends here, but for a comment. `text` is trimmed.
bool IsOver(std::string_view text) {
  return text.empty() || text.front() == '#';
}

bool IsName(std::string_view word) {
  return !word.empty() && word.front() != '.' && word.back() != '.' &&
         word.find_first_not_of(kNameBytes) == word.npos;
}

// The lines of a text without blanks at their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // False after the last line.
  bool Next(std::string_view* line) {
    if (text_.empty()) return false;
    const size_t end = text_.find('\n');
    *line = Trimmed(text_.substr(0, end));
    text_.remove_prefix(end == text_.npos ? text_.size() : end + 1);
    ++number_;
    return true;
  }
  // Goes on to a line that has more than a comment if `line` is over; false if
  // there is none.
  bool SkipComments(std::string_view* line) {
    *line = Trimmed(*line);
    while (IsOver(*line)) {
      if (!Next(line)) return false;
    }
    return true;
  }
  // That of the last line.
  int number() const { return number_; }

 private:
  std::string_view text_;
  int number_ = 0;
};

// Takes a value from the front of `text`. One without quotes ends before one of
// the bytes `ends` and before a comment. Returns why there is none; else "".
std::string TakeValue(std::string_view ends, std::string_view* text,
                      std::string* value) {
  *text = Trimmed(*text);
  if (text->starts_with('"') || text->starts_with('\'')) {
    const size_t end = text->find(text->front(), 1);
    if (end == text->npos) return "has a quote without an end";
    *value = text->substr(1, end - 1);
    text->remove_prefix(end + 1);
    return "";
  }
  size_t size = 0;
  for (; size < text->size(); ++size) {
    const bool is_comment =
        (*text)[size] == '#' && (size == 0 || IsBlank((*text)[size - 1]));
    if (is_comment || ends.find((*text)[size]) != ends.npos) break;
  }
  *value = Trimmed(text->substr(0, size));
  text->remove_prefix(size);
  return value->empty() ? "has no value" : "";
}

// Takes the values of a list and its end, which may be on a later line.
std::string TakeList(Lines* lines, std::string_view* text,
                     std::vector<std::string>* values) {
  constexpr const char* kNoEnd = "has a list without an end";
  while (true) {
    if (!lines->SkipComments(text)) return kNoEnd;
    if (text->front() == ']') break;
    std::string why = TakeValue(",]", text, &values->emplace_back());
    if (!why.empty()) return why;
    if (!lines->SkipComments(text)) return kNoEnd;
    if (text->front() == ']') break;
    if (text->front() != ',') return "has no comma between two values";
    text->remove_prefix(1);
  }
  text->remove_prefix(1);
  return values->empty() ? "has no value" : "";
}

// Takes what follows the "=" of a line.
std::string TakeValues(Lines* lines, std::string_view text,
                       std::vector<std::string>* values) {
  text = Trimmed(text);
  std::string why;
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    why = TakeList(lines, &text, values);
  } else {
    why = TakeValue("", &text, &values->emplace_back());
  }
  if (!why.empty()) return why;
  return IsOver(Trimmed(text)) ? "" : "has text after its value";
}

// Why `line` sets nothing, with the name that it may mean.
std::string NotASetting(std::string_view line,
                        const std::vector<std::string_view>& known) {
  const size_t begin = std::min(line.find_first_of(kNameBytes), line.size());
  const std::string_view rest = line.substr(begin);
  const std::string_view word =
      rest.substr(0, rest.find_first_not_of(kNameBytes));
  const std::string_view nearest = Nearest(word, known);
  return "is not NAME = VALUE" +
         (nearest.empty()
              ? std::string()
              : "; did you mean '" + std::string(nearest) + " = ...'?");
}

// Reads one line, and those that its list goes on to.
std::string ReadLine(std::string_view line, const std::string& section,
                     const std::vector<std::string_view>& known, Lines* lines,
                     Setting* setting) {
  setting->section = section;
  if (line.front() == '[') {
    const size_t end = std::min(line.find(']'), line.size() - 1);
    const std::string_view word = Trimmed(line.substr(1, end - 1));
    setting->section = word;
    return IsName(word) && IsOver(Trimmed(line.substr(end + 1)))
               ? ""
               : "is not [SECTION]";
  }
  const size_t equals = line.find('=');
  std::string_view name = Trimmed(line.substr(0, equals));
  if (equals == line.npos || !IsName(name)) return NotASetting(line, known);
  if (const size_t dot = name.rfind('.'); dot != name.npos) {
    setting->section += (section.empty() ? "" : ".");
    setting->section += name.substr(0, dot);
    name.remove_prefix(dot + 1);
  }
  setting->name = name;
  return TakeValues(lines, line.substr(equals + 1), &setting->values);
}

// The line of the first byte that no text has; 0 if there is none.
int LineOfOddByte(std::string_view text) {
  int line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool is_text = static_cast<unsigned char>(c) >= ' ' || c == '\n' ||
                         c == '\t' || c == '\r';
    if (!is_text || c == '\x7F') return line;
  }
  return 0;
}

}  // namespace

absl::Status WrongSetting(const std::string& path, int line,
                          const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    path + ":" + std::to_string(line) + ": " + why);
}

absl::Status NoSuchSetting(const std::string& path, const Setting& setting,
                           const std::string& kind,
                           const std::vector<std::string_view>& known) {
  std::string whole = setting.section;
  if (!whole.empty() && !setting.name.empty()) whole += '.';
  whole += setting.name;
  return WrongSetting(
      path, setting.line,
      "there is no " + kind + " '" + whole + "'" +
          DidYouMean(setting.name.empty() ? whole : setting.name, known));
}

absl::StatusOr<std::vector<Setting>> ParseSettings(
    const std::string& path, std::string_view text,
    const std::vector<std::string_view>& known) {
  // Some editors begin a text with it.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (const int line = LineOfOddByte(text); line != 0) {
    return WrongSetting(path, line, "has a byte that is no text");
  }
  std::vector<Setting> settings;
  std::map<std::string, int> lines_of_names;
  std::string section;
  bool is_empty = true;
  Lines lines(text);
  for (std::string_view line; lines.Next(&line);) {
    is_empty &= line.empty();
    if (IsOver(line)) continue;
    Setting& setting = settings.emplace_back();
    setting.line = lines.number();
    const std::string why = ReadLine(line, section, known, &lines, &setting);
    if (!why.empty()) return WrongSetting(path, setting.line, why);
    if (setting.name.empty()) {
      section = setting.section;
      continue;
    }
    const auto [first, is_new] = lines_of_names.emplace(
        setting.section + "." + setting.name, setting.line);
    if (is_new) continue;
    return WrongSetting(path, setting.line,
                        "sets '" + setting.name + "' once more; line " +
                            std::to_string(first->second) + " has set it");
  }
  if (!is_empty) return settings;
  return MakeStatus(absl::StatusCode::kInvalidArgument, path + " is empty");
}

}  // namespace bvhmill
