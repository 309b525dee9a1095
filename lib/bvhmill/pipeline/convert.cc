#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/pipeline/arena_parallel.h"
#include "bvhmill/pipeline/edit_stage.h"
#include "bvhmill/pipeline/encode_clip.h"
#include "bvhmill/pipeline/stopwatch.h"
#include "bvhmill/pipeline/workspace.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/validate.h"

namespace bvhmill {
namespace {

constexpr std::string_view kLimitPrefix = "LIMIT_";

// LIMIT_JOINTS -> max_joints: the field of Limits that an issue is about.
std::string LimitName(std::string_view code) {
  std::string name = "max_" + std::string(code.substr(kLimitPrefix.size()));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return name;
}

Fault FaultOf(const Issue& issue) {
  Fault fault{issue.code, issue.args};
  const Location& at = issue.location;
  const auto put = [&fault](const char* name, const auto& value) {
    if (value) fault.metadata.emplace_back(name, std::to_string(*value));
  };
  put("line", at.line);
  put("column", at.column);
  put("byte_offset", at.byte_offset);
  put("frame", at.frame);
  put("channel", at.channel);
  if (at.joint) {
    put("joint_index", at.joint);
    fault.metadata.emplace_back("joint_name", at.joint_name);
  }
  if (issue.code.starts_with(kLimitPrefix)) {
    fault.metadata.emplace_back("limit_name", LimitName(issue.code));
  }
  return fault;
}

// The status and fault of a clip that the report refuses.
void Refuse(ConvertResult* result) {
  const Issue* error = FirstError(result->report);
  if (error == nullptr) {
    result->status = MakeStatus(absl::StatusCode::kInvalidArgument,
                                "the clip is broken; the codes of its faults "
                                "are ignored by request");
    return;
  }
  result->fault = FaultOf(*error);
  const bool is_limit = error->code.starts_with(kLimitPrefix);
  result->status = MakeStatus(is_limit ? absl::StatusCode::kResourceExhausted
                                       : absl::StatusCode::kInvalidArgument,
                              RenderIssue(*error));
}

// Outputs that were asked for but not made say nothing.
void DropOutputs(ConvertResult* result) { result->outputs.clear(); }

}  // namespace

absl::Status StringReceiver::Begin(const ClipInfo& /*info*/,
                                   std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].size_bytes > 0) {
      data_[i].reserve(static_cast<size_t>(outputs[i].size_bytes));
    }
  }
  return absl::OkStatus();
}

absl::Status StringReceiver::Data(size_t output, std::string_view bytes) {
  data_[output].append(bytes);
  return absl::OkStatus();
}

ConvertResult Convert(std::string_view text, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel) {
  ConvertResult result;
  result.status = CheckOptions(options);
  if (!result.status.ok()) {
    result.fault = FaultOfOptions(result.status);
    return result;
  }
  ReportOptions report = options.report;
  if (report.max_issues == 0) report.max_issues = options.limits.max_issues;
  IssueLog log(report);
  const WorkspaceLease workspace;
  ReadResult& read = workspace->read;
  ArenaParallel parallel;
  {
    const StageTimer timer(&result.times.read);
    ReadOptions how;
    how.limits = options.limits;
    how.cancel = cancel;
    how.parallel = &parallel;
    ReadBvhInto(text, how, &log, &read);
  }
  if (read.skeleton_read && read.motion_read) {
    const StageTimer timer(&result.times.validate);
    Validate(read.clip, read.node_places, options.edits.source, &log);
  }
  if (read.skeleton_read) result.info = DescribeClip(read.clip);
  result.report = log.Finish(read.skeleton_read, read.motion_read);
  if (IsCancelled(cancel)) {
    result.status = MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  } else if (!IsGood(result.report.verdict)) {
    Refuse(&result);
  } else {
    result.status = EditStage(options, cancel, &*workspace, &result);
  }
  if (result.status.ok() && !options.outputs.empty()) {
    result.status =
        EncodeClip(options, &parallel, receiver, cancel, &*workspace, &result);
  }
  if (!result.status.ok()) DropOutputs(&result);
  return result;
}

}  // namespace bvhmill
