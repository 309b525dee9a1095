#pragma once

// Reads the bytes of one clip: ReadClip copies a file, a pipe or stdin into
// memory, MapLongClip maps a long file without a copy, and UnpackClip
// decompresses.
//
// Step 4 of `bvhmill convert` (main.cc lists the steps). WithClip (batch.h)
// calls these functions in the thread that converts the clip:
//
//   ClipText text;
//   status = ReadClip(input, max_bytes, cancel, &text);
//   if (status.ok()) {
//     status = UnpackClip(EncodingOf(input, ViewOf(text)), max_bytes, cancel,
//                         &text);
//   }
//
// Statuses are NOT_FOUND "cannot be read: why", RESOURCE_EXHAUSTED for more
// than `max_bytes` bytes (0: no limit), and CANCELLED. `cancel` may be null.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/files/inputs.h"
#include "bvhmill/unpack/decoder.h"

namespace bvhmill::client {

// The bytes of a clip. resize() does not initialize them.
using ClipText = UninitializedVector<char>;

inline std::string_view ViewOf(const ClipText& text) {
  return {text.data(), text.size()};
}

// Reads all bytes of `input`, without decompression. Never allocates more than
// `max_bytes` and one byte.
absl::Status ReadClip(const Input& input, int64_t max_bytes,
                      const CancelToken* cancel, ClipText* bytes);

// The compression of `input` by its first bytes, or else by its name.
Encoding EncodingOf(const Input& input, std::string_view bytes);

// Replaces the compressed bytes in `text` by the decompressed ones.
absl::Status UnpackClip(Encoding encoding, int64_t max_bytes,
                        const CancelToken* cancel, ClipText* text);

// The status NOT_FOUND for a clip that cannot be decompressed.
absl::Status CannotUnpack(std::string_view why);

// A file mapped into memory. The pages come from the page cache of the system.
// If the file becomes shorter while it is mapped, the bytes that it lost read
// as zeros. Only the thread that made the object may read the bytes.
class MappedFile {
 public:
  // Maps the first `bytes` > 0 bytes of the file `fd`, which may be closed
  // afterwards. Null if the system cannot map it.
  static std::unique_ptr<MappedFile> Map(int fd, int64_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  // Frees the memory of the first `bytes` bytes, which were read. They may be
  // read again.
  void Release(int64_t bytes);
  // True if bytes were read that the file has lost.
  bool was_cut() const { return was_cut_; }

  // For the handler of SIGBUS: maps a page of zeros at `place`. False if
  // `place` is not within the file.
  bool FillPage(void* place);

 private:
  explicit MappedFile(std::string_view bytes);

  const std::string_view bytes_;
  // Bytes whose memory was released.
  int64_t released_ = 0;
  std::atomic<bool> was_cut_ = false;
};

// Maps `input` if it is a regular file of at least 16 MiB, but not more than
// `max_bytes`. Null: use ReadClip.
std::unique_ptr<MappedFile> MapLongClip(const Input& input, int64_t max_bytes);

}  // namespace bvhmill::client
