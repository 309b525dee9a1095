#include "client/cli/manifest.h"

#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/base/version.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/files/outputs.h"
#include "bvhmill/files/posix_files.h"
#include "bvhmill/wire/options.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
// The longest time in which two changes can have the same time stamp: on a file
// system that counts whole seconds, and on others, whose clock ticks at least a
// hundred times a second.
constexpr int64_t kCoarseTick = 2 * kSecond;
constexpr int64_t kTick = kSecond / 50;
constexpr size_t kReadBytes = size_t{256} << 10;

int64_t Now() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return NanosecondsOf(now);
}

absl::Status Changed() {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "changed while it was read");
}

bool HasSameTimes(const struct stat& info, const FileState& state) {
  const int64_t changed = NanosecondsOf(info.st_ctim);
  return info.st_size == state.size &&
         NanosecondsOf(info.st_mtim) == state.modified &&
         (state.changed == 0 || changed == state.changed);
}

absl::Status AddBytes(int fd, const CancelToken* cancel, Sha256* digest) {
  std::vector<char> buffer(kReadBytes);
  while (true) {
    if (IsCancelled(cancel)) {
      return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
    }
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition,
                        "cannot be read: " + ErrnoText(errno));
    }
    if (got == 0) return absl::OkStatus();
    digest->Add({buffer.data(), static_cast<size_t>(got)});
  }
}

}  // namespace

int64_t NanosecondsOf(const timespec& time) {
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::optional<FileState> StateOfFile(const std::string& path) {
  const int64_t now = Now();
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  std::error_code error;
  FileState state;
  state.path = std::filesystem::canonical(path, error).native();
  if (error) return std::nullopt;
  state.size = info.st_size;
  state.modified = NanosecondsOf(info.st_mtim);
  state.changed = NanosecondsOf(info.st_ctim);
  const bool is_coarse = info.st_mtim.tv_nsec == 0 && info.st_ctim.tv_nsec == 0;
  const int64_t tick = is_coarse ? kCoarseTick : kTick;
  if (state.changed > now - tick) state.changed = 0;
  return state;
}

absl::Status AddDigest(const CancelToken* cancel, FileState* state) {
  const UniqueFd fd(open(state->path.c_str(), O_RDONLY | O_CLOEXEC));
  Sha256 digest;
  if (!fd.valid()) return Changed();
  BVHMILL_RETURN_IF_ERROR(AddBytes(fd.get(), cancel, &digest));
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0 || !HasSameTimes(info, *state)) {
    return Changed();
  }
  state->sha256 = digest.Finish();
  return absl::OkStatus();
}

absl::Status CheckUnchanged(const FileState& state) {
  struct stat info = {};
  const bool is_there = stat(state.path.c_str(), &info) == 0;
  return is_there && HasSameTimes(info, state) ? absl::OkStatus() : Changed();
}

absl::Status HasSameBytes(const FileState& then, const CancelToken* cancel,
                          FileState* now, bool* is_same) {
  *is_same = false;
  if (then.size != now->size) return absl::OkStatus();
  if (then.path == now->path && then.modified == now->modified &&
      then.changed == now->changed && then.changed != 0) {
    *is_same = true;
    return absl::OkStatus();
  }
  if (then.sha256.empty()) return absl::OkStatus();
  if (now->sha256.empty()) {
    const absl::Status status = AddDigest(cancel, now);
    if (absl::IsCancelled(status)) return status;
  }
  *is_same = !now->sha256.empty() && now->sha256 == then.sha256;
  return absl::OkStatus();
}

