#include "tests/measures/measured.h"

#include <gtest/gtest.h>

#include "bvhmill/base/sink.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"

namespace bvhmill::testing {

ConvertOptions Measured() {
  ConvertOptions options;
  options.measures = true;
  return options;
}

std::string WrittenAsBvh(const Clip& clip) {
  std::string text;
  StringSink sink(&text);
  EXPECT_TRUE(WriteBvh(clip, {}, &sink).ok());
  return text;
}

Clip ReadClip(const std::string& text) {
  IssueLog log({});
  return ReadBvh(text, {}, &log).clip;
}

}  // namespace bvhmill::testing
