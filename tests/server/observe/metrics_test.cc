#include "server/observe/metrics.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "server/observe/metrics_page.h"
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

  void ExpectLines(const std::vector<std::string>& lines) {
    const std::string page = PageWith(lines);
    for (const std::string& line : lines) EXPECT_THAT(page, HasSubstr(line));
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
  ASSERT_TRUE(Convert("HIERARCHY\nnonsense\n").ok());
  const std::vector<std::string> expected = {
      "bvhmill_calls_total{method=\"ConvertClip\",code=\"OK\"} 3\n",
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
      "bvhmill_inflight_bytes 0\n",
      "bvhmill_inflight_calls 0\n"};
  const std::string page = PageWith(expected);
  for (const std::string& line : expected) EXPECT_THAT(page, HasSubstr(line));
  EXPECT_THAT(page, HasSubstr("\nbvhmill_inflight_bytes_peak "));
  EXPECT_THAT(page, Not(HasSubstr("\nbvhmill_inflight_bytes_peak 0\n")));
  EXPECT_THAT(page, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

TEST_F(MetricsTest, StreamsAreCounted) {
  StartWithMetrics();
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  const std::string clip = SmallClip(5);
  *request.mutable_begin()->mutable_options() = PositionsRequest("").options();
  request.mutable_begin()->mutable_source()->set_data(clip);
  request.mutable_begin()->set_complete(true);
  ASSERT_TRUE(stream->Write(request));
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) {
  }
  ASSERT_TRUE(stream->Finish().ok());
  // Two joints in five frames.
  ExpectLines(
      {"bvhmill_calls_total{method=\"ConvertClips\",code=\"OK\"} 1\n",
       "bvhmill_clips_total{result=\"good\"} 1\n", "bvhmill_frames_total 5\n",
       "bvhmill_sent_bytes_total 120\n",
       "bvhmill_received_bytes_total " + std::to_string(clip.size()) + "\n",
       "bvhmill_inflight_bytes 0\n"});
}

// A worker begins such a call again.
TEST_F(MetricsTest, ACallThatTakesLongerThanItsTextPromisesIsCountedOnce) {
  StartWithMetrics();
  const std::string claim =
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\n"
      "Frames: 200000\nFrame Time: 0.01\n";
  ASSERT_TRUE(Convert(claim).ok());
  ExpectLines(
      {"bvhmill_clips_total{result=\"good\"} 1\n",
       "bvhmill_frames_total 200000\n", "bvhmill_sent_bytes_total 2400000\n",
       "bvhmill_received_bytes_total " + std::to_string(claim.size()) + "\n"});
}

// A response has all outputs of its clip or none.
TEST_F(MetricsTest, OutputsOfAClipThatFailsLaterAreNotSent) {
  StartWithMetrics();
  std::string text = SmallClip(3000);
  text.insert(text.size() - 1, "x");
  ASSERT_TRUE(Convert(text).ok());
  ExpectLines({"bvhmill_clips_total{result=\"failed\"} 1\n",
               "bvhmill_sent_bytes_total 0\n"});
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

// The dashboard and the manual name exported metrics only, and the manual names
// all of the server's own.
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

TEST_F(MetricsTest, SilentConnectionsDoNotStopThePage) {
  StartWithMetrics();
  const std::string half = "GET /metrics HTTP/1.1\r\n";
  std::vector<int> silent;
  for (size_t i = 0; i < 300; ++i) {
    silent.push_back(DialLoopback(server_->metrics_address()));
    ASSERT_GE(silent.back(), 0);
    // One half sends half a request, the other nothing.
    if (i % 2 == 0) send(silent.back(), half.data(), half.size(), MSG_NOSIGNAL);
  }
  EXPECT_THAT(FetchMetrics(server_->metrics_address()),
              HasSubstr("bvhmill_inflight_calls 0\n"));
  for (const int fd : silent) close(fd);
}

struct HttpCase {
  std::string request;
  // The beginning of the answer; empty = the connection ends without one.
  std::string answer;
};

TEST_F(MetricsTest, AnswersOfThePage) {
  StartWithMetrics();
  const HttpCase cases[] = {
      {"GET /metrics HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK\r\n"},
      {"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.0 200 OK\r\n"},
      {"GET /metrics\n\n", "HTTP/1.0 200 OK\r\n"},
      {"GET /metrics?name=x HTTP/1.1\r\n\r\n", "HTTP/1.0 200 OK\r\n"},
      {"GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.0 404 Not Found\r\n"},
      {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.0 404 Not Found\r\n"},
      {"POST /metrics HTTP/1.1\r\n\r\n",
       "HTTP/1.0 405 Method Not Allowed\r\nAllow: GET\r\n"},
      {"\r\n\r\n", "HTTP/1.0 405 Method Not Allowed\r\n"},
      {std::string(20'000, 'x'), ""}};
  for (const HttpCase& c : cases) {
    SCOPED_TRACE(c.request.substr(0, 40));
    const int fd = DialLoopback(server_->metrics_address());
    // In two pieces.
    const size_t cut = c.request.size() / 2;
    send(fd, c.request.data(), cut, MSG_NOSIGNAL);
    usleep(10'000);
    send(fd, c.request.data() + cut, c.request.size() - cut, MSG_NOSIGNAL);
    std::string answer;
    char bytes[4096];
    for (ssize_t got = 0; (got = read(fd, bytes, sizeof bytes)) > 0;) {
      answer.append(bytes, static_cast<size_t>(got));
    }
    close(fd);
    EXPECT_EQ(answer.substr(0, c.answer.size()), c.answer);
    EXPECT_EQ(answer.empty(), c.answer.empty());
  }
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

TEST(MetricsPageTest, EachNumberHasItsName) {
  server::Metrics metrics;
  metrics.frames.Add(10);
  metrics.joint_frames.Add(20);
  metrics.received_bytes.Add(30);
  metrics.sent_bytes.Add(40);
  metrics.good_clips.Add(50);
  metrics.failed_clips.Add(60);
  server::Gauges gauges;
  gauges.calls = 1;
  gauges.clips = 2;
  gauges.bytes = 3;
  gauges.peak_bytes = 4;
  gauges.workers = 5;
  gauges.busy_workers = 6;
  gauges.connections = 7;
  gauges.refused_connections = 8;
  gauges.stream_bytes = 9;
  gauges.blocked_callers = 11;
  std::unique_ptr<server::MetricsPage> page;
  ASSERT_TRUE(server::MetricsPage::Start(
                  "127.0.0.1:0", &metrics, [&] { return gauges; }, &page)
                  .ok());
  const std::string text = FetchMetrics(page->address());
  for (const char* line :
       {"frames_total 10", "joint_frames_total 20", "received_bytes_total 30",
        "sent_bytes_total 40", "clips_total{result=\"good\"} 50",
        "clips_total{result=\"failed\"} 60", "inflight_calls 1",
        "inflight_clips 2", "inflight_bytes 3", "inflight_bytes_peak 4",
        "workers 5", "workers_busy 6", "connections 7",
        "refused_connections_total 8", "stream_bytes 9",
        "job_callers_blocked 11"}) {
    EXPECT_THAT(text, HasSubstr("\nbvhmill_" + std::string(line) + "\n"));
  }
}

TEST(MetricsPageTest, BucketsHoldAllTimesUpToTheirBound) {
  server::Metrics metrics;
  server::TimeHistogram& times = metrics.stage(server::Stage::kEdit);
  times.Observe(std::chrono::milliseconds(2));
  times.Observe(std::chrono::milliseconds(20));
  times.Observe(std::chrono::seconds(200));
  std::unique_ptr<server::MetricsPage> page;
  ASSERT_TRUE(
      server::MetricsPage::Start(
          "127.0.0.1:0", &metrics, [] { return server::Gauges(); }, &page)
          .ok());
  const std::string text = FetchMetrics(page->address());
  for (const char* line :
       {"count{stage=\"edit\"} 3", "bucket{stage=\"edit\",le=\"0.001\"} 0",
        "bucket{stage=\"edit\",le=\"0.003\"} 1",
        "bucket{stage=\"edit\",le=\"0.03\"} 2",
        "bucket{stage=\"edit\",le=\"100\"} 2",
        "bucket{stage=\"edit\",le=\"+Inf\"} 3"}) {
    EXPECT_THAT(text,
                HasSubstr("\nbvhmill_stage_seconds_" + std::string(line)));
  }
}

TEST(CountClipTest, EachStageHasItsTime) {
  using server::Stage;
  using std::chrono::seconds;
  ConvertResult result;
  result.info.frames = 5;
  result.info.joint_count = 3;
  result.times.queued = seconds(1);
  result.times.read = seconds(2);
  result.times.validate = seconds(3);
  result.times.edit = seconds(4);
  result.times.solve = seconds(5);
  result.times.encode = seconds(6);
  server::Metrics metrics;
  CountClip(result, &metrics);
  result.status = absl::InvalidArgumentError("");
  CountClip(result, &metrics);
  CountClip(result, &metrics);
  EXPECT_EQ(metrics.good_clips.value(), 1);
  EXPECT_EQ(metrics.failed_clips.value(), 2);
  EXPECT_EQ(metrics.frames.value(), 15);
  EXPECT_EQ(metrics.joint_frames.value(), 45);
  const std::pair<Stage, double> sums[] = {
      {Stage::kQueue, 3}, {Stage::kRead, 6},   {Stage::kValidate, 9},
      {Stage::kEdit, 12}, {Stage::kSolve, 15}, {Stage::kEncode, 18},
      {Stage::kWrite, 0}, {Stage::kTotal, 0}};
  for (const auto& [stage, sum] : sums) {
    EXPECT_EQ(metrics.stage(stage).sum_seconds(), sum) << NameOf(stage);
  }
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
