#include "client/cli/report/html_writer.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/text.h"
#include "bvhmill/base/version.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/report/report.h"
#include "client/cli/dataset/bodies.h"
#include "client/cli/report/renderings.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr double kMostOfTwoDigits = 64 * 64 - 2;

struct Box {
  std::array<float, 2> least = {std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::infinity()};
  std::array<float, 2> greatest = {-std::numeric_limits<float>::infinity(),
                                   -std::numeric_limits<float>::infinity()};
};

Box BoxOf(const PosePicture& pose) {
  Box box;
  for (const auto& point : pose.points) {
    if (!std::isfinite(point[0]) || !std::isfinite(point[1])) continue;
    for (size_t i = 0; i < 2; ++i) {
      box.least[i] = std::min(box.least[i], point[i]);
      box.greatest[i] = std::max(box.greatest[i], point[i]);
    }
  }
  return box;
}

int64_t Scaled(float value, float from, double steps_per_unit) {
  const double scaled =
      (static_cast<double>(value) - from) * steps_per_unit + 0.5;
  // False for values that are not finite, too.
  const bool fits = scaled >= 0 && scaled < kMostOfTwoDigits + 1;
  return fits ? static_cast<int64_t>(scaled) : -1;
}

}  // namespace

void PackNumber(int64_t value, int digits, std::string* out) {
  const int64_t gap = (int64_t{1} << (6 * digits)) - 1;
  if (value < 0 || value > gap) value = gap;
  for (int shift = 6 * (digits - 1); shift >= 0; shift -= 6) {
    *out += kDigits[(value >> shift) & 63];
  }
}

std::string PackCurve(std::span<const float> values, float most) {
  std::string out;
  for (const float value : values) {
    const double share = most > 0 ? std::min(value / most, 1.0F) : 0;
    const bool is_known = std::isfinite(value) && value >= 0;
    PackNumber(is_known ? std::lround(share * 62) : -1, 1, &out);
  }
  return out;
}

std::string PackParents(std::span<const int32_t> parents) {
  std::string out;
  for (const int32_t parent : parents) PackNumber(parent, 2, &out);
  return out;
}

PoseScale ScaleOf(std::span<const PosePicture> poses) {
  PoseScale scale;
  float floor = std::numeric_limits<float>::infinity();
  float top = -floor;
  double most = 0;
  for (const PosePicture& pose : poses) {
    const Box box = BoxOf(pose);
    floor = std::min(floor, box.least[1]);
    top = std::max(top, box.greatest[1]);
    most = std::max(most, static_cast<double>(box.greatest[0]) - box.least[0]);
  }
  most = std::max(most, static_cast<double>(top) - floor);
  if (!std::isfinite(floor)) return scale;
  scale.floor = floor;
  scale.steps_per_unit = most > 0 ? kMostOfTwoDigits / most : 0;
  return scale;
}

