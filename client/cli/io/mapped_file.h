#pragma once

// A long file in memory without a copy: its pages come from the cache of the
// system, and leave again once they were read.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace bvhmill::client {

// If the file becomes shorter while it is mapped, the bytes that it lost read
// as zeros. One thread reads the bytes, that which has made the object.
class MappedFile {
 public:
  // Maps the first `bytes` > 0 bytes of the file `fd`, which may be closed
  // after it. Null if the system cannot map it.
  static std::unique_ptr<MappedFile> Map(int fd, int64_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  // The first `bytes` bytes were read: their memory is free. They may be read
  // again.
  void Release(int64_t bytes);
  // Bytes were read that the file has lost.
  bool was_cut() const { return was_cut_; }

  // For the handler of SIGBUS: puts a page of zeros at `place`. False if it is
  // not within the file.
  bool FillPage(void* place);

 private:
  explicit MappedFile(std::string_view bytes);

  const std::string_view bytes_;
  // Bytes whose memory was released.
  int64_t released_ = 0;
  std::atomic<bool> was_cut_ = false;
};

}  // namespace bvhmill::client
