#include "server/metrics.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::set<std::string> NamesIn(const std::string& page) {
  std::set<std::string> names;
  const std::regex line("(^|\n)([a-z_]+)[{ ]");
  for (std::sregex_iterator it(page.begin(), page.end(), line), end; it != end;
       ++it) {
    names.insert((*it)[2]);
  }
  return names;
}

class MetricsTest : public ServerTest {
 protected:
  void StartWithMetrics() {
    Start([](server::ServerConfig* config) {
      config->metrics = "127.0.0.1:0";
      config->limits.max_joints = 50;
      config->threads = 3;
    });
  }

  grpc::Status Convert(const std::string& text) {
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    return clips_->ConvertClip(&context, PositionsRequest(text), &response);
  }

  // The page, once it has all `lines`: a call is counted when gRPC is done with
  // it, which its client does not see.
  std::string PageWith(const std::vector<std::string>& lines) {
    std::string page;
    for (int i = 0; i < 500; ++i) {
      page = FetchMetrics(server_->metrics_address());
      if (std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
            return page.find(line) != std::string::npos;
          })) {
        break;
      }
      usleep(20'000);
    }
    return page;
  }
};

TEST_F(MetricsTest, NoneUnlessAskedFor) {
  Start();
  EXPECT_EQ(server_->metrics_address(), "");
}

TEST_F(MetricsTest, CallsAreCounted) {
  StartWithMetrics();
  const std::string good = SmallClip(7);
  ASSERT_TRUE(Convert(good).ok());
  ASSERT_TRUE(Convert(good).ok());
  EXPECT_FALSE(Convert("HIERARCHY\nnonsense\n").ok());
  const std::vector<std::string> expected = {
      "bvhmill_calls_total{method=\"ConvertClip\",code=\"INVALID_ARGUMENT\"} "
      "1\n",
      "bvhmill_calls_total{method=\"ConvertClip\",code=\"OK\"} 2\n",
      "bvhmill_clips_total{result=\"good\"} 2\n",
      "bvhmill_clips_total{result=\"failed\"} 1\n",
      "bvhmill_frames_total 14\n",
      "bvhmill_joint_frames_total 28\n",
      "bvhmill_sent_bytes_total 336\n",
      "bvhmill_received_bytes_total " + std::to_string(2 * good.size() + 19),
      "bvhmill_stage_seconds_count{stage=\"read\"} 3\n",
      "bvhmill_stage_seconds_count{stage=\"total\"} 3\n",
      "bvhmill_stage_seconds_count{stage=\"write\"} 3\n",
      "bvhmill_call_seconds_count{method=\"ConvertClip\"} 3\n",
      "bvhmill_workers 3\n",
      "bvhmill_inflight_clips 0\n",
      "bvhmill_inflight_calls 0\n"};
  const std::string page = PageWith(expected);
  for (const std::string& line : expected) EXPECT_THAT(page, HasSubstr(line));
  EXPECT_THAT(page, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

TEST_F(MetricsTest, StreamsAreCounted) {
  StartWithMetrics();
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  request.mutable_begin()->mutable_source()->set_data(SmallClip(5));
  request.mutable_begin()->set_complete(true);
  ASSERT_TRUE(stream->Write(request));
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) {
  }
  ASSERT_TRUE(stream->Finish().ok());
  const std::string page =
      PageWith({"bvhmill_calls_total{method=\"ConvertClips\",code=\"OK\"} 1\n",
                "bvhmill_frames_total 5\n"});
  EXPECT_THAT(page, HasSubstr("bvhmill_frames_total 5\n"));
  EXPECT_THAT(page, HasSubstr("code=\"OK\"} 1\n"));
}

TEST_F(MetricsTest, RefusalsAreCountedByReason) {
  StartWithMetrics();
  grpc::ClientContext context;
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  request.mutable_source()->set_encoding(static_cast<v1::ContentEncoding>(77));
  v1::ConvertClipResponse response;
  EXPECT_FALSE(clips_->ConvertClip(&context, request, &response).ok());
  const std::string line =
      "bvhmill_refused_total{reason=\"ENCODING_UNKNOWN\"} 1\n";
  EXPECT_THAT(PageWith({line}), HasSubstr(line));
}

// What the documents promise is what there is.
TEST_F(MetricsTest, DashboardAndManualNameWhatIsExported) {
  StartWithMetrics();
  ASSERT_TRUE(Convert(SmallClip()).ok());
  const std::set<std::string> exported =
      NamesIn(FetchMetrics(server_->metrics_address()));
  const std::regex name("(bvhmill|process)_[a-z_]+");
  for (const char* file : {"docs/grafana/bvhmill.json", "docs/operations.md"}) {
    const std::string text = ReadFile(SourceFile(file));
    int found = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end;
         it != end; ++it, ++found) {
      const std::string metric = it->str();
      const bool known =
          exported.contains(metric) || exported.contains(metric + "_count");
      EXPECT_TRUE(known) << file << ": " << metric;
    }
    EXPECT_GT(found, 15) << file;
  }
  const std::string manual = ReadFile(SourceFile("docs/operations.md"));
  for (const std::string& metric : exported) {
    if (!metric.starts_with("bvhmill_")) continue;
    const std::regex suffix("_(count|sum|bucket)$");
    const std::string family = std::regex_replace(metric, suffix, "");
    EXPECT_NE(manual.find(family), std::string::npos) << family;
  }
}

// Each has a thread until the page has had enough of it.
TEST_F(MetricsTest, StalledConnectionsDoNotStopThePage) {
  StartWithMetrics();
  const std::string half = "GET /metrics HTTP/1.1\r\n";
  std::vector<int> stalled;
  stalled.reserve(20);
  for (int i = 0; i < 20; ++i) {
    stalled.push_back(DialLoopback(server_->metrics_address()));
    EXPECT_EQ(write(stalled.back(), half.data(), half.size()),
              static_cast<ssize_t>(half.size()));
  }
  EXPECT_THAT(FetchMetrics(server_->metrics_address()),
              HasSubstr("bvhmill_inflight_calls 0\n"));
  for (const int fd : stalled) close(fd);
}

TEST_F(MetricsTest, ATakenAddressIsAnError) {
  StartWithMetrics();
  server::ServerConfig config;
  config.listen = "127.0.0.1:0";
  config.metrics = server_->metrics_address();
  std::unique_ptr<server::Server> second;
  EXPECT_THAT(server::Server::Start(config, &second).ToString(),
              HasSubstr("cannot serve metrics"));
}

TEST(TimeHistogramTest, TimesFallIntoTheirBuckets) {
  server::TimeHistogram times;
  times.Observe(std::chrono::microseconds(100));
  times.Observe(std::chrono::microseconds(101));
  times.Observe(std::chrono::hours(1));
  EXPECT_EQ(times.count(0), 1);
  EXPECT_EQ(times.count(1), 1);
  EXPECT_EQ(times.count(server::TimeHistogram::kBounds.size()), 1);
  EXPECT_NEAR(times.sum_seconds(), 3600.000201, 1e-6);
}

TEST(RefusalsTest, UnknownReasonsAreTheLastOne) {
  server::Metrics metrics;
  CountRefused("NEVER_HEARD_OF", &metrics);
  CountRefused("LIMIT_JOINTS", &metrics);
  CountRefused("CALLER_BUSY", &metrics);
  EXPECT_EQ(metrics.refused.back().value(), 1);
  EXPECT_EQ(metrics.refused[3].value(), 1);
  EXPECT_EQ(metrics.refused[6].value(), 1);
}

}  // namespace
}  // namespace bvhmill::testing
