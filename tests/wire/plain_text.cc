#include "tests/wire/plain_text.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/encode/report_json.h"
#include "tests/support/error_parts.h"

namespace bvhmill::testing {
namespace {

// Collects "path = value" lines; nested structs extend the path.
class Lines {
 public:
  template <typename T>
  void Add(const std::string& name, const T& value) {
    text_ += path_ + name + " = " + ::testing::PrintToString(value) + "\n";
  }

  template <typename Struct>
  void Nest(const std::string& name, const Struct& value) {
    const std::string outer = path_;
    path_ += name + ".";
    Put(value, this);
    path_ = outer;
  }

  template <typename Structs>
  void List(const std::string& name, const Structs& values) {
    Add(name + ".size", values.size());
    size_t index = 0;
    for (const auto& value : values) {
      Nest(name + "[" + std::to_string(index++) + "]", value);
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string path_;
  std::string text_;
};

template <typename Enum>
int Number(Enum value) {
  return static_cast<int>(value);
}

void Put(const ThresholdChoice& value, Lines* out) {
  const auto& [code, name, number] = value;
  out->Add("code", code);
  out->Add("name", name);
  out->Add("value", number);
}

void Put(const Location& value, Lines* out) {
  const auto& [byte_offset, line, column, frame, joint, channel, joint_name,
               last_frame] = value;
  out->Add("byte_offset", byte_offset);
  out->Add("line", line);
  out->Add("column", column);
  out->Add("frame", frame);
  out->Add("joint", joint);
  out->Add("channel", channel);
  out->Add("joint_name", joint_name);
  out->Add("last_frame", last_frame);
}

void Put(const Issue& value, Lines* out) {
  const auto& [code, severity, message, location, occurrences, args] = value;
  out->Add("code", code);
  out->Add("severity", Number(severity));
  out->Add("message", message);
  out->Nest("location", location);
  out->Add("occurrences", occurrences);
  out->Add("args", args);
}

void Put(const IssueCounts& value, Lines* out) {
  const auto& [errors, warnings, infos, hints] = value;
  out->Add("errors", errors);
  out->Add("warnings", warnings);
  out->Add("infos", infos);
  out->Add("hints", hints);
}

void Put(const Report& value, Lines* out) {
  const auto& [verdict, counts, issues, truncated, rules_version, thresholds] =
      value;
  out->Add("verdict", Number(verdict));
  out->Nest("counts", counts);
  out->List("issues", issues);
  out->Add("truncated", truncated);
  out->Add("rules_version", rules_version);
  out->List("thresholds", thresholds);
}

void Put(const JointInfo& value, Lines* out) {
  const auto& [name, parent, channels, end_site, offset] = value;
  out->Add("name", name);
  out->Add("parent", parent);
  out->Add("channels", channels);
  out->Add("end_site", end_site);
  out->Add("offset", offset);
}

void Put(const ClipInfo& value, Lines* out) {
  const auto& [frames, frame_time, frames_per_second, joint_count, joints] =
      value;
  out->Add("frames", frames);
  out->Add("frame_time", frame_time);
  out->Add("frames_per_second", frames_per_second);
  out->Add("joint_count", joint_count);
  out->List("joints", joints);
}

void Put(const TensorInfo& value, Lines* out) {
  const auto& [shape, axes] = value;
  out->Add("shape", shape);
  out->Add("axes", axes);
}

void Put(const OutputInfo& value, Lines* out) {
  const auto& [id, media_type, size_bytes, tensor, status] = value;
  out->Add("id", id);
  out->Add("media_type", media_type);
  out->Add("size_bytes", size_bytes);
  out->Add("has_tensor", tensor.has_value());
  if (tensor) out->Nest("tensor", *tensor);
  out->Add("status", std::string(absl::StatusCodeToString(status.code())) +
                         " " + std::string(status.message()));
}

void Put(const StageTimes& value, Lines* out) {
  const auto& [queued, read, validate, edit, solve, encode] = value;
  out->Add("queued", queued.count());
  out->Add("read", read.count());
  out->Add("validate", validate.count());
  out->Add("edit", edit.count());
  out->Add("solve", solve.count());
  out->Add("encode", encode.count());
}

void Put(const ConvertResult& value, Lines* out) {
  const auto& [status, report, info, skeleton, measures, outputs, times] =
      value;
  out->Add("status", std::string(MessageOf(status)));
  out->Add("code", static_cast<int>(status.code()));
  const auto& [reason, metadata] = PartsOf(status);
  out->Add("reason", reason);
  out->Add("metadata", metadata);
  out->Nest("report", report);
  out->Nest("info", info);
  out->Add("has_skeleton", skeleton != nullptr);
  out->Add("measures", measures ? MeasuresJson(*measures) : "none");
  out->List("outputs", outputs);
  out->Nest("times", times);
}

template <typename Struct>
std::string TextOf(const Struct& value) {
  Lines lines;
  Put(value, &lines);
  return lines.Take();
}

}  // namespace

std::string PlainText(const ConvertResult& result) { return TextOf(result); }

}  // namespace bvhmill::testing
