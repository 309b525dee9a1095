#include "client/cli/batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/pipeline/workers.h"
#include "bvhmill/report/issue_log.h"
#include "client/cli/io/read_clip.h"

namespace bvhmill::client {
namespace {

using Kind = Outcome::Kind;

// The result for a clip above the limit, with the report that the reader of
// `format` makes: it has a line and a column if the format is text.
ConvertResult TooLarge(SourceFormat format, const ReportOptions& options,
                       int64_t limit) {
  IssueLog log(options);
  Location location;
  location.byte_offset = 0;
  if (format == SourceFormat::kBvh) location = LocationAt(TextPosition{});
  log.Add(IssueCode::LIMIT_CLIP_BYTES, location,
          {{"limit", std::to_string(limit)}});
  ConvertResult result;
  result.report = log.Finish(false, false);
  result.status = MakeStatus(absl::StatusCode::kResourceExhausted,
                             "the clip is larger than is taken");
  return result;
}

// Replaces an error of the server about the decompression of a clip by the
// error that this process reports. Returns other results unchanged.
ConvertResult AsIfUnpackedHere(ConvertResult result, SourceFormat format,
                               const ReportOptions& report, int64_t limit) {
  const CallError error = CallErrorOf(result.status);
  if (error.reason == "ENCODING_BROKEN") {
    ConvertResult broken;
    broken.status = CannotUnpack(error.message);
    return broken;
  }
  const bool is_too_large =
      error.reason == kLimitExceeded && error.limit_name == "max_clip_bytes";
  return is_too_large ? TooLarge(format, report, limit) : result;
}

Kind KindOf(const absl::Status& status, const Session& session) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Kind::kGood;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
      return Kind::kFailed;
    case absl::StatusCode::kUnavailable:
      return Kind::kUnreachable;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnimplemented:
      return Kind::kServerRefuses;
    default:
      break;
  }
  if (absl::IsCancelled(status) && IsCancelled(session.cancel)) {
    return Kind::kCancelled;
  }
  return session.engine->IsRemote() ? Kind::kServerError : Kind::kFailed;
}

// Prints the texts of outcomes in the order of the inputs. Thread-safe.
class OrderedTalk {
 public:
  explicit OrderedTalk(Console* console) : console_(*console) {}

  // Stores `outcome`, and prints all outcomes whose predecessors are printed.
  // Call once for each index. False if stdout accepts no more data.
  bool Put(size_t index, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(index, std::move(outcome));
    bool is_read = true;
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      Outcome& first = waiting_.begin()->second;
      console_.PrintDiagnostics(first.diagnostics);
      is_read = console_.PrintData(first.data);
      if (first.in_turn && !first.in_turn()) is_read = false;
      waiting_.erase(waiting_.begin());
      ++next_;
    }
    return is_read;
  }

 private:
  Console& console_;
  std::mutex mutex_;
  std::map<size_t, Outcome> waiting_;
  size_t next_ = 0;
};

// Counts outcomes and decides when to stop. Thread-safe.
class Tally {
 public:
  explicit Tally(int64_t clips) { totals_.clips = clips; }

  void Add(Outcome* outcome) {
    const std::lock_guard lock(mutex_);
    totals_.bytes += outcome->bytes;
    switch (outcome->kind) {
      case Kind::kGood:
        ++totals_.good;
        break;
      case Kind::kSkipped:
        ++totals_.skipped;
        break;
      case Kind::kFailed:
        ++totals_.failed;
        Raise(kExitClipFailed);
        break;
      case Kind::kServerError:
        ++totals_.failed;
        Raise(kExitServerError);
        break;
      case Kind::kServerRefuses:
        StopBy(kExitServerError, outcome);
        break;
      case Kind::kUnreachable:
        StopBy(kExitUnreachable, outcome);
        break;
      case Kind::kCancelled:
        break;
    }
  }

  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }
  const Totals& totals() const { return totals_; }

 private:
  // A more important exit status has a larger number.
  void Raise(ExitCode exit) { totals_.exit = std::max(totals_.exit, exit); }

  // Every clip in flight reports the lost server; only the first is printed.
  void StopBy(ExitCode exit, Outcome* outcome) {
    Raise(exit);
    if (stopped_.exchange(true)) outcome->diagnostics.clear();
  }

  std::mutex mutex_;
  Totals totals_;
  std::atomic<bool> stopped_ = false;
};

int64_t BytesOf(std::span<const Input> inputs) {
  int64_t bytes = 0;
  for (const Input& input : inputs) bytes += input.bytes;
  return bytes;
}

// The text of a clip. The thread reuses its memory for the next clip, unless
// that is more than 8 MiB.
class ThreadText {
 public:
  ThreadText() { text_.swap(Kept()); }
  ~ThreadText() {
    constexpr size_t kMostKept = size_t{8} << 20;
    if (text_.capacity() <= kMostKept) text_.swap(Kept());
  }
  ThreadText(const ThreadText&) = delete;
  ThreadText& operator=(const ThreadText&) = delete;

