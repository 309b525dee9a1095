// SARIF 2.1.0: Static Analysis Results Interchange Format, by OASIS.
//
// The rules come after the results, since only the codes that occur are rules.
// The output contains no times and no absolute paths, so that equal runs write
// equal bytes.

#include "client/cli/report/sarif_writer.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "bvhmill/base/version.h"
#include "bvhmill/digest/sha256.h"
#include "client/cli/dataset/summary_text.h"
#include "client/cli/report/renderings.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

namespace fs = std::filesystem;

bool IsPlain(char c) {
  constexpr std::string_view kMarks = "-._~/";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || kMarks.find(c) != kMarks.npos;
}

std::string Escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (IsPlain(c)) {
      out += c;
      continue;
    }
    std::array<char, 4> code = {};
    std::snprintf(code.data(), code.size(), "%%%02X",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += code.data();
  }
  return out;
}

}  // namespace

std::string ArtifactUri(std::string_view path) {
  fs::path normal = fs::path(path).lexically_normal();
  if (normal.is_relative()) return Escaped(normal.native());
  std::error_code error;
  const fs::path folder = fs::current_path(error);
  const fs::path below = error ? fs::path() : normal.lexically_relative(folder);
  const bool is_below = !below.empty() && *below.begin() != "..";
  return is_below ? Escaped(below.native())
                  : "file://" + Escaped(normal.native());
}

namespace {

constexpr char kSchema[] = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr char kBase[] = "SRCROOT";

std::string Text(std::string_view text) {
  return JsonObject({{"text", JsonQuote(text)}});
}

// A hint is a note as well; its properties tell them apart.
std::string LevelOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "\"error\"";
    case Severity::kWarning:
      return "\"warning\"";
    case Severity::kInfo:
    case Severity::kHint:
      break;
  }
  return "\"note\"";
}

template <typename T>
std::string NumberOrNull(const std::optional<T>& number) {
  return number ? std::to_string(*number) : "null";
}

std::string ArtifactJson(std::string_view path) {
  const std::string uri = ArtifactUri(path);
  // An absolute URI has no base.
  if (uri.starts_with("file:")) return JsonObject({{"uri", JsonQuote(uri)}});
  return JsonObject({{"uri", JsonQuote(uri)}, {"uriBaseId", JsonQuote(kBase)}});
}

// The line and the column of an issue. Empty if the line is unknown, as for
// packed files on a server. There is no column if the text of the line is not
// known: the columns of locations count bytes.
std::string RegionJson(const Location& location, const IssueView& view) {
  if (!location.line) return {};
  std::string region = "{\"startLine\":" + std::to_string(*location.line);
  const auto column = view.columns.find(location.byte_offset.value_or(-1));
  if (location.column && column != view.columns.end()) {
    region += ",\"startColumn\":" + std::to_string(column->second);
  }
  if (location.byte_offset) {
    region += ",\"byteOffset\":" + std::to_string(*location.byte_offset);
  }
  return region + "}";
}

// The names of the joint and of all above it: "Hips/Spine/Chest".
std::string JointPath(const JointList& joints, int32_t joint) {
  std::string path;
  while (joint >= 0 && static_cast<size_t>(joint) < joints.size()) {
    const JointInfo& info = joints[static_cast<size_t>(joint)];
    path = path.empty() ? info.name : info.name + "/" + path;
    // Parents come first, so that this ends.
    joint = info.parent < joint ? info.parent : -1;
  }
  return path;
}

std::string LogicalJson(const Location& location, const JointList& joints) {
  if (!location.joint) return {};
  const std::string path = JointPath(joints, *location.joint);
  return JsonObject({{"name", JsonQuote(location.joint_name)},
                     {"fullyQualifiedName",
                      JsonQuote(path.empty() ? location.joint_name : path)},
                     {"kind", "\"joint\""}});
}

std::string LocationJson(std::string_view path, const Location& location,
                         const JointList& joints, const IssueView& view) {
  const std::string region = RegionJson(location, view);
  const std::string logical = LogicalJson(location, joints);
  std::string out =
      "{\"physicalLocation\":{\"artifactLocation\":" + ArtifactJson(path) +
      (region.empty() ? "" : ",\"region\":" + region) + "}";
  if (!logical.empty()) out += ",\"logicalLocations\":[" + logical + "]";
  return out + "}";
}

// The same for a fault that moves to another line: code, file, joint and kind.
std::string Fingerprint(std::string_view path, const Issue& issue) {
  Sha256 digest;
  digest.Add(issue.code);
  digest.Add(std::string_view("\0", 1));
  digest.Add(ArtifactUri(path));
  digest.Add(std::string_view("\0", 1));
  digest.Add(issue.location.joint_name);
  digest.Add(std::string_view("\0", 1));
  digest.Add(NumberOrNull(issue.location.joint));
  digest.Add(std::string_view("\0", 1));
  digest.Add(ArgOf(issue, kKindArg));
  return digest.Finish().substr(0, 32);
}

