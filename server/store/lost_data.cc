#include "server/store/lost_data.h"

#include <filesystem>
#include <system_error>

#include "bvhmill/base/call_error.h"

namespace bvhmill::server {
namespace {

constexpr char kIncomplete[] = "DATA_INCOMPLETE";

// Folders of blobs stay when their last blob is removed.
bool HasEntries(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    return error != std::errc::no_such_file_or_directory &&
           error != std::errc::not_a_directory;
  }
  return entries != std::filesystem::directory_iterator();
}

}  // namespace

bool HasBlobs(const std::string& path) {
  return !path.empty() &&
         (HasEntries(path + "/blobs") || HasEntries(path + "/uploads"));
}

absl::Status DataIncomplete(const std::string& what) {
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = kIncomplete,
       .message = what + "; restore it, or all data from one backup. Nothing "
                         "was changed. To begin with new jobs, use another "
                         "place for them and keep this one"});
}

absl::Status BlobsLost(const std::string& place) {
  return DataIncomplete(
      "the database has jobs, and the sources and outputs "
      "that they name are missing from " +
      place);
}

bool IsIncomplete(const absl::Status& status) {
  return CallErrorOf(status).reason == kIncomplete;
}

}  // namespace bvhmill::server
