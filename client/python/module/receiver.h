#pragma once

// Receives the outputs of a conversion in memory of their final size.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/python/module/block.h"
#include "client/python/module/interrupts.h"

namespace bvhmill::python {

// Keeps each output in one piece of memory. Memory is taken for as many frames
// as the text could hold, if the file states more.
class BlockReceiver final : public OutputReceiver {
 public:
  // `interrupts` may be null, and ends the conversion.
  explicit BlockReceiver(Interrupts* interrupts) : interrupts_(interrupts) {}

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override;
  absl::Status Data(size_t output, std::string_view bytes) override;

  std::vector<Bytes>& data() { return data_; }
  // The bytes of all outputs.
  int64_t TotalBytes() const;

 private:
  Interrupts* interrupts_;
  std::vector<Bytes> data_;
};

// The block of an output: `bytes` in the shape of `info`, or plain bytes.
std::shared_ptr<Block> BlockOf(const OutputInfo& info, Bytes bytes);

}  // namespace bvhmill::python
