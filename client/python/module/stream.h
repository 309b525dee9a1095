#pragma once

// A clip that arrives in pieces and leaves in blocks of frames.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/sink.h"
#include "bvhmill/pipeline/clip_converter.h"
#include "bvhmill/unpack/decoder.h"
#include "client/python/module/block.h"
#include "client/python/module/choices.h"
#include "client/python/module/interrupts.h"
#include "client/python/module/receiver.h"

namespace bvhmill::python {

// One clip. Memory does not grow with it if every block is taken. The outputs
// of the choices must be arrays with frames as the first axis, at least one.
// Pieces are decompressed by the name of their file, and have the errors that
// ReadFile has.
class Stream {
 public:
  Stream(const Choices& choices, const std::string& path);

  // Converts the next piece. False if no more pieces are needed.
  bool Push(std::string_view piece);
  // The clip has ended. Call once.
  void Finish();

  // Frames that wait to be taken.
  int64_t Waiting() const;
  // The next `frames` frames of each output, which must wait.
  std::vector<std::shared_ptr<Block>> Take(int64_t frames);
  // The frames that were taken.
  int64_t taken() const { return taken_; }

  const ConvertResult& result() const { return result_; }
  // The interrupts of the thread that made the stream.
  Interrupts* interrupts() { return &interrupts_; }

 private:
  // Decompressed text.
  class Text final : public Sink {
   public:
    explicit Text(Stream* stream) : stream_(*stream) {}
    absl::Status Append(std::string_view bytes) override;

   private:
    Stream& stream_;
  };

  class Receiver final : public OutputReceiver {
   public:
    absl::Status Begin(const ClipInfo& info,
                       std::span<const OutputInfo> outputs) override;
    absl::Status Data(size_t output, std::string_view bytes) override;

    // One for each output: the shape of a frame, and bytes that wait from
    // `begin` on.
    struct Output {
      std::vector<int64_t> shape;
      size_t frame_bytes = 0;
      Bytes bytes;
      size_t begin = 0;
    };
    std::vector<Output> outputs;
  };

  Choices choices_;
  ConvertResult result_;
  Receiver receiver_;
  Interrupts interrupts_;
  Converter converter_;
  std::unique_ptr<ClipConverter> clip_;
  // Null if the file is not compressed.
  std::unique_ptr<Decoder> decoder_;
  // The first error of the decoder, or CANCELLED: no more text is needed.
  absl::Status decoded_;
  int64_t taken_ = 0;
};

}  // namespace bvhmill::python
