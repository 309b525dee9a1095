#include "client/cpp/small_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "bvhmill/base/status.h"

namespace bvhmill::client {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

absl::Status CannotRead(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "cannot read " + path + ": " + why);
}

std::string LastError() { return std::generic_category().message(errno); }

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes) {
  const std::unique_ptr<std::FILE, CloseFile> file(
      std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return CannotRead(path, LastError());
  // One byte more shows that the file is too large.
  std::string content(max_bytes + 1, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  if (std::ferror(file.get()) != 0) return CannotRead(path, LastError());
  if (content.size() <= max_bytes) return content;
  return CannotRead(path,
                    "it has more than " + std::to_string(max_bytes) + " bytes");
}

}  // namespace bvhmill::client
