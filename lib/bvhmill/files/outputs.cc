#include "bvhmill/files/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

constexpr std::string_view kBytes = "bytes:";
constexpr std::string_view kEscape = "\\x";
constexpr size_t kEscapeSize = 4;

bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '\\'; }

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Removes the first component from `path` and returns it.
std::string_view TakeComponent(std::string_view* path) {
  const size_t slash = path->find('/');
  const std::string_view component = path->substr(0, slash);
  path->remove_prefix(slash == std::string_view::npos ? path->size()
                                                      : slash + 1);
  return component;
}

absl::Status CannotUse(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    Printable(path) + ": " + why);
}

absl::Status Missing(const std::string& path) {
  return MakeStatus(absl::StatusCode::kNotFound,
                    Printable(path) + " is missing");
}

// Opens the directory `name` in `parent`; `path` is for messages.
absl::StatusOr<UniqueFd> OpenChild(int parent, const std::string& name,
                                   const std::string& path, bool make) {
  if (make && mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) {
    return CannotUse(path, "cannot be made: " + ErrnoText(errno));
  }
  UniqueFd child(openat(parent, name.c_str(), kOpenDirectory | O_NOFOLLOW));
  if (child.valid()) return child;
  const int error = errno;
  if (error == ENOENT) return Missing(path);
  struct stat info = {};
  if (fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(info.st_mode)) {
    return CannotUse(path,
                     "is a symbolic link, which outputs do not follow; use "
                     "another -o");
  }
  return CannotUse(path, "cannot be opened: " + ErrnoText(error));
}

absl::Status Refused(const std::string& why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

}  // namespace

bool StaysBelow(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  if (path.find('\0') != std::string_view::npos) return false;
  while (!path.empty()) {
    if (TakeComponent(&path) == "..") return false;
  }
  return true;
}

std::string Normalized(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::string_view component = TakeComponent(&path);
    if (component.empty() || component == ".") continue;
    if (!out.empty()) out += '/';
    out += component;
  }
  return out;
}

absl::StatusOr<OutputDir> OutputDir::Open(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) &&
      !std::filesystem::is_directory(path, error)) {
    return CannotUse(path, "is not a folder");
  }
  std::filesystem::create_directories(path, error);
  if (error) return CannotUse(path, "cannot be made: " + error.message());
  UniqueFd fd(open(path.c_str(), kOpenDirectory));
  struct stat info = {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return CannotUse(path, "cannot be opened: " + ErrnoText(errno));
  }
  return OutputDir(path, std::move(fd), FileId(info.st_dev, info.st_ino));
}

absl::StatusOr<UniqueFd> OutputDir::Descend(std::string_view below,
                                            bool make) const {
  UniqueFd current(openat(fd_.get(), ".", kOpenDirectory));
  if (!current.valid()) return CannotUse(path_, ErrnoText(errno));
  std::string path = path_;
  while (!below.empty()) {
    const std::string name(TakeComponent(&below));
    path += (path.ends_with('/') ? "" : "/") + name;
    absl::StatusOr<UniqueFd> child = OpenChild(current.get(), name, path, make);
    if (!child.ok()) return child.status();
    current = *std::move(child);
  }
  return current;
}

void ClaimOutputs(std::vector<Input>* inputs, OutputClaims* claims) {
  for (Input& input : *inputs) {
    if (!input.status.ok()) continue;
    if (!StaysBelow(input.base)) {
      input.status = Refused(
          "its outputs would leave the output directory; a list names clips "
          "by relative paths without '..'");
      continue;
    }
    input.base = Normalized(input.base);
    const auto [claim, is_new] = claims->emplace(input.base, input.path);
    if (!is_new) {
      input.status =
          Refused("gives the same outputs as " + Printable(claim->second) +
                  "; convert it to another folder");
    }
  }
}

std::string KeyOfName(std::string_view name) {
  if (IsUtf8(name) && !name.starts_with(kBytes)) return std::string(name);
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string key(kBytes);
  for (const char c : name) {
    if (IsPlain(c)) {
      key += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    key.append(kEscape);
    key += kDigits[byte / 16];
    key += kDigits[byte % 16];
  }
  return key;
}

std::string NameOfKey(std::string_view key) {
  if (!key.starts_with(kBytes)) return std::string(key);
  std::string name;
  for (std::string_view rest = key.substr(kBytes.size()); !rest.empty();) {
    if (IsPlain(rest[0])) {
      name += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    const bool is_escape =
        rest.starts_with(kEscape) && rest.size() >= kEscapeSize;
    const char* const digits = rest.data() + kEscape.size();
    if (!is_escape ||
        std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return std::string(key);
    }
    name += static_cast<char>(byte);
    rest.remove_prefix(kEscapeSize);
  }
  return name;
}

}  // namespace bvhmill