  ClipText& operator*() { return text_; }
  ClipText* operator->() { return &text_; }

 private:
  static ClipText& Kept() {
    thread_local ClipText text;
    return text;
  }

  ClipText text_;
};

// Converts a mapped file without a copy. Sets the progress while it is read.
ConvertResult WithMappedClip(
    MappedFile* file, const Input& input,
    const std::function<ConvertResult(const ClipData& clip)>& work,
    ClipProgress* progress) {
  ClipData clip;
  clip.bytes = file->bytes();
  clip.format = input.format;
  // The outputs are the other half of the progress.
  clip.on_read = [&](int64_t bytes) {
    *progress = bytes / 2;
    file->Release(bytes);
  };
  ConvertResult result = work(clip);
  if (file->was_cut()) {
    result = {};
    result.status =
        MakeStatus(absl::StatusCode::kNotFound,
                   "cannot be read: became shorter while it was read");
  }
  return result;
}

// WithClip without the check for memory: may throw std::bad_alloc.
ConvertResult WithMemoryForClip(
    const Session& session, const Input& input, const ReportOptions& report,
    const std::function<ConvertResult(const ClipData& clip)>& work,
    int64_t* bytes, ClipProgress* progress, std::string* sha256) {
  ConvertResult unread;
  unread.status = input.status;
  if (!unread.status.ok()) return unread;
  const Engine& engine = *session.engine;
  if (!engine.Reads(input.format)) {
    unread.status = MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        "the server does not read ." + std::string(InfoOf(input.format).name));
    return unread;
  }
  const int64_t limit = engine.MaxClipBytes();
  if (!engine.IsRemote() && InfoOf(input.format).streams) {
    const auto mapped = MapLongClip(input, limit);
    if (mapped != nullptr &&
        EncodingOf(input, mapped->bytes()) == Encoding::kIdentity) {
      *bytes = static_cast<int64_t>(mapped->bytes().size());
      if (sha256 != nullptr) *sha256 = Sha256Of(mapped->bytes());
      return WithMappedClip(mapped.get(), input, work, progress);
    }
  }
  ThreadText text;
  unread.status = ReadClip(input, limit, session.cancel, &*text);
  if (unread.status.ok()) *bytes = static_cast<int64_t>(text->size());
  if (unread.status.ok() && sha256 != nullptr) {
    *sha256 = Sha256Of(ViewOf(*text));
  }
  Encoding encoding = EncodingOf(input, ViewOf(*text));
  if (unread.status.ok() && !engine.Takes(OnWire(encoding))) {
    unread.status = UnpackClip(encoding, limit, session.cancel, &*text);
    encoding = Encoding::kIdentity;
  }
  if (absl::IsResourceExhausted(unread.status)) {
    return TooLarge(input.format, report, limit);
  }
  if (!unread.status.ok()) return unread;
  ClipData clip = {ViewOf(*text), OnWire(encoding), input.format};
  // The outputs are the other half of the progress.
  if (engine.IsRemote()) {
    clip.on_read = [progress](int64_t sent) { *progress = sent / 2; };
  }
  if (encoding == Encoding::kIdentity) return work(clip);
  return AsIfUnpackedHere(work(clip), input.format, report, limit);
}

// The clips in flight. With two per core, one is read or written while a server
// converts the other.
int JobsOf(const Session& session) {
  if (session.options.jobs != 0 || session.engine == nullptr) {
    return session.options.jobs;
  }
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return session.engine->IsRemote() ? std::max(2, 2 * cores) : 0;
}

// A line for each output that could not be made, and a note about the others.
std::string FailedOutputLines(const Input& input, const ConvertResult& result) {
  std::string lines;
  std::string made;
  for (const OutputInfo& output : result.outputs) {
    if (output.status.ok()) {
      made += (made.empty() ? "" : ", ") + Printable(output.id);
    } else {
      lines += "bvhmill: " + FailureLine(input.path, output.status) + "\n";
    }
  }
  return lines + Printable(input.path) +
         ": note: these outputs were made: " + made + "\n";
}

}  // namespace

absl::StatusOr<std::vector<Input>> TakeInputs(const InputOptions& options,
                                              std::optional<FileId> skip,
                                              bool quiet,
                                              const Session& session) {
  auto inputs = CollectInputs(options, skip, session.cancel);
  if (!inputs.ok()) return inputs;
  const std::vector<std::string> repeated = DropRepeated(&*inputs);
  if (repeated.empty() || quiet) return inputs;
  const auto count = static_cast<int64_t>(repeated.size());
  session.console->PrintDiagnostics(
      Printable(repeated.front()) + ": note: " +
      (count == 1 ? "" : "the first of " + Count(count, "path") + " that ") +
      (count == 1 ? "names" : "name") +
      " a file once more; each file is taken once\n");
  return inputs;
}

