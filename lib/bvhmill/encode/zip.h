#pragma once

// Writes ZIP archives with stored (not compressed) entries, by PKWARE's
// APPNOTE.TXT 6.3, with ZIP64 records where a number needs them.
//
//   ZipWriter zip(sink);
//   BVHMILL_RETURN_IF_ERROR(zip.Add("names.txt", {names}));
//   BVHMILL_RETURN_IF_ERROR(zip.Finish());

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/sink.h"

namespace bvhmill {

class ZipWriter {
 public:
  // Work on the bytes of entries is drawn from `budget`, which may be null.
  // Both pointers must outlive the writer.
  explicit ZipWriter(Sink* sink, Budget* budget = nullptr)
      : sink_(*sink), budget_(budget) {}

  // Writes an entry that consists of `parts`, one after the other.
  absl::Status Add(std::string_view name,
                   const std::vector<std::string_view>& parts);
  // Writes an entry that is not in memory as a whole. Calls `write` twice,
  // since the checksum precedes the bytes; it must append the same bytes each
  // time. Fails as `write` does.
  using Writer = std::function<absl::Status(Sink* sink)>;
  absl::Status AddWritten(std::string_view name, const Writer& write);
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
  absl::Status PutHeader(const Entry& entry);

  Sink& sink_;
  Budget* budget_;
  uint64_t written_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace bvhmill
