#pragma once

// Messages of a stream as bytes, good and broken.

#include <string>

#include "tests/server/fixture.h"

namespace bvhmill::testing {

// The beginning of a field whose stated length is more than the bytes.
inline const std::string kGarbage = "\x0a\x7fgarbage";

inline std::string WholeClip() {
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_key("whole");
  request.mutable_begin()->mutable_source()->set_data(SmallClip());
  request.mutable_begin()->set_complete(true);
  return request.SerializeAsString();
}

}  // namespace bvhmill::testing
