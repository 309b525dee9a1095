// Small requests that would become much memory: the server is there after each
// of them, and took no more than it counted and 200 MB.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/attack/clip_case.h"
#include "tests/attack/server_process.h"
#include "tests/server/fixture.h"

namespace bvhmill::attack {

// For googletest: the name.
void PrintTo(const ClipCase& clip, std::ostream* out) { *out << clip.name; }

namespace {

constexpr int64_t kMaxUncountedBytes = int64_t{200} << 20;
// A call that takes longer is cancelled, and must then leave the server.
constexpr std::chrono::seconds kTimeToAnswer(30);

class AmplifierTest : public ::testing::TestWithParam<ClipCase> {
 protected:
  void SetUp() override {
    std::string error;
    ServerOptions options;
    options.program = BVHMILL_BIN "/bvhmilld";
    options.flags = {"--log", "off"};
    server_ = std::make_unique<ServerProcess>(options, &error);
    ASSERT_EQ(error, "");
    target_ = std::make_unique<Target>(server_->address(),
                                       server_->metrics_address());
    stub_ = target_->Connect();
    ExpectServes();
    server_->Mark();
    idle_bytes_ = server_->resident();
  }

  void ExpectServes() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 2 * kTimeToAnswer);
    v1::ConvertClipResponse response;
    const grpc::Status status = stub_->ConvertClip(
        &context, testing::PositionsRequest(testing::SmallClip(10)), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  std::unique_ptr<ServerProcess> server_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<v1::ClipService::Stub> stub_;
  int64_t idle_bytes_ = 0;
};

TEST_P(AmplifierTest, TakesNoMoreThanIsCounted) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTimeToAnswer);
  SendCase(GetParam(), GetParam().make(), stub_.get(), &context);
  ExpectServes();
  const double counted =
      FetchMetric(server_->metrics_address(), "bvhmill_inflight_bytes_peak");
  ASSERT_GE(counted, 0);
  EXPECT_LE(server_->peak() - idle_bytes_,
            static_cast<int64_t>(counted) + kMaxUncountedBytes);
  EXPECT_TRUE(server_->is_running());
}

std::vector<ClipCase> AllCases() {
  std::vector<ClipCase> out = ClipCases();
  for (const ClipCase& clip : AnimCases()) out.push_back(clip);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Each, AmplifierTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace bvhmill::attack
