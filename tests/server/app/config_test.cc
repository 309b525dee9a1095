#include "server/app/config.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bvhmill/base/status.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

// `errors` gets the lines of stderr, if it is not null.
bool Read(std::vector<std::string> args, server::ServerConfig* config,
          int* exit_code, std::string* errors = nullptr) {
  args.insert(args.begin(), "bvhmilld");
  std::vector<char*> argv;
  argv.reserve(args.size());
  for (std::string& arg : args) argv.push_back(arg.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const bool good = server::ReadConfig(static_cast<int>(argv.size()),
                                       argv.data(), config, exit_code);
  ::testing::internal::GetCapturedStdout();
  const std::string lines = ::testing::internal::GetCapturedStderr();
  if (errors != nullptr) *errors = lines;
  return good;
}

TEST(ConfigTest, FlagsFileAndEnvironmentSayTheSame) {
  TempDir dir;
  WriteFile(dir.File("conf"),
            "log = \"json\"\nreflection = \"on\"\nmetrics = \"127.0.0.1:1\"\n"
            "max-inflight-clips-per-caller = 7\nmin-ping-seconds = 3\n"
            "recommended-chunk-bytes = 4096\n");
  setenv("BVHMILL_MAX_INFLIGHT_BYTES", "99", 1);
  server::ServerConfig config;
  int exit_code = 0;
  const bool good =
      Read({"--config", dir.File("conf"), "--recommended-chunk-bytes=2048",
            "--max-streams-per-connection=5"},
           &config, &exit_code);
  unsetenv("BVHMILL_MAX_INFLIGHT_BYTES");
  ASSERT_TRUE(good);
  EXPECT_EQ(config.log, server::LogFormat::kJson);
  EXPECT_TRUE(config.reflection);
  EXPECT_EQ(config.metrics, "127.0.0.1:1");
  EXPECT_EQ(config.admission.max_inflight_clips_per_caller, 7);
  EXPECT_EQ(config.admission.max_inflight_bytes, 99);
  EXPECT_EQ(config.transport.min_ping_seconds, 3);
  EXPECT_EQ(config.transport.max_streams_per_connection, 5);
  EXPECT_EQ(config.service.recommended_chunk_bytes, 2048);
}

TEST(ConfigTest, WrongFlagsAreRefused) {
  const std::vector<std::string> cases[] = {{"--log=loud"},
                                            {"--reflection=maybe"},
                                            {"--metrics=0.0.0.0:9"},
                                            {"--metrics=unix:/x"},
                                            {"--recommended-chunk-bytes=0"},
                                            {"--max-inflight-clips=-1"},
                                            {"--max-inflight-bytes=lots"},
                                            {"--max-transport-bytes=-5"},
                                            // More than a message can say.
                                            {"--max-joints=2147483648"}};
  for (const auto& args : cases) {
    server::ServerConfig config;
    int exit_code = 0;
    EXPECT_FALSE(Read(args, &config, &exit_code)) << args[0];
    EXPECT_EQ(exit_code, 2) << args[0];
  }
}

TEST(ConfigTest, ErrorsNameTheSettingAndItsWords) {
  TempDir dir;
  WriteFile(dir.File("conf"), "foo = 1\n");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--log=loud"}, "--log: 'loud' is none of errors, json, off, text"},
      {{"--reflection=2"}, "--reflection: '2' is none of off, on"},
      {{"--nope"}, "there is no setting '--nope'"},
      {{"--max-clip-bytes=5X"},
       "--max-clip-bytes: '5X' has the unknown unit 'X'; use 65536, 512MiB or "
       "1.5G"},
      {{"--idle-seconds=500ms"},
       "--idle-seconds: '500ms' is not a whole number of seconds"},
      {{"--threads=4097"},
       "--threads: '4097' is not a whole number from 0 to 4096"},
      {{"--config", dir.File("conf")},
       dir.File("conf") + ":1: there is no setting 'foo'"}};
  for (const auto& [args, why] : cases) {
    server::ServerConfig config;
    int exit_code = 0;
    std::string errors;
    EXPECT_FALSE(Read(args, &config, &exit_code, &errors)) << why;
    EXPECT_EQ(exit_code, 2) << why;
    EXPECT_EQ(errors, "bvhmilld: " + why + "\nbvhmilld --help shows how\n");
  }
}

