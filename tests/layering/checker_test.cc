// The checker itself, on lines that are in no file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/layering/rules.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct FakeLine {
  const char* path;
  const char* line;
  bool is_good;
};

void PrintTo(const FakeLine& fake, std::ostream* out) {
  *out << fake.path << ": " << fake.line;
}

class Checker : public ::testing::TestWithParam<FakeLine> {};

constexpr FakeLine kFakeLines[] = {
    {"lib/bvhmill/base/a.cc", "#include \"bvhmill/base/b.h\"", true},
    {"lib/bvhmill/base/a.cc", "#include \"bvhmill/text/b.h\"", false},
    {"lib/bvhmill/base/a.cc", "#include <bvhmill/base/b.h>", false},
    {"lib/bvhmill/base/a.cc", " #  include \"bvhmill/text/b.h\"", false},
    {"lib/bvhmill/base/a.cc", "// #include \"bvhmill/text/b.h\"", true},
    {"lib/bvhmill/base/a.cc", "/* #include \"server/b.h\" */", true},
    {"lib/bvhmill/bvh/a.cc", "#include \"bvhmill/text/b.h\"", true},
    {"lib/bvhmill/bvh/a.cc", "#include \"bvhmill/math/b.h\"", false},
    {"lib/bvhmill/encode/a.cc", "#include \"bvhmill/bvh/writer.h\"", true},
    {"lib/bvhmill/encode/a.cc", "#include \"bvhmill/bvh/reader.h\"", false},
    {"lib/bvhmill/encode/a.cc", "#include \"bvhmill/bvhx/writer.h\"", false},
    {"lib/bvhmill/wire/a.h", "#include \"bvhmill/v1/a.pb.h\"", true},
    {"lib/bvhmill/wire/a.h", "#include \"bvhmill/edit/clip_edits.h\"", true},
    {"lib/bvhmill/wire/a.h", "#include \"bvhmill/kinematics/fk.h\"", false},
    {"lib/bvhmill/pipeline/a.cc", "#include \"bvhmill/v1/a.pb.h\"", false},
    {"lib/bvhmill/pipeline/a.cc", "#include \"bvhmill/edit/a.h\"", true},
    {"lib/bvhmill/pipeline/a.cc", "#include \"client/a.h\"", false},
    {"lib/bvhmill/newer/a.cc", "#include <string>", false},
    {"server/a.cc", "#include \"server/b.h\"", true},
    {"server/a.cc", "#include \"client/b.h\"", false},
    {"server/a.cc", "#include \"bvhmill/bvh/reader.h\"", false},
    {"client/cpp/a.cc", "#include \"client/cpp/b.h\"", true},
    {"client/cpp/a.cc", "#include \"client/cli/b.h\"", false},
    {"client/cli/io/a.cc", "#include \"client/cli/ui/b.h\"", true},
    {"client/cli/a.cc", "#include \"client/cpp/client.h\"", true},
    {"client/cli/a.cc", "#include \"client/cpp/channel.h\"", false},
    {"client/cli/a.cc", "#include \"bvhmill/clip/clip_info.h\"", true},
    {"client/cli/a.cc", "#include \"bvhmill/clip/clip.h\"", false},
    {"client/python/module/a.cc", "#include <pybind11/stl.h>", true},
    {"client/python/module/a.cc", "#include \"client/cli/io/b.h\"", false},
    {"client/python/module/a.cc", "#include \"bvhmill/v1/a.pb.h\"", false},
    {"client/cli/a.cc", "#include <pybind11/stl.h>", false},
    {"bench/a.cc", "#include \"bvhmill/text/b.h\"", true},
    {"bench/a.cc", "#include <benchmark/benchmark.h>", true},
    {"lib/bvhmill/text/a.cc", "#include <fast_float/fast_float.h>", true},
    {"lib/bvhmill/bvh/a.cc", "#include \"fast_float/fast_float.h\"", false},
    {"lib/bvhmill/pipeline/a.cc", "#include <tbb/info.h>", true},
    {"lib/bvhmill/encode/a.cc", "#include <tbb/info.h>", false},
    {"lib/bvhmill/encode/a.cc", "#include <nlohmann/json.hpp>", true},
    {"lib/bvhmill/wire/a.cc", "#include <nlohmann/json.hpp>", false},
    {"lib/bvhmill/encode/a.cc", "#include <zlib.h>", true},
    {"lib/bvhmill/pipeline/a.cc", "#include <zlib.h>", false},
    {"lib/bvhmill/text/a.cc", "#include \"absl/status/status.h\"", true},
    {"lib/bvhmill/text/a.cc", "#include \"absl/strings/str_cat.h\"", false},
    {"lib/bvhmill/wire/a.cc", "#include <google/protobuf/any.pb.h>", true},
    {"lib/bvhmill/encode/a.cc", "#include <google/protobuf/any.pb.h>", false},
    {"lib/bvhmill/wire/a.cc", "#include <grpcpp/grpcpp.h>", false},
    {"lib/bvhmill/wire/a.cc", "#include <grpc/grpc.h>", false},
    {"server/app/a.cc", "#include <grpcpp/grpcpp.h>", true},
    {"server/limits/a.cc", "#include <grpcpp/grpcpp.h>", false},
    {"server/limits/a.cc", "#include \"server/convert/b.h\"", false},
    {"server/net/a.cc", "#include \"server/convert/b.h\"", false},
    {"server/convert/a.cc", "#include \"server/rpc/b.h\"", true},
    {"lib/bvhmill/text/a.cc", "#include <boost/any.hpp>", false},
    {"lib/bvhmill/text/a.cc", "#include <poll.h>", false},
    {"lib/bvhmill/text/a.cc", "#include <iostream>", false},
    {"client/cli/a.cc", "#include <sys/stat.h>", true},
    {"client/cli/a.cc", "#include <iostream>", true},
    {"server/a.cc", "#include <spdlog/spdlog.h>", false},
    {"lib/bvhmill/text/a.cc", "  std::cout << 1;", false},
    {"lib/bvhmill/text/a.cc", "  printf(\"a\");", false},
    {"lib/bvhmill/text/a.cc", "  std::printf(\"a\");", false},
    {"lib/bvhmill/text/a.cc", "  f(10'000); abort();", false},
    {"lib/bvhmill/text/a.cc", "  std::abort ();", false},
    {"lib/bvhmill/text/a.cc", "  exit(1);", false},
    {"lib/bvhmill/text/a.cc", "  throw 1;", false},
    {"lib/bvhmill/text/a.cc", "  const bool exit = abort_it(1);", true},
    {"lib/bvhmill/text/a.cc", "  f('\"'); // throw, exit(1), printf", true},
    {"lib/bvhmill/text/a.cc", "  f(\"\\\" throw printf exit(1)\");", true},
    {"client/cpp/a.cc", "  exit(1);", true},
    {"client/cpp/a.h", "  absl::string_view a;", false},
    {"client/cpp/a.cc", "  absl::string_view a;", true},
    {"client/cpp/a.h", "#include \"absl/strings/string_view.h\"", false},
};

