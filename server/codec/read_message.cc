#include "server/codec/read_message.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/unpack/decoder.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::ZeroCopyInputStream;

// Reads the bytes of gRPC, and reports how they are compressed.
class Reader final : public grpc::ProtoBufferReader {
 public:
  using ProtoBufferReader::ProtoBufferReader;
  grpc_compression_algorithm packing() {
    return reader()->buffer_in->data.raw.compression;
  }
};

// Bytes of texts, and the number of other bytes at which counting stops.
struct TextCount {
  int64_t bytes = 0;
  int64_t most_beside = std::numeric_limits<int64_t>::max();

  bool IsBeyond(const CodedInputStream& in) const {
    return in.CurrentPosition() - bytes > most_beside;
  }
};

// Adds the bytes of texts of a message, up to the limit of `in`. `texts` are
// the paths that lead into the message, which is `depth` messages deep. False
// if the bytes are no message, or too many of them are not in texts.
bool AddTexts(std::span<const TextField> texts, size_t depth,
              CodedInputStream* in, TextCount* count);

// The same for the rest of a field after its tag.
bool AddTextsOf(std::span<const TextField> texts, size_t depth, uint32_t tag,
                CodedInputStream* in, TextCount* count) {
  const int number = WireFormatLite::GetTagFieldNumber(tag);
  const auto leads_to = [&](const TextField& text) {
    return text.numbers[depth] == number;
  };
  const auto first = std::find_if(texts.begin(), texts.end(), leads_to);
  const auto last = std::find_if_not(first, texts.end(), leads_to);
  const bool has_length = WireFormatLite::GetTagWireType(tag) ==
                          WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
  if (first == last || !has_length) return WireFormatLite::SkipField(in, tag);
  uint32_t length = 0;
  if (!in->ReadVarint32(&length)) return false;
  const auto size = static_cast<int>(length);
  if (depth + 1 == first->numbers.size() || first->numbers[depth + 1] == 0) {
    count->bytes += length;
    return in->Skip(size);
  }
  const auto limit = in->PushLimit(size);
  const bool is_good = AddTexts({first, last}, depth + 1, in, count) &&
                       in->BytesUntilLimit() == 0;
  in->PopLimit(limit);
  return is_good;
}

bool AddTexts(std::span<const TextField> texts, size_t depth,
              CodedInputStream* in, TextCount* count) {
  while (const uint32_t tag = in->ReadTag()) {
    if (!AddTextsOf(texts, depth, tag, in, count)) return false;
    if (count->IsBeyond(*in)) return false;
  }
  return in->ConsumedEntireMessage();
}

// Decompresses within a limit; gRPC itself has no limit.
absl::Status Unpacked(const ServerConfig& config,
                      grpc_compression_algorithm packing,
                      grpc::ByteBuffer* bytes, std::string* out) {
  constexpr int64_t kMaxOfProtobuf = std::numeric_limits<int32_t>::max();
  const int64_t limit = config.service.max_request_message_bytes;
  const int64_t most =
      limit == 0 ? kMaxOfProtobuf : std::min(limit, kMaxOfProtobuf);
  const auto decoder = packing == GRPC_COMPRESS_DEFLATE
                           ? MakeZlibDecoder(most)
                           : MakeDecoder(Encoding::kGzip, most);
  StringSink sink(out);
  std::vector<grpc::Slice> slices;
  absl::Status status;
  if (!bytes->Dump(&slices).ok()) return MessageBroken();
  for (const grpc::Slice& slice : slices) {
    if (!status.ok()) break;
    status = decoder->Push(
        {reinterpret_cast<const char*>(slice.begin()), slice.size()}, &sink);
  }
  if (status.ok()) status = decoder->End();
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_request_message_bytes", most, most + 1);
  }
  return status.ok() ? absl::OkStatus() : MessageBroken();
}

absl::Status CheckBeside(std::span<const TextField> texts, int64_t bytes,
                         ZeroCopyInputStream* stream, int64_t* beside) {
  TextCount count;
  CodedInputStream in(stream);
  if (!AddTexts(texts, 0, &in, &count)) return MessageBroken();
  *beside = bytes - count.bytes;
  constexpr int64_t kMax = kMaxOptionBytes;
  return *beside > kMax ? LimitExceeded("max_option_bytes", kMax, *beside)
                        : absl::OkStatus();
}

absl::Status ParseFrom(ZeroCopyInputStream* stream,
                       google::protobuf::MessageLite* message) {
  return message->ParseFromZeroCopyStream(stream) ? absl::OkStatus()
                                                  : MessageBroken();
}

absl::Status ReadUnpacked(std::span<const TextField> texts,
                          const std::string& bytes,
                          google::protobuf::MessageLite* message,
                          int64_t* beside) {
  const auto size = static_cast<int>(bytes.size());
  ArrayInputStream first(bytes.data(), size);
  const absl::Status status = CheckBeside(texts, size, &first, beside);
  if (!status.ok()) return status;
  ArrayInputStream stream(bytes.data(), size);
  return ParseFrom(&stream, message);
}

absl::Status Read(const ServerConfig& config, std::span<const TextField> texts,
                  grpc::ByteBuffer* bytes,
                  google::protobuf::MessageLite* message, int64_t* beside) {
  Reader first(bytes);
  if (!first.status().ok()) return MessageBroken();
  if (first.packing() != GRPC_COMPRESS_NONE) {
    std::string text;
    const absl::Status status = Unpacked(config, first.packing(), bytes, &text);
    return status.ok() ? ReadUnpacked(texts, text, message, beside) : status;
  }
  const auto size = static_cast<int64_t>(bytes->Length());
  const absl::Status status = CheckBeside(texts, size, &first, beside);
  if (!status.ok()) return status;
  Reader stream(bytes);
  return ParseFrom(&stream, message);
}

}  // namespace

bool IsExpensive(std::span<const TextField> texts, grpc::ByteBuffer* bytes) {
  Reader reader(bytes);
  if (!reader.status().ok()) return false;
  if (reader.packing() != GRPC_COMPRESS_NONE) return true;
  TextCount count{.most_beside = 4096};
  CodedInputStream in(&reader);
  AddTexts(texts, 0, &in, &count);
  return count.IsBeyond(in);
}

absl::Status ReadMessage(const ServerConfig& config,
                         std::span<const TextField> texts,
                         grpc::ByteBuffer* bytes,
                         google::protobuf::MessageLite* message,
                         int64_t* beside) {
  const absl::Status status = Read(config, texts, bytes, message, beside);
  bytes->Clear();
  return status;
}

absl::Status Unpack(const ServerConfig& config, grpc::ByteBuffer* bytes) {
  grpc_compression_algorithm packing = GRPC_COMPRESS_NONE;
  {
    Reader reader(bytes);
    if (!reader.status().ok()) return MessageBroken();
    packing = reader.packing();
  }
  if (packing == GRPC_COMPRESS_NONE) return absl::OkStatus();
  std::string text;
  BVHMILL_RETURN_IF_ERROR(Unpacked(config, packing, bytes, &text));
  const grpc::Slice slice(text);
  *bytes = grpc::ByteBuffer(&slice, 1);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
