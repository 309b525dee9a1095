#include "server/auth/tokens.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bvhmill/base/status.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Line(const std::string& name, const std::string& token) {
  std::string line;
  EXPECT_TRUE(server::HashToken(name, token, &line).ok());
  return line;
}

// The line up to its scopes.
std::string Hashed(const std::string& name, const std::string& token) {
  const std::string line = Line(name, token);
  return line.substr(0, line.rfind(':'));
}

TEST(TokensTest, ALineHoldsTheDigest) {
  EXPECT_EQ(Line("studio-a", "abc\n"),
            "studio-a:ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad:read,convert,jobs");
  std::string line;
  EXPECT_FALSE(server::HashToken("a:b", "abc", &line).ok());
  EXPECT_FALSE(server::HashToken("a", " \n", &line).ok());
  EXPECT_FALSE(server::HashToken("a", "two words", &line).ok());
}

TEST(TokensTest, AHashedLineHasTheScopesOfALineWithoutScopes) {
  std::vector<server::Token> tokens;
  const std::string text = Line("hashed", "a") + "\n" + Hashed("plain", "b");
  ASSERT_TRUE(server::ParseTokens("f", text, &tokens).ok());
  ASSERT_EQ(tokens.size(), 2u);
  for (const server::Scope scope :
       {server::Scope::kRead, server::Scope::kConvert, server::Scope::kJobs,
        server::Scope::kAdmin}) {
    EXPECT_EQ(tokens[0].caller->May(scope), tokens[1].caller->May(scope));
  }
}

// Its jobs must not go to the token of another line.
TEST(TokensTest, APlainTokenKeepsItsNameOnAnotherLine) {
  std::vector<server::Token> before;
  std::vector<server::Token> after;
  ASSERT_TRUE(server::ParseTokens("f", "one\ntwo\n", &before).ok());
  ASSERT_TRUE(server::ParseTokens("f", "two\n", &after).ok());
  EXPECT_EQ(after[0].caller->name, before[1].caller->name);
  EXPECT_NE(before[0].caller->name, before[1].caller->name);
}

TEST(TokensTest, LinesSayNameScopesAndQuotas) {
  std::vector<server::Token> tokens;
  const std::string text =
      "# ours\r\n" + Hashed("plain", "a") + "\n" + Hashed("reader", "b") +
      ":read\n\n" + Hashed("small", "c") +
      ":read,convert:clips=2,bytes=1000,items=30,data=4000\n" + "old-token\n";
  ASSERT_TRUE(server::ParseTokens("f", text, &tokens).ok());
  ASSERT_EQ(tokens.size(), 4u);
  std::vector<std::string> names;
  names.reserve(tokens.size());
  for (const auto& token : tokens) names.push_back(token.caller->name);
  EXPECT_THAT(names,
              ElementsAre("plain", "reader", "small", "token-9bdf10a691a1"));
  EXPECT_TRUE(tokens[0].caller->May(server::Scope::kConvert));
  EXPECT_FALSE(tokens[0].caller->May(server::Scope::kAdmin));
  EXPECT_FALSE(tokens[3].caller->May(server::Scope::kAdmin));
  EXPECT_FALSE(tokens[1].caller->May(server::Scope::kConvert));
  EXPECT_EQ(tokens[2].caller->max_clips, 2);
  EXPECT_EQ(tokens[2].caller->max_bytes, 1000);
  EXPECT_EQ(tokens[2].caller->max_items, 30);
  EXPECT_EQ(tokens[2].caller->max_data_bytes, 4000);
  EXPECT_EQ(tokens[1].caller->max_items, 0);
}

TEST(TokensTest, QuotasOfBytesHaveUnits) {
  const std::pair<const char*, int64_t> cases[] = {
      {"1073741824", 1073741824},
      {"64k", 65536},
      {"512MiB", int64_t{512} << 20},
      {"1.5G", int64_t{1536} << 20},
      {"2T", int64_t{2} << 40}};
  for (const auto& [text, value] : cases) {
    std::vector<server::Token> tokens;
    const std::string line =
        Hashed("a", "a") + ":jobs:bytes=" + text + ",data=" + text + ",items=3";
    ASSERT_EQ(server::ParseTokens("f", line, &tokens), absl::OkStatus());
    EXPECT_EQ(tokens.at(0).caller->max_bytes, value) << text;
    EXPECT_EQ(tokens.at(0).caller->max_data_bytes, value) << text;
    EXPECT_EQ(tokens.at(0).caller->max_items, 3) << text;
  }
}

