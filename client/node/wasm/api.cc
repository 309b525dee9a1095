// The C interface of the WebAssembly module, for client/node/engine.js.
//
// A session converts one clip, and any number of sessions may be open:
//
//   session = bvhmill_open(options, size, ...)  // pipeline/options_json.h
//   bvhmill_add(session, bytes, size)           // any number of pieces
//   bvhmill_finish(session)
//   bvhmill_text(session, kReport)              // a text of the session
//   bvhmill_close(session)
//
// The bytes of outputs go to a function that JavaScript provides. No memory is
// a trap: the instance of the module is then void.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/base/version.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/options_json.h"
#include "bvhmill/report/report.h"
#include "bvhmill/text/rows.h"

#define BVHMILL_EXPORT(name) \
  extern "C" __attribute__((export_name(#name), used))
#define BVHMILL_IMPORT(name) \
  extern "C" __attribute__((import_module("bvhmill"), import_name(name)))

namespace bvhmill {
namespace {
struct Session;
}  // namespace
}  // namespace bvhmill

// Functions of JavaScript. The first one gets the description of the outputs as
// a JSON array, the second one their bytes in order.
BVHMILL_IMPORT("begin")
void bvhmill_begin(const bvhmill::Session* session, const char* outputs,
                   size_t size);
BVHMILL_IMPORT("data")
void bvhmill_data(const bvhmill::Session* session, uint32_t output,
                  const char* bytes, size_t size);

namespace bvhmill {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json StatusJson(const absl::Status& status) {
  const CallError error = CallErrorOf(status);
  Json args = Json::object();
  for (const auto& [name, value] : MetadataOf(error)) args[name] = value;
  return {{"code", static_cast<int>(error.code)},
          {"reason", error.reason},
          {"field", error.field},
          {"message", error.message},
          {"args", std::move(args)}};
}

Json OutputsJson(std::span<const OutputInfo> outputs) {
  Json json = Json::array();
  for (const OutputInfo& output : outputs) {
    Json row = {{"id", output.id},
                {"media_type", output.media_type},
                {"size_bytes", output.size_bytes},
                {"shape", nullptr},
                {"axes", nullptr},
                {"status", StatusJson(output.status)}};
    if (output.tensor) {
      row["shape"] = output.tensor->shape;
      row["axes"] = output.tensor->axes;
    }
    json.push_back(std::move(row));
  }
  return json;
}

// As /v1/issues of the server.
Json CatalogueJson() {
  Json issues = Json::array();
  for (const CatalogueEntry& entry : Catalogue()) {
    issues.push_back({{"code", entry.name},
                      {"severity", SeverityName(entry.lenient)},
                      {"severity_strict", SeverityName(entry.strict)},
                      {"title", entry.title},
                      {"message", entry.message},
                      {"help", entry.help}});
  }
  return issues;
}

// The number of floats as a size. Traps if addresses do not suffice, as if
// there is no memory.
size_t MemoryFor(int64_t floats) {
  if (floats > int64_t{SIZE_MAX / sizeof(float)}) __builtin_trap();
  return static_cast<size_t>(floats);
}

// Sends the outputs to JavaScript, or keeps the rows of the only output.
class Receiver final : public OutputReceiver {
 public:
  // `rows` is null unless they are kept.
  Receiver(const Session* session, UninitializedVector<float>* rows)
      : session_(session), rows_(rows) {}

  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> outputs) override {
    if (rows_ != nullptr) {
      rows_->resize(
          MemoryFor(TensorBytes(*outputs[0].tensor) / int64_t{sizeof(float)}));
      return absl::OkStatus();
    }
    const std::string json = Text(OutputsJson(outputs));
    bvhmill_begin(session_, json.data(), json.size());
    return absl::OkStatus();
  }
  absl::Status Data(size_t output, std::string_view bytes) override {
    if (rows_ == nullptr) {
      bvhmill_data(session_, static_cast<uint32_t>(output), bytes.data(),
                   bytes.size());
      return absl::OkStatus();
    }
    std::memcpy(reinterpret_cast<char*>(rows_->data()) + kept_, bytes.data(),
                bytes.size());
    kept_ += bytes.size();
    return absl::OkStatus();
  }

 private:
  const Session* session_;
  UninitializedVector<float>* rows_;
  size_t kept_ = 0;
};

// The positions of some frames.
struct Poses {
  SharedSkeleton skeleton;
  Plan plan;
  UninitializedVector<float> positions;
  UninitializedVector<float> scratch;
  int64_t frames = 0;
};

struct Session {
  ConvertOptions options;
  // OK unless the options are bad.
  absl::Status status;
  // The rows of a finished clip without outputs.
  UninitializedVector<float> rows;
  std::unique_ptr<Receiver> receiver;
  ConvertResult result;
  Converter converter;
  // Null if the options are bad, and after the end of the clip.
  std::unique_ptr<Conversion> conversion;
  Poses poses;
  std::string text;
};

// A clip that is only viewed has its rows as the one output. They are kept for
// poses.
void Begin(Session* session) {
  ConvertOptions& options = session->options;
  const bool keeps = options.outputs.empty() && !options.checks_only;
  if (keeps) {
    options.outputs = {{"", ValuesFormat{}}};
    options.with_skeleton = true;
  }
  session->receiver =
      std::make_unique<Receiver>(session, keeps ? &session->rows : nullptr);
  session->conversion = std::make_unique<Conversion>(
      &session->converter, options, session->receiver.get(), /*cancel=*/nullptr,
      &session->result);
}

// The clip as far as it is read, or the edited clip after its end.
ClipRows RowsOf(const Session& session) {
  if (session.conversion != nullptr) return session.conversion->so_far().clip;
  const ConvertResult& result = session.result;
  if (result.skeleton == nullptr || session.rows.empty()) return {};
  return {result.skeleton, result.info.frames, result.info.frame_time,
          std::span<const float>(session.rows)};
}

void Solve(const ClipRows& clip, const Conventions& conventions, int64_t first,
           int64_t count, Poses* poses) {
  if (poses->skeleton != clip.skeleton) {
    poses->plan = MakePlan(clip.skeleton->skeleton, conventions);
    poses->skeleton = clip.skeleton;
  }
  first = std::clamp<int64_t>(first, 0, clip.frames);
  poses->frames = std::clamp<int64_t>(count, 0, clip.frames - first);
  const Plan& plan = poses->plan;
  const auto columns = static_cast<size_t>(plan.columns);
  poses->positions.resize(MemoryFor(poses->frames * RowsOf(plan, true) * 3));
  FkJob job;
  job.plan = &plan;
  job.frames = poses->frames;
  job.values =
      clip.values.subspan(static_cast<size_t>(first) * columns,
                          static_cast<size_t>(poses->frames) * columns);
  job.with_end_sites = true;
  job.positions = poses->positions;
  job.scratch = &poses->scratch;
  job.Run();
}

// The texts of a session; the same numbers are in engine.js.
enum TextKind : int32_t {
  // The version of the module and the vectors that it uses.
  kAbout = 0,
  // The status of the options, while the clip is read; then that of the clip.
  kStatus = 1,
  kReport = 2,
  kInfo = 3,
  // null if they were not asked for.
  kMeasures = 4,
  kOutputs = 5,
  // The report with the issues that no earlier call returned.
  kNewIssues = 6,
  // All issues that there are.
  kCatalogue = 7,
  // The part of the clip that poses and values are of.
  kSoFar = 8,
};

// {"declared_frames": ..., "info": ...}; info is null before the first row.
std::string SoFarJson(const Session& session) {
  const ClipRows clip = RowsOf(session);
  const int64_t declared = session.conversion != nullptr
                               ? session.conversion->so_far().declared_frames
                               : clip.frames;
  const std::string info =
      clip.skeleton == nullptr
          ? "null"
          : ClipInfoJson(DescribeClip(clip.skeleton->skeleton, clip.frames,
                                      clip.frame_time));
  return "{\"declared_frames\":" + std::to_string(declared) +
         ",\"info\":" + info + "}";
}

std::string TextOf(Session* session, TextKind kind) {
  const ConvertResult& result = session->result;
  switch (kind) {
    case kAbout:
      return Text({{"version", Version()},
                   {"rows", RowsTargetName(BestRowsTarget())},
                   {"poses", FkTargetName(BestFkTarget())}});
    case kStatus:
      return Text(StatusJson(session->status));
    case kReport:
      return ReportJson(result.report);
    case kInfo:
      return ClipInfoJson(result.info);
    case kMeasures:
      return result.measures ? MeasuresJson(*result.measures) : "null";
    case kOutputs:
      return Text(OutputsJson(result.outputs));
    case kNewIssues: {
      Report report;
      if (session->conversion != nullptr) {
        report.issues = session->conversion->TakeNewIssues();
      }
      return ReportJson(report);
    }
    case kCatalogue:
      return Text(CatalogueJson());
    case kSoFar:
      return SoFarJson(*session);
  }
  return {};
}

}  // namespace
}  // namespace bvhmill

// Memory for bytes that JavaScript passes to the functions below.
BVHMILL_EXPORT(bvhmill_alloc) void* bvhmill_alloc(size_t size) {
  return std::malloc(size);
}
BVHMILL_EXPORT(bvhmill_free) void bvhmill_free(void* memory) {
  std::free(memory);
}

// Begins a clip of a SourceFormat. If kStatus is not OK, the options are bad,
// and the session can only be closed. With `checks_only`, outputs are only
// checked.
BVHMILL_EXPORT(bvhmill_open)
bvhmill::Session* bvhmill_open(const char* options, size_t size, int32_t from,
                               int32_t checks_only) {
  auto* const session = new bvhmill::Session;
  // Addresses have 32 bits; the rows take about half of the text.
  session->options.limits.max_clip_bytes = int64_t{2} << 30;
  session->options.source_format = static_cast<bvhmill::SourceFormat>(from);
  session->status =
      bvhmill::OptionsFromJson({options, size}, &session->options);
  session->options.checks_only = checks_only != 0;
  if (session->status.ok()) bvhmill::Begin(session);
  return session;
}

// Reads the next bytes of the clip. 0 if no more bytes are needed.
BVHMILL_EXPORT(bvhmill_add)
int32_t bvhmill_add(bvhmill::Session* session, const char* bytes, size_t size) {
  return session->conversion->Add({bytes, size}) ? 1 : 0;
}

// Ends the clip: all texts are then those of its result.
BVHMILL_EXPORT(bvhmill_finish) void bvhmill_finish(bvhmill::Session* session) {
  session->conversion->Finish();
  session->conversion.reset();
  session->converter.FreeMemory();
  session->status = session->result.status;
  // As the command line does.
  for (bvhmill::Issue& issue : session->result.report.issues) {
    std::sort(issue.args.begin(), issue.args.end());
  }
}

// Frames of the clip that are read; after its end, those of the edited clip, or
// 0 if it has outputs.
BVHMILL_EXPORT(bvhmill_frames)
double bvhmill_frames(const bvhmill::Session* session) {
  return static_cast<double>(RowsOf(*session).frames);
}

// The values of the channels of these frames, frame by frame; they are valid
// until the next call. bvhmill_columns is the number of values of a frame.
BVHMILL_EXPORT(bvhmill_values)
const float* bvhmill_values(const bvhmill::Session* session) {
  return RowsOf(*session).values.data();
}
BVHMILL_EXPORT(bvhmill_columns)
size_t bvhmill_columns(const bvhmill::Session* session) {
  const bvhmill::ClipRows clip = RowsOf(*session);
  return clip.frames == 0
             ? 0
             : clip.values.size() / static_cast<size_t>(clip.frames);
}

// Solves the positions of up to `count` frames. Returns the number of values at
// bvhmill_positions: frames x nodes x 3.
BVHMILL_EXPORT(bvhmill_poses)
size_t bvhmill_poses(bvhmill::Session* session, double first, double count) {
  const bvhmill::ClipRows clip = RowsOf(*session);
  session->poses.positions.clear();
  if (clip.skeleton == nullptr) return 0;
  bvhmill::Solve(clip, session->options.conventions,
                 static_cast<int64_t>(first), static_cast<int64_t>(count),
                 &session->poses);
  return session->poses.positions.size();
}
BVHMILL_EXPORT(bvhmill_positions)
const float* bvhmill_positions(const bvhmill::Session* session) {
  return session->poses.positions.data();
}

// Makes a text of the session, which is valid until the next call. Returns its
// size in bytes.
BVHMILL_EXPORT(bvhmill_text)
size_t bvhmill_text(bvhmill::Session* session, int32_t kind) {
  session->text =
      bvhmill::TextOf(session, static_cast<bvhmill::TextKind>(kind));
  return session->text.size();
}
BVHMILL_EXPORT(bvhmill_text_bytes)
const char* bvhmill_text_bytes(const bvhmill::Session* session) {
  return session->text.data();
}

BVHMILL_EXPORT(bvhmill_close) void bvhmill_close(bvhmill::Session* session) {
  delete session;
}

// The only thread never ends, so its objects are never destroyed.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