std::string PackPose(const PosePicture& pose, const PoseScale& scale) {
  std::string out;
  const Box box = BoxOf(pose);
  for (const auto& [x, y] : pose.points) {
    const int64_t right = Scaled(x, box.least[0], scale.steps_per_unit);
    const int64_t up = Scaled(y, scale.floor, scale.steps_per_unit);
    const bool is_known = right >= 0 && up >= 0;
    PackNumber(is_known ? right : -1, 2, &out);
    PackNumber(is_known ? up : -1, 2, &out);
  }
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

// Makes all texts printable, for people.
void MakeShown(Json* json) {
  if (json->is_string()) {
    auto& text = json->get_ref<std::string&>();
    text = Excerpt(text, text.size());
  }
  if (!json->is_structured()) return;
  for (Json& part : *json) MakeShown(&part);
}

std::string Dump(Json json) {
  MakeShown(&json);
  return EscapeForScript(json.dump());
}

// Six digits are enough to be shown.
Json Rounded(double value) {
  if (!std::isfinite(value)) return Json();
  char text[32];
  const int size = std::snprintf(text, sizeof(text), "%.6g", value);
  std::from_chars(text, text + size, value);
  return value;
}

template <typename T>
void PutIf(const std::optional<T>& value, const char* name, Json* out) {
  if (value) (*out)[name] = *value;
}

// The whole number in the arg `name`.
std::optional<int64_t> NumberArg(const Issue& issue, std::string_view name) {
  const std::string value = ArgOf(issue, name);
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_whole =
      error == std::errc() && end == value.data() + value.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// The frames of an issue: those of its location. The args `first` and `last` of
// other codes are the first and the last of several events, with frames between
// them that are good.
void PutFrames(const Issue& issue, Json* out) {
  const auto first = NumberArg(issue, "first");
  const auto last = NumberArg(issue, "last");
  const bool is_span = issue.code == "DATA_REPEATED_FRAMES" && first && last;
  PutIf(is_span ? first : issue.location.frame, "frame", out);
  PutIf(is_span ? last : issue.location.last_frame, "last_frame", out);
  const bool are_events = issue.location.frame && first && last && !is_span;
  if (are_events) (*out)["events"] = {*first, *last};
}

Json IssueToJson(const Issue& issue) {
  Json out = {{"code", issue.code},
              {"severity", SeverityName(issue.severity)},
              {"message", issue.message},
              {"times", issue.occurrences}};
  const Location& place = issue.location;
  PutIf(place.line, "line", &out);
  PutIf(place.column, "column", &out);
  PutFrames(issue, &out);
  if (!place.joint_name.empty()) out["joint"] = place.joint_name;
  if (!issue.args.empty()) {
    Json& args = out["args"] = Json::object();
    for (const auto& [name, value] : issue.args) {
      args[Printable(name)] = value;
    }
  }
  return out;
}

Json FigureToJson(const ClipPicture& picture) {
  std::vector<PosePicture> all = picture.poses;
  all.insert(all.end(), picture.issue_poses.begin(), picture.issue_poses.end());
  const PoseScale scale = ScaleOf(all);
  const auto poses_of = [&](const std::vector<PosePicture>& poses) {
    Json out = Json::array();
    for (const PosePicture& pose : poses) {
      Json& added = out.emplace_back(
          Json{{"frame", pose.frame}, {"points", PackPose(pose, scale)}});
      if (pose.joint >= 0) added["joint"] = pose.joint;
    }
    return out;
  };
  Json out = {{"parents", PackParents(picture.parents)},
              {"poses", poses_of(picture.poses)}};
  if (!picture.issue_poses.empty()) {
    out["at_issues"] = poses_of(picture.issue_poses);
  }
  return out;
}

// The largest finite value. The first step is left out for the mean of all
// joints: many clips begin with a pose that is not part of the motion.
float MostOf(const TurnCurve& curve) {
  float most = 0;
  for (size_t i = 0; i < curve.high.size(); ++i) {
    const bool is_first = curve.joint < 0 && i == 0 && curve.high.size() > 2;
    if (std::isfinite(curve.high[i]) && !is_first) {
      most = std::max(most, curve.high[i]);
    }
  }
  return most;
}

Json CurveToJson(const TurnCurve& curve) {
  const float most = MostOf(curve);
  Json out = {{"most", Rounded(most)},
              {"low", PackCurve(curve.low, most)},
              {"high", PackCurve(curve.high, most)}};
  if (curve.joint >= 0) out["joint"] = curve.name;
  return out;
}

void PutPicture(const ClipPicture& picture, Json* out) {
  (*out)["height"] = Rounded(picture.height);
  (*out)["figure"] = FigureToJson(picture);
  Json& curves = (*out)["curves"] = Json::array();
  for (const TurnCurve& curve : picture.curves) {
    curves.push_back(CurveToJson(curve));
  }
  (*out)["frames_per_value"] = picture.frames_per_value;
}

void PutFacts(const ClipInfo& info, Json* out) {
  (*out)["frames"] = info.frames;
  (*out)["frame_time"] = Rounded(info.frame_time);
  (*out)["fps"] = Rounded(info.frames_per_second);
  (*out)["joints"] = info.joint_count;
}

// The joints that turn most, by name.
Json TurnsToJson(const ClipInfo& info, const ClipMeasures& measures) {
  constexpr size_t kMost = 5;
  std::vector<size_t> order;
  for (size_t i = 0; i < measures.joints.size(); ++i) {
    if (i < info.joints.size() && measures.joints[i].degrees > 0) {
      order.push_back(i);
    }
  }
  const auto degrees = [&](size_t i) { return measures.joints[i].degrees; };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return degrees(a) > degrees(b); });
  if (order.size() > kMost) order.resize(kMost);
  Json out = Json::array();
  for (const size_t i : order) {
    out.push_back({info.joints[i].name, Rounded(degrees(i))});
  }
  return out;
}

