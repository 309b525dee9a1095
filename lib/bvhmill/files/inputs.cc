#include "bvhmill/files/inputs.h"

#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/files/posix_files.h"
#include "bvhmill/settings/small_file.h"

namespace bvhmill {
namespace {

namespace fs = std::filesystem;

struct Ending {
  std::string_view text;
  Encoding encoding;
};

constexpr Ending kEndings[] = {{".gz", Encoding::kGzip},
                               {".zst", Encoding::kZstd}};

bool EndsWith(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  const std::string_view tail = name.substr(name.size() - ending.size());
  return std::equal(
      tail.begin(), tail.end(), ending.begin(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

// The format by the extension of a file that is not compressed.
std::optional<SourceFormat> FormatByEnding(std::string_view path) {
  for (const SourceFormatInfo& info : SourceFormats()) {
    if (EndsWith(path, info.extension)) return info.format;
  }
  return std::nullopt;
}

// The ending of a compressed clip; null if `path` does not name one.
const Ending* FindEnding(std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (EndsWith(path, ending.text) &&
        FormatByEnding(path.substr(0, path.size() - ending.text.size()))) {
      return &ending;
    }
  }
  return nullptr;
}

absl::Status UsageError(const std::string& message) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, message);
}

absl::Status CannotRead(const std::string& why) {
  return MakeStatus(absl::StatusCode::kNotFound, "cannot be read: " + why);
}

// NOT_FOUND for the manifest of a folder of outputs, which is not a clip.
absl::Status CheckName(const std::string& path) {
  return fs::path(path).filename() == kManifestName
             ? CannotRead("it is the manifest of a folder of outputs")
             : absl::OkStatus();
}

int64_t SizeOf(const struct stat& info) {
  return S_ISREG(info.st_mode) ? info.st_size : 0;
}

// `path` without the extensions of its compression and its format. A name that
// consists of the extension alone keeps it.
std::string BaseOf(std::string_view path) {
  path = WithoutPacking(path);
  const std::optional<SourceFormat> format = FormatOfName(path);
  const size_t size = format ? InfoOf(*format).extension.size() : 0;
  if (path.size() > size && path[path.size() - size - 1] != '/') {
    path.remove_suffix(size);
  }
  return std::string(path);
}

std::string JoinPath(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

// True if one of `patterns` fits an entry of a directory with this name, at the
// path `below` the directory that is searched.
bool Matches(const std::vector<std::string>& patterns, const std::string& name,
             const std::string& below) {
  return std::any_of(
      patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        const bool is_path = pattern.find('/') != pattern.npos;
        return fnmatch(pattern.c_str(), (is_path ? below : name).c_str(), 0) ==
               0;
      });
}

class Collector {
 public:
  Collector(const InputOptions& options, std::optional<FileId> skip)
      : options_(options), skip_(skip) {}

  absl::Status AddPath(const std::string& path);
  absl::Status AddList(const CancelToken* cancel);
  std::vector<Input> Take() { return std::move(inputs_); }

  // The format of an input with this name.
  SourceFormat FormatOf(std::string_view path) const {
    return options_.from ? *options_.from
                         : FormatOfName(path).value_or(SourceFormat::kBvh);
  }
  // The row of the format that directories are searched for.
  const SourceFormatInfo& Searched() const {
    return InfoOf(options_.from.value_or(SourceFormat::kBvh));
  }

 private:
  absl::Status AddStdin();
  void AddLines(std::string_view lines);
  void AddListed(const std::string& path);
  void AddTree(const std::string& root);
  void Walk(const std::string& path, const std::string& below);
  void AddEntry(const fs::directory_entry& entry, const std::string& path,
                const std::string& below);

