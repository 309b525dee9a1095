#pragma once

// Writes ZIP archives of stored (not compressed) entries, by PKWARE's
// APPNOTE.TXT 6.3; ZIP64 records where a number needs them. Private to encode/.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"

namespace bvhmill {

class ZipWriter {
 public:
  explicit ZipWriter(Sink* sink) : sink_(*sink) {}

  // Writes an entry of `parts`, one after the other.
  absl::Status Add(std::string_view name,
                   const std::vector<std::string_view>& parts);
  // Writes the directory. Call once, last.
  absl::Status Finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc = 0;
    uint64_t size = 0;
    uint64_t offset = 0;
  };

  absl::Status Put(std::string_view bytes);

  Sink& sink_;
  uint64_t written_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace bvhmill