INSTANTIATE_TEST_SUITE_P(Lines, Checker, ::testing::ValuesIn(kFakeLines));

TEST_P(Checker, FindsEachFault) {
  const FakeLine& fake = GetParam();
  const std::vector<std::string> faults = CheckSource(fake.path, fake.line);
  EXPECT_EQ(faults.empty(), fake.is_good) << fake.path << ": " << fake.line;
}

TEST(CheckerOfShape, CountsColumnsAndWantsGuards) {
  const std::string guard = "#pragma once\n";
  EXPECT_THAT(CheckShape("a.h", guard + std::string(80, 'x')), IsEmpty());
  EXPECT_THAT(CheckShape("a.h", guard + std::string(81, 'x')), SizeIs(1));
  EXPECT_THAT(CheckShape("a.cc", "// \u00e4" + std::string(76, 'x')),
              IsEmpty());
  EXPECT_THAT(CheckShape("a.h", "int a;\n"), SizeIs(1));
  EXPECT_THAT(CheckShape("a.h", "// #pragma once\n"), SizeIs(1));
  EXPECT_THAT(CheckShape("a-inl.h", "int a;\n"), IsEmpty());
  EXPECT_THAT(CheckShape("a.cc", "int a;\n"), IsEmpty());
}

TEST(CheckerOfPlaces, NamesFileAndLine) {
  EXPECT_THAT(CheckSource("lib/bvhmill/base/a.cc",
                          "#include <string>\n\n#include \"server/b.h\"\n"),
              Contains("lib/bvhmill/base/a.cc:3: \"server/b.h\": "
                       "lib/bvhmill/base may not include it"));
}

}  // namespace
}  // namespace bvhmill::testing
