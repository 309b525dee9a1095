// Results as bytes against what Protobuf makes of their messages.

#include "bvhmill/wire/serialize.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "tests/support/error_parts.h"
#include "tests/wire/samples.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::util::MessageDifferencer;

// The bytes of a result with `data` where they belong.
std::string Joined(const ConvertResult& result,
                   const std::vector<std::string>& data) {
  std::vector<size_t> sizes;
  sizes.reserve(data.size());
  for (const std::string& bytes : data) sizes.push_back(bytes.size());
  const auto pieces = wire::Serialize("a key", result, sizes);
  std::string out = pieces.front();
  size_t next = 1;
  for (const std::string& bytes : data) {
    if (bytes.empty() || next == pieces.size()) continue;
    out += bytes + pieces[next++];
  }
  EXPECT_EQ(next, pieces.size());
  return out;
}

// `bytes` are `expected`, and nothing is twice in them.
template <typename Message>
void ExpectBytesOf(const Message& expected, const std::string& bytes) {
  Message message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  EXPECT_TRUE(MessageDifferencer::Equals(message, expected))
      << message.DebugString();
  EXPECT_EQ(bytes.size(), expected.SerializeAsString().size());
}

void ExpectBytesOf(const ConvertResult& result,
                   const std::vector<std::string>& data) {
  v1::ClipResult expected = ToMessage(result);
  expected.set_key("a key");
  for (int i = 0; i < expected.outputs_size(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (at < data.size()) expected.mutable_outputs(i)->set_data(data[at]);
  }
  ExpectBytesOf(expected, Joined(result, data));
}

TEST(SerializeTest, FieldsBeginWithTagAndLength) {
  const std::pair<std::string, std::string> cases[] = {
      {wire::FieldHead(1, 0), std::string("\x0a\0", 2)},
      {wire::FieldHead(5, 127), "\x2a\x7f"},
      {wire::FieldHead(16, 300), "\x82\x01\xac\x02"},
  };
  for (const auto& [head, expected] : cases) EXPECT_EQ(head, expected);
}

TEST(SerializeTest, InfoIsTheMessage) {
  for (const ClipInfo& info : {FullInfo(), ClipInfo{}, FullInfo()}) {
    ExpectBytesOf(ToMessage(info), wire::Serialize(info));
  }
}

// The bytes of the clip before are kept: each change of a joint must be seen.
TEST(SerializeTest, JointsAreThoseOfThisClip) {
  using Change = void (*)(std::vector<JointInfo> * joints);
  const Change changes[] = {
      [](auto* joints) { joints->at(1).name += "x"; },
      [](auto* joints) { joints->at(1).parent = 7; },
      [](auto* joints) { joints->at(1).channels = "xyz"; },
      [](auto* joints) { joints->at(1).end_site = true; },
      [](auto* joints) { joints->at(1).offset[2] = 4; },
      [](auto* joints) { joints->pop_back(); },
      [](auto* joints) { joints->push_back(joints->back()); },
      [](auto* joints) { joints->clear(); },
  };
  for (const Change change : changes) {
    ClipInfo info = FullInfo();
    ExpectBytesOf(ToMessage(info), wire::Serialize(info));
    std::vector<JointInfo> joints(info.joints.begin(), info.joints.end());
    change(&joints);
    info.joints = JointList(std::move(joints));
    ExpectBytesOf(ToMessage(info), wire::Serialize(info));
    ExpectBytesOf(ToMessage(info), wire::Serialize(info));
  }
}

TEST(SerializeTest, ZerosKeepTheirSigns) {
  for (const float zero : {0.0f, -0.0f, 0.0f}) {
    ClipInfo info;
    info.joints = JointList({{"Hips", -1, "xyz", false, {zero, 1, 2}}});
    v1::ClipInfo message;
    ASSERT_TRUE(message.ParseFromString(wire::Serialize(info)));
    EXPECT_EQ(std::signbit(message.joints(0).offset(0)), std::signbit(zero));
  }
}

TEST(SerializeTest, MoreJointsThanAreKept) {
  ClipInfo info = FullInfo();
  std::vector<JointInfo> joints(wire::kMaxKeptJointBytes / 8, info.joints[0]);
  for (const int32_t parent : {1, 1, 2}) {
    joints.back().parent = parent;
    info.joints = JointList(joints);
    ExpectBytesOf(ToMessage(info), wire::Serialize(info));
  }
}

TEST(SerializeTest, ResultIsTheMessage) {
  const std::vector<std::string> cases[] = {
      {},
      {"abc"},
      {"abc", "", "d"},
      {"", std::string(300, '\0')},
      {std::string(100'000, 'x'), "y", std::string(127, 'z')},
  };
  for (const auto& data : cases) ExpectBytesOf(FullResult(), data);
  ExpectBytesOf(ConvertResult{}, {});
}

TEST(SerializeTest, FailedResultHasNoOutputs) {
  ConvertResult result = FullResult();
  result.status =
      WithParts(MakeStatus(absl::StatusCode::kInvalidArgument, "broken"),
                {"TEXT_EMPTY", {{"line", "1"}}});
  ExpectBytesOf(result, {"data that was made before"});
}

}  // namespace
}  // namespace bvhmill::testing
