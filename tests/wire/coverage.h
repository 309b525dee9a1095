#pragma once

// Which fields and enum values of the API occur in a set of messages. Tests use
// it to fail when a new field or value is in no case of theirs.

#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {

// The message that `text`, a text proto, stands for. Fails the test if it is
// none.
template <typename Message>
Message ParseText(std::string_view text);

class FieldCoverage {
 public:
  // Adds what is set in `message`, and in all messages within it.
  void Add(const google::protobuf::Message& message);

  // The fields and values that Add has not seen, for all messages that can be
  // reached from `root`. Names are without the package:
  //   "ClipEdits.frames"               a field that is never set
  //   "BvhFormat.decimals: zero"       an optional field that is never set to 0
  //   "ReadOptions.up: AXIS_Z"         a value that the field never has
  // The value 0 of an enum cannot be told from a field that is not set.
  // Messages of other packages count as one value.
  std::vector<std::string> Missing(
      const google::protobuf::Descriptor* root) const;

  // Enum fields that never have a value that the API does not define.
  std::vector<std::string> WithoutUnknownValue(
      const google::protobuf::Descriptor* root) const;

 private:
  std::set<std::string> seen_;
};

// `all` without those of `exempt`; fails the test for each of `exempt` that is
// not in `all`, so that exemptions do not outlive their reason.
std::vector<std::string> Without(const std::vector<std::string>& exempt,
                                 const std::vector<std::string>& all);

// Parses into `message`; see ParseText.
void ParseTextInto(std::string_view text, google::protobuf::Message* message);

template <typename Message>
Message ParseText(std::string_view text) {
  Message message;
  ParseTextInto(text, &message);
  return message;
}

}  // namespace bvhmill::testing
