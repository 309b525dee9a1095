#include "client/cli/dataset/relative_path.h"

#include <filesystem>
#include <system_error>

namespace bvhmill::client {
namespace {

namespace fs = std::filesystem;

fs::path Absolute(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::path(path.empty() ? "." : path);
  const fs::path absolute = fs::absolute(whole, error);
  return (error ? whole : absolute).lexically_normal();
}

}  // namespace

std::string PathFrom(const std::string& folder, const std::string& path) {
  const fs::path from = Absolute(folder);
  const fs::path to = Absolute(path);
  const fs::path relative = to.lexically_relative(from);
  return (relative.empty() ? to : relative).generic_string();
}

}  // namespace bvhmill::client
