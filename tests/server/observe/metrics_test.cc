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

#include "server/auth/tokens.h"
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
      "bvhmill_clips_total{result=\"failed\",reason=\"HIERARCHY_NO_ROOT\"} 1\n",
      "bvhmill_caller_calls_total{caller=\"\"} 3\n",
      "bvhmill_caller_clips_total{caller=\"\"} 3\n",
      "bvhmill_caller_received_bytes_total{caller=\"\"} " +
          std::to_string(2 * good.size() + 19),
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
  ExpectLines({"bvhmill_streams 1\n"});
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
       "bvhmill_streams 0\n", "bvhmill_inflight_bytes 0\n"});
}

// A call without a known token counts for no caller.
TEST_F(MetricsTest, CallersAreCountedByTheNamesOfTheirTokens) {
  const TempDir dir;
  std::string line;
  ASSERT_TRUE(server::HashToken("ann", "secret", &line).ok());
  WriteFile(dir.File("tokens"), line + "\n");
  Start([&](server::ServerConfig* config) {
    config->metrics = "127.0.0.1:0";
    config->token_file = dir.File("tokens");
    config->log = server::LogFormat::kOff;
  });
  const std::string clip = SmallClip();
  for (const char* token : {"secret", "secret", "wrong"}) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", std::string("Bearer ") + token);
    v1::ConvertClipResponse response;
    clips_->ConvertClip(&context, PositionsRequest(clip), &response);
  }
  ExpectLines({"bvhmill_caller_calls_total{caller=\"ann\"} 2\n",
               "bvhmill_caller_clips_total{caller=\"ann\"} 2\n",
               "bvhmill_caller_received_bytes_total{caller=\"ann\"} " +
                   std::to_string(2 * clip.size()) + "\n",
               "bvhmill_caller_calls_total{caller=\"\"} 1\n",
               "bvhmill_caller_clips_total{caller=\"\"} 0\n",
               "bvhmill_refused_total{reason=\"TOKEN_UNKNOWN\"} 1\n"});
}

