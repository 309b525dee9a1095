#include "bvhmill/bvhmill.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/rotation_kinds.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill {
namespace {

// Receives the rows of a clip.
class RowReceiver final : public OutputReceiver {
 public:
  explicit RowReceiver(UninitializedVector<float>* rows) : rows_(*rows) {}

  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> outputs) override {
    rows_.resize(static_cast<size_t>(TensorBytes(*outputs[0].tensor)) /
                 sizeof(float));
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    std::memcpy(reinterpret_cast<char*>(rows_.data()) + at_, bytes.data(),
                bytes.size());
    at_ += bytes.size();
    return absl::OkStatus();
  }

 private:
  UninitializedVector<float>& rows_;
  size_t at_ = 0;
};

// Makes a clip of what `convert(options, receiver)` reads and edits.
template <typename Convert>
absl::StatusOr<Clip> MakeClip(const ConvertOptions& choices, Report* report,
                              Convert convert) {
  if (!choices.outputs.empty()) {
    return InvalidField("options.outputs", "must be empty: a clip is returned");
  }
  ConvertOptions options = choices;
  options.outputs = {{"", ValuesFormat{}}};
  options.with_skeleton = true;
  Clip clip;
  RowReceiver rows(&clip.motion.values);
  ConvertResult result = convert(options, &rows);
  if (report != nullptr) *report = std::move(result.report);
  BVHMILL_RETURN_IF_ERROR(FirstFailure(result));
  clip.skeleton = result.skeleton->skeleton;
  clip.motion.frames = result.info.frames;
  clip.motion.frame_time = result.info.frame_time;
  return clip;
}

// `clip` as the rows of a conversion, which borrow its values.
ClipRows RowsOf(const Clip& clip) {
  auto source = std::make_shared<SourceSkeleton>();
  source->skeleton = clip.skeleton;
  return {std::move(source), clip.motion.frames, clip.motion.frame_time,
          std::span(clip.motion.values)};
}

// The error of a clip that was refused, with the place of the fault:
// "walk.bvh:26:3: error: CODE: why". `path` may be empty.
absl::Status WithPlace(const absl::Status& status, const std::string& path,
                       const Report& report) {
  CallError error = CallErrorOf(status);
  const Issue* const fault = FirstError(report);
  if (fault != nullptr && error.reason == fault->code) {
    error.message = RenderIssue(*fault);
  }
  if (!path.empty()) {
    const bool has_line = error.message[0] >= '0' && error.message[0] <= '9';
    error.message = Printable(path) + (has_line ? ":" : ": ") + error.message;
  }
  return MakeCallError(std::move(error));
}

absl::Status CannotRead(const std::string& path, int error) {
  const bool is_absent = error == ENOENT;
  return MakeCallError({.code = is_absent
                                    ? absl::StatusCode::kNotFound
                                    : absl::StatusCode::kFailedPrecondition,
                        .message = Printable(path) + ": " +
                                   std::generic_category().message(error)});
}

// Reads the clip that `add(conversion)` adds to a conversion. An error names
// `path`.
template <typename AddTo>
absl::StatusOr<Clip> ReadClip(const std::string& path,
                              const ConvertOptions& options, Report* report,
                              AddTo add) {
  Report found;
  absl::Status status;
  absl::StatusOr<Clip> clip = MakeClip(
      options, &found, [&](const ConvertOptions& how, OutputReceiver* rows) {
        Converter converter;
        ConvertResult result;
        Conversion conversion(&converter, how, rows, /*cancel=*/nullptr,
                              &result);
        status = add(&conversion);
        conversion.Finish();
        return result;
      });
  if (status.ok() && !clip.ok()) {
    status = WithPlace(clip.status(), path, found);
  }
  if (report != nullptr) *report = std::move(found);
  if (!status.ok()) return status;
  return clip;
}

