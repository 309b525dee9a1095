#include "client/cli/options/read_files.h"

#include <optional>
#include <string>

namespace bvhmill::client {
namespace {

// Options whose value is a file that is read.
constexpr const char* kReadingOptions[] = {
    "--anim-constraints", "--anim-map", "--baseline",  "--config",
    "--expectations",     "--filelist", "--joint-map", "--tls-ca",
    "--tls-cert",         "--tls-key",  "--token-file"};

}  // namespace

std::set<FileId> FilesReadBy(const CLI::App* app) {
  std::set<FileId> ids;
  for (; app != nullptr; app = app->get_parent()) {
    for (const char* name : kReadingOptions) {
      const CLI::Option* option = app->get_option_no_throw(name);
      if (option == nullptr || option->empty()) continue;
      const std::optional<FileId> id = IdOfFile(option->results().front());
      if (id) ids.insert(*id);
    }
  }
  return ids;
}

}  // namespace bvhmill::client