Json ExtentsToJson(const ClipExtents& extents) {
  Json out = Json::array();
  for (size_t axis = 0; axis < 3; ++axis) {
    out.push_back(
        {Rounded(extents.least[axis]), Rounded(extents.greatest[axis])});
  }
  return out;
}

// Names are those of `info`, which is not that of the measured clip if joints
// were dropped or renamed: they are left out then.
void PutMeasures(const ClipInfo& info, const ClipMeasures& measures,
                 Json* out) {
  const auto put = [out](const char* name, const std::optional<double>& value) {
    if (value) (*out)[name] = Rounded(*value);
  };
  const auto& [x, y, z] = measures.rest_size;
  (*out)["depth"] = measures.depth;
  (*out)["channels"] = measures.channels;
  (*out)["rest_pose"] = RestPoseEnum(measures.rest_pose);
  (*out)["rest_size"] = {Rounded(x), Rounded(y), Rounded(z)};
  (*out)["reach"] = Rounded(measures.reach);
  put("rest_height", measures.height);
  put("root_path", measures.root_path);
  put("root_speed", measures.root_speed);
  put("loop_degrees", measures.loop_degrees);
  put("loop_distance", measures.loop_distance);
  if (measures.extents) (*out)["extents"] = ExtentsToJson(*measures.extents);
  if (info.joints.size() != measures.joints.size()) return;
  (*out)["turns"] = TurnsToJson(info, measures);
  const auto& fastest = measures.fastest;
  if (!fastest) return;
  const auto joint = static_cast<size_t>(fastest->joint);
  if (joint >= info.joints.size()) return;
  (*out)["fastest"] = {{"joint", info.joints[joint].name},
                       {"speed", Rounded(fastest->speed)},
                       {"frame", fastest->frame}};
}

// A remark about `count` clips of the run: those with these indexes, or clips
// that are not named.
Json RemarkToJson(const std::string& message, int64_t count,
                  const std::vector<size_t>& indexes, const PageEnd& end) {
  Json clips = Json::array();
  for (const size_t index : indexes) {
    const auto found = end.positions.find(index);
    if (found != end.positions.end()) clips.push_back(found->second);
  }
  return {{"severity", "info"},
          {"message", message},
          {"count", count},
          {"clips", clips}};
}

// ", and 3 more" if not all are listed.
std::string AndMore(int64_t all, size_t listed) {
  const int64_t more = all - static_cast<int64_t>(listed);
  return more > 0 ? ", and " + std::to_string(more) + " more" : "";
}

// A trait that no value of is that of most clips.
Json MixedToJson(const SharedTrait& trait, const PageEnd& end) {
  std::string message =
      "The " + trait.trait + " differs; no value is that of most clips";
  std::string separator = ": ";
  for (const TraitValue& value : trait.values) {
    message +=
        separator + value.value + " (" + Count(value.clips, "clip") + ")";
    separator = ", ";
  }
  message += AndMore(trait.value_count, trait.values.size());
  return RemarkToJson(message, trait.known_clips, {}, end);
}

