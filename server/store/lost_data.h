#pragma once

// Refuses data of which a part is lost. A server that began with the rest would
// know no job, and remove the blobs of all of them.

#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

// True if blobs or uploads were ever stored in the folder at `path`, or if that
// cannot be found out.
bool HasBlobs(const std::string& path);

// FAILED_PRECONDITION, DATA_INCOMPLETE: `what` says which part of the data is
// lost, and is followed by what to restore.
absl::Status DataIncomplete(const std::string& what);
// The same for a database that names blobs, where there are none.
absl::Status BlobsLost(const std::string& place);
bool IsIncomplete(const absl::Status& status);

}  // namespace bvhmill::server
