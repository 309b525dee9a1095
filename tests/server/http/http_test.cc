// The HTTP API over real sockets: clips, options, errors, tokens, TLS, and
// peers that are slow, odd or gone. Outputs are compared with those of the
// library.

#include <gmock/gmock.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "server/auth/tokens.h"
#include "server/http/clip_query.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

class HttpTest : public ServerTest {
 protected:
  void StartHttp(
      const std::function<void(server::ServerConfig*)>& configure = {}) {
    Start([&](server::ServerConfig* config) {
      config->http = "127.0.0.1:0";
      config->data_dir.clear();
      if (configure) configure(config);
    });
  }
  httplib::Client Client() const {
    httplib::Client client("http://" + server_->http_address());
    client.set_read_timeout(30, 0);
    return client;
  }
  httplib::Result Post(const std::string& target, const std::string& body,
                       const httplib::Headers& headers = {}) const {
    return Client().Post(target, headers, body, "application/octet-stream");
  }
  // All bytes that the server answers to these bytes, until it closes.
  std::string Exchange(const std::vector<std::string>& pieces,
                       std::chrono::milliseconds pause = {}) const {
    const int fd = DialLoopback(server_->http_address());
    EXPECT_GE(fd, 0);
    const timeval timeout = {30, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    for (const std::string& piece : pieces) {
      if (send(fd, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) break;
      std::this_thread::sleep_for(pause);
    }
    std::string answer;
    char bytes[4096];
    for (ssize_t got = 0; (got = read(fd, bytes, sizeof bytes)) > 0;) {
      answer.append(bytes, static_cast<size_t>(got));
    }
    close(fd);
    return answer;
  }
};

// The only output of the library for `options`.
std::string LocalOutput(const std::string& clip,
                        const v1::ConvertOptions& options) {
  return LocalOutputs(clip, options)[0];
}

TEST_F(HttpTest, OneOutputIsTheBody) {
  StartHttp();
  const std::string clip = SmallClip(40);
  v1::ConvertOptions options;
  options.add_outputs()->mutable_npz();
  const auto posted = Post("/v1/convert?emit=npz&name=walk.bvh", clip);
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->status, 200);
  EXPECT_EQ(posted->body, LocalOutput(clip, options));
  EXPECT_EQ(posted->get_header_value("Content-Disposition"),
            "attachment; filename=\"walk.npz\"");
  EXPECT_EQ(posted->get_header_value("Bvhmill-Verdict"), "valid");
  EXPECT_NE(posted->get_header_value("X-Request-Id"), "");
  // As curl -T does.
  const auto put = Client().Put("/v1/convert?emit=npz", clip, "");
  EXPECT_EQ(put->body, posted->body);
}

TEST_F(HttpTest, OptionsOfTheQueryOfJsonAndOfAFormAreEqual) {
  StartHttp();
  const std::string clip = SmallClip(40);
  v1::ConvertOptions options;
  options.mutable_edits()->set_fps(12);
  options.add_outputs()->mutable_positions()->set_end_sites(true);
  const std::string expected = LocalOutput(clip, options);
  for (const char* const query :
       {"emit=positions&fps=12&end_sites=true",
        "emit=positions&fps=12&end-sites", "fps=12&end_sites&emit=positions",
        "options=%7B%22emit%22%3A%5B%22positions%22%5D%2C%22fps%22%3A12%2C"
        "%22end_sites%22%3Atrue%7D"}) {
    const auto got = Post(std::string("/v1/convert?") + query, clip);
    ASSERT_TRUE(got) << query;
    EXPECT_EQ(got->status, 200) << query << got->body;
    EXPECT_EQ(got->body, expected) << query;
  }
  const httplib::MultipartFormDataItems form = {
      {"options", R"({"fps": 12, "end_sites": true, "emit": ["positions"]})",
       "", ""},
      {"file", clip, "a.bvh", ""}};
  EXPECT_EQ(Client().Post("/v1/convert", form)->body, expected);
  const auto late = Client().Post(
      "/v1/convert?emit=npz",
      httplib::MultipartFormDataItems{form[1], {"fps", "12", "", ""}});
  EXPECT_EQ(late->status, 400);
  EXPECT_THAT(late->body, HasSubstr("comes behind the file"));
}

TEST_F(HttpTest, SeveralOutputsAreAZip) {
  StartHttp();
  const auto got =
      Post("/v1/convert?emit=csv,positions,report&name=a.bvh", SmallClip());
  ASSERT_EQ(got->status, 200);
  EXPECT_EQ(got->get_header_value("Content-Type"), "application/zip");
  for (const char* const name : {"a.csv", "a.positions.npy", "a.report.json"}) {
    EXPECT_THAT(got->body, HasSubstr(name));
  }
}

struct Refusal {
  std::string target;
  std::string body;
  int status;
  std::string reason;
  std::string text;
};

TEST_F(HttpTest, RefusalsAreProblems) {
  StartHttp([](server::ServerConfig* config) {
    config->limits.max_clip_bytes = 100'000;
  });
  const Refusal cases[] = {
      {"/v1/convert", SmallClip(), 400, "FIELD_INVALID", "emit=npz"},
      {"/v1/convert?emit=npx", SmallClip(), 400, "FIELD_INVALID", "'npx'"},
      {"/v1/convert?emit=npz&fsp=3", SmallClip(), 400, "FIELD_INVALID", "fsp"},
      {"/v1/convert?emit=npz&fps=x", SmallClip(), 400, "FIELD_INVALID", "fps"},
      {"/v1/convert?emit=csv&anim_loop=1:2", SmallClip(), 400, "FIELD_INVALID",
       "no output of emit"},
      {"/v1/convert?emit=npz&options={", SmallClip(), 400, "FIELD_INVALID",
       "options"},
      {"/v1/convert?emit=npz&format=fbx", SmallClip(), 400, "FIELD_INVALID",
       "fbx"},
      {"/v1/convert?emit=npz", "", 422, "TEXT_EMPTY", ""},
      {"/v1/convert?emit=npz", "junk", 422, "HIERARCHY_WORD_UNKNOWN", "1:1"},
      {"/v1/convert?emit=npz", SmallClip(5000), 413, "LIMIT_EXCEEDED",
       "max_clip_bytes"},
      {"/v1/validate", SmallClip(5000), 413, "LIMIT_EXCEEDED",
       "max_clip_bytes"}};
  for (const Refusal& c : cases) {
    SCOPED_TRACE(c.target + " " + c.body.substr(0, 10));
    const auto got = Post(c.target, c.body);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, c.status);
    EXPECT_EQ(got->get_header_value("Content-Type"),
              "application/problem+json");
    const Json problem = Json::parse(got->body);
    EXPECT_EQ(problem["status"], c.status);
    EXPECT_EQ(problem["reason"], c.reason);
    EXPECT_THAT(problem["detail"].get<std::string>(), HasSubstr(c.text));
    // The report of a clip lists all of its faults.
    EXPECT_EQ(problem.contains("report"), c.status == 422);
  }
  EXPECT_EQ(Json::parse(Client().Get("/v2")->body)["status"], 404);
}