  const InputOptions& options_;
  std::optional<FileId> skip_;
  // Directories that were searched, if links are followed.
  std::set<FileId> searched_;
  bool stdin_used_ = false;
  std::vector<Input> inputs_;
};

absl::Status Collector::AddStdin() {
  if (std::exchange(stdin_used_, true)) {
    return UsageError("stdin is named twice");
  }
  const std::string_view extension = Searched().extension;
  inputs_.push_back({"stdin" + std::string(extension), "stdin", true, 0, {}});
  return absl::OkStatus();
}

absl::Status Collector::AddPath(const std::string& path) {
  if (path == "-") return AddStdin();
  struct stat info = {};
  const std::string base = BaseOf(fs::path(path).filename().native());
  if (stat(path.c_str(), &info) != 0) {
    inputs_.push_back({path, base, false, 0, CannotRead(ErrnoText(errno))});
  } else if (!S_ISDIR(info.st_mode)) {
    inputs_.push_back({path, base, false, SizeOf(info), CheckName(path)});
  } else if (!options_.recursive) {
    const bool is_bvh = Searched().format == SourceFormat::kBvh;
    return UsageError(
        Printable(path) + " is a directory; -r takes the " +
        (is_bvh ? "clips" : std::string(Searched().extension) + " files") +
        " below it");
  } else {
    AddTree(path);
  }
  return absl::OkStatus();
}

absl::Status Collector::AddList(const CancelToken* cancel) {
  // More than two million paths of 100 bytes.
  constexpr size_t kMaxBytes = size_t{256} << 20;
  const std::string& list = options_.filelist;
  if (list.empty()) return absl::OkStatus();
  const bool is_stdin = list == "-";
  if (is_stdin && std::exchange(stdin_used_, true)) {
    return UsageError("stdin is named twice");
  }
  const absl::StatusOr<std::string> lines =
      is_stdin ? ReadSmallFile(STDIN_FILENO, "stdin", kMaxBytes, cancel)
               : ReadSmallFile(list, kMaxBytes, cancel);
  if (!lines.ok()) return UsageError(std::string(MessageOf(lines.status())));
  const size_t before = inputs_.size();
  AddLines(*lines);
  if (inputs_.size() == before) {
    inputs_.push_back({is_stdin ? "stdin" : list, "", false, 0,
                       CannotRead("the list names no clip")});
  }
  return absl::OkStatus();
}

void Collector::AddLines(std::string_view lines) {
  const char end = options_.list_has_zeros ? '\0' : '\n';
  while (!lines.empty()) {
    const size_t size = std::min(lines.find(end), lines.size());
    std::string_view line = lines.substr(0, size);
    lines.remove_prefix(std::min(size + 1, lines.size()));
    if (end == '\n' && line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == line.npos) continue;
    AddListed(std::string(line));
  }
}

// The path without "/" at its beginning and without "..": "elsewhere/a.bvh" of
// "in/../../elsewhere/a.bvh".
std::string Below(const std::string& path) {
  fs::path below;
  for (const fs::path& part : fs::path(path).lexically_normal()) {
    if (part != ".." && part != "/" && part != ".") below /= part;
  }
  return below.native();
}

void Collector::AddListed(const std::string& path) {
  Input input{path, BaseOf(Below(path)), false, 0, CheckName(path)};
  struct stat info = {};
  if (path.find('\0') != std::string::npos) {
    input.status = CannotRead(
        "a zero byte in its name; --files0 reads what "
        "'find -print0' writes");
  } else if (stat(path.c_str(), &info) != 0) {
    input.status = CannotRead(ErrnoText(errno));
  } else if (S_ISDIR(info.st_mode)) {
    input.status = CannotRead("it is a directory; a list names files");
  } else {
    input.bytes = SizeOf(info);
  }
  inputs_.push_back(std::move(input));
}

void Collector::AddTree(const std::string& root) {
  const auto first = static_cast<std::ptrdiff_t>(inputs_.size());
  if (const auto id = IdOfFile(root); options_.follow && id) {
    searched_.insert(*id);
  }
  Walk(root, "");
  if (inputs_.size() == static_cast<size_t>(first)) {
    inputs_.push_back(
        {root, "", false, 0,
         CannotRead("no *" + std::string(Searched().extension) + " below it" +
                    (options_.include.empty() && options_.exclude.empty()
                         ? ""
                         : " that --include and --exclude choose"))});
  }
  std::sort(inputs_.begin() + first, inputs_.end(),
            [](const Input& a, const Input& b) { return a.path < b.path; });
}

void Collector::Walk(const std::string& path, const std::string& below) {
  std::error_code error;
  fs::directory_iterator it(path, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    AddEntry(*it, path, below);
  }
  if (error) {
    inputs_.push_back({path, below, false, 0, CannotRead(error.message())});
  }
}

void Collector::AddEntry(const fs::directory_entry& entry,
                         const std::string& path, const std::string& below) {
  const std::string name = entry.path().filename().native();
  if (name.starts_with('.')) return;
  const std::string full = JoinPath(path, name);
  if (Matches(options_.exclude, name, JoinPath(below, name))) return;
  std::error_code error;
  if (entry.is_directory(error)) {
    const std::optional<FileId> id = IdOfFile(full);
    const bool is_skipped = skip_.has_value() && id == skip_;
    if (is_skipped || (entry.is_symlink(error) && !options_.follow)) return;
    if (options_.follow && (!id || !searched_.insert(*id).second)) return;
    return Walk(full, JoinPath(below, name));
  }
  // A broken link counts as a file: opening it reports the error.
  const bool is_file = entry.is_regular_file(error) || !entry.exists(error);
  if (!is_file) return;
  if (FormatOfName(name) != Searched().format) return;
  if (!options_.include.empty() &&
      !Matches(options_.include, name, JoinPath(below, name))) {
    return;
  }
  const std::uintmax_t size = entry.file_size(error);
  inputs_.push_back({full,
                     BaseOf(JoinPath(below, name)),
                     false,
                     error ? 0 : static_cast<int64_t>(size),
                     {}});
}

}  // namespace

std::optional<FileId> IdOfFile(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId(info.st_dev, info.st_ino);
}

std::set<FileId> IdsOfFiles(const std::vector<Input>& inputs) {
  std::set<FileId> ids;
  for (const Input& input : inputs) {
    const std::optional<FileId> id =
        input.is_stdin ? std::nullopt : IdOfFile(input.path);
    if (id) ids.insert(*id);
  }
  return ids;
}

fs::path RealName(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path.empty() ? "." : path, error);
  if (error) return path;
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), error);
  if (error) return whole.lexically_normal();
  return (folder / whole.filename()).lexically_normal();
}

