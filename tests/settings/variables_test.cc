#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bvhmill/settings/settings.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Options of conversions.
const std::vector<std::string> kMore = {"fps"};

// Sets variables, and removes them at the end.
class Variables {
 public:
  explicit Variables(const std::vector<std::string>& names) : names_(names) {
    for (const std::string& name : names_) setenv(name.c_str(), "1", 1);
  }
  ~Variables() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }

 private:
  const std::vector<std::string> names_;
};

TEST(Variables, AreNamedAfterOptions) {
  EXPECT_EQ(VariableOf("max-joints"), "BVHMILL_MAX_JOINTS");
  EXPECT_EQ(VariableOf("s3-ca"), "BVHMILL_S3_CA");
  const auto& options = OptionsOfVariables();
  EXPECT_TRUE(std::is_sorted(options.begin(), options.end()));
  EXPECT_EQ(std::adjacent_find(options.begin(), options.end()), options.end());
}

TEST(Variables, ThatNoProgramReadsAreNamed) {
  const Variables wrong({"BVHMILL_THREDS"});
  EXPECT_THAT(UnknownVariables(kMore),
              ElementsAre("BVHMILL_THREDS sets nothing; did you mean "
                          "'BVHMILL_THREADS'?"));
}

TEST(Variables, OfNoOptionHaveNoNearestName) {
  const Variables wrong({"BVHMILL_FSP", "BVHMILL_", "BVHMILL_A\x1B[1m"});
  EXPECT_THAT(UnknownVariables(kMore),
              ElementsAre("BVHMILL_ sets nothing", "BVHMILL_A?[1m sets nothing",
                          "BVHMILL_FSP sets nothing; did you mean "
                          "'BVHMILL_FPS'?"));
}

// Programs of one environment see the variables of each other.
TEST(Variables, OfTheProjectAreKnown) {
  const Variables known({"BVHMILL_LISTEN", "BVHMILL_SERVER", "BVHMILL_CONFIG",
                         "BVHMILL_DATA", "BVHMILL_BIN", "BVHMILL_WHEEL_DIR",
                         "BVHMILL", "BVHMILLD"});
  EXPECT_THAT(UnknownVariables(kMore), IsEmpty());
}

// A service of the name bvhmill, and one of the name bvhmill-metrics.
TEST(Variables, OfAServiceOfKubernetesAreKnown) {
  const Variables known({"BVHMILL_SERVICE_HOST", "BVHMILL_SERVICE_PORT",
                         "BVHMILL_SERVICE_PORT_GRPC", "BVHMILL_PORT",
                         "BVHMILL_PORT_7450_TCP", "BVHMILL_PORT_7450_TCP_ADDR",
                         "BVHMILL_METRICS_SERVICE_HOST",
                         "BVHMILL_METRICS_PORT_9090_TCP_PROTO"});
  EXPECT_THAT(UnknownVariables(kMore), IsEmpty());
}

TEST(Variables, LikeThoseOfAServiceThatIsNotThereAreNamed) {
  const Variables wrong({"BVHMILL_PORT"});
  EXPECT_THAT(UnknownVariables(kMore),
              ElementsAre("BVHMILL_PORT sets nothing"));
}

}  // namespace
}  // namespace bvhmill::testing
