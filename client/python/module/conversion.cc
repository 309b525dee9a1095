#include "client/python/module/conversion.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::python {
namespace {

// Bytes to reserve for an output whose size is not known.
constexpr int64_t kFirstBytes = int64_t{64} << 10;

}  // namespace

absl::Status BlockReceiver::Begin(const ClipInfo& /*info*/,
                                  std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int64_t bytes =
        outputs[i].tensor ? TensorBytes(*outputs[i].tensor) : kFirstBytes;
    data_[i].clear();
    data_[i].reserve(static_cast<size_t>(bytes));
  }
  return absl::OkStatus();
}

absl::Status BlockReceiver::Data(size_t output, std::string_view bytes) {
  if (interrupts_ != nullptr && interrupts_->Check()) {
    return absl::CancelledError("interrupted");
  }
  if (bytes.empty()) return absl::OkStatus();
  Bytes& data = data_[output];
  const size_t size = data.size();
  if (size + bytes.size() > data.capacity()) {
    data.reserve(std::max(size + bytes.size(), 2 * data.capacity()));
  }
  data.resize(size + bytes.size());
  std::memcpy(data.data() + size, bytes.data(), bytes.size());
  return absl::OkStatus();
}

int64_t BlockReceiver::TotalBytes() const {
  size_t bytes = 0;
  for (const Bytes& data : data_) bytes += data.size();
  return static_cast<int64_t>(bytes);
}

std::shared_ptr<Block> BlockOf(const OutputInfo& info, Bytes bytes) {
  // Memory of small blocks is exact; that of large ones was never touched.
  if (bytes.capacity() > 2 * bytes.size() && bytes.capacity() < kLargeBytes) {
    bytes.shrink_to_fit();
  }
  if (info.tensor) {
    return std::make_shared<Block>(std::move(bytes), ElementType::kFloat32,
                                   info.tensor->shape);
  }
  const auto size = static_cast<int64_t>(bytes.size());
  return std::make_shared<Block>(std::move(bytes), ElementType::kByte,
                                 std::vector<int64_t>{size});
}

namespace {

// Longer texts are converted in pieces of this size by a single thread, which
// looks for signals in between.
constexpr size_t kPieceBytes = size_t{1} << 22;
constexpr size_t kWholeBytes = size_t{8} << 20;
// A thread keeps at most this much memory between calls.
constexpr size_t kMaxKeptBytes = size_t{64} << 20;

// The converter of this thread, which works alone.
Converter& ThreadConverter() {
  thread_local Converter converter(Parallelism::None());
  return converter;
}

// True while a call of this thread uses its converter. A handler of a signal
// runs in the middle of a call, and may read a clip of its own.
bool& IsConverterUsed() {
  thread_local bool is_used = false;
  return is_used;
}

class ConverterUse {
 public:
  ConverterUse() { IsConverterUsed() = true; }
  ~ConverterUse() { IsConverterUsed() = false; }
  ConverterUse(const ConverterUse&) = delete;
  ConverterUse& operator=(const ConverterUse&) = delete;
};

// False in a child of the process that first asked: threads of TBB do not
// survive a fork, and a call would wait for them.
bool CanUseThreads() {
  static std::atomic<pid_t> owner = 0;
  pid_t none = 0;
  const pid_t self = getpid();
  return owner.compare_exchange_strong(none, self) || none == self;
}

Bytes& ThreadText() {
  thread_local Bytes text;
  return text;
}

void TrimThread() {
  if (ThreadConverter().KeptBytes() > kMaxKeptBytes) {
    ThreadConverter().FreeMemory();
  }
  if (ThreadText().capacity() > kWholeBytes + kPieceBytes) ThreadText() = {};
}

class Stopwatch {
 public:
  explicit Stopwatch(double* seconds) : seconds_(*seconds) {}
  ~Stopwatch() {
    seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  double& seconds_;
};

// Runs `work` in a helper thread; the caller checks for signals meanwhile.
void RunWithHelper(Interrupts* interrupts, const std::function<void()>& work) {
  constexpr std::chrono::milliseconds kInterval{50};
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::exception_ptr failure;
  std::thread helper([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    has_ended = true;
    ended.notify_one();
  });
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, kInterval, [&] { return has_ended; })) {
    lock.unlock();
    interrupts->Check();
    lock.lock();
  }
  lock.unlock();
  helper.join();
  if (failure) std::rethrow_exception(failure);
}

