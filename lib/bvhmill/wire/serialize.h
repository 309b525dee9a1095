#pragma once

// Serializes results faster than Protobuf does. Most bytes of a result are
// joints and data. Each thread caches the bytes of the joints for the next clip
// with the same joints; data are not copied at all.
//
// The slow twin, for tests, is ToProto and SerializeAsString: only the order of
// fields may differ. Thread-safe.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::wire {

// Each thread caches the serialized joints of one rig if they have at most this
// number of bytes, and the JointList itself, about five times that.
inline constexpr size_t kMaxKeptJointBytes = size_t{64} << 10;

// The bytes of a v1::ClipResult without the data of its outputs, in pieces. The
// caller inserts the data of the outputs that have data: the data of the first
// after piece 0, of the second after piece 1, and so on.
//
// data_bytes[i] is the size of the data of output i; a missing entry counts as
// 0. If the status is not OK, there are no outputs, and one piece.
std::vector<std::string> Serialize(std::string_view key,
                                   const ConvertResult& result,
                                   std::span<const size_t> data_bytes);

// The bytes of a v1::ClipInfo.
std::string Serialize(const ClipInfo& info);

// The bytes before the content of field `number`, which is a message, bytes or
// a string of `length` bytes: its tag and length.
std::string FieldHead(int number, size_t length);

}  // namespace bvhmill::wire
