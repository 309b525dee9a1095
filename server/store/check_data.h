#pragma once

// The check of the jobs and blobs that servers have stored.
//
//   DataCheck check;
//   BVHMILL_RETURN_IF_ERROR(CheckData(path, /*database=*/"", &check));
//   for (const std::string& fault : check.faults) Print(fault);

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// The kind of message in a row. The stores do not parse messages; the caller of
// the check does.
enum class StoredMessage : uint8_t {
  // The options of a job or an item.
  kOptions,
  kAnnotations,
  kResult,
};

struct DataCheck {
  // Set by the caller: returns true if `bytes` is such a message. If it is
  // empty, messages are not checked.
  std::function<bool(StoredMessage kind, std::string_view bytes)> is_message;

  int64_t jobs = 0;
  int64_t items = 0;
  int64_t results = 0;
  int64_t blobs = 0;
  int64_t blob_bytes = 0;
  // Blobs that no job names; servers remove them when they are old.
  int64_t unnamed = 0;
  // True if servers used the data at the start or at the end of the check, or
  // if that is not known. Then the counts above are from different moments; the
  // faults are still correct.
  bool is_live = false;
  // One sentence for each fault; the first 1000 of them.
  std::vector<std::string> faults;
};

// Reads all data in the folder at `path`, and adds each fault to `check`; a
// fault is no error. The rules:
//
//   - the database is undamaged, and its rows contain valid values;
//   - the counts of a job match its items, and its bytes match its rows;
//   - each item that is done has one result, and others have none;
//   - each blob matches its digest, and all named blobs exist.
//
// `database` is empty for the folder of one server, which must not run:
// FAILED_PRECONDITION, DATA_IN_USE. Else it is the address of the database of
// several servers, which may run meanwhile: see OpenPostgresJobStore, and
// DataFolder::OpenShared. Also FAILED_PRECONDITION: DATA_TOO_OLD, DATA_TOO_NEW;
// DATA_OF_ANOTHER_DATABASE if the folder and the database do not belong
// together; DATA_INCOMPLETE if there are blobs without a database, or a log is
// missing. NOT_FOUND, DATA_MISSING if there are no data.
//
// Changes nothing, except that it makes the file `lock` where it is missing.
absl::Status CheckData(const std::string& path, const std::string& database,
                       DataCheck* check);

// CheckData for servers whose blobs are in an S3-compatible store. Only reads:
// it needs the rights to list and to get. Each item and each output that names
// a blob costs a HEAD; each blob costs a GET for each started MiB. UNAVAILABLE
// if the store stops answering. Also the errors of OpenS3BlobsForCheck.
absl::Status CheckDataInS3(const S3Options& s3, const std::string& database,
                           DataCheck* check);

}  // namespace bvhmill::server