TEST_F(HttpTest, AReportIsTheAnswerOfValidate) {
  StartHttp();
  const auto good = Post("/v1/validate?name=a.bvh", SmallClip());
  ASSERT_EQ(good->status, 200);
  const Json report = Json::parse(good->body);
  EXPECT_EQ(report["file"], "a.bvh");
  EXPECT_EQ(report["report"]["verdict"], "VERDICT_VALID");
  const auto bad = Post("/v1/validate", "HIERARCHY\n");
  ASSERT_EQ(bad->status, 200);
  EXPECT_EQ(bad->get_header_value("Bvhmill-Errors"), "1");
  EXPECT_GT(Json::parse(bad->body)["report"]["issues"].size(), 0U);
}

TEST_F(HttpTest, FactsOfTheServer) {
  StartHttp();
  EXPECT_EQ(Json::parse(Client().Get("/v1/info")->body)["api_packages"][0],
            "bvhmill.v1");
  const Json issues = Json::parse(Client().Get("/v1/issues")->body);
  EXPECT_GT(issues.size(), 100U);
  for (const Json& issue : issues) {
    EXPECT_NE(issue["title"], "");
    EXPECT_NE(issue["help"], "");
  }
  const Json api = Json::parse(Client().Get("/v1/openapi.json")->body);
  EXPECT_EQ(api["openapi"], "3.1.0");
  EXPECT_TRUE(api["paths"].contains("/v1/convert"));
}

