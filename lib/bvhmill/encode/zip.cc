#include "bvhmill/encode/zip.h"

#include <zlib.h>

#include <algorithm>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr uint64_t kMax16 = 0xFFFF;
constexpr uint64_t kMax32 = 0xFFFFFFFF;
// 1 January 1980, the zero of ZIP: the same input gives the same bytes.
constexpr uint16_t kDate = 0x0021;
constexpr uint16_t kPlainVersion = 20;
constexpr uint16_t kZip64Version = 45;

// Little-endian numbers in a row.
class Record {
 public:
  Record& U16(uint64_t value) { return Append(value, 2); }
  Record& U32(uint64_t value) { return Append(value, 4); }
  Record& U64(uint64_t value) { return Append(value, 8); }
  Record& Bytes(std::string_view bytes) {
    out_.append(bytes);
    return *this;
  }
  const std::string& str() const { return out_; }

 private:
  Record& Append(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      out_.push_back(static_cast<char>(value >> (8 * i)));
    }
    return *this;
  }
  std::string out_;
};

uint32_t Crc32(const std::vector<std::string_view>& parts) {
  uLong crc = crc32_z(0, nullptr, 0);
  for (const std::string_view part : parts) {
    // To zlib, no data at all means: begin anew.
    if (part.empty()) continue;
    crc =
        crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace

absl::Status ZipWriter::Put(std::string_view bytes) {
  written_ += bytes.size();
  return sink_.Append(bytes);
}

absl::Status ZipWriter::Add(std::string_view name,
                            const std::vector<std::string_view>& parts) {
  Entry entry{std::string(name), Crc32(parts), 0, written_};
  for (const std::string_view part : parts) entry.size += part.size();
  const bool big = entry.size >= kMax32;
  Record extra;
  if (big) extra.U16(1).U16(16).U64(entry.size).U64(entry.size);
  const uint64_t size = std::min(entry.size, kMax32);
  Record header;
  header.U32(0x04034B50).U16(big ? kZip64Version : kPlainVersion);
  header.U16(0).U16(0).U16(0).U16(kDate).U32(entry.crc).U32(size).U32(size);
  header.U16(name.size()).U16(extra.str().size());
  header.Bytes(name).Bytes(extra.str());
  BVHMILL_RETURN_IF_ERROR(Put(header.str()));
  for (const std::string_view part : parts) BVHMILL_RETURN_IF_ERROR(Put(part));
  entries_.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status ZipWriter::Finish() {
  const uint64_t start = written_;
  for (const Entry& entry : entries_) {
    const bool big = entry.size >= kMax32 || entry.offset >= kMax32;
    Record extra;
    if (big) {
      extra.U16(1).U16(24).U64(entry.size).U64(entry.size).U64(entry.offset);
    }
    const uint64_t size = big ? kMax32 : entry.size;
    const uint16_t version = big ? kZip64Version : kPlainVersion;
    Record record;
    record.U32(0x02014B50).U16(version).U16(version).U16(0).U16(0).U16(0);
    record.U16(kDate).U32(entry.crc).U32(size).U32(size);
    record.U16(entry.name.size()).U16(extra.str().size());
    record.U16(0).U16(0).U16(0).U32(0).U32(big ? kMax32 : entry.offset);
    record.Bytes(entry.name).Bytes(extra.str());
    BVHMILL_RETURN_IF_ERROR(Put(record.str()));
  }
  const uint64_t size = written_ - start;
  const uint64_t count = entries_.size();
  Record end;
  if (start >= kMax32 || size >= kMax32) {
    end.U32(0x06064B50).U64(44).U16(kZip64Version).U16(kZip64Version);
    end.U32(0).U32(0).U64(count).U64(count).U64(size).U64(start);
    end.U32(0x07064B50).U32(0).U64(written_).U32(1);
  }
  end.U32(0x06054B50).U16(0).U16(0);
  end.U16(std::min(count, kMax16)).U16(std::min(count, kMax16));
  end.U32(std::min(size, kMax32)).U32(std::min(start, kMax32)).U16(0);
  return Put(end.str());
}

}  // namespace bvhmill
