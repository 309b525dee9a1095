#include "bvhmill/pipeline/convert.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/pipeline/arena_parallel.h"
#include "bvhmill/pipeline/clip_flow.h"
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

// Forgets another clip, but keeps the memory.
void Reset(ConvertResult* result) {
  result->status = absl::OkStatus();
  result->fault.reason.clear();
  result->fault.metadata.clear();
  result->report.issues.clear();
  result->times = {};
}

// There are more outputs than may be asked for.
Fault TooManyOutputs(const Limits& limits) {
  return {"LIMIT_EXCEEDED",
          {{"limit_name", "max_outputs_per_clip"},
           {"limit", std::to_string(limits.max_outputs)}}};
}

}  // namespace

absl::Status StringReceiver::Begin(const ClipInfo& /*info*/,
                                   std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // What is expected may be wrong: it is not taken as given.
    constexpr int64_t kMostReserved = int64_t{1} << 30;
    const int64_t bytes = outputs[i].tensor ? TensorBytes(*outputs[i].tensor)
                                            : outputs[i].size_bytes;
    data_[i].clear();
    data_[i].reserve(
        static_cast<size_t>(std::clamp<int64_t>(bytes, 0, kMostReserved)));
  }
  return absl::OkStatus();
}

absl::Status StringReceiver::Data(size_t output, std::string_view bytes) {
  data_[output].append(bytes);
  return absl::OkStatus();
}

namespace {

// One call of Convert.
class Conversion {
 public:
  Conversion(const ConvertOptions& options, OutputReceiver* receiver,
             const CancelToken* cancel, ConvertResult* result)
      : options_(options),
        receiver_(receiver),
        cancel_(cancel),
        log_(LogOptions(options)),
        workspace_(*lease_),
        result_(*result) {}

  void Run(std::string_view text);

 private:
  static ReportOptions LogOptions(const ConvertOptions& options) {
    ReportOptions report = options.report;
    if (report.max_issues == 0) report.max_issues = options.limits.max_issues;
    return report;
  }

  ReadOptions HowToRead();
  void ReadWhole(std::string_view text);
  void ReadFlowing(std::string_view text, ClipFlow* flow);
  void Judge();
  void AddTimes(bool flowing);

  const ConvertOptions& options_;
  OutputReceiver* receiver_;
  const CancelToken* cancel_;
  IssueLog log_;
  ArenaParallel parallel_;
  WorkspaceLease lease_;
  Workspace& workspace_;
  ConvertResult& result_;
};

ReadOptions Conversion::HowToRead() {
  ReadOptions how;
  how.limits = options_.limits;
  how.cancel = cancel_;
  how.parallel = &parallel_;
  return how;
}

void Conversion::ReadWhole(std::string_view text) {
  const StageTimer timer(&result_.times.read);
  ReadResult& read = workspace_.read;
  ReadBvhInto(text, HowToRead(), &log_, &read);
  workspace_.samples.Begin(
      static_cast<int64_t>(read.clip.skeleton.channels.size()));
  workspace_.samples.Add(read.clip.motion.frames, read.clip.motion.values);
}

void Conversion::ReadFlowing(std::string_view text, ClipFlow* flow) {
  const StageTimer timer(&result_.times.read);
  ReadBvhTiles(text, HowToRead(), &log_, flow, &workspace_.reader,
               &workspace_.read);
}

// Applies the rules, makes the report, and refuses what it refuses.
void Conversion::Judge() {
  const ReadResult& read = workspace_.read;
  const Clip& clip = read.clip;
  if (read.skeleton_read && read.motion_read) {
    const StageTimer timer(&result_.times.validate);
    Validate(clip.skeleton, workspace_.samples, read.node_places, &log_);
  }
  if (read.skeleton_read) {
    DescribeClip(clip.skeleton, clip.motion.frames, clip.motion.frame_time,
                 &result_.info);
  } else {
    result_.info = {};
  }
  result_.report = log_.Finish(read.skeleton_read, read.motion_read);
  if (IsCancelled(cancel_)) {
    result_.status = MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  } else if (!IsGood(result_.report.verdict)) {
    Refuse(&result_);
  }
}

// Tiles that flow are solved and encoded while the clip is read.
void Conversion::AddTimes(bool flowing) {
  StageTimes& times = result_.times;
  for (const TileBuffers& buffers : workspace_.tiles) {
    times.solve += buffers.solve;
    times.encode += buffers.encode;
  }
  if (!flowing) return;
  const auto threads = parallel_.threads();
  const auto others = (times.solve + times.encode) / threads;
  times.read = std::max(times.read - others, std::chrono::nanoseconds{0});
}

void Conversion::Run(std::string_view text) {
  OutputStage& stage = workspace_.stage;
  stage.SetOutputs(options_);
  const bool flowing = !options_.outputs.empty() && !stage.NeedsFrameCount() &&
                       !stage.NeedsNeighbours();
  workspace_.BeginTiles(parallel_.threads());
  std::optional<ClipFlow> flow;
  if (flowing) {
    flow.emplace(receiver_, &workspace_, &result_);
    ReadFlowing(text, &*flow);
  } else {
    ReadWhole(text);
  }
  Judge();
  if (result_.status.ok() && !options_.outputs.empty()) {
    const Clip& clip = workspace_.read.clip;
    result_.status = flowing ? flow->Finish(clip.motion.frames)
                             : EncodeClip(clip, &parallel_, receiver_, cancel_,
                                          &workspace_, &result_);
    result_.fault = stage.fault();
  }
  AddTimes(flowing);
  // Outputs that were asked for but not made say nothing.
  if (!result_.status.ok() || options_.outputs.empty()) {
    result_.outputs.clear();
  }
}

}  // namespace

ConvertResult Convert(std::string_view text, const ConvertOptions& options,
                      OutputReceiver* receiver, const CancelToken* cancel) {
  ConvertResult result;
  ConvertInto(text, options, receiver, cancel, &result);
  return result;
}

void ConvertInto(std::string_view text, const ConvertOptions& options,
                 OutputReceiver* receiver, const CancelToken* cancel,
                 ConvertResult* result) {
  Reset(result);
  result->status = CheckOptions(options);
  if (result->status.ok()) {
    Conversion(options, receiver, cancel, result).Run(text);
    return;
  }
  result->info = {};
  result->outputs.clear();
  if (absl::IsResourceExhausted(result->status)) {
    result->fault = TooManyOutputs(options.limits);
  }
}

}  // namespace bvhmill
