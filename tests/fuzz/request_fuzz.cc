// Requests with any fields, slices and compression are parsed as Protobuf
// parses them. The count of their bytes without texts is that of the writer.

#include <grpc/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/codec/read_message.h"
#include "tests/fuzz/support/any_message.h"

namespace {

namespace v1 = bvhmill::v1;
using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Require;
using Path = std::vector<int>;

enum WireType { kVarint, kFixed64, kLength, kGroup, kGroupEnd, kFixed32 };

void AppendVarint(uint64_t value, bool is_long, std::string* out) {
  do {
    const bool more = value >= 0x80 || is_long;
    out->push_back(static_cast<char>(value & 0x7F));
    if (more) out->back() = static_cast<char>(out->back() | 0x80);
    value >>= 7;
    // One byte more than it takes, which is allowed.
    if (more && value == 0) {
      out->push_back(0);
      return;
    }
  } while (value > 0);
}

void AppendTag(int number, WireType type, bool is_long, std::string* out) {
  const auto tag = static_cast<uint64_t>(number) << 3;
  AppendVarint(tag | static_cast<uint64_t>(type), is_long, out);
}

// Writes messages of any fields whose framing is valid, and counts the bytes of
// their texts.
class Writer {
 public:
  Writer(std::vector<Path> texts, Bytes* bytes)
      : texts_(std::move(texts)), bytes_(*bytes) {}

  std::string Write() { return WriteMessage({}, 0); }
  int64_t text_bytes() const { return text_bytes_; }

 private:
  // `path` are the fields that lead to the message; a text is counted only
  // there, not in a group.
  std::string WriteMessage(const Path& path, int depth) {
    std::string out;
    constexpr size_t kMaxFields = 6;
    const size_t fields = bytes_.Below(kMaxFields);
    for (size_t i = 0; i < fields; ++i) WriteField(path, depth, &out);
    return out;
  }

  int FieldNumber() {
    constexpr int kMax = (1 << 29) - 1;
    constexpr int kUnknown = 1000;
    const size_t choice = bytes_.Below(8);
    if (choice == 7) return kMax;
    return choice == 6 ? kUnknown : static_cast<int>(choice % 5) + 1;
  }

  void WriteField(const Path& path, int depth, std::string* out) {
    const int number = FieldNumber();
    const bool is_long = bytes_.OneIn(8);
    switch (bytes_.Below(6)) {
      case 0:
        AppendTag(number, kVarint, is_long, out);
        AppendVarint(bytes_.Take<uint64_t>(), is_long, out);
        return;
      case 1:
        AppendTag(number, kFixed64, is_long, out);
        out->append(8, 'x');
        return;
      case 2:
        AppendTag(number, kFixed32, is_long, out);
        out->append(4, 'x');
        return;
      case 3:
        return WriteGroup(number, depth, out);
      default:
        return WriteLength(path, number, depth, is_long, out);
    }
  }

  // Texts within are not those of the message.
  void WriteGroup(int number, int depth, std::string* out) {
    constexpr int kMaxDepth = 20;
    if (depth > kMaxDepth) return;
    const int64_t before = text_bytes_;
    AppendTag(number, kGroup, false, out);
    *out += WriteMessage({-1}, depth + 1);
    AppendTag(number, kGroupEnd, false, out);
    text_bytes_ = before;
  }

  void WriteLength(Path path, int number, int depth, bool is_long,
                   std::string* out) {
    path.push_back(number);
    const std::string field = ContentOf(path, depth);
    AppendTag(number, kLength, is_long, out);
    AppendVarint(field.size(), is_long, out);
    *out += field;
  }

  // Messages where there are some, else a text, words, or packed numbers.
  std::string ContentOf(const Path& path, int depth) {
    for (const Path& text : texts_) {
      if (text == path) return CountedText();
      const bool leads = path.size() < text.size() &&
                         std::equal(path.begin(), path.end(), text.begin());
      if (leads) return WriteMessage(path, depth + 1);
    }
    // For options and other messages: one unknown field of words, which parses.
    std::string out;
    if (bytes_.OneIn(2)) return out;
    AppendTag(static_cast<int>(bytes_.Below(3)) + 100, kLength, false, &out);
    const std::string_view words = bytes_.TakeBytes(bytes_.Below(40));
    AppendVarint(words.size(), false, &out);
    return out.append(words);
  }

