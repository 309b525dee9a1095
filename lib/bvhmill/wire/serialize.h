#pragma once

// Results as the bytes of messages, without the messages of what results mostly
// hold: joints, which are those of the clip before, since takes of one rig come
// one behind another; and data, which is not copied.
//
// The slow twin is ToProto with what Protobuf makes of it. Fields may stand in
// another order. Any thread may call these.

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/encode/clip_info.h"
#include "bvhmill/pipeline/convert.h"

namespace bvhmill::wire {

// Bytes of joints of one rig at most that each thread keeps; and the joints
// that they were made of, which take about five times as much.
inline constexpr size_t kMostKeptJointBytes = size_t{64} << 10;

// What stands before a field of `length` bytes: a message, bytes or a string.
std::string FieldHead(int number, size_t length);

// A v1::ClipInfo.
std::string Serialize(const ClipInfo& info);

// A v1::ClipResult in pieces, one behind another: the strings of `data`, which
// are those of the outputs in their order, are among them as they are. There
// may be fewer of them than outputs; none is taken if the status is not OK.
std::vector<std::string> Serialize(std::string_view key,
                                   const ConvertResult& result,
                                   std::vector<std::string> data);

}  // namespace bvhmill::wire
