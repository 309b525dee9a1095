#pragma once

// Where clips are converted: in this process or by a server. Which of the two
// cannot be told from outputs and reports; they are equal to the byte.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/converter_pool.h"
#include "client/cpp/client.h"

namespace bvhmill::client {

// Thread-safe. See Client for what the calls promise; `name` is for messages.
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
  // Bytes of text that one clip may have; 0: any number.
  virtual int64_t MaxClipBytes() const = 0;
  // Whether clips may be packed so.
  virtual bool Takes(v1::ContentEncoding encoding) const = 0;
  // True if a call can fail for reasons of a server.
  virtual bool IsRemote() const = 0;
  // Version and commit of the program that converts.
  virtual std::string Build() const = 0;
};

// Works in this process, within `limits`; options.limits are not used.
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
  bool IsRemote() const override { return false; }
  std::string Build() const override;

 private:
  Limits limits_;
  // Files are converted in the tasks of a batch.
  ConverterPool converters_{Parallelism::CallersPool()};
};

class RemoteEngine final : public Engine {
 public:
  // Takes a connected client.
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
  bool IsRemote() const override { return true; }
  std::string Build() const override;

 private:
  std::unique_ptr<Client> client_;
};

}  // namespace bvhmill::client