TEST(TokensTest, WrongLinesAreNamed) {
  const std::string good = Hashed("a", "a");
  const std::pair<std::string, std::string> cases[] = {
      {"a:12\n", "f:1: has no SHA-256"},
      {"ok-token\n" + good + ":fly\n", "f:2: has a scope"},
      {good + ":read:frames=1\n",
       "f:1: has quotas other than clips=N,bytes=N,items=N,data=N"},
      {good + ":read:clips\n", "f:1: has quotas other than clips=N"},
      {good + ":read:clips=1,\n", "f:1: has quotas other than clips=N"},
      {good + ":read:clips=0\n",
       "f:1: quota clips: '0' is not a whole number from 1 to "
       "9223372036854775807"},
      {good + ":jobs:items=\n", "f:1: quota items: '' is not a whole number"},
      {good + ":jobs:items=1K\n",
       "f:1: quota items: '1K' is not a whole number"},
      {good + ":jobs:bytes=0K\n",
       "f:1: quota bytes: '0K' is out of range: 1 to 9223372036854775807"},
      {good + ":jobs:bytes=5X\n",
       "f:1: quota bytes: '5X' has the unknown unit 'X'; use 65536, 512MiB or "
       "1.5G"},
      {good + ":jobs:data=1GB\n",
       "f:1: quota data: '1GB' is ambiguous; use GiB for powers of 1024, or "
       "the number of bytes"},
      {good + ":read:clips=1,clips=2\n", "f:1: has the quota clips twice"},
      {good + ":read:clips=1:x\n", "f:1: has more than four"},
      {"a b:" + good.substr(2) + "\n", "f:1: has a name"},
      {":" + good.substr(2) + "\n", "f:1: has a name"},
      {std::string(65, 'a') + good.substr(1) + "\n", "f:1: has a name"},
      // One digit more, one less, and digits that are none.
      {good + "0\n", "f:1: has no SHA-256"},
      {good.substr(0, good.size() - 1) + "\n", "f:1: has no SHA-256"},
      {good.substr(0, good.size() - 1) + "g\n", "f:1: has no SHA-256"},
      {good.substr(0, good.size() - 2) + "g0\n", "f:1: has no SHA-256"},
      {good.substr(0, good.size() - 1) + "A\n", "f:1: has no SHA-256"},
      {good + ":read:clips=9223372036854775808\n",
       "f:1: quota clips: '9223372036854775808' is not a whole number"},
      // Who reads the file would have the token.
      {good.substr(2) + "\n", "f:1: a digest without a name"},
      // Bytes that no header has: those of a file that lost its content, too.
      {std::string(64, '\0'), "f:1: is neither NAME:SHA256 nor one word"},
      {"good\n" + std::string(9, '\0'), "f:2: is neither NAME:SHA256 nor"},
      {"two words\n", "f:1: is neither NAME:SHA256 nor one word of ASCII"},
      {"caf\xC3\xA9\n", "f:1: is neither NAME:SHA256 nor one word of ASCII"},
      {"# none\n", "f holds no token"},
      {"", "f holds no token"}};
  for (const auto& [text, why] : cases) {
    std::vector<server::Token> tokens;
    const absl::Status status = server::ParseTokens("f", text, &tokens);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(why)) << text;
  }
}

TEST(TokensTest, ANameHas64LettersAtMost) {
  for (const size_t size : {size_t{1}, size_t{64}}) {
    const std::string name(size, 'n');
    std::vector<server::Token> tokens;
    ASSERT_TRUE(server::ParseTokens("f", Line(name, "a"), &tokens).ok());
    EXPECT_EQ(tokens.at(0).caller->name, name);
  }
  std::string line;
  EXPECT_FALSE(server::HashToken(std::string(65, 'n'), "a", &line).ok());
  EXPECT_FALSE(server::HashToken("", "a", &line).ok());
}

// Editors of other systems end lines with \r\n.
TEST(TokensTest, LinesMayEndAsOnWindows) {
  const std::string unix_text = Hashed("a", "a") + ":read\nplain\n";
  const std::string text = Hashed("a", "a") + ":read\r\nplain\r\n";
  std::vector<server::Token> expected;
  std::vector<server::Token> tokens;
  ASSERT_TRUE(server::ParseTokens("f", unix_text, &expected).ok());
  ASSERT_TRUE(server::ParseTokens("f", text, &tokens).ok());
  ASSERT_EQ(tokens.size(), expected.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(tokens[i].digest, expected[i].digest);
    EXPECT_EQ(tokens[i].caller->name, expected[i].caller->name);
  }
}

class TokenStoreTest : public ::testing::Test {
 protected:
  // The store of a file with this text.
  std::unique_ptr<server::TokenStore> StoreOf(const std::string& text) {
    WriteFile(dir_.File("tokens"), text);
    std::unique_ptr<server::TokenStore> store;
    EXPECT_TRUE(server::TokenStore::Open(dir_.File("tokens"), &store).ok());
    return store;
  }