TEST_F(HttpTest, TokensAndScopesAreThoseOfCalls) {
  const std::string tokens =
      ::testing::TempDir() + "http-tokens-" + std::to_string(getpid());
  std::string line;
  ASSERT_TRUE(server::HashToken("reader", "secret", &line).ok());
  std::ofstream(tokens) << line.substr(0, line.rfind(':')) << ":read\n";
  StartHttp([&](server::ServerConfig* config) {
    config->token_file = tokens;
    config->insecure = true;
  });
  const httplib::Headers known = {{"Authorization", "Bearer secret"}};
  const auto unknown = Post("/v1/validate", SmallClip());
  EXPECT_EQ(unknown->status, 401);
  EXPECT_EQ(unknown->get_header_value("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(Client().Get("/v1/info")->status, 401);
  EXPECT_EQ(Client().Get("/v1/info", known)->status, 200);
  const auto lacks = Post("/v1/convert?emit=npz", SmallClip(), known);
  EXPECT_EQ(lacks->status, 403);
  EXPECT_THAT(lacks->body, HasSubstr("SCOPE_MISSING"));
  std::filesystem::remove(tokens);
}

TEST_F(HttpTest, OriginsOfTheListMayReadAnswers) {
  StartHttp([](server::ServerConfig* config) {
    config->http_origins = "https://a.example,https://b.example";
  });
  const auto of = [&](const std::string& origin) {
    return Client()
        .Options("/v1/convert", {{"Origin", origin}})
        ->get_header_value("Access-Control-Allow-Origin");
  };
  EXPECT_EQ(of("https://b.example"), "https://b.example");
  EXPECT_EQ(of("https://c.example"), "");
}

TEST_F(HttpTest, FilesAreServedFromTheirFolderAlone) {
  const std::string folder =
      ::testing::TempDir() + "http-files-" + std::to_string(getpid());
  std::filesystem::create_directories(folder + "/page");
  std::ofstream(folder + "/page/index.html") << "<p>hello";
  std::ofstream(folder + "/secret") << "secret";
  StartHttp([&](server::ServerConfig* config) {
    config->http_files = folder + "/page";
  });
  EXPECT_EQ(Client().Get("/index.html")->body, "<p>hello");
  for (const char* const path : {"/../secret", "/%2e%2e/secret", "/..%2fsecret",
                                 "/page/../../secret", "//secret"}) {
    const std::string answer =
        Exchange({std::string("GET ") + path + " HTTP/1.0\r\n\r\n"});
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 4")) << path;
  }
  std::filesystem::remove_all(folder);
}

TEST_F(HttpTest, OddRequestsGetAnErrorOrNothing) {
  StartHttp();
  const std::string huge(100'000, 'x');
  std::string many = "GET /v1/info HTTP/1.1\r\n";
  for (int i = 0; i < 20'000; ++i) many += "a" + std::to_string(i) + ": b\r\n";
  for (const std::vector<std::string>& request :
       std::vector<std::vector<std::string>>{
           {"\r\n\r\n"},
           {std::string("\0\1\2\3\r\n\r\n", 8)},
           {"GET " + huge + " HTTP/1.1\r\n\r\n"},
           {"GET / HTTP/1.1\r\na: " + huge + "\r\n\r\n"},
           {many + "\r\n"},
           {"GET / HTTP/9.9\r\n\r\n"},
           {"POST /v1/convert?emit=npz HTTP/1.1\r\nContent-Length: x\r\n\r\n"},
           {"POST /v1/convert?emit=npz HTTP/1.1\r\nContent-Length: -5\r\n\r\n"},
           {"POST /v1/convert?emit=npz HTTP/1.1\r\nTransfer-Encoding: chunked"
            "\r\n\r\nzz\r\n"},
           {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}}) {
    const int fd = DialLoopback(server_->http_address());
    const timeval timeout = {20, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    send(fd, request[0].data(), request[0].size(), MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    char bytes[4096];
    std::string answer;
    for (ssize_t got = 0; (got = read(fd, bytes, sizeof bytes)) > 0;) {
      answer.append(bytes, static_cast<size_t>(got));
    }
    close(fd);
    const std::string start = answer.substr(0, 10);
    EXPECT_TRUE(answer.empty() || start == "HTTP/1.1 4" ||
                start == "HTTP/1.1 5")
        << request[0].substr(0, 60) << "\n"
        << answer.substr(0, 200);
  }
  EXPECT_EQ(Client().Get("/v1/info")->status, 200);
}

// A body that promises more than it has, and bodies that come in single bytes.
TEST_F(HttpTest, PeersThatLieOrStopFreeTheirThreads) {
  StartHttp(
      [](server::ServerConfig* config) { config->service.idle_seconds = 1; });
  const auto start = Clock::now();
  const std::string head =
      "POST /v1/convert?emit=npz HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n";
  std::vector<std::jthread> threads;
  for (int i = 0; i < 100; ++i) {
    threads.emplace_back([&, i] {
      if (i % 2 == 0) {
        Exchange({head, "HIERARCHY\n"});
      } else {
        Exchange(std::vector<std::string>(i % 4 == 1 ? 20 : 1, "G"),
                 std::chrono::milliseconds(100));
      }
    });
  }
  EXPECT_TRUE(Eventually([&] {
    const auto got = Client().Get("/v1/info");
    return got && got->status == 200;
  }));
  threads.clear();
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
  EXPECT_EQ(Post("/v1/convert?emit=npz", SmallClip())->status, 200);
}

// gRPC ends the process for metadata with such bytes.
TEST_F(HttpTest, HeadersOfAnyBytesAreSafe) {
  StartHttp();
  for (const char* const name :
       {"Authorization", "X-Request-Id", "Traceparent"}) {
    for (const std::string& value :
         {std::string("Bearer \x01\x02"), std::string("\xff\xfe"),
          std::string("a\tb"), std::string("\x7f")}) {
      const std::string answer = Exchange(
          {"POST /v1/convert?emit=csv HTTP/1.1\r\nConnection: close\r\n" +
           std::string(name) + ": " + value + "\r\nContent-Length: " +
           std::to_string(SmallClip().size()) + "\r\n\r\n" + SmallClip()});
      EXPECT_THAT(answer, HasSubstr("HTTP/1.1 ")) << name;
      Exchange({"GET /v1/info HTTP/1.1\r\nConnection: close\r\n" +
                std::string(name) + ": " + value + "\r\n\r\n"});
    }
  }
  EXPECT_EQ(Client().Get("/v1/info")->status, 200);
}

// Rows of a clip may be missing at its end.
TEST_F(HttpTest, ABodyThatIsCutIsNoClip) {
  StartHttp();
  const std::string clip = SmallClip(200);
  const int fd = DialLoopback(server_->http_address());
  const std::string half =
      "POST /v1/convert?emit=csv HTTP/1.1\r\nContent-Length: " +
      std::to_string(clip.size()) + "\r\n\r\n" +
      clip.substr(0, clip.size() - 20);
  send(fd, half.data(), half.size(), MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  char bytes[4096];
  std::string answer;
  for (ssize_t got = 0; (got = read(fd, bytes, sizeof bytes)) > 0;) {
    answer.append(bytes, static_cast<size_t>(got));
  }
  close(fd);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 408"));
}

TEST_F(HttpTest, AFormHasOneFile) {
  StartHttp();
  const httplib::MultipartFormData file = {"file", SmallClip(), "a.bvh", ""};
  for (const httplib::MultipartFormDataItems& form :
       {httplib::MultipartFormDataItems{{"fps", "12", "", ""}},
        httplib::MultipartFormDataItems{file, file}}) {
    const auto got = Client().Post("/v1/convert?emit=npz", form);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 400);
    EXPECT_EQ(Json::parse(got->body)["field"], "file");
  }
}

TEST_F(HttpTest, AServerThatStopsEndsItsRequests) {
  StartHttp();
  const int fd = DialLoopback(server_->http_address());
  const std::string head =
      "POST /v1/convert?emit=npz HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"
      "HIERARCHY\n";
  send(fd, head.data(), head.size(), MSG_NOSIGNAL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto start = Clock::now();
  server_ = nullptr;
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
  close(fd);
}

TEST(HttpStatusTest, EachCodeHasItsStatus) {
  using Code = absl::StatusCode;
  const struct {
    CallError error;
    bool is_of_clip;
    int expected;
  } cases[] = {
      {{.code = Code::kUnauthenticated}, false, 401},
      {{.code = Code::kPermissionDenied}, false, 403},
      {{.code = Code::kNotFound}, false, 404},
      {{.code = Code::kDeadlineExceeded}, false, 408},
      {{.code = Code::kResourceExhausted, .reason = "LIMIT_EXCEEDED"},
       true,
       413},
      {{.code = Code::kResourceExhausted,
        .reason = "SERVER_BUSY",
        .args = {{"retry_after_ms", "100"}}},
       true,
       429},
      {{.code = Code::kUnimplemented, .reason = "ENCODING_UNKNOWN"}, true, 415},
      {{.code = Code::kUnavailable}, false, 503},
      {{.code = Code::kInvalidArgument, .reason = "TEXT_EMPTY"}, true, 422},
      {{.code = Code::kInvalidArgument, .reason = "FIELD_INVALID"}, true, 400},
      {{.code = Code::kInternal}, false, 500},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(server::HttpStatusOf(MakeCallError(c.error), c.is_of_clip),
              c.expected)
        << c.expected;
  }
}

}  // namespace
}  // namespace bvhmill::testing