ConvertResult WithClip(
    const Session& session, const Input& input, const ReportOptions& report,
    const std::function<ConvertResult(const ClipData& clip)>& work,
    int64_t* bytes, ClipProgress* progress, std::string* sha256) {
  ConvertResult result;
  try {
    return WithMemoryForClip(session, input, report, work, bytes, progress,
                             sha256);
  } catch (const std::bad_alloc&) {
    result.status = MakeStatus(absl::StatusCode::kResourceExhausted,
                               "the system has no memory for it");
  }
  return result;
}

void TakeLinesOf(const ClipData& clip, const Report& report, IssueView* view) {
  const bool is_text = clip.encoding == v1::CONTENT_ENCODING_IDENTITY &&
                       clip.format == SourceFormat::kBvh;
  if (is_text) TakeLines(clip.bytes, report, view);
}

bool HasReport(const ConvertResult& result) {
  // An empty report says "unreadable" without an issue. So does a report whose
  // issues are all ignored; the status then has the reason CLIP_BROKEN.
  return IsGood(result.report.verdict) || !result.report.issues.empty() ||
         result.report.counts.errors > 0 || !result.info.joints.empty() ||
         CallErrorOf(result.status).reason == "CLIP_BROKEN";
}

Outcome OutcomeOf(const Session& session, const Input& input,
                  const ConvertResult& result, const IssueView& view) {
  Outcome outcome;
  outcome.kind = KindOf(FirstFailure(result), session);
  const std::string message(MessageOf(result.status));
  switch (outcome.kind) {
    case Kind::kFailed:
      if (result.status.ok()) {
        outcome.diagnostics = FailedOutputLines(input, result);
        break;
      }
      outcome.diagnostics =
          "bvhmill: " + FailureLine(input.path, result, view) + "\n";
      break;
    case Kind::kServerError:
      outcome.diagnostics = "bvhmill: " + Printable(input.path) +
                            ": error: the server failed: " +
                            absl::StatusCodeToString(result.status.code()) +
                            ": " + message + "\n";
      break;
    case Kind::kServerRefuses:
      outcome.diagnostics = "bvhmill: the server refuses: " +
                            absl::StatusCodeToString(result.status.code()) +
                            ": " + message + "\n";
      break;
    case Kind::kUnreachable:
      outcome.diagnostics = "bvhmill: " + message + "\n";
      break;
    case Kind::kGood:
    case Kind::kSkipped:
    case Kind::kCancelled:
      break;
  }
  return outcome;
}

Totals RunClips(const Session& session, std::span<const Input> inputs,
                const std::function<Outcome(size_t, ClipProgress*)>& task) {
  const auto start = std::chrono::steady_clock::now();
  const auto count = static_cast<int64_t>(inputs.size());
  OrderedTalk diagnostics(session.console);
  Tally tally(count);
  {
    const ProgressMode mode =
        session.options.quiet ? ProgressMode::kNever : session.options.progress;
    Progress progress(session.console, mode, count, BytesOf(inputs));
    RunBatch(count, JobsOf(session), [&](int64_t i) {
      Outcome outcome;
      outcome.kind = Kind::kCancelled;
      if (!tally.stopped() && !IsCancelled(session.cancel)) {
        const auto index = static_cast<size_t>(i);
        ClipProgress clip = 0;
        progress.Begin(&clip);
        outcome = task(index, &clip);
        progress.Finish(&clip, inputs[index].bytes, outcome.bytes);
      }
      tally.Add(&outcome);
      if (!diagnostics.Put(static_cast<size_t>(i), std::move(outcome)))
        tally.Stop();
    });
  }
  Totals totals = tally.totals();
  totals.is_cut = tally.stopped() || IsCancelled(session.cancel);
  if (session.console->data_lost()) {
    totals.exit = std::max(totals.exit, kExitClipFailed);
  }
  if (IsCancelled(session.cancel)) totals.exit = kExitInterrupted;
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  totals.seconds = time.count();
  return totals;
}

std::string Summary(const Totals& totals, std::string_view verb) {
  std::string out = std::to_string(totals.good) + " of " +
                    Count(totals.clips, "clip") + " " + std::string(verb);
  const auto add = [&out](int64_t count, std::string_view what) {
    if (count > 0) out += ", " + std::to_string(count) + std::string(what);
  };
  add(totals.failed, " failed");
  add(totals.skipped, " skipped");
  add(totals.clips - totals.good - totals.failed - totals.skipped, " not done");
  out +=
      ", " + Megabytes(totals.bytes) + " in " + Fixed(totals.seconds, 2) + " s";
  // The rate tells nothing if some clips ended early.
  const bool is_whole = totals.good == totals.clips;
  return out +
         (is_whole ? ", " + Rate(totals.bytes, totals.seconds) + " MB/s" : "") +
         "\n";
}

}  // namespace bvhmill::client
