// A batch of clips alike takes memory for the first ones only.

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace {

std::atomic<int64_t> g_allocations{0};

void* Counted(void* memory) {
  ++g_allocations;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* Allocate(size_t size) { return Counted(std::malloc(size + (size == 0))); }

void* AllocateAligned(size_t size, std::align_val_t align) {
  const auto step = static_cast<size_t>(align);
  return Counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, std::align_val_t align) {
  return AllocateAligned(size, align);
}
void* operator new[](size_t size, std::align_val_t align) {
  return AllocateAligned(size, align);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bvhmill::testing {
namespace {

// Counts what it gets, and keeps nothing.
class CountingReceiver final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    bytes_ += bytes.size();
    return absl::OkStatus();
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

constexpr int kJoints = 31;
constexpr int kFrames = 500;

// A chain whose names are too long to stand in a string object.
std::string Text(int turn) {
  std::string text = "HIERARCHY\n";
  for (int i = 0; i < kJoints; ++i) {
    text += i == 0 ? "ROOT " : "JOINT ";
    text += "a_joint_with_a_rather_long_name_" + std::to_string(i);
    text += "\n{\nOFFSET 0 1 0\n";
    text += i == 0 ? "CHANNELS 6 Xposition Yposition Zposition" : "CHANNELS 3";
    text += " Zrotation Xrotation Yrotation\n";
  }
  text += "End Site\n{\nOFFSET 0 1 0\n}\n";
  for (int i = 0; i < kJoints; ++i) text += "}\n";
  text += "MOTION\nFrames: " + std::to_string(kFrames) + "\nFrame Time: 0.01\n";
  for (int frame = 0; frame < kFrames; ++frame) {
    for (int c = 0; c < 3 + 3 * kJoints; ++c) {
      text += std::to_string(c * 0.37 + turn + frame) + " ";
    }
    text += "\n";
  }
  return text;
}

struct BatchCase {
  const char* name;
  std::vector<OutputRequest> outputs;
};

class AllocationsTest : public ::testing::TestWithParam<BatchCase> {};

INSTANTIATE_TEST_SUITE_P(
    Batch, AllocationsTest,
    ::testing::Values(
        BatchCase{"Report", {}},
        BatchCase{"Positions", {{"", PositionsFormat{}}}},
        BatchCase{"Several",
                  {{"", PositionsFormat{}},
                   {"", RotationsFormat{.kind = RotationKind::kSixD}},
                   {"", CsvFormat{}}}},
        BatchCase{"Whole",
                  {{"", PositionsFormat{TensorLayout::kJointMajor, true}},
                   {"", VelocitiesFormat{}}}}),
    [](const auto& info) { return info.param.name; });

TEST_P(AllocationsTest, NoneAfterTheFirstClips) {
  // One thread: how many join the work of a clip is up to the scheduler.
  tbb::task_arena arena(1);
  ConvertOptions options;
  options.outputs = GetParam().outputs;
  const std::vector<std::string> texts = {Text(1), Text(2), Text(3)};
  CountingReceiver receiver;
  ConvertResult result;
  const auto convert = [&] {
    for (const std::string& text : texts) {
      ConvertInto(text, options, &receiver, nullptr, &result);
      ASSERT_TRUE(result.status.ok()) << result.status;
    }
  };
  arena.execute([&] {
    convert();
    const int64_t before = g_allocations;
    const size_t bytes = receiver.bytes();
    for (int i = 0; i < 5; ++i) convert();
    EXPECT_EQ(g_allocations - before, 0);
    EXPECT_EQ(receiver.bytes(), 6 * bytes);
  });
  EXPECT_EQ(result.info.joints.size(), kJoints + 1);
  EXPECT_EQ(result.outputs.size(), options.outputs.size());
}

}  // namespace
}  // namespace bvhmill::testing
