#pragma once

// A clip that arrives in pieces.

#include <memory>
#include <string>
#include <string_view>

#include "bvhmill/base/sink.h"
#include "bvhmill/pipeline/conversion.h"
#include "bvhmill/unpack/decoder.h"
#include "client/python/module/choices.h"
#include "client/python/module/conversion.h"
#include "client/python/module/interrupts.h"
#include "client/python/module/receiver.h"

namespace bvhmill::python {

// One clip, whose text is not kept. Pieces are decompressed by the name of
// their file, and have the errors that ReadFile has.
class Stream {
 public:
  Stream(const Choices& choices, const std::string& path);

  // Reads the next piece. False if no more pieces are needed.
  bool Push(std::string_view piece);
  // The clip has ended. Call once.
  Converted Finish();

  const Choices& choices() const { return choices_; }
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

  Choices choices_;
  Converted converted_;
  Interrupts interrupts_;
  BlockReceiver receiver_;
  Converter converter_;
  std::unique_ptr<bvhmill::Conversion> clip_;
  // Null if the file is not compressed.
  std::unique_ptr<Decoder> decoder_;
  // The first error of the decoder, or CANCELLED: no more text is needed.
  absl::Status decoded_;
};

}  // namespace bvhmill::python
