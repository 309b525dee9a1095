#pragma once

// Converts one source: a file, a text, a parsed clip, or a stream of pieces.
// Holds no Python object and runs without the GIL.
//
//   Interrupts interrupts;
//   Converted converted = ConvertFile(path, choices, &interrupts);
//   auto block = BlockOf(converted.result.outputs[0],
//                        std::move(converted.data[0]));

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/sink.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/unpack/decoder.h"
#include "client/python/module/block.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {

// The result of one conversion. If `os_error` is not 0, the file could not be
// read, and nothing else is set.
struct Converted {
  ConvertResult result;
  // One for each of result.outputs.
  std::vector<Bytes> data;
  int os_error = 0;
  double seconds = 0;
};

// Converts a file. Its name decides its format, unless the choices name one,
// and its compression (.gz, .zst).
//
// With one thread, the calling thread converts, in memory that it reuses for
// the next clip. It locks nothing and starts no thread, so that a process may
// fork. With more threads, a helper converts while the calling thread checks
// for signals. After a fork, a child of a process that used more threads
// converts with one thread.
Converted ConvertFile(const std::string& path, const Choices& choices,
                      Interrupts* interrupts);
// As ConvertFile, for a text in memory.
Converted ConvertText(std::string_view text, const Choices& choices,
                      Interrupts* interrupts);
// As ConvertFile, for a parsed clip in memory.
Converted ConvertMemory(const ClipRows& clip, const Choices& choices,
                        Interrupts* interrupts);

// Reads a file, decompressed, into `text`, whose memory is reused. Reads at
// most one byte above `max_bytes` (0: no limit). `*os_error` is errno, or 0.
// INVALID_ARGUMENT, reason ENCODING_BROKEN, if the file cannot be decompressed.
// CANCELLED by `interrupts`, which it checks every 50 ms, also while it waits
// for the writer of a pipe.
absl::Status ReadFile(const std::string& path, int64_t max_bytes,
                      Interrupts* interrupts, Bytes* text, int* os_error);

// The block of an output: `bytes` in the shape of `info`, or plain bytes.
std::shared_ptr<Block> BlockOf(const OutputInfo& info, Bytes bytes);

// Receives the outputs of a conversion, each in one piece of memory of its
// final size. If the file states more frames than its text can hold, memory is
// allocated only for the frames that the text can hold.
class BlockReceiver final : public OutputReceiver {
 public:
  // `interrupts` ends the conversion; it may be null.
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

// Converts one clip that arrives in pieces, without its whole text in memory.
// The name of the file decides the compression; errors are those of ReadFile.
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
  // Decompresses the pieces that follow.
  void Unpack(Encoding encoding);

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
  bool has_begun_ = false;
  // The first error of the decoder, or CANCELLED: no more text is needed.
  absl::Status decoded_;
};

}  // namespace bvhmill::python