Json OddToJson(const SharedTrait& trait, const PageEnd& end) {
  if (trait.usual.empty()) return MixedToJson(trait, end);
  std::set<std::string> values;
  for (const OddClip& clip : trait.odd) values.insert(clip.value);
  std::string message = "Another " + trait.trait;
  std::string separator = ": ";
  for (const std::string& value : values) {
    message += separator + value;
    separator = ", ";
  }
  message += AndMore(trait.value_count - 1, values.size()) + "; " +
             std::to_string(trait.usual_clips) + " of " +
             Count(trait.known_clips, "clip") + " have " + trait.usual;
  return RemarkToJson(message, trait.odd_clips, trait.odd_indexes, end);
}

// A remark for each group, and one for all that the list leaves out.
void AddEqual(const EqualGroups& groups, const std::string& what,
              const PageEnd& end, Json* out) {
  constexpr size_t kNames = 3;
  for (const EqualClips& equal : groups.listed) {
    std::string names;
    const size_t shown = std::min(equal.paths.size(), kNames);
    for (size_t i = 0; i < shown; ++i) {
      names += (i == 0 ? ": " : ", ") + equal.paths[i];
    }
    out->push_back(RemarkToJson(what + names + AndMore(equal.clips, shown),
                                equal.clips, equal.indexes, end));
  }
  if (groups.others.empty()) return;
  const int64_t more =
      groups.count - static_cast<int64_t>(groups.listed.size());
  out->push_back(RemarkToJson(what + ": " + Count(more, "more group"),
                              static_cast<int64_t>(groups.others.size()),
                              groups.others, end));
}

// A remark for each odd body, and one for the bodies of each skeleton.
void AddBodies(const BodySummary& bodies, const PageEnd& end, Json* out) {
  for (const SkeletonBodies& skeleton : bodies.skeletons) {
    std::string message = "Several bodies with " + skeleton.skeleton;
    std::string separator = ": ";
    for (const Body& body : skeleton.bodies) {
      const std::string difference = DifferenceText(body);
      message += separator + body.paths.front() + " (" +
                 Count(body.clips, "clip") + (difference.empty() ? "" : ": ") +
                 difference + ")";
      separator = ", ";
      if (!body.is_odd) continue;
      out->push_back(RemarkToJson(
          "An odd body: " + ClipsText(body) + ": " + DifferenceText(body),
          body.clips, body.indexes, end));
    }
    message += AndMore(skeleton.body_count, skeleton.bodies.size());
    out->push_back(RemarkToJson(message, skeleton.clips, {}, end));
  }
}

Json RemarksOf(const DatasetSummary& dataset, const PageEnd& end) {
  Json out = Json::array();
  for (const SharedTrait& trait : dataset.odd) {
    out.push_back(OddToJson(trait, end));
  }
  AddBodies(dataset.bodies, end, &out);
  AddEqual(dataset.equal_files, "The same file", end, &out);
  AddEqual(dataset.equal_motions, "The same motion below another header", end,
           &out);
  return out;
}

Json CodesToJson(const std::set<std::string>& codes) {
  Json out = Json::object();
  for (const std::string& code : codes) {
    const CatalogueEntry* entry = FindEntry(code);
    out[code] = {{"title", entry == nullptr ? "" : entry->title},
                 {"help", entry == nullptr ? "" : entry->help}};
  }
  return out;
}

}  // namespace

std::string PageClip(const ClipFinding& clip) {
  const Report& report = clip.result.report;
  const IssueCounts& counts = report.counts;
  Json out = {
      {"name", clip.path},
      {"verdict", clip.is_read ? VerdictName(report.verdict) : "not read"},
      {"passes", clip.passes}};
  if (!clip.error.empty()) out["error"] = clip.error;
  out["counts"] = {counts.errors, counts.warnings, counts.infos, counts.hints};
  if (clip.known_issues > 0) out["known_issues"] = clip.known_issues;
  if (clip.is_read) PutFacts(clip.result.info, &out);
  if (clip.result.measures) {
    PutMeasures(clip.result.info, *clip.result.measures, &out);
  }
  Json& codes = out["codes"] = Json::array();
  for (const CodeCount& code : clip.codes) {
    codes.push_back({code.code, SeverityName(code.severity), code.occurrences});
  }
  Json& issues = out["issues"] = Json::array();
  for (const Issue& issue : report.issues) issues.push_back(IssueToJson(issue));
  if (report.truncated) out["truncated"] = true;
  if (clip.picture) PutPicture(*clip.picture, &out);
  return Dump(std::move(out));
}

