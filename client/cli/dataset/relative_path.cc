#include "client/cli/dataset/relative_path.h"

#include <filesystem>
#include <system_error>

#include "client/cli/io/inputs.h"

namespace bvhmill::client {

std::string PathFrom(const std::string& folder, const std::string& path) {
  namespace fs = std::filesystem;
  // The folder itself may be a link, which the name of a file keeps.
  std::error_code error;
  const fs::path name = RealName(folder);
  const fs::path real = fs::weakly_canonical(name, error);
  const fs::path to = RealName(path);
  const fs::path relative = to.lexically_relative(error ? name : real);
  return (relative.empty() ? to : relative).generic_string();
}

}  // namespace bvhmill::client