  TempDir dir_;
};

// A comparison of a part of the digest would admit tokens that an attacker can
// find by trying some hundreds.
TEST_F(TokenStoreTest, EveryDigitOfADigestCounts) {
  const std::string good = Hashed("a", "secret");
  ASSERT_NE(StoreOf(good)->Find("secret"), nullptr);
  for (size_t i = std::string("a:").size(); i < good.size(); ++i) {
    std::string other = good;
    other[i] = good[i] == '0' ? '1' : '0';
    EXPECT_EQ(StoreOf(other)->Find("secret"), nullptr) << "digit " << i;
  }
}

TEST_F(TokenStoreTest, ACallerIsFoundByTheWholeName) {
  const auto store =
      StoreOf(Hashed("studio-a", "1") + ":read\n" + Hashed("studio", "2") +
              ":convert\n" + Hashed("studio", "3") + ":jobs\n");
  ASSERT_NE(store->FindName("studio"), nullptr);
  // The first line with this name.
  EXPECT_TRUE(store->FindName("studio")->May(server::Scope::kConvert));
  ASSERT_NE(store->FindName("studio-a"), nullptr);
  EXPECT_TRUE(store->FindName("studio-a")->May(server::Scope::kRead));
  for (const char* name : {"", "s", "studio-", "studio-aa"}) {
    EXPECT_EQ(store->FindName(name), nullptr) << name;
  }
}

// A server without tokens is reloaded for its certificates.
TEST_F(TokenStoreTest, AStoreWithoutAFileIsReloaded) {
  std::unique_ptr<server::TokenStore> store;
  ASSERT_TRUE(server::TokenStore::Open("", &store).ok());
  EXPECT_FALSE(store->needs_token());
  EXPECT_EQ(store->Reload(), absl::OkStatus());
  EXPECT_EQ(store->FindName("studio"), nullptr);
}

TEST_F(TokenStoreTest, AFileThatIsLostOrBlocksChangesNothing) {
  const auto store = StoreOf("first\n");
  for (const std::string& text : {std::string(), std::string(64, '\0')}) {
    WriteFile(dir_.File("tokens"), text);
    EXPECT_TRUE(absl::IsInvalidArgument(store->Reload()));
    EXPECT_NE(store->Find("first"), nullptr);
  }
  ASSERT_EQ(unlink(dir_.File("tokens").c_str()), 0);
  ASSERT_EQ(mkfifo(dir_.File("tokens").c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsCancelled(store->Reload()));
  EXPECT_NE(store->Find("first"), nullptr);
}

TEST_F(TokenStoreTest, AFileThatIsLostIsRefusedAtStart) {
  const std::string paths[] = {dir_.File("empty"), dir_.File("zeros"),
                               dir_.File("none"), dir_.path(), "/dev/zero"};
  WriteFile(paths[0], "");
  WriteFile(paths[1], std::string(64, '\0'));
  for (const std::string& path : paths) {
    std::unique_ptr<server::TokenStore> store;
    const absl::Status status = server::TokenStore::Open(path, &store);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << path;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(path));
  }
}

class ScopesTest : public ServerTest {
 protected:
  void StartWith(const std::string& tokens) {
    WriteFile(dir_.File("tokens"), tokens);
    Start([&](server::ServerConfig* config) {
      config->token_file = dir_.File("tokens");
      config->log = server::LogFormat::kOff;
    });
  }

  grpc::Status Validate(const std::string& token) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::ValidateClipRequest request;
    request.mutable_source()->set_data(SmallClip());
    v1::ValidateClipResponse response;
    return clips_->ValidateClip(&context, request, &response);
  }

  grpc::Status Convert(const std::string& token) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::ConvertClipResponse response;
    return clips_->ConvertClip(&context, PositionsRequest(SmallClip()),
                               &response);
  }

  grpc::Status Stream(const std::string& token) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    const auto stream = clips_->ConvertClips(&context);
    stream->WritesDone();
    v1::ConvertClipsResponse response;
    while (stream->Read(&response)) {
    }
    return stream->Finish();
  }

  TempDir dir_;
};

