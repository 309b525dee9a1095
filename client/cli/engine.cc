#include "client/cli/engine.h"

#include <algorithm>

#include "bvhmill/base/version.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::client {
namespace {

// A server returns the args of issues sorted by name, since they are a map in
// the API. They are sorted here as well, so that reports are equal.
void SortArgs(ConvertResult* result) {
  for (Issue& issue : result->report.issues) {
    std::sort(issue.args.begin(), issue.args.end());
  }
}

// Passes the clip to the converter piece by piece, and the number of bytes so
// far to clip.on_read.
void ConvertPieces(const ClipData& clip, const ConvertOptions& options,
                   OutputReceiver* receiver, const CancelToken* cancel,
                   Converter* converter, ConvertResult* result) {
  constexpr size_t kPiece = size_t{32} << 20;
  Conversion conversion(converter, options, receiver, cancel, result);
  bool is_wanted = true;
  for (size_t at = 0; at < clip.bytes.size() && is_wanted; at += kPiece) {
    is_wanted = conversion.Add(clip.bytes.substr(at, kPiece));
    clip.on_read(
        static_cast<int64_t>(std::min(at + kPiece, clip.bytes.size())));
  }
  conversion.Finish();
}

}  // namespace

v1::ContentEncoding OnWire(Encoding encoding) {
  switch (encoding) {
    case Encoding::kIdentity:
      return v1::CONTENT_ENCODING_IDENTITY;
    case Encoding::kGzip:
      return v1::CONTENT_ENCODING_GZIP;
    case Encoding::kZstd:
      break;
  }
  return v1::CONTENT_ENCODING_ZSTD;
}

ConvertResult LocalEngine::Validate(std::string_view name, const ClipData& clip,
                                    const ConvertOptions& options,
                                    const CancelToken* cancel) {
  ConvertOptions checks = options;
  checks.checks_only = true;
  return Convert(name, clip, checks, nullptr, cancel);
}

ConvertResult LocalEngine::Convert(std::string_view /*name*/,
                                   const ClipData& clip,
                                   const ConvertOptions& options,
                                   OutputReceiver* receiver,
                                   const CancelToken* cancel) {
  ConvertOptions limited = options;
  limited.limits = limits_;
  limited.source_format = clip.format;
  const ConverterPool::Lease lease(&converters_);
  ConvertResult result;
  if (clip.on_read) {
    ConvertPieces(clip, limited, receiver, cancel, &*lease, &result);
  } else {
    lease->ConvertInto(clip.bytes, limited, receiver, cancel, &result);
  }
  SortArgs(&result);
  return result;
}

std::string LocalEngine::Build() const {
  return std::string(Version()) + " " + std::string(GitCommit());
}

ConvertResult RemoteEngine::Validate(std::string_view name,
                                     const ClipData& clip,
                                     const ConvertOptions& options,
                                     const CancelToken* cancel) {
  return client_->Validate(name, clip, options, cancel);
}

ConvertResult RemoteEngine::Convert(std::string_view name, const ClipData& clip,
                                    const ConvertOptions& options,
                                    OutputReceiver* receiver,
                                    const CancelToken* cancel) {
  return client_->Convert(name, clip, options, receiver, cancel);
}

int64_t RemoteEngine::MaxClipBytes() const {
  return client_->ServerInfo().limits().max_clip_bytes();
}

JobLimits RemoteEngine::LimitsOfJobs() const {
  const v1::Limits& limits = client_->ServerInfo().limits();
  return {limits.max_items_per_job(), limits.max_request_message_bytes()};
}

std::string RemoteEngine::Build() const {
  const v1::GetServerInfoResponse& info = client_->ServerInfo();
  return info.server_version() + " " + info.build().git_commit();
}

}  // namespace bvhmill::client