  std::string CountedText() {
    std::string text(bytes_.TakeBytes(bytes_.Below(50)));
    for (char& c : text) c = static_cast<char>(c & 0x7F);
    // Large enough, now and then, for the limits.
    constexpr size_t kLarge = size_t{2} << 20;
    if (bytes_.OneIn(64)) text.append(kLarge, 'x');
    text_bytes_ += static_cast<int64_t>(text.size());
    return text;
  }

  std::vector<Path> texts_;
  Bytes& bytes_;
  int64_t text_bytes_ = 0;
};

std::string Pack(const std::string& bytes, bool gzip, int level) {
  z_stream stream = {};
  const int header = gzip ? 16 : 0;
  Require(deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + header, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  Require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Says how the bytes of a buffer were packed, as gRPC does.
class Packer final : public grpc::ProtoBufferReader {
 public:
  using ProtoBufferReader::ProtoBufferReader;
  void Mark(grpc_compression_algorithm packing) {
    reader()->buffer_in->data.raw.compression = packing;
  }
};

grpc::ByteBuffer InSlices(const std::string& bytes, size_t most) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += most) {
    slices.emplace_back(bytes.substr(at, most));
  }
  return {slices.data(), slices.size()};
}

struct Case {
  std::string wire;
  // True if Writer has written the request, so that its parts are known.
  bool is_counted = false;
  int64_t beside = 0;
  grpc_compression_algorithm packing = GRPC_COMPRESS_NONE;
  size_t slice = 0;
  int64_t limit = 0;
};

// As it is on its way: in slices, and perhaps packed.
grpc::ByteBuffer Send(const Case& c) {
  if (c.packing == GRPC_COMPRESS_NONE) return InSlices(c.wire, c.slice);
  const int level = c.slice % 2 == 0 ? Z_BEST_SPEED : Z_BEST_COMPRESSION;
  grpc::ByteBuffer bytes =
      InSlices(Pack(c.wire, c.packing == GRPC_COMPRESS_GZIP, level), c.slice);
  Packer(&bytes).Mark(c.packing);
  return bytes;
}

template <typename Request>
void Check(const Case& c, std::span<const bvhmill::server::TextField> texts) {
  bvhmill::server::ServerConfig config;
  config.service.max_request_message_bytes = c.limit;
  grpc::ByteBuffer bytes = Send(c);
  Request message;
  int64_t beside = -1;
  const absl::Status status =
      bvhmill::server::ReadMessage(config, texts, &bytes, &message, &beside);
  Require(bytes.Length() == 0);
  const auto size = static_cast<int64_t>(c.wire.size());
  if (c.packing != GRPC_COMPRESS_NONE && c.limit > 0 && size > c.limit) {
    Require(absl::IsResourceExhausted(status));
    return;
  }
  Request expected;
  const bool is_message = expected.ParseFromString(c.wire);
  const auto most = static_cast<int64_t>(bvhmill::kMaxOptionBytes);
  if (absl::IsResourceExhausted(status)) {
    Require(beside > most);
  } else {
    Require(status.ok() == is_message);
    Require(!status.ok() || beside <= most);
  }
  if (c.is_counted && is_message) Require(beside == c.beside);
  if (!status.ok()) return;
  Require(bvhmill::fuzz::AreEqual(message, expected));
}

void FillCase(std::vector<Path> texts, Bytes* bytes, Case* c) {
  constexpr grpc_compression_algorithm kPackings[] = {
      GRPC_COMPRESS_NONE, GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE};
  c->packing = kPackings[bytes->Below(3)];
  c->slice = 1 + bytes->Below(2000);
  c->limit = bytes->OneIn(4) ? static_cast<int64_t>(bytes->Below(300)) : 0;
  if (bytes->OneIn(4)) {
    c->wire = bytes->rest();
    return;
  }
  Writer writer(std::move(texts), bytes);
  c->wire = writer.Write();
  c->is_counted = true;
  c->beside = static_cast<int64_t>(c->wire.size()) - writer.text_bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  Case c;
  // The fields of the .proto in which text stands, written out anew.
  switch (bytes.Below(2)) {
    case 0:
      FillCase({{1, 1}, {1, 3}}, &bytes, &c);
      Check<v1::ConvertClipRequest>(c, bvhmill::server::kUnaryTexts);
      break;
    default:
      FillCase({{2, 1}, {2, 2, 1}, {2, 2, 3}, {3}}, &bytes, &c);
      Check<v1::ConvertClipsRequest>(c, bvhmill::server::kStreamTexts);
  }
  return 0;
}