TEST_F(ScopesTest, EachMethodNeedsItsOwn) {
  StartWith(Hashed("reader", "r") + ":read\n" + Hashed("maker", "m") +
            ":convert\n");
  EXPECT_TRUE(Validate("r").ok());
  EXPECT_TRUE(Convert("m").ok());
  EXPECT_TRUE(Stream("m").ok());
  const grpc::Status refused[] = {Convert("r"), Stream("r"), Validate("m")};
  for (const grpc::Status& status : refused) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(DetailsOf(status).info.reason(), "SCOPE_MISSING");
  }
  EXPECT_EQ(DetailsOf(refused[0]).info.metadata().at("scope"), "convert");
  const char* const methods[] = {"ConvertClip", "ConvertClips", "ValidateClip"};
  for (size_t i = 0; i < std::size(methods); ++i) {
    const v1::ResourceInfo resource = DetailsOf(refused[i]).resource;
    EXPECT_EQ(resource.resource_type(), "method");
    EXPECT_EQ(resource.resource_name(), methods[i]);
    EXPECT_NE(resource.description(), "");
  }
  EXPECT_EQ(Convert("?").error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(ScopesTest, ServerInfoStatesTheQuotasOfTheCaller) {
  StartWith(Hashed("small", "s") +
            ":read:clips=2,bytes=1000,items=30,data=4000\n" +
            Hashed("usual", "u") + ":jobs\n");
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer s");
  v1::GetServerInfoResponse response;
  ASSERT_TRUE(info_->GetServerInfo(&context, {}, &response).ok());
  EXPECT_EQ(response.limits().max_inflight_clips_per_caller(), 2);
  EXPECT_EQ(response.limits().max_inflight_bytes_per_caller(), 1000);
  EXPECT_EQ(response.limits().max_queued_items_per_caller(), 30);
  EXPECT_EQ(response.limits().max_data_bytes_per_caller(), 4000);
  grpc::ClientContext other;
  other.AddMetadata("authorization", "Bearer u");
  ASSERT_TRUE(info_->GetServerInfo(&other, {}, &response).ok());
  EXPECT_EQ(response.limits().max_queued_items_per_caller(), 500'000);
  // Half of a limit that there is not.
  EXPECT_EQ(response.limits().max_data_bytes_per_caller(), 0);
}

TEST_F(ScopesTest, AChangedFileIsReadAgain) {
  StartWith("first\n");
  EXPECT_TRUE(Validate("first").ok());
  WriteFile(dir_.File("new"), "second\n");
  ASSERT_EQ(rename(dir_.File("new").c_str(), dir_.File("tokens").c_str()), 0);
  EXPECT_TRUE(Eventually([this] { return Validate("second").ok(); }));
  EXPECT_FALSE(Validate("first").ok());
}

// A stream may live for days.
TEST_F(ScopesTest, StreamsOfATokenThatIsGoneEnd) {
  StartWith(Hashed("gone", "g") + ":convert\n" + Hashed("less", "l") +
            ":convert\n" + Hashed("kept", "k") + ":convert\n");
  struct Open {
    const char* token;
    grpc::StatusCode code;
    const char* reason;
    grpc::ClientContext context = {};
    std::unique_ptr<grpc::ClientReaderWriter<v1::ConvertClipsRequest,
                                             v1::ConvertClipsResponse>>
        stream = nullptr;
  };
  Open opens[] = {{"g", grpc::StatusCode::UNAUTHENTICATED, "TOKEN_UNKNOWN"},
                  {"l", grpc::StatusCode::PERMISSION_DENIED, "SCOPE_MISSING"},
                  {"k", grpc::StatusCode::OK, ""}};
  v1::ConvertClipsResponse response;
  for (Open& open : opens) {
    open.context.AddMetadata("authorization",
                             std::string("Bearer ") + open.token);
    open.stream = clips_->ConvertClips(&open.context);
    v1::ConvertClipsRequest request;
    request.mutable_begin()->set_complete(true);
    open.stream->Write(request);
    EXPECT_TRUE(open.stream->Read(&response));
  }
  WriteFile(dir_.File("tokens"), Hashed("less", "l") + ":read\n" +
                                     Hashed("kept", "k") + ":convert\n");
  server_->Reload();
  for (Open& open : opens) {
    if (open.code == grpc::StatusCode::OK) open.stream->WritesDone();
    EXPECT_FALSE(open.stream->Read(&response));
    const grpc::Status status = open.stream->Finish();
    EXPECT_EQ(status.error_code(), open.code) << open.token;
    EXPECT_EQ(DetailsOf(status).info.reason(), open.reason);
  }
}

TEST_F(ScopesTest, ABrokenFileChangesNothing) {
  StartWith("first\n");
  for (const std::string& text :
       {std::string("broken:line\n"), std::string(), std::string(64, '\0')}) {
    WriteFile(dir_.File("tokens"), text);
    server_->Reload();
    EXPECT_TRUE(Validate("first").ok());
  }
  WriteFile(dir_.File("tokens"), "third\n");
  server_->Reload();
  EXPECT_TRUE(Validate("third").ok());
}

}  // namespace
}  // namespace bvhmill::testing