std::string InFixedOrder(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string OptionsDigest(const ConvertOptions& options,
                          std::optional<SourceFormat> from,
                          std::string_view engine) {
  Sha256 digest;
  for (const std::string_view part : {Version(), GitCommit(), engine}) {
    digest.Add(part);
    digest.Add("\n");
  }
  if (from) {
    digest.Add(InfoOf(*from).name);
    digest.Add("\n");
  }
  digest.Add(InFixedOrder(wire::ToProto(options)));
  return digest.Finish();
}

namespace {

using nlohmann::json;

// Larger than the line of any clip.
constexpr size_t kMaxLineBytes = size_t{16} << 20;

absl::Status Failed(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    Printable(path) + ": " + why);
}

std::string TextAt(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

int64_t NumberAt(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<int64_t>()
                                                       : MadeClip::kUnknown;
}

json ObjectAt(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_object() ? *it : json::object();
}

FileState InputOf(const json& line) {
  const json object = ObjectAt(line, "input");
  FileState input;
  input.path = TextAt(object, "path");
  input.size = NumberAt(object, "size");
  input.modified = NumberAt(object, "modified");
  input.changed = NumberAt(object, "changed");
  input.sha256 = TextAt(object, "sha256");
  return input;
}

std::string Member(std::string_view name, const std::string& value) {
  return "," + JsonQuote(name) + ":" + value;
}

std::string InputText(const FileState& input) {
  return "{\"path\":" + JsonQuote(input.path) +
         Member("size", std::to_string(input.size)) +
         Member("modified", std::to_string(input.modified)) +
         Member("changed", std::to_string(input.changed)) +
         Member("sha256", JsonQuote(input.sha256)) + "}";
}

// "[a,b]" or "{a,b}" of the items ",a" and ",b".
std::string Enclosed(char open, const std::string& items, char close) {
  return open + (items.empty() ? items : items.substr(1)) + close;
}

// Why the file cannot be opened, by errno.
std::string WhyNot(int error) {
  return error == ELOOP ? "it is a symbolic link, which outputs do not follow"
                        : ErrnoText(error);
}

// Calls `take` for each line of `fd` that has an end; returns 0 or an errno,
// EFBIG for a line of more than kMaxLineBytes.
template <typename Take>
int ForEachLine(int fd, Take take) {
  std::string text;
  std::string buffer(kReadBytes, '\0');
  while (true) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : errno;
    text.append(buffer, 0, static_cast<size_t>(got));
    size_t begin = 0;
    for (size_t end = 0; (end = text.find('\n', begin)) != text.npos;) {
      take(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    text.erase(0, begin);
    if (text.size() > kMaxLineBytes) return EFBIG;
  }
}

bool IsRegularFile(int fd) {
  struct stat info = {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

// True if the last byte of the file does not end a line.
bool EndsWithinLine(int fd) {
  struct stat info = {};
  char last = '\n';
  return fstat(fd, &info) == 0 && info.st_size > 0 &&
         pread(fd, &last, 1, info.st_size - 1) == 1 && last != '\n';
}

}  // namespace

std::string Manifest::path() const {
  const std::string& folder = directory_.path();
  return folder + (folder.ends_with('/') ? "" : "/") +
         std::string(kManifestName);
}

absl::Status Manifest::Lock(bool alone) {
  absl::StatusOr<UniqueFd> folder = directory_.Descend("", false);
  if (!folder.ok()) return folder.status();
  lock_ = *std::move(folder);
  if (flock(lock_.get(), (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK) {
    return Failed(directory_.path(),
                  "another bvhmill writes into this folder; wait for its end, "
                  "or use another folder");
  }
  return absl::OkStatus();
}

absl::Status Manifest::Read() {
  const absl::StatusOr<UniqueFd> folder = directory_.Descend("", false);
  if (!folder.ok()) return folder.status();
  const UniqueFd file(openat(folder->get(), kManifestName.data(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  is_missing_ = !file.valid() && errno == ENOENT;
  if (is_missing_) return absl::OkStatus();
  if (!file.valid()) {
    return Failed(path(), "cannot be read: " + WhyNot(errno));
  }
  if (!IsRegularFile(file.get())) {
    return Failed(path(), "cannot be read: it is no file");
  }
  const int error = ForEachLine(
      file.get(), [this](std::string_view line) { ReadLine(line); });
  return error == 0 ? absl::OkStatus()
                    : Failed(path(), "cannot be read: " + ErrnoText(error));
}

void Manifest::ReadLine(std::string_view line) {
  const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return;
  if (const int64_t time = NumberAt(object, "unknown_before"); time > 0) {
    unknown_before_ = time;
  }
  if (!object.contains("clip")) return;
  if (const auto deleted = object.find("deleted"); deleted != object.end()) {
    MadeClip& clip = clips_[TextAt(object, "clip")];
    for (const json& extension : *deleted) {
      if (extension.is_string()) {
        clip.outputs.erase(extension.get<std::string>());
      }
    }
    return;
  }
  const bool is_done = object.contains("done");
  if (!is_done && !object.contains("begun")) return;
  MadeClip& clip = clips_[TextAt(object, "clip")];
  clip.is_done = is_done;
  clip.input = InputOf(object);
  clip.options = TextAt(object, "options");
  if (!is_done) {
    for (const json& extension : object["begun"]) {
      if (!extension.is_string()) continue;
      clip.outputs[extension.get<std::string>()] = MadeClip::kUnknown;
    }
    return;
  }
  // Outputs that this line does not name may be those of another input.
  for (auto& [extension, size] : clip.outputs) size = MadeClip::kUnknown;
  const json outputs = ObjectAt(object, "done");
  for (const auto& [extension, size] : outputs.items()) {
    clip.outputs[extension] = NumberAt(outputs, extension.c_str());
  }
}

const MadeClip* Manifest::Find(const std::string& clip) const {
  const auto it = clips_.find(KeyOfName(clip));
  return it == clips_.end() ? nullptr : &it->second;
}

absl::Status Manifest::Begin(const std::string& clip,
                             const std::vector<std::string>& extensions,
                             const std::string& input) {
  std::string list;
  for (const std::string& extension : extensions) {
    list += "," + JsonQuote(extension);
  }
  return Append("{\"clip\":" + JsonQuote(KeyOfName(clip)) +
                Member("begun", Enclosed('[', list, ']')) +
                Member("input", "{\"path\":" + JsonQuote(input) + "}") + "}");
}

absl::Status Manifest::Finish(const std::string& clip, const MadeClip& made) {
  std::string sizes;
  for (const auto& [extension, size] : made.outputs) {
    sizes += Member(extension, std::to_string(size));
  }
  return Append("{\"clip\":" + JsonQuote(KeyOfName(clip)) +
                Member("done", Enclosed('{', sizes, '}')) +
                Member("options", JsonQuote(made.options)) +
                Member("input", InputText(made.input)) + "}");
}

absl::Status Manifest::Forget(const std::string& clip,
                              const std::string& extension) {
  return Append("{\"clip\":" + JsonQuote(clip) +
                Member("deleted", "[" + JsonQuote(extension) + "]") + "}");
}

absl::Status Manifest::Open() {
  const absl::StatusOr<UniqueFd> folder = directory_.Descend("", false);
  if (!folder.ok()) return folder.status();
  file_ = UniqueFd(openat(folder->get(), kManifestName.data(),
                          O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                          0666));
  if (!file_.valid()) {
    return Failed(path(), "cannot be written: " + WhyNot(errno));
  }
  struct stat info = {};
  if (is_missing_ && fstat(file_.get(), &info) == 0 && info.st_size == 0) {
    head_ =
        "{\"unknown_before\":" + std::to_string(NanosecondsOf(info.st_mtim)) +
        "}\n";
  }
  is_torn_ = EndsWithinLine(file_.get());
  return absl::OkStatus();
}

// One write(2), so that lines of several runs do not mix.
absl::Status Manifest::Append(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!file_.valid()) BVHMILL_RETURN_IF_ERROR(Open());
  const std::string text = (is_torn_ ? "\n" : "") + head_ + line + "\n";
  ssize_t written = -1;
  do {
    written = write(file_.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) {
    return Failed(path(), "cannot be written: " + ErrnoText(errno));
  }
  head_.clear();
  is_torn_ = static_cast<size_t>(written) < text.size();
  return is_torn_ ? Failed(path(), "cannot be written: the disk is full")
                  : absl::OkStatus();
}

}  // namespace bvhmill::client
