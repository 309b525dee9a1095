#include "tests/layering/rules.h"

#include <algorithm>

#include "tests/layering/source_text.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

constexpr size_t kMaxColumns = 80;

// True if `path` is `place`, or in the folder `place`.
bool IsIn(std::string_view path, std::string_view place) {
  if (!path.starts_with(place)) return false;
  return path.size() == place.size() || path[place.size()] == '/';
}

// `places` are split by blanks.
bool IsInAny(std::string_view path, std::string_view places) {
  const std::vector<std::string> list = Split(places, ' ');
  return std::any_of(list.begin(), list.end(), [&](const std::string& place) {
    return IsIn(path, place);
  });
}

bool IsHeader(std::string_view path) { return path.ends_with(".h"); }

// As #include lines write it: lib is an include root.
std::string_view WithoutRoot(std::string_view path) {
  constexpr std::string_view kRoot = "lib/";
  return path.starts_with(kRoot) ? path.substr(kRoot.size()) : path;
}

const Layer* LayerOf(std::string_view path) {
  for (const Layer& layer : Layers()) {
    if (IsIn(path, layer.folder)) return &layer;
  }
  return nullptr;
}

bool IsOurs(std::string_view header) {
  for (const std::string_view root :
       {"bvhmill", "server", "client", "bench", "tests"}) {
    if (IsIn(header, root)) return true;
  }
  return false;
}

const ThirdParty* ThirdPartyOf(std::string_view header) {
  for (const ThirdParty& party : ThirdParties()) {
    if (header.starts_with(party.beginning)) return &party;
  }
  return nullptr;
}

// <vector>, and <poll.h> or <sys/stat.h> outside the library.
bool IsSystemHeader(std::string_view header, bool is_library) {
  if (header.find_first_of("./") == std::string_view::npos) return true;
  if (is_library || !header.ends_with(".h")) return false;
  const bool has_folder = header.find('/') != std::string_view::npos;
  return !has_folder || IsIn(header, "sys") || IsIn(header, "arpa") ||
         IsIn(header, "netinet");
}

std::string JudgeOurs(const Layer& layer, std::string_view header) {
  if (IsIn(header, WithoutRoot(layer.folder))) return "";
  if (IsInAny(header, layer.may_include)) return "";
  return std::string(layer.folder) + " may not include it";
}

std::string JudgeOthers(std::string_view path, std::string_view header) {
  if (const ThirdParty* party = ThirdPartyOf(header)) {
    return IsInAny(path, party->folders) ? "" : "not in this folder";
  }
  return IsSystemHeader(header, IsIn(path, "lib")) ? "" : "not in the table";
}

std::string JudgeInclude(std::string_view path, std::string_view include) {
  const std::string_view header = include.substr(1, include.size() - 2);
  const Layer* layer = LayerOf(path);
  if (layer == nullptr) return "the file is in no layer of the table";
  if (!IsOurs(header)) return JudgeOthers(path, header);
  if (include[0] != '"') return "write it with quotes";
  return JudgeOurs(*layer, header);
}

std::string JudgeWords(std::string_view path, std::string_view code) {
  for (const std::string_view word : BannedInLibrary()) {
    if (IsIn(path, "lib") && HasWord(code, word)) {
      return std::string(word) + " is banned in the library";
    }
  }
  for (const std::string_view word : BannedInHeaders()) {
    if (IsHeader(path) && code.find(word) != std::string_view::npos) {
      return std::string(word) + " is banned in headers";
    }
  }
  return "";
}

void Note(std::string_view path, size_t line, std::string_view why,
          std::vector<std::string>* faults) {
  if (why.empty()) return;
  faults->push_back(std::string(path) + ":" + std::to_string(line + 1) + ": " +
                    std::string(why));
}

}  // namespace

std::vector<std::string> CheckSource(std::string_view path,
                                     std::string_view text) {
  std::vector<std::string> faults;
  const std::vector<std::string> lines = Split(text, '\n');
  const std::vector<std::string> code = Split(CodeOnly(text), '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    // A commented include has its # blanked.
    const std::string_view include =
        IncludeOf(code[i]).empty() ? "" : IncludeOf(lines[i]);
    if (include.empty()) {
      Note(path, i, JudgeWords(path, code[i]), &faults);
      continue;
    }
    const std::string why = JudgeInclude(path, include);
    if (!why.empty()) {
      Note(path, i, std::string(include) + ": " + why, &faults);
    }
    if (IsHeader(path)) Note(path, i, JudgeWords(path, include), &faults);
  }
  return faults;
}

std::vector<std::string> CheckShape(std::string_view path,
                                    std::string_view text) {
  std::vector<std::string> faults;
  const std::vector<std::string> lines = Split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (ColumnsOf(lines[i]) <= kMaxColumns) continue;
    Note(path, i, "more than 80 columns", &faults);
  }
  const bool has_guard =
      std::find(lines.begin(), lines.end(), "#pragma once") != lines.end();
  if (IsHeader(path) && !path.ends_with("-inl.h") && !has_guard) {
    Note(path, 0, "no #pragma once", &faults);
  }
  return faults;
}

}  // namespace bvhmill::testing
