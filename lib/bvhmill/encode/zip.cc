#include "bvhmill/encode/zip.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr uint64_t kMax16 = 0xFFFF;
constexpr uint64_t kMax32 = 0xFFFFFFFF;
// 1 January 1980, the first date of ZIP: the same input gives the same bytes.
constexpr uint16_t kDate = 0x0021;
constexpr uint16_t kPlainVersion = 20;
constexpr uint16_t kZip64Version = 45;

// A sequence of little-endian numbers.
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

// Work on bytes is drawn, and done, in pieces of this size.
constexpr size_t kPiece = size_t{4} << 20;

// Computes the checksum and the size of the bytes that it gets.
class ChecksumSink final : public Sink {
 public:
  explicit ChecksumSink(Budget* budget) : budget_(budget) {}

  absl::Status Append(std::string_view bytes) override {
    for (; !bytes.empty();
         bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
      const std::string_view piece = bytes.substr(0, kPiece);
      BVHMILL_RETURN_IF_ERROR(
          WorkFrom(budget_, static_cast<int64_t>(piece.size())));
      crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(piece.data()),
                     piece.size());
      size_ += piece.size();
    }
    return absl::OkStatus();
  }

  uint32_t crc() const { return static_cast<uint32_t>(crc_); }
  uint64_t size() const { return size_; }

 private:
  Budget* budget_;
  uLong crc_ = crc32_z(0, nullptr, 0);
  uint64_t size_ = 0;
};

// Passes bytes to another sink and counts them.
class CountingSink final : public Sink {
 public:
  CountingSink(Sink* sink, uint64_t* written)
      : sink_(*sink), written_(*written) {}

  absl::Status Append(std::string_view bytes) override {
    written_ += bytes.size();
    return sink_.Append(bytes);
  }

 private:
  Sink& sink_;
  uint64_t& written_;
};

}  // namespace

absl::Status ZipWriter::Put(std::string_view bytes) {
  written_ += bytes.size();
  return sink_.Append(bytes);
}

absl::Status ZipWriter::PutHeader(const Entry& entry) {
  const bool big = entry.size >= kMax32;
  Record extra;
  if (big) extra.U16(1).U16(16).U64(entry.size).U64(entry.size);
  const uint64_t size = std::min(entry.size, kMax32);
  Record header;
  header.U32(0x04034B50).U16(big ? kZip64Version : kPlainVersion);
  header.U16(0).U16(0).U16(0).U16(kDate).U32(entry.crc).U32(size).U32(size);
  header.U16(entry.name.size()).U16(extra.str().size());
  header.Bytes(entry.name).Bytes(extra.str());
  return Put(header.str());
}

absl::Status ZipWriter::AddWritten(std::string_view name, const Writer& write) {
  ChecksumSink checksum(budget_);
  BVHMILL_RETURN_IF_ERROR(write(&checksum));
  Entry entry{std::string(name), checksum.crc(), checksum.size(), written_};
  BVHMILL_RETURN_IF_ERROR(PutHeader(entry));
  CountingSink counting(&sink_, &written_);
  BVHMILL_RETURN_IF_ERROR(write(&counting));
  entries_.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status ZipWriter::Add(std::string_view name,
                            const std::vector<std::string_view>& parts) {
  return AddWritten(name, [&parts](Sink* sink) {
    for (const std::string_view part : parts) {
      BVHMILL_RETURN_IF_ERROR(sink->Append(part));
    }
    return absl::OkStatus();
  });
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
