#pragma once

// The HTTP API: clips in, outputs and reports out.
//
//   PUT or POST /v1/convert?emit=npz&fps=30    the outputs of a clip
//   PUT or POST /v1/validate                   its report, as JSON
//   GET /v1/info                               the server, as JSON
//   GET /v1/issues                             the catalogue of issues
//   GET /v1/openapi.json                       the description of these
//
// The body is the file, or a form of multipart/form-data with the parts `file`
// and, if wanted, `options`. Options are those of options.inc, in the query or
// as JSON. Errors are application/problem+json (RFC 9457).
//
// Each request is a call of the gRPC services over a channel within the
// process. So tokens, limits, quotas, the log and the metrics are those of
// every call.

#include <grpcpp/channel.h>
#include <httplib.h>

#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

struct ClipApiOptions {
  // To the services of this process.
  std::shared_ptr<grpc::Channel> channel;
  // A folder for outputs until they are sent. They have no names there.
  std::string spool;
  // The origins whose pages may use the API; "*" = all.
  std::set<std::string> origins;
  // A folder of files that are served at /; empty = none.
  std::string files;
};

// Adds the handlers of the API. INVALID_ARGUMENT if there is no folder `files`.
absl::Status AddClipApi(const ClipApiOptions& options, httplib::Server* routes);

}  // namespace bvhmill::server