// A worker begins such a call again.
TEST_F(MetricsTest, ARefusedClipCountsForItsCaller) {
  Start([](server::ServerConfig* config) {
    config->metrics = "127.0.0.1:0";
    config->log = server::LogFormat::kOff;
    config->limits.max_clip_bytes = 100;
  });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_options() = PositionsRequest("").options();
  request.mutable_begin()->mutable_source()->set_data(std::string(101, ' '));
  request.mutable_begin()->set_complete(true);
  ASSERT_TRUE(stream->Write(request));
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) continue;
  ASSERT_TRUE(stream->Finish().ok());
  ExpectLines({"bvhmill_caller_clips_total{caller=\"\"} 1\n",
               "bvhmill_refused_total{reason=\"LIMIT_EXCEEDED\"} 1\n"});
}

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
  ExpectLines(
      {"bvhmill_clips_total{result=\"failed\",reason=\"MOTION_NUMBER_INVALID\"}"
       " "
       "1\n",
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

// A page with each metric, also those of jobs and of TLS.
std::string FullPage() {
  const server::Metrics metrics;
  server::Gauges gauges;
  gauges.database_up = true;
  gauges.free_disk_bytes = 1;
  gauges.certificate_expiry_seconds = 1;
  return "\n" + server::MetricsPage(&metrics, [&] { return gauges; }).Text();
}

// The dashboard, the alerts and the manual name exported metrics only, and the
// manual names all of the server's own.
TEST_F(MetricsTest, DashboardAlertsAndManualNameWhatIsExported) {
  StartWithMetrics();
  ASSERT_TRUE(Convert(SmallClip()).ok());
  std::set<std::string> exported =
      NamesIn(FetchMetrics(server_->metrics_address()));
  exported.merge(NamesIn(FullPage()));
  const std::regex name("(bvhmill|process)_[a-z_]+");
  for (const char* file :
       {"docs/grafana/bvhmill.json", "docs/grafana/alerts.yaml",
        "docs/grafana/alerts_test.yaml", "docs/operations.md"}) {
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
      {"GET /metrics HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
      {"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
       "HTTP/1.1 200 OK\r\n"},
      {"GET /metrics?name=x HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
      {"GET /healthz HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
      {"GET /readyz HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
      {"GET /metricsx HTTP/1.0\r\n\r\n", "HTTP/1.1 404 Not Found\r\n"},
      {"GET / HTTP/1.0\r\n\r\n", "HTTP/1.1 404 Not Found\r\n"},
      {"POST /metrics HTTP/1.0\r\n\r\n", "HTTP/1.1 4"},
      {"\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
      {std::string(20'000, 'x') + "\r\n", "HTTP/1.1 4"}};
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
  metrics.failed_clips.Add("TEXT_EMPTY");
  metrics.refused.Add("DISK_FULL");
  metrics.cut_connections.Add("drain");
  metrics.good_items.Add(70);
  metrics.failed_items.Add(80);
  metrics.items_set_aside.Add(90);
  server::CallerCounters& ann = metrics.callers.Of("ann");
  ann.calls.Add(100);
  ann.clips.Add(110);
  ann.received_bytes.Add(120);
  server::Gauges gauges;
  gauges.calls = 1;
  gauges.clips = 2;
  gauges.bytes = 3;
  gauges.peak_bytes = 4;
  gauges.workers = 5;
  gauges.busy_workers = 6;
  gauges.connections = 7;
  gauges.refused_connections = 8;
  gauges.refused_connections_of_address = 10;
  gauges.request_bytes = 13;
  gauges.waiting_requests = 14;
  metrics.open_streams = 15;
  gauges.stream_bytes = 9;
  gauges.blocked_callers = 11;
  gauges.database_up = true;
  gauges.free_disk_bytes = 12;
  gauges.certificate_expiry_seconds = 1'800'000'000;
  gauges.limits = {.max_calls = 20,
                   .max_inflight_clips = 21,
                   .max_inflight_bytes = 22,
                   .max_streams = 23,
                   .max_total_stream_bytes = 24,
                   .max_connections = 25,
                   .max_transport_bytes = 26,
                   .max_queued_items = 27,
                   .max_data_bytes = 0,
                   .min_free_disk_bytes = 0};
  const std::string text =
      server::MetricsPage(&metrics, [&] { return gauges; }).Text();
  for (const char* line :
       {"frames_total 10", "joint_frames_total 20", "received_bytes_total 30",
        "sent_bytes_total 40", "clips_total{result=\"good\"} 50",
        "clips_total{result=\"failed\",reason=\"TEXT_EMPTY\"} 1",
        "refused_total{reason=\"DISK_FULL\"} 1",
        "refused_total{reason=\"OTHER\"} 0",
        "connections_cut_total{reason=\"drain\"} 1",
        "connections_cut_total{reason=\"accepts_nothing\"} 0",
        "connections_cut_total{reason=\"too_many_calls\"} 0",
        "refused_connections_total{reason=\"max_connections\"} 8",
        "refused_connections_total{reason=\"max_connections_per_address\"} 10",
        "job_items_total{result=\"good\"} 70",
        "job_items_total{result=\"failed\"} 80",
        "job_items_total{result=\"set_aside\"} 90",
        "caller_calls_total{caller=\"ann\"} 100",
        "caller_clips_total{caller=\"ann\"} 110",
        "caller_received_bytes_total{caller=\"ann\"} 120", "inflight_calls 1",
        "inflight_clips 2", "inflight_bytes 3", "inflight_bytes_peak 4",
        "streams 15", "request_bytes 13", "requests_waiting 14", "workers 5",
        "workers_busy 6", "connections 7", "stream_bytes 9",
        "job_callers_blocked 11", "database_up 1", "data_folder_free_bytes 12",
        "tls_certificate_expiry_timestamp_seconds 1800000000", "max_calls 20",
        "max_inflight_clips 21", "max_inflight_bytes 22", "max_streams 23",
        "max_total_stream_bytes 24", "max_connections 25",
        "max_transport_bytes 26", "max_queued_items 27",
        // No limit.
        "max_data_bytes +Inf", "min_free_disk_bytes 0"}) {
    EXPECT_THAT(text, HasSubstr("\nbvhmill_" + std::string(line) + "\n"));
  }
}

TEST(MetricsPageTest, BucketsHoldAllTimesUpToTheirBound) {
  server::Metrics metrics;
  server::TimeHistogram& times = metrics.stage(server::Stage::kEdit);
  times.Observe(std::chrono::milliseconds(2));
  times.Observe(std::chrono::milliseconds(20));
  times.Observe(std::chrono::seconds(200));
  const std::string text =
      server::MetricsPage(&metrics, [] { return server::Gauges(); }).Text();
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
  EXPECT_EQ(metrics.failed_clips.count("INVALID_ARGUMENT"), 2);
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

TEST(RefusalsTest, UnknownReasonsAreCountedTogether) {
  server::Metrics metrics;
  for (const char* reason :
       {"NEVER_HEARD_OF", "", "LIMIT_JOINTS", "CALLER_BUSY", "DISK_FULL"}) {
    CountRefused(reason, &metrics);
  }
  EXPECT_EQ(metrics.refused.count("OTHER"), 2);
  EXPECT_EQ(metrics.refused.count("LIMIT_EXCEEDED"), 1);
  EXPECT_EQ(metrics.refused.count("CALLER_BUSY"), 1);
  EXPECT_EQ(metrics.refused.count("DISK_FULL"), 1);
}

// Sections 4 to 6 of the page name all reasons that a caller may get.
TEST(RefusalsTest, EachReasonOfThePageHasItsCounter) {
  const std::string page = ReadFile(SourceFile("docs/api.md"));
  const size_t begin = page.find("\n## 4. ");
  const size_t end = page.find("\n## 7. ");
  ASSERT_LT(begin, end);
  const std::string part = page.substr(begin, end - begin);
  const server::Metrics metrics;
  const auto& known = metrics.failed_clips.values();
  // Words in capitals with a "_" that are no reasons.
  const std::set<std::string> others = {"NOT_SERVING", "REQUEST_FIELD_UNKNOWN"};
  int found = 0;
  const std::regex word("[A-Z]+(_[A-Z]+)+(?![A-Z_*])");
  for (std::sregex_iterator it(part.begin(), part.end(), word), last;
       it != last; ++it, ++found) {
    const std::string reason = it->str();
    if (others.contains(reason)) continue;
    EXPECT_NE(std::find(known.begin(), known.end(), reason), known.end())
        << reason;
  }
  EXPECT_GT(found, 80);
}

TEST(CallerTableTest, NamesBeyondTheMostAreOne) {
  server::CallerTable table;
  constexpr size_t kNames = 3 * server::CallerTable::kMaxNames;
  for (size_t i = 0; i < kNames; ++i) table.Of(std::to_string(i)).calls.Add();
  table.Of("7").calls.Add(5);
  size_t names = 0;
  int64_t sum = 0;
  table.ForEach([&](const std::string&, const server::CallerCounters& c) {
    ++names;
    sum += c.calls.value();
  });
  EXPECT_EQ(names, server::CallerTable::kMaxNames + 1);
  EXPECT_EQ(sum, kNames + 5);
  EXPECT_EQ(table.Of("7").calls.value(), 6);
}

}  // namespace
}  // namespace bvhmill::testing
