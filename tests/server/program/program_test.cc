// The program as who starts it sees it: what it does at signals, what it tells
// its supervisor, and how it ends.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "bench/server/load_client.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/support/argv.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A line of a file that is open; empty if it ends.
std::string ReadLine(int file) {
  std::string line;
  for (char c = 0; read(file, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

// bvhmilld as a process, which goes with the object.
class Program {
 public:
  // Starts the program with these variables, NAME=VALUE, in its environment.
  // Returns when it serves, or has failed.
  explicit Program(std::vector<std::string> args,
                   const std::vector<std::string>& variables = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Where it listens; empty if it does not.
  const std::string& address() const { return address_; }
  std::string errors() const { return ReadFile(dir_.File("stderr")); }
  void Send(int signal) const { kill(pid_, signal); }
  // How it ended, as waitpid says it.
  int Wait();

 private:
  TempDir dir_;
  pid_t pid_ = -1;
  std::string address_;
};

Program::Program(std::vector<std::string> args,
                 const std::vector<std::string>& variables) {
  args.insert(args.begin(), BVHMILL_BIN "/bvhmilld");
  args.insert(args.begin(), variables.begin(), variables.end());
  args.insert(args.begin(), "/usr/bin/env");
  int out[2];
  EXPECT_EQ(pipe(out), 0);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&files, out[0]);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO,
                                   dir_.File("stderr").c_str(),
                                   O_CREAT | O_WRONLY | O_APPEND, 0600);
  EXPECT_EQ(posix_spawn(&pid_, args[0].c_str(), &files, nullptr,
                        Argv(args).data(), environ),
            0);
  posix_spawn_file_actions_destroy(&files);
  close(out[1]);
  constexpr std::string_view kReady = "listening on ";
  const std::string line = ReadLine(out[0]);
  if (line.starts_with(kReady)) address_ = line.substr(kReady.size());
  close(out[0]);
}

Program::~Program() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

int Program::Wait() {
  int status = -1;
  const auto is_over = [&] { return waitpid(pid_, &status, WNOHANG) == pid_; };
  EXPECT_TRUE(Eventually(is_over)) << "the program does not end";
  if (status != -1) pid_ = -1;
  return status;
}

bool IsExit(int status, int code) {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

// A connection of its own.
std::shared_ptr<grpc::Channel> Connect(
    const Program& program,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials =
        grpc::InsecureChannelCredentials()) {
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(program.address(), credentials, args);
}

// HealthCheckResponse{status: SERVING} and {status: NOT_SERVING}.
constexpr char kServing[] = "\x08\x01";
constexpr char kNotServing[] = "\x08\x02";

std::string Health(grpc::Channel* channel) {
  return CallRaw(channel, "/grpc.health.v1.Health/Check", "");
}

grpc::Status Convert(const std::shared_ptr<grpc::Channel>& channel,
                     const std::string& token = "") {
  grpc::ClientContext context;
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  v1::ConvertClipResponse response;
  return v1::ClipService::NewStub(channel)->ConvertClip(
      &context, PositionsRequest(SmallClip()), &response);
}

// A stream in the middle of a clip.
class RunningClip {
 public:
  // Returns when the server has read the first half of the clip.
  explicit RunningClip(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::ClipService::NewStub(channel)),
        stream_(stub_->ConvertClips(&context_)) {
    v1::ConvertClipsRequest open;
    *open.mutable_open()->mutable_options() = PositionsRequest("").options();
    open.mutable_open()->set_report_issues_early(true);
    stream_->Write(open);
    bench::BeginClip("k", stream_.get());
    bench::SendChunk(text_.substr(0, text_.size() / 2), stream_.get());
    v1::ConvertClipsResponse response;
    EXPECT_TRUE(stream_->Read(&response) && response.has_issues_found());
  }

  // Goes on to the end of the stream.
  grpc::Status Finish() {
    bench::SendChunk(text_.substr(text_.size() / 2), stream_.get());
    bench::EndClip(stream_.get());
    return ReadAll();
  }

  grpc::Status ReadAll() {
    for (v1::ConvertClipsResponse response; stream_->Read(&response);) {
      output_ += response.output_chunk().data();
      good_ += response.has_result() && response.result().status().code() == 0;
    }
    return stream_->Finish();
  }

  // All that it should have come to has come.
  bool IsComplete() const {
    const auto options = PositionsRequest("").options();
    return good_ == 1 && output_ == LocalOutputs(text_, options)[0];
  }

 private:
  // A comment is an issue.
  const std::string text_ = "# a comment\n" + SmallClip(20'000);
  grpc::ClientContext context_;
  std::unique_ptr<v1::ClipService::Stub> stub_;
  std::unique_ptr<bench::ClipStream> stream_;
  std::string output_;
  int good_ = 0;
};

const std::vector<std::string> kLocal = {"--listen", "127.0.0.1:0"};

std::vector<std::string> Local(const std::vector<std::string>& more) {
  std::vector<std::string> args = kLocal;
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

bool IsDraining(grpc::Channel* channel) {
  return Eventually([&] { return Health(channel) == kNotServing; });
}

void ExpectStopping(const grpc::Status& status) {
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  const Details details = DetailsOf(status);
  EXPECT_EQ(details.info.reason(), "SERVER_STOPPING");
  EXPECT_GT(details.retry.retry_delay().seconds(), 0);
}

class StopTest : public ::testing::TestWithParam<int> {};

TEST_P(StopTest, TheRunningClipIsFinished) {
  Program program(Local({"--drain-seconds", "600"}));
  const auto before = Connect(program);
  RunningClip clip(before);
  EXPECT_EQ(Health(before.get()), kServing);
  program.Send(GetParam());
  ASSERT_TRUE(IsDraining(before.get()));
  const auto during = Connect(program);
  EXPECT_EQ(Health(during.get()), kNotServing);
  ExpectStopping(Convert(before));
  ExpectStopping(Convert(during));
  ExpectStopping(clip.Finish());
  EXPECT_TRUE(clip.IsComplete());
  EXPECT_TRUE(IsExit(program.Wait(), 0));
  EXPECT_THAT(program.errors(), Not(HasSubstr("cut off")));
}

TEST_P(StopTest, ASecondSignalEndsItAtOnce) {
  Program program(Local({"--drain-seconds", "600"}));
  const auto channel = Connect(program);
  RunningClip clip(channel);
  program.Send(SIGTERM);
  ASSERT_TRUE(IsDraining(channel.get()));
  program.Send(GetParam());
  EXPECT_TRUE(IsExit(program.Wait(), 3));
  EXPECT_THAT(program.errors(), HasSubstr("told to stop twice"));
  EXPECT_FALSE(clip.ReadAll().ok());
  EXPECT_FALSE(clip.IsComplete());
}

INSTANTIATE_TEST_SUITE_P(Signals, StopTest, ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& info) {
                           return info.param == SIGTERM ? "Term" : "Int";
                         });

TEST(ProgramTest, AClipThatTakesTooLongIsCutOff) {
  Program program(Local({"--drain-seconds", "1"}));
  RunningClip clip(Connect(program));
  program.Send(SIGTERM);
  EXPECT_FALSE(clip.ReadAll().ok());
  EXPECT_FALSE(clip.IsComplete());
  EXPECT_TRUE(IsExit(program.Wait(), 0));
  EXPECT_THAT(program.errors(),
              HasSubstr("bvhmilld: some clips were cut off\n"));
}

// A late reload is no reason to stop at once.
TEST(ProgramTest, AHangupWhileItDrainsIsIgnored) {
  Program program(Local({"--drain-seconds", "600"}));
  const auto channel = Connect(program);
  RunningClip clip(channel);
  program.Send(SIGTERM);
  ASSERT_TRUE(IsDraining(channel.get()));
  program.Send(SIGHUP);
  ExpectStopping(clip.Finish());
  EXPECT_TRUE(clip.IsComplete());
  EXPECT_TRUE(IsExit(program.Wait(), 0));
}

// A socket that takes what programs tell their supervisor.
int Supervise(const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  const timeval wait = {kTimeout.count(), 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const size_t size = offsetof(sockaddr_un, sun_path) + name.size();
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address),
                 static_cast<socklen_t>(size)),
            0);
  return fd;
}

std::string Told(int fd) {
  char buffer[256];
  const ssize_t size = recv(fd, buffer, sizeof(buffer), 0);
  return {buffer, static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

TEST(ProgramTest, TheSupervisorIsTold) {
  const TempDir dir;
  for (const std::string& name :
       {dir.File("notify"), "@bvhmill-test-" + std::to_string(getpid())}) {
    SCOPED_TRACE(name);
    const int fd = Supervise(name);
    Program program(kLocal, {"NOTIFY_SOCKET=" + name});
    EXPECT_EQ(Told(fd), "READY=1");
    EXPECT_EQ(Health(Connect(program).get()), kServing);
    program.Send(SIGHUP);
    EXPECT_THAT(Told(fd), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
    EXPECT_EQ(Told(fd), "READY=1");
    program.Send(SIGTERM);
    EXPECT_EQ(Told(fd), "STOPPING=1");
    EXPECT_TRUE(IsExit(program.Wait(), 0));
    close(fd);
  }
}

TEST(ProgramTest, TheWatchdogIsToldAgainAndAgain) {
  const TempDir dir;
  const int fd = Supervise(dir.File("notify"));
  Program program(
      kLocal, {"NOTIFY_SOCKET=" + dir.File("notify"), "WATCHDOG_USEC=200000"});
  std::string told = Told(fd);
  while (told == "WATCHDOG=1") told = Told(fd);
  EXPECT_EQ(told, "READY=1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Told(fd), "WATCHDOG=1");
  program.Send(SIGTERM);
  EXPECT_TRUE(IsExit(program.Wait(), 0));
  close(fd);
}

// The file is not another one, so that only the signal has it read.
TEST(ProgramTest, AHangupHasTheTokensReadAgain) {
  const TempDir dir;
  const std::string path = dir.File("tokens");
  WriteFile(path, "first\n");
  Program program(Local({"--token-file", path}));
  EXPECT_TRUE(Convert(Connect(program), "first").ok());
  EXPECT_EQ(program.errors(), "");
  program.Send(SIGHUP);
  const std::string line = "bvhmilld: read " + path + " again\n";
  EXPECT_TRUE(Eventually([&] { return program.errors() == line; }))
      << program.errors();
  WriteFile(path, "second\n");
  program.Send(SIGHUP);
  const auto channel = Connect(program);
  EXPECT_TRUE(Eventually([&] { return Convert(channel, "second").ok(); }));
  EXPECT_EQ(Convert(channel, "first").error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
}

TEST(ProgramTest, ATakenAddressIsSaidInOneLine) {
  const Program first(kLocal);
  const std::string& taken = first.address();
  const std::vector<std::string> cases[] = {{"--listen", taken},
                                            Local({"--metrics", taken})};
  for (const std::vector<std::string>& args : cases) {
    SCOPED_TRACE(args[0]);
    Program second(args);
    EXPECT_TRUE(IsExit(second.Wait(), 1));
    EXPECT_THAT(second.errors(), HasSubstr(taken));
    const std::string errors = second.errors();
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

// The status of a call of reflection that asks for nothing.
grpc::Status Reflect(const Program& program) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto call = grpc::GenericStub(Connect(program))
                        .PrepareCall(&context, kReflectionPath, &queue);
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  call->WritesDone(nullptr);
  queue.Next(&tag, &ok);
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return status;
}

// In processes of their own: once it is loaded, reflection stays.
TEST(ProgramTest, ReflectionIsOffUnlessItIsAskedFor) {
  const Program plain(kLocal);
  EXPECT_EQ(Reflect(plain).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  const Program reflecting(Local({"--reflection", "on"}));
  EXPECT_TRUE(Reflect(reflecting).ok());
}

// Certificates of NAME: its own authority, and one that this one signed.
void MakeAuthority(const TempDir& dir, const std::string& name) {
  const std::string file = dir.File(name);
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
      "-nodes -days 2 -addext subjectAltName=DNS:localhost ";
  const std::string commands = make + "-subj /CN=ca-" + name + " -keyout " +
                               file + "-ca.key -out " + file + "-ca.crt && " +
                               make + "-subj /CN=localhost -keyout " + file +
                               ".key -out " + file + ".crt -CA " + file +
                               "-ca.crt -CAkey " + file + "-ca.key";
  ASSERT_EQ(std::system(("(" + commands + ") 2>/dev/null").c_str()), 0);
}

// Whether a client is served that has a certificate of NAME.
bool IsServed(const Program& program, const TempDir& dir,
              const std::string& name) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFile(dir.File("old-ca.crt"));
  options.pem_cert_chain = ReadFile(dir.File(name + ".crt"));
  options.pem_private_key = ReadFile(dir.File(name + ".key"));
  return Convert(Connect(program, grpc::SslCredentials(options))).ok();
}

TEST(ProgramTest, ANewAuthorityOfClientsReplacesTheOldOne) {
  const TempDir dir;
  for (const char* name : {"old", "new"}) MakeAuthority(dir, name);
  const std::string ca = dir.File("ca.crt");
  WriteFile(ca, ReadFile(dir.File("old-ca.crt")));
  const Program program({"--listen", "localhost:0", "--tls-cert",
                         dir.File("old.crt"), "--tls-key", dir.File("old.key"),
                         "--tls-client-ca", ca});
  ASSERT_TRUE(IsServed(program, dir, "old"));
  EXPECT_FALSE(IsServed(program, dir, "new"));
  ASSERT_EQ(rename(dir.File("new-ca.crt").c_str(), ca.c_str()), 0);
  EXPECT_TRUE(Eventually([&] { return IsServed(program, dir, "new"); }));
  EXPECT_FALSE(IsServed(program, dir, "old"));
}

}  // namespace
}  // namespace bvhmill::testing