std::vector<std::string> DropRepeated(std::vector<Input>* inputs) {
  std::vector<std::string> dropped;
  std::set<fs::path> names;
  std::erase_if(*inputs, [&](const Input& input) {
    const bool is_repeated =
        !input.is_stdin && !names.insert(RealName(input.path)).second;
    if (is_repeated) dropped.push_back(input.path);
    return is_repeated;
  });
  return dropped;
}

absl::StatusOr<std::vector<Input>> CollectInputs(const InputOptions& options,
                                                 std::optional<FileId> skip,
                                                 const CancelToken* cancel) {
  if (options.paths.empty() && options.filelist.empty()) {
    return UsageError("INPUT is missing: a file, a directory, --filelist or -");
  }
  Collector collector(options, skip);
  for (const std::string& path : options.paths) {
    BVHMILL_RETURN_IF_ERROR(collector.AddPath(path));
  }
  BVHMILL_RETURN_IF_ERROR(collector.AddList(cancel));
  std::vector<Input> inputs = collector.Take();
  for (Input& input : inputs) input.format = collector.FormatOf(input.path);
  return inputs;
}

std::optional<SourceFormat> FormatOfName(std::string_view path) {
  return FormatByEnding(WithoutPacking(path));
}

Encoding EncodingOfName(std::string_view path) {
  const Ending* ending = FindEnding(path);
  return ending == nullptr ? Encoding::kIdentity : ending->encoding;
}

Encoding EncodingOfFile(std::string_view path, std::string_view head) {
  const Encoding encoding = EncodingOfBytes(head);
  return encoding == Encoding::kIdentity ? EncodingOfName(path) : encoding;
}

std::string_view WithoutPacking(std::string_view path) {
  const Ending* ending = FindEnding(path);
  if (ending != nullptr) path.remove_suffix(ending->text.size());
  return path;
}

}  // namespace bvhmill
