#pragma once

// Results as the bytes of messages, without the messages of what results mostly
// hold: joints, which are those of the clip before, since takes of one rig come
// one behind another; and data, which stay where they are.
//
// The slow twin is ToProto with what Protobuf makes of it. Fields may stand in
// another order. Any thread may call these.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/encode/clip_info.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::wire {

// Bytes of joints of one rig at most that each thread keeps; and the joints
// that they were made of, which take about five times as much.
inline constexpr size_t kMaxKeptJointBytes = size_t{64} << 10;

// The tag and length before a message, bytes or string of `length` bytes.
std::string FieldHead(int number, size_t length);

// A v1::ClipInfo.
std::string Serialize(const ClipInfo& info);

// A v1::ClipResult without the data of its outputs, which have `data_bytes`, in
// their order; those that are not among these have none. Where data belong
// there is a cut: behind each piece but the last come those of the next output
// that has any. There are none if the status is not OK.
std::vector<std::string> Serialize(std::string_view key,
                                   const ConvertResult& result,
                                   std::span<const size_t> data_bytes);

}  // namespace bvhmill::wire
