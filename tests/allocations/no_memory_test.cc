// Wherever in a conversion the memory ends, it ends by std::bad_alloc, no
// thread waits for ever, and the next one gives what it always gives.

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cstdint>
#include <memory>
#include <new>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/check_clip.h"
#include "bvhmill/pipeline/workers.h"
#include "bvhmill/validate/skeleton_facts.h"
#include "tests/allocations/allocator.h"
#include "tests/allocations/chain.h"
#include "tests/support/clips.h"
#include "tests/support/converted.h"

namespace bvhmill::testing {
namespace {

// Text of some tiles for each of two threads.
constexpr int kLongFrames = 4000;

using Conversion = Converted (*)(std::string_view text,
                                 const ConvertOptions& options,
                                 Converter* converter);

Converted InPieces(std::string_view text, const ConvertOptions& options,
                   Converter* converter) {
  return ConvertPieces(text, options, 50'000, converter);
}

struct NoMemoryCase {
  const char* name;
  Conversion convert;
  int threads;
  int frames;
  std::vector<OutputRequest> outputs;
  bool has_fault = false;
  bool is_edited = false;
};

void PrintTo(const NoMemoryCase& c, std::ostream* out) { *out << c.name; }

std::vector<NoMemoryCase> NoMemoryCases() {
  const std::vector<OutputRequest> flow = {
      {"", PositionsFormat{}},
      {"", RotationsFormat{.rotation_kind = RotationKind::kSixD}}};
  const std::vector<OutputRequest> whole = {
      {"", PositionsFormat{TensorLayout::kJointMajor, true}},
      {"", VelocitiesFormat{}},
      {"", BvhFormat{}}};
  return {
      {"FlowingSmall", &ConvertWhole, 1, 20, flow},
      {"FlowingLong", &ConvertWhole, 2, kLongFrames, flow},
      {"WholeSmall", &ConvertWhole, 1, 20, whole},
      {"WholeLong", &ConvertWhole, 2, kLongFrames, whole},
      {"EditedSmall", &ConvertWhole, 1, 20, whole, false, true},
      {"Streamed", &InPieces, 1, kChainFrames, flow},
      {"StreamedEdited", &InPieces, 1, kChainFrames, flow, false, true},
      {"StreamedWhole", &InPieces, 1, kChainFrames, whole},
      {"Faulty", &ConvertWhole, 1, 20, flow, true},
      {"StreamedFaulty", &InPieces, 1, 20, flow, true},
  };
}

class NoMemoryTest : public ::testing::TestWithParam<NoMemoryCase> {
 protected:
  NoMemoryTest() : text_(ChainText(1, GetParam().frames)) {
    options_.outputs = GetParam().outputs;
    if (GetParam().is_edited) options_.edits.fps = 30;
    if (GetParam().has_fault) text_.insert(text_.size() - 30, "fault");
  }

  Converted Convert() {
    return GetParam().convert(text_, options_, &converter_);
  }

  // With so little memory; false if that was not enough.
  bool ConvertWith(int64_t requests) {
    converter_.FreeMemory();
    try {
      const MemoryFor memory(requests);
      Convert();
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  Converter converter_{Parallelism::CallersPool()};
  std::string text_;
  ConvertOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Conversions, NoMemoryTest,
                         ::testing::ValuesIn(NoMemoryCases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(NoMemoryTest, FailsAndTheNextConversionIsRight) {
  Workers pool(GetParam().threads);
  tbb::task_arena arena(GetParam().threads);
  arena.execute([&] {
    const Converted expected = Convert();
    int64_t failures = 0;
    // Each of the first requests, then ever fewer of them.
    for (int64_t left = 0; !ConvertWith(left); left += 1 + left / 100) {
      ++failures;
      const Converted next = Convert();
      ASSERT_EQ(next.result.status, expected.result.status) << left;
      ASSERT_EQ(next.result.report.issues.size(),
                expected.result.report.issues.size())
          << left;
      ASSERT_TRUE(next.outputs == expected.outputs) << left;
    }
    EXPECT_GT(failures, 30);
    EXPECT_EQ(expected.result.status.ok(), !GetParam().has_fault);
  });
}

// A figure with legs, arms and `head` bones in the head.
Skeleton Figure(float size, int head) {
  SkeletonBuilder skeleton;
  const auto bone = [&](int parent, Offset offset) {
    for (float& value : offset) value *= size;
    return skeleton.Joint(parent, "a", "zxy", offset);
  };
  const int hips = skeleton.Root("Hips", "XYZzxy");
  for (const float side : {6.0F, -6.0F}) {
    bone(bone(bone(hips, {side, 0, 0}), {0, -26, 0}), {0, -27, 0});
  }
  const int chest = bone(hips, {0, 25, 0});
  for (const float side : {12.0F, -12.0F}) {
    bone(bone(bone(chest, {side, 0, 0}), {side, 0, 0}), {side, 0, 0});
  }
  int last = chest;
  for (int i = 0; i < head; ++i) last = bone(last, {0, 2, 0});
  return skeleton.Build();
}

// The skeleton compiled before is not taken for the next one, wherever the
// memory ends.
TEST(SkeletonCompilerTest, WithoutMemoryKeepsTheLastOne) {
  const auto share = [](const Skeleton& skeleton) {
    return std::make_shared<const SourceSkeleton>(SourceSkeleton{skeleton, {}});
  };
  const SharedSkeleton small = share(Figure(1, 1));
  const SharedSkeleton large = share(Figure(100, 20));
  const auto expect = [](const SharedSkeleton& source,
                         SkeletonCompiler* compiler) {
    const auto compiled = compiler->Compile(source, true, {});
    EXPECT_EQ(SizeOf(compiled->facts.body.value()),
              SizeOf(MeasureBiped(source->skeleton).value()));
    EXPECT_EQ(compiled->info.joints.size(), source->skeleton.nodes.size());
    EXPECT_EQ(compiled->plan.nodes.size(), source->skeleton.nodes.size());
  };
  bool is_made = false;
  int64_t failures = 0;
  const auto make = [&](int64_t left) {
    SkeletonCompiler compiler;
    expect(small, &compiler);
    try {
      const MemoryFor memory(left);
      compiler.Compile(large, true, {});
      is_made = true;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    SkeletonCompiler other = compiler;
    expect(small, &other);
    expect(large, &compiler);
  };
  for (int64_t left = 0; !is_made; ++left) make(left);
  EXPECT_GT(failures, 0);
}

}  // namespace
}  // namespace bvhmill::testing
