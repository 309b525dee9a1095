#pragma once

// Converts one source: a file, or bytes in memory. Holds no Python object and
// runs without the GIL.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "client/python/module/block.h"
#include "client/python/module/choices.h"
#include "client/python/module/interrupts.h"

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

// The name of a file decides its format, unless the choices name one, and its
// compression (.gz, .zst).
//
// With one thread all work is done by the calling thread, in memory that the
// thread keeps for the next clip; nothing is locked and no thread is started,
// so that a process may fork. With more threads a helper converts while the
// calling thread looks for signals. A child whose parent had used more threads
// converts with one.
Converted ConvertFile(const std::string& path, const Choices& choices,
                      Interrupts* interrupts);
Converted ConvertText(std::string_view text, const Choices& choices,
                      Interrupts* interrupts);
// A clip in memory.
Converted ConvertMemory(const ClipRows& clip, const Choices& choices,
                        Interrupts* interrupts);

// Reads a file, decompressed, into `text`, whose memory is used again. Reads no
// more than one byte above `max_bytes` (0: no limit). `*os_error` is errno, or
// 0. INVALID_ARGUMENT, reason ENCODING_BROKEN, if the file cannot be
// decompressed. CANCELLED by `interrupts`, which it asks every 50 ms, also
// while it waits for the writer of a pipe.
absl::Status ReadFile(const std::string& path, int64_t max_bytes,
                      Interrupts* interrupts, Bytes* text, int* os_error);

// The error of a file that a Decoder with this limit has refused.
absl::Status ErrorOfPacking(const absl::Status& status, int64_t max_bytes);

}  // namespace bvhmill::python