void ConvertPieces(std::string_view text, const ConvertOptions& options,
                   Converter* converter, BlockReceiver* receiver,
                   Interrupts* interrupts, ConvertResult* result) {
  bvhmill::Conversion clip(converter, options, receiver, interrupts->token(),
                           result);
  while (!text.empty()) {
    clip.Add(text.substr(0, kPieceBytes));
    text.remove_prefix(std::min(text.size(), kPieceBytes));
    if (interrupts->Check()) break;
  }
  clip.Finish();
}

using ClipWork =
    std::function<void(Converter*, BlockReceiver*, ConvertResult*)>;

Converted Run(const Choices& choices, Interrupts* interrupts,
              const ClipWork& work) {
  Converted converted;
  BlockReceiver receiver(interrupts);
  const bool is_alone = choices.threads == 1 || !CanUseThreads();
  if (is_alone && IsConverterUsed()) {
    Converter converter(Parallelism::None());
    work(&converter, &receiver, &converted.result);
  } else if (is_alone) {
    const ConverterUse use;
    work(&ThreadConverter(), &receiver, &converted.result);
    TrimThread();
  } else {
    RunWithHelper(interrupts, [&] {
      Converter converter(Parallelism::Threads(choices.threads));
      work(&converter, &receiver, &converted.result);
    });
  }
  converted.data = std::move(receiver.data());
  return converted;
}

class TextSink final : public Sink {
 public:
  TextSink(Bytes* text, Interrupts* interrupts)
      : text_(*text), interrupts_(*interrupts) {}
  absl::Status Append(std::string_view bytes) override {
    if (interrupts_.Check()) return absl::CancelledError("interrupted");
    const size_t size = text_.size();
    if (size + bytes.size() > text_.capacity()) {
      text_.reserve(std::max(size + bytes.size(), 2 * text_.capacity()));
    }
    text_.resize(size + bytes.size());
    std::copy(bytes.begin(), bytes.end(),
              text_.begin() + static_cast<ptrdiff_t>(size));
    return absl::OkStatus();
  }

 private:
  Bytes& text_;
  Interrupts& interrupts_;
};