TEST(CheckConfigTest, SaysWhatIsWrong) {
  TempDir dir;
  WriteFile(dir.File("tokens"), "a:b\n");
  server::ServerConfig good;
  EXPECT_TRUE(server::CheckConfig(good).ok());
  server::ServerConfig tokens = good;
  tokens.token_file = dir.File("tokens");
  server::ServerConfig port = good;
  port.listen = "127.0.0.1:70000";
  server::ServerConfig host = good;
  host.metrics = "no.such.host.invalid:1";
  server::ServerConfig cert = good;
  cert.tls_cert = dir.File("missing");
  const std::pair<server::ServerConfig, std::string> cases[] = {
      {tokens, "tokens:1: has no SHA-256"},
      {port, "is not HOST:PORT"},
      {host, "no such host"},
      {cert, "cannot read"}};
  for (const auto& [config, why] : cases) {
    EXPECT_THAT(std::string(MessageOf(server::CheckConfig(config))),
                HasSubstr(why));
  }
}

class ConnectionAgeTest : public ServerTest {};

TEST_F(ConnectionAgeTest, CallsGoOnAndNewOnesFindTheServer) {
  Start([](server::ServerConfig* config) {
    config->transport.max_connection_age_seconds = 1;
    config->transport.max_streams_per_connection = 2;
    config->transport.max_transport_bytes = int64_t{64} << 20;
    config->metrics = "127.0.0.1:0";
  });
  const auto connections = [&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_connections");
  };
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  stream->WaitForInitialMetadata();
  // The old connection, which has the stream, and a new one.
  EXPECT_TRUE(Eventually([&] {
    grpc::ClientContext other;
    v1::GetServerInfoResponse response;
    EXPECT_TRUE(info_->GetServerInfo(&other, {}, &response).ok());
    return connections() >= 2;
  }));
  stream->WritesDone();
  v1::ConvertClipsResponse answer;
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_TRUE(stream->Finish().ok());
}

class ReflectionTest : public ServerTest {};

int Threads() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

// Each stream of reflection has a thread as long as it lives.
TEST_F(ReflectionTest, SilentStreamsHaveFewThreads) {
  Start([](server::ServerConfig* config) { config->reflection = true; });
  const int before = Threads();
  const std::string headers = HeadersOf(kReflectionPath);
  std::string calls = Hello();
  constexpr uint32_t kStreams = 100;
  for (uint32_t i = 0; i < kStreams; ++i) {
    calls += Http2Frame(kHeaders, kEndHeaders, 2 * i + 1, headers);
  }
  const int fd = DialLoopback(server_->address());
  SendAll(fd, calls);
  // RESOURCE_EXHAUSTED, of those that find no thread.
  const std::string refusal = std::string("grpc-status\x01") + "8";
  std::string got;
  EXPECT_TRUE(Eventually([&] {
    char bytes[4096];
    const ssize_t size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size > 0) got.append(bytes, static_cast<size_t>(size));
    return got.find(refusal) != std::string::npos;
  }));
  EXPECT_LT(Threads(), before + 30);
  close(fd);
}

struct ResolvedCase {
  int64_t memory;
  int64_t inflight;
  int64_t transport;
};

TEST(ConfigTest, MemoryLimitsFollowFromTheMemoryOfTheProcess) {
  constexpr int64_t kGiB = int64_t{1} << 30;
  const ResolvedCase cases[] = {{0, 4 * kGiB, kGiB},
                                {64 * kGiB, 4 * kGiB, kGiB},
                                {8 * kGiB, 4 * kGiB, kGiB},
                                {4 * kGiB, 2 * kGiB, kGiB / 2},
                                {kGiB, kGiB / 2, kGiB / 8}};
  for (const ResolvedCase& c : cases) {
    SCOPED_TRACE(c.memory);
    const auto config = server::WithResolvedLimits({}, c.memory);
    EXPECT_EQ(config.admission.max_inflight_bytes, c.inflight);
    EXPECT_EQ(config.transport.max_transport_bytes, c.transport);
  }
}

TEST(ConfigTest, MemoryLimitsThatAreGivenStay) {
  struct Case {
    const char* flag;
    int64_t inflight;
  };
  const Case cases[] = {{"--max-inflight-bytes=auto", int64_t{1} << 29},
                        {"--max-inflight-bytes=0", 0},
                        {"--max-inflight-bytes=77", 77}};
  for (const Case& c : cases) {
    server::ServerConfig config;
    int exit_code = 0;
    ASSERT_TRUE(Read({c.flag}, &config, &exit_code)) << c.flag;
    config = server::WithResolvedLimits(config, int64_t{1} << 30);
    EXPECT_EQ(config.admission.max_inflight_bytes, c.inflight) << c.flag;
  }
}

}  // namespace
}  // namespace bvhmill::testing