// Solves the frames of `options` by `set(job, values)`, which says which array
// the job writes.
template <typename SetOutput>
JointArray Solve(const Clip& clip, const PoseOptions& options, int64_t width,
                 SetOutput set) {
  const Plan plan = MakePlan(clip.skeleton, options.conventions);
  // Saturates: the default is the largest number of frames.
  const int64_t most = INT64_MAX - std::max<int64_t>(options.first_frame, 0);
  const int64_t end = options.first_frame + std::min(options.frames, most);
  const int64_t begin =
      std::clamp<int64_t>(options.first_frame, 0, clip.motion.frames);
  JointArray array;
  array.frames = std::clamp(end, begin, clip.motion.frames) - begin;
  array.joints = RowsOf(plan, options.with_end_sites);
  array.width = width;
  array.values.resize(static_cast<size_t>(array.frames * array.joints * width));
  const auto columns = static_cast<size_t>(plan.columns);
  FkJob job;
  job.plan = &plan;
  job.frames = array.frames;
  job.values = std::span(clip.motion.values)
                   .subspan(static_cast<size_t>(begin) * columns,
                            static_cast<size_t>(array.frames) * columns);
  job.with_end_sites = options.with_end_sites;
  set(&job, std::span(array.values));
  UninitializedVector<float> scratch;
  job.scratch = &scratch;
  job.Run();
  return array;
}

}  // namespace

absl::StatusOr<Clip> ReadBytes(std::string_view bytes,
                               const ConvertOptions& options, Report* report) {
  return ReadClip("", options, report, [&](Conversion* conversion) {
    conversion->Add(bytes);
    return absl::OkStatus();
  });
}

absl::StatusOr<Clip> Read(const std::string& path,
                          const ConvertOptions& options, Report* report) {
  return ReadClip(path, options, report, [&](Conversion* conversion) {
    constexpr size_t kPieceBytes = size_t{1} << 20;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string piece(kPieceBytes, '\0');
    while (file.good()) {
      file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      conversion->Add({piece.data(), static_cast<size_t>(file.gcount())});
    }
    return file.eof() ? absl::OkStatus() : CannotRead(path, errno);
  });
}

JointArray Positions(const Clip& clip, const PoseOptions& options) {
  return Solve(clip, options, 3, [](FkJob* job, std::span<float> values) {
    job->positions = values;
  });
}

JointArray Rotations(const Clip& clip, RotationSpace space, RotationKind kind,
                     const PoseOptions& options) {
  const RotationKind solved_kind = SolvedKind(kind);
  JointArray solved =
      Solve(clip, options, WidthOf(solved_kind),
            [&](FkJob* job, std::span<float> values) {
              job->rotation_kind = solved_kind;
              job->target = SolvedBy(kind);
              (space == RotationSpace::kLocal ? job->local_rotations
                                              : job->world_rotations) = values;
            });
  if (solved_kind == kind) return solved;
  JointArray array{solved.frames, solved.joints, WidthOf(kind), {}};
  array.values.resize(
      static_cast<size_t>(array.frames * array.joints * array.width));
  RotationConverter(kind, array.joints)
      .Convert(array.frames, solved.values, array.values);
  return array;
}

Report Check(const Clip& clip, const ConvertOptions& options) {
  ConvertOptions how = options;
  how.outputs.clear();
  how.edits = {};
  how.edits.source = options.edits.source;
  return Converter()
      .ConvertClip(RowsOf(clip), how, nullptr, /*cancel=*/nullptr)
      .report;
}

absl::StatusOr<Clip> Edit(const Clip& clip, const ClipEdits& edits,
                          Report* report) {
  ConvertOptions options;
  options.edits = edits;
  return MakeClip(options, report,
                  [&](const ConvertOptions& how, OutputReceiver* rows) {
                    return Converter().ConvertClip(RowsOf(clip), how, rows,
                                                   /*cancel=*/nullptr);
                  });
}

absl::StatusOr<std::string> Encode(const Clip& clip,
                                   const FormatOptions& format,
                                   const ConvertOptions& options) {
  ConvertOptions how = options;
  how.outputs = {{"", format}};
  StringReceiver outputs;
  const ConvertResult result =
      Converter().ConvertClip(RowsOf(clip), how, &outputs, /*cancel=*/nullptr);
  BVHMILL_RETURN_IF_ERROR(FirstFailure(result));
  return std::move(outputs.data()[0]);
}

}  // namespace bvhmill