class File {
 public:
  // Does not wait for the writer of a named pipe.
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// As read, but returns after 50 ms if nothing has come, with EAGAIN.
// `has_begun` if bytes have come before: a pipe without a writer yet is not
// an ended one.
ssize_t ReadSome(int fd, bool is_regular, bool has_begun, char* to,
                 size_t size) {
  constexpr int kWaitMs = 50;
  if (!is_regular) {
    pollfd wait = {fd, POLLIN, 0};
    if (poll(&wait, 1, kWaitMs) <= 0 && !has_begun) {
      errno = EAGAIN;
      return -1;
    }
  }
  return read(fd, to, std::min(size, kPieceBytes));
}

// Reads up to `most` bytes; fewer if it is interrupted. errno, or 0.
int ReadBytes(const std::string& path, size_t most, Interrupts* interrupts,
              Bytes* text) {
  constexpr size_t kFirstRead = size_t{64} << 10;
  const File file(path);
  struct stat info = {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  size_t size = 0;
  // One byte more shows the end of the file.
  text->resize(std::min(
      most, std::max(static_cast<size_t>(info.st_size) + 1, kFirstRead)));
  while (size < most && !interrupts->Check()) {
    if (size == text->size()) text->resize(std::min(most, 2 * size));
    const ssize_t got = ReadSome(file.fd(), S_ISREG(info.st_mode), size > 0,
                                 text->data() + size, text->size() - size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  text->resize(size);
  return 0;
}

absl::Status TooLarge(int64_t max_bytes) {
  return LimitError(
      "max_clip_bytes", max_bytes,
      "more than max_clip_bytes = " + std::to_string(max_bytes) + " bytes");
}

size_t MostBytes(int64_t max_bytes) {
  return max_bytes <= 0 ? SIZE_MAX : static_cast<size_t>(max_bytes) + 1;
}

// The error for a file that a Decoder with this limit has refused.
absl::Status ErrorOfPacking(const absl::Status& status, int64_t max_bytes) {
  CallError error = CallErrorOf(status);
  if (error.code == absl::StatusCode::kResourceExhausted) {
    return TooLarge(max_bytes);
  }
  error.reason = "ENCODING_BROKEN";
  return MakeCallError(std::move(error));
}

}  // namespace

absl::Status ReadFile(const std::string& path, int64_t max_bytes,
                      Interrupts* interrupts, Bytes* text, int* os_error) {
  *os_error = ReadBytes(path, MostBytes(max_bytes), interrupts, text);
  if (interrupts->Check()) return absl::CancelledError("interrupted");
  if (*os_error != 0) return absl::OkStatus();
  const Encoding encoding = EncodingOfFile(path, {text->data(), text->size()});
  if (encoding == Encoding::kIdentity) return absl::OkStatus();
  // The rest of the file was not read, so it would seem to be broken.
  if (text->size() == MostBytes(max_bytes)) return TooLarge(max_bytes);
  Bytes packed;
  packed.swap(*text);
  TextSink sink(text, interrupts);
  const absl::Status status =
      Unpack(encoding, {packed.data(), packed.size()}, max_bytes, &sink);
  if (status.ok() || absl::IsCancelled(status)) return status;
  return ErrorOfPacking(status, max_bytes);
}

Converted ConvertText(std::string_view text, const Choices& choices,
                      Interrupts* interrupts) {
  double seconds = 0;
  Converted converted;
  {
    const Stopwatch stopwatch(&seconds);
    const ConvertOptions& options = choices.options;
    // The receiver checks for signals, too, but pieces are faster.
    const bool in_pieces = choices.threads == 1 && text.size() > kWholeBytes;
    converted = Run(choices, interrupts,
                    [&](Converter* converter, BlockReceiver* receiver,
                        ConvertResult* result) {
                      if (in_pieces) {
                        return ConvertPieces(text, options, converter, receiver,
                                             interrupts, result);
                      }
                      converter->ConvertInto(text, options, receiver,
                                             interrupts->token(), result);
                    });
  }
  converted.seconds = seconds;
  return converted;
}

Converted ConvertFile(const std::string& path, const Choices& choices,
                      Interrupts* interrupts) {
  double seconds = 0;
  Converted converted;
  {
    const Stopwatch stopwatch(&seconds);
    // The text of a thread that reads file after file keeps its memory.
    Bytes text = std::exchange(ThreadText(), {});
    const absl::Status read =
        ReadFile(path, choices.options.limits.max_clip_bytes, interrupts, &text,
                 &converted.os_error);
    if (converted.os_error != 0 || !read.ok()) {
      converted.result.status = read;
      return converted;
    }
    const auto format = FormatOfName(path);
    const std::string_view view = {text.data(), text.size()};
    if (format && !choices.has_format) {
      Choices named = choices;
      named.options.source_format = *format;
      converted = ConvertText(view, named, interrupts);
    } else {
      converted = ConvertText(view, choices, interrupts);
    }
    if (text.capacity() <= kWholeBytes) ThreadText() = std::move(text);
  }
  converted.seconds = seconds;
  return converted;
}

Converted ConvertMemory(const ClipRows& clip, const Choices& choices,
                        Interrupts* interrupts) {
  return Run(choices, interrupts,
             [&](Converter* converter, BlockReceiver* receiver,
                 ConvertResult* result) {
               *result = converter->ConvertClip(clip, choices.options, receiver,
                                                interrupts->token());
             });
}

Stream::Stream(const Choices& choices, const std::string& path)
    : choices_(choices),
      receiver_(&interrupts_),
      converter_(Parallelism::None()),
      clip_(std::make_unique<bvhmill::Conversion>(
          &converter_, choices_.options, &receiver_, interrupts_.token(),
          &converted_.result)) {
  Unpack(EncodingOfName(path));
}

void Stream::Unpack(Encoding encoding) {
  if (encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(encoding, choices_.options.limits.max_clip_bytes);
}

absl::Status Stream::Text::Append(std::string_view bytes) {
  return stream_.clip_->Add(bytes) ? absl::OkStatus()
                                   : absl::CancelledError("enough");
}

bool Stream::Push(std::string_view piece) {
  // The first bytes of a compressed file count more than its name.
  if (!std::exchange(has_begun_, true)) Unpack(EncodingOfBytes(piece));
  if (decoder_ == nullptr) return clip_->Add(piece);
  Text text(this);
  if (decoded_.ok()) decoded_ = decoder_->Push(piece, &text);
  return decoded_.ok();
}

Converted Stream::Finish() {
  if (decoder_ != nullptr && decoded_.ok()) decoded_ = decoder_->End();
  clip_->Finish();
  clip_.reset();
  converter_.FreeMemory();
  converted_.data = std::move(receiver_.data());
  if (!decoded_.ok() && !absl::IsCancelled(decoded_)) {
    // The clip ended early because the decoder failed: return its error.
    ConvertResult& result = converted_.result;
    result.status =
        ErrorOfPacking(decoded_, choices_.options.limits.max_clip_bytes);
    result.report = {};
    result.skeleton.reset();
    result.outputs.clear();
  }
  return std::move(converted_);
}

}  // namespace bvhmill::python
