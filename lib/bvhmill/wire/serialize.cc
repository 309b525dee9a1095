#include "bvhmill/wire/serialize.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"

namespace bvhmill::wire {
namespace {

// Compares offsets bit for bit, since zeros have signs.
bool IsSame(const JointInfo& a, const JointInfo& b) {
  using Bits = std::array<uint32_t, 3>;
  return a.parent == b.parent && a.end_site == b.end_site &&
         std::bit_cast<Bits>(a.offset) == std::bit_cast<Bits>(b.offset) &&
         a.name == b.name && a.channels == b.channels;
}

struct KnownJoints {
  JointList joints;
  std::string bytes;
};

// Clips of one rig that were read one after another share their joints; other
// clips of the rig have equal ones.
bool AreSame(const JointList& a, const JointList& b) {
  return a.IsSharedWith(b) ||
         std::equal(a.begin(), a.end(), b.begin(), b.end(), &IsSame);
}

void AppendJoints(const JointList& joints, std::string* out) {
  thread_local KnownJoints known;
  if (AreSame(joints, known.joints)) {
    known.joints = joints;
    out->append(known.bytes);
    return;
  }
  v1::ClipInfo message;
  JointsToProto(joints, &message);
  std::string bytes = message.SerializeAsString();
  out->append(bytes);
  if (bytes.size() > kMaxKeptJointBytes) return;
  known = {joints, std::move(bytes)};
}

// All fields except info and outputs.
std::string SerializeFields(std::string_view key, const ConvertResult& result) {
  v1::ClipResult fields;
  fields.set_key(key.data(), key.size());
  *fields.mutable_status() = ToProto(result.status);
  ToProto(result.report, fields.mutable_report());
  ToProto(result.times, fields.mutable_times());
  if (result.measures) ToProto(*result.measures, fields.mutable_measures());
  return fields.SerializeAsString();
}

// A field of v1::ClipResult for an output, without its data.
std::string OutputHead(const OutputInfo& output, size_t data_bytes) {
  v1::Output message;
  ToProto(output, &message);
  std::string fields = message.SerializeAsString();
  if (data_bytes > 0) {
    fields += FieldHead(v1::Output::kDataFieldNumber, data_bytes);
  }
  return FieldHead(v1::ClipResult::kOutputsFieldNumber,
                   fields.size() + data_bytes) +
         fields;
}

}  // namespace

std::string FieldHead(int number, size_t length) {
  using google::protobuf::io::CodedOutputStream;
  constexpr uint32_t kLengthDelimited = 2;
  constexpr size_t kMaxBytesOfVarints = 15;
  std::array<uint8_t, kMaxBytesOfVarints> head = {};
  uint8_t* end = CodedOutputStream::WriteTagToArray(
      static_cast<uint32_t>(number) << 3 | kLengthDelimited, head.data());
  end = CodedOutputStream::WriteVarint64ToArray(length, end);
  return {head.data(), end};
}

std::string Serialize(const ClipInfo& info) {
  v1::ClipInfo message;
  NumbersToProto(info, &message);
  std::string out = message.SerializeAsString();
  AppendJoints(info.joints, &out);
  return out;
}

std::vector<std::string> Serialize(std::string_view key,
                                   const ConvertResult& result,
                                   std::span<const size_t> data_bytes) {
  std::vector<std::string> pieces(1, SerializeFields(key, result));
  const std::string info = Serialize(result.info);
  pieces.back() += FieldHead(v1::ClipResult::kInfoFieldNumber, info.size());
  pieces.back() += info;
  const size_t outputs = result.status.ok() ? result.outputs.size() : 0;
  for (size_t i = 0; i < outputs; ++i) {
    const size_t bytes = i < data_bytes.size() ? data_bytes[i] : 0;
    pieces.back() += OutputHead(result.outputs[i], bytes);
    if (bytes > 0) pieces.emplace_back();
  }
  return pieces;
}

}  // namespace bvhmill::wire
