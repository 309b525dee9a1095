#pragma once

// An engine converts clips: LocalEngine in this process, RemoteEngine on a
// server. If their builds and limits are equal, their outputs and reports have
// the same bytes.
//
// Step 5 of `bvhmill convert` (main.cc lists the steps). OpenEngine (session.h)
// makes the engine. An engine parses and solves one clip, and passes its
// outputs in pieces to an OutputReceiver:
//
//   ConvertResult result = session.engine->Convert(
//       path, clip, options, &receiver, session.cancel);

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "bvhmill/unpack/decoder.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// The encoding of the API for a compression.
v1::ContentEncoding OnWire(Encoding encoding);

// Limits on one job of a server. 0: no limit.
struct JobLimits {
  int64_t clips = 0;
  // The size of the request that makes the job, without uploaded files.
  int64_t request_bytes = 0;
};

// Converts or checks one clip per call. Thread-safe. Results and errors are
// those of Client; `name` is for messages. Requires Takes(clip.encoding) and
// Reads(clip.format). Ignores options.limits and options.source_format. Only
// RemoteEngine uses clip.on_issues.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual ConvertResult Validate(std::string_view name, const ClipData& clip,
                                 const ConvertOptions& options,
                                 const CancelToken* cancel) = 0;
  virtual ConvertResult Convert(std::string_view name, const ClipData& clip,
                                const ConvertOptions& options,
                                OutputReceiver* receiver,
                                const CancelToken* cancel) = 0;
  // Largest size of the text of a clip; 0: no limit.
  virtual int64_t MaxClipBytes() const = 0;
  // True if clips can have this compression.
  virtual bool Takes(v1::ContentEncoding encoding) const = 0;
  // True if clips can have this format.
  virtual bool Reads(SourceFormat format) const = 0;
  // True if a server converts the clips. A call can then fail because of the
  // server.
  virtual bool IsRemote() const = 0;
  // "VERSION COMMIT" of the program that converts.
  virtual std::string Build() const = 0;
  // The limits on jobs of the server; no limits without a server.
  virtual JobLimits LimitsOfJobs() const { return {}; }
};

// Converts in this process, with `limits` in place of options.limits.
class LocalEngine final : public Engine {
 public:
  explicit LocalEngine(const Limits& limits) : limits_(limits) {}
  ConvertResult Validate(std::string_view name, const ClipData& clip,
                         const ConvertOptions& options,
                         const CancelToken* cancel) override;
  ConvertResult Convert(std::string_view name, const ClipData& clip,
                        const ConvertOptions& options, OutputReceiver* receiver,
                        const CancelToken* cancel) override;
  int64_t MaxClipBytes() const override { return limits_.max_clip_bytes; }
  bool Takes(v1::ContentEncoding encoding) const override {
    return encoding == v1::CONTENT_ENCODING_IDENTITY;
  }
  bool Reads(SourceFormat /*format*/) const override { return true; }
  bool IsRemote() const override { return false; }
  std::string Build() const override;

 private:
  Limits limits_;
  // Each converter uses the thread pool of the task that takes it.
  ConverterPool converters_{Parallelism::CallersPool()};
};

// Converts on the server of a Client, with the limits of the server.
class RemoteEngine final : public Engine {
 public:
  // Requires a connected client.
  explicit RemoteEngine(std::unique_ptr<Client> client)
      : client_(std::move(client)) {}
  ConvertResult Validate(std::string_view name, const ClipData& clip,
                         const ConvertOptions& options,
                         const CancelToken* cancel) override;
  ConvertResult Convert(std::string_view name, const ClipData& clip,
                        const ConvertOptions& options, OutputReceiver* receiver,
                        const CancelToken* cancel) override;
  int64_t MaxClipBytes() const override;
  bool Takes(v1::ContentEncoding encoding) const override {
    return client_->Takes(encoding);
  }
  bool Reads(SourceFormat format) const override {
    return client_->Reads(format);
  }
  bool IsRemote() const override { return true; }
  std::string Build() const override;
  JobLimits LimitsOfJobs() const override;

 private:
  std::unique_ptr<Client> client_;
};

}  // namespace bvhmill::client