std::string PageMembers(const PageEnd& end, const RunSummary& summary) {
  Json out = {{"title", end.title},
              {"program",
               std::string(Version()) + " (" + std::string(GitCommit()) + ")"},
              {"rules", kRulesVersion},
              {"unit", end.unit},
              {"complete", summary.complete},
              {"passed", summary.passed},
              {"codes", CodesToJson(end.codes)},
              {"remarks", RemarksOf(summary.dataset, end)}};
  const std::string text = Dump(std::move(out));
  return text.substr(1, text.size() - 2);
}

std::string EscapeForScript(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    c == '<' ? out += "\\u003c" : out += c;
  }
  return out;
}

namespace {

int ValueOf(char hex) { return hex <= '9' ? hex - '0' : hex - 'a' + 10; }

// 'sha256-...' for a Content-Security-Policy.
std::string HashSource(std::string_view text) {
  Sha256 sha;
  sha.Add(text);
  const std::string digits = sha.Finish();
  std::array<unsigned char, 32> digest = {};
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<unsigned char>(16 * ValueOf(digits[2 * i]) +
                                           ValueOf(digits[2 * i + 1]));
  }
  std::array<unsigned char, 45> base64 = {};
  EVP_EncodeBlock(base64.data(), digest.data(), digest.size());
  return "'sha256-" + std::string(reinterpret_cast<char*>(base64.data())) + "'";
}

// Forbids everything but the style and the script of the page itself.
std::string Policy() {
  return "default-src 'none'; script-src " + HashSource(PageScript()) +
         "; style-src " + HashSource(PageStyle()) +
         "; base-uri 'none'; form-action 'none'; "
         "require-trusted-types-for 'script'; trusted-types 'none'";
}

// Removes the text up to `mark` from `rest`, and the mark, and returns it.
std::string TakeUntil(std::string_view mark, std::string_view* rest) {
  const size_t at = rest->find(mark);
  const std::string out(rest->substr(0, at));
  rest->remove_prefix(at + mark.size());
  return out;
}

// Writes the page while clips arrive: its head, one line of data for each clip,
// then the data that is known at the end, and the script.
class HtmlWriter final : public ReportWriter {
 public:
  std::string Render(const ClipFinding& clip) const override {
    return PageClip(clip);
  }

  std::string Begin(const RunFacts& run) override {
    end_.title = run.title;
    end_.unit = run.has_meters ? "m" : "units";
    std::string out = TakeUntil("{{POLICY}}", &rest_) + Policy();
    out += TakeUntil("{{STYLE}}", &rest_) + std::string(PageStyle());
    out += TakeUntil("{{DATA}}", &rest_) + "{\"clips\":[";
    return out;
  }

  std::string Add(const ClipFinding& clip, std::string rendered) override {
    for (const CodeCount& code : clip.codes) end_.codes.insert(code.code);
    end_.positions.emplace(clip.index, clips_);
    return (clips_++ == 0 ? "\n" : ",\n") + std::move(rendered);
  }

  std::string End(const RunSummary& summary) override {
    std::string out = "],\n" + PageMembers(end_, summary) + "}";
    out += TakeUntil("{{SCRIPT}}", &rest_) + std::string(PageScript());
    return out + std::string(rest_);
  }

 private:
  PageEnd end_;
  // Clips that were added.
  size_t clips_ = 0;
  // The part of the template that is not written yet.
  std::string_view rest_ = PageTemplate();
};

}  // namespace

std::unique_ptr<ReportWriter> MakeHtmlWriter() {
  return std::make_unique<HtmlWriter>();
}

}  // namespace bvhmill::client
