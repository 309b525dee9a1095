#include "tests/server/limit_page.h"

#include <cstdint>
#include <map>

#include "server/app/config.h"

namespace bvhmill::testing {
namespace {

constexpr std::string_view kBegin = "<!-- limits: ";
constexpr std::string_view kEnd = "<!-- end of limits -->";

const std::map<std::string_view, LimitGroup>& Groups() {
  static const auto* const kGroups = new std::map<std::string_view, LimitGroup>{
      {"clips", LimitGroup::kClips},
      {"streams", LimitGroup::kStreams},
      {"in-flight", LimitGroup::kInFlight},
      {"shares", LimitGroup::kShares},
      {"connections", LimitGroup::kConnections},
      {"jobs", LimitGroup::kJobs}};
  return *kGroups;
}

std::string WithCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string BytesText(int64_t bytes) {
  for (const auto& [shift, unit] :
       {std::pair{30, " GiB"}, {20, " MiB"}, {10, " KiB"}}) {
    const int64_t size = int64_t{1} << shift;
    if (bytes % size == 0) return std::to_string(bytes / size) + unit;
  }
  return std::to_string(bytes) + " bytes";
}

template <typename Struct>
std::string DefaultText(const LimitRow<Struct>& row) {
  if (row.value == server::kAuto) return "auto";
  if (row.value == 0) {
    return row.group == LimitGroup::kShares ? "fair share" : "none";
  }
  switch (row.unit) {
    case LimitUnit::kBytes:
      return BytesText(row.value);
    case LimitUnit::kBytesPerSecond:
      return BytesText(row.value) + " a second";
    case LimitUnit::kSeconds:
      return WithCommas(row.value) + " s";
    case LimitUnit::kCount:
    case LimitUnit::kWork:
      break;
  }
  return WithCommas(row.value);
}

std::string_view SetterText(LimitSetter setter) {
  switch (setter) {
    case LimitSetter::kOperator:
      return "operator";
    case LimitSetter::kOperatorOrLocalUser:
      return "operator; user of `--local`";
    case LimitSetter::kOperatorOrRequest:
      break;
  }
  return "operator; a request may ask for less";
}

// The lines of a table for operators, or for callers.
class Table {
 public:
  Table(bool for_operators, LimitGroup group)
      : for_operators_(for_operators), group_(group) {
    text_ = for_operators ? "| flag | default | limit on |\n|---|---|---|\n"
                          : "| field | default | set by | limit on |\n"
                            "|---|---|---|---|\n";
  }

  template <typename Struct>
  void Add(const LimitRow<Struct>& row) {
    if (row.group != group_ || !(for_operators_ || row.shown)) return;
    const std::string name =
        for_operators_ ? FlagOfLimit(row.name) : std::string(row.name);
    text_ += "| `" + name + "` | " + DefaultText(row) + " | ";
    if (!for_operators_) text_.append(SetterText(row.setter)).append(" | ");
    text_.append(row.help).append(" |\n");
  }

  std::string Take() { return std::move(text_); }

 private:
  bool for_operators_;
  LimitGroup group_;
  std::string text_;
};

// The table that the words of a mark ask for; "" for unknown words.
std::string TableOf(std::string_view words) {
  const size_t blank = words.find(' ');
  const std::string_view kind = words.substr(0, blank);
  if (blank == words.npos || (kind != "flags" && kind != "fields")) return "";
  const auto group = Groups().find(words.substr(blank + 1));
  if (group == Groups().end()) return "";
  Table table(kind == "flags", group->second);
  const server::ServerConfig config;
  server::ForEachLimit(
      config, [&](const auto& row, const auto* /*limits*/) { table.Add(row); });
  return table.Take();
}

}  // namespace

std::string WithLimitTables(std::string_view page) {
  std::string out;
  while (true) {
    const size_t begin = page.find(kBegin);
    const size_t line_end = page.find('\n', begin);
    const size_t end = page.find(kEnd, begin);
    if (begin == page.npos || line_end == page.npos || end == page.npos) break;
    std::string_view words =
        page.substr(begin + kBegin.size(), line_end - begin - kBegin.size());
    words = words.substr(0, words.find(" -->"));
    out.append(page.substr(0, line_end + 1)).append("\n");
    out.append(TableOf(words)).append("\n").append(kEnd);
    page.remove_prefix(end + kEnd.size());
  }
  return out.append(page);
}

}  // namespace bvhmill::testing