std::string PropertiesJson(const Issue& issue) {
  std::string args;
  for (const auto& [name, value] : issue.args) {
    args +=
        (args.empty() ? "" : ",") + JsonQuote(name) + ":" + JsonQuote(value);
  }
  return JsonObject({{"severity", JsonQuote(SeverityName(issue.severity))},
                     {"frame", NumberOrNull(issue.location.frame)},
                     {"last_frame", NumberOrNull(issue.location.last_frame)},
                     {"joint", NumberOrNull(issue.location.joint)},
                     {"channel", NumberOrNull(issue.location.channel)},
                     {"args", "{" + args + "}"}});
}

std::string ResultJson(std::string_view path, const Issue& issue,
                       const JointList& joints, const IssueView& view) {
  return JsonObject(
      {{"ruleId", JsonQuote(issue.code)},
       {"level", LevelOf(issue.severity)},
       {"message", Text(issue.message + PlaceInWords(issue))},
       {"locations",
        "[" + LocationJson(path, issue.location, joints, view) + "]"},
       {"occurrenceCount", std::to_string(issue.occurrences)},
       {"partialFingerprints",
        JsonObject(
            {{"codeFileJoint/v2", JsonQuote(Fingerprint(path, issue))}})},
       {"properties", PropertiesJson(issue)}});
}

// A message about a file that is not an issue of its content.
std::string NotificationJson(std::string_view path, const char* level,
                             std::string_view message) {
  return JsonObject(
      {{"level", JsonQuote(level)},
       {"message", Text(message)},
       {"locations", "[" + LocationJson(path, {}, {}, {}) + "]"}});
}

std::string RuleJson(const std::string& code, Severity severity) {
  const CatalogueEntry* entry = FindEntry(code);
  const std::string_view title = entry == nullptr ? code : entry->title;
  const std::string_view help = entry == nullptr ? code : entry->help;
  return JsonObject(
      {{"id", JsonQuote(code)},
       {"shortDescription", Text(title)},
       {"fullDescription", Text(help)},
       {"help", Text(help)},
       {"defaultConfiguration",
        JsonObject({{"level", LevelOf(entry == nullptr ? severity
                                                       : entry->lenient)}})}});
}

class SarifWriter final : public ReportWriter {
 public:
  std::string Render(const ClipFinding& clip) const override {
    std::string out;
    if (!clip.is_read) return out;
    for (const Issue& issue : clip.result.report.issues) {
      out += (out.empty() ? "" : ",\n") +
             ResultJson(clip.path, issue, clip.result.info.joints, clip.view);
    }
    return out;
  }

  std::string Begin(const RunFacts& /*run*/) override {
    return "{\"$schema\":" + JsonQuote(kSchema) +
           ",\"version\":\"2.1.0\",\"runs\":[{\"results\":[";
  }

  std::string Add(const ClipFinding& clip, std::string rendered) override {
    for (const Issue& issue : clip.result.report.issues) {
      rules_.emplace(issue.code, issue.severity);
    }
    if (!clip.error.empty()) {
      has_errors_ = true;
      notifications_.push_back(
          NotificationJson(clip.path, "error", clip.error));
    }
    if (clip.result.report.truncated) {
      notifications_.push_back(NotificationJson(
          clip.path, "note",
          "there are more issues; --max-issues lists more of them"));
    }
    if (rendered.empty()) return rendered;
    rendered.insert(0, has_results_ ? ",\n" : "\n");
    has_results_ = true;
    return rendered;
  }

  std::string End(const RunSummary& summary) override {
    const auto rule = [](const auto& code) {
      return "\n" + RuleJson(code.first, code.second);
    };
    const auto same = [](const std::string& json) { return "\n" + json; };
    const std::string driver = JsonObject({{"name", "\"bvhmill\""},
                                           {"version", JsonQuote(Version())},
                                           {"rules", JsonArray(rules_, rule)}});
    const std::string invocation = JsonObject(
        {{"executionSuccessful", JsonBool(summary.complete && !has_errors_)},
         {"toolExecutionNotifications", JsonArray(notifications_, same)}});
    const std::string folder = JsonObject(
        {{"description", Text("the folder in which bvhmill was started")}});
    return "],\n\"tool\":{\"driver\":" + driver + "},\n\"invocations\":[" +
           invocation +
           "],\n\"originalUriBaseIds\":" + JsonObject({{kBase, folder}}) +
           ",\n\"columnKind\":\"utf16CodeUnits\",\n\"properties\":" +
           JsonObject({{"summary", SummaryJson(summary)}}) + "}]}\n";
  }

 private:
  // The codes that occur, with a severity of each.
  std::map<std::string, Severity> rules_;
  std::vector<std::string> notifications_;
  bool has_results_ = false;
  // True if a file could not be checked.
  bool has_errors_ = false;
};

}  // namespace

std::unique_ptr<ReportWriter> MakeSarifWriter() {
  return std::make_unique<SarifWriter>();
}

}  // namespace bvhmill::client
