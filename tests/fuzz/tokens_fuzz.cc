// Any text is a file of tokens, or is refused at one of its lines; a token of
// the file can be written as a line again, and is then the same.

#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/auth/tokens.h"
#include "tests/fuzz/bytes.h"

namespace {

using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Require;
using bvhmill::server::Scope;
using bvhmill::server::Token;

constexpr std::string_view kPath = "/etc/tokens";

// Lines that hold a token, and all lines, by the rules of the file.
struct Lines {
  size_t tokens = 0;
  size_t all = 1;
};

Lines CountLines(std::string_view text) {
  Lines lines;
  bool blank = true;
  bool comment = false;
  const auto end = [&] { lines.tokens += blank || comment ? 0 : 1; };
  for (const char c : text) {
    if (c == '\n') {
      end();
      blank = true;
      comment = false;
      ++lines.all;
    } else if (blank && c != ' ' && c != '\t' && c != '\r') {
      blank = false;
      comment = c == '#';
    }
  }
  end();
  return lines;
}

// "PATH:LINE: why", or "PATH holds no token" where none does.
void CheckRefusal(const absl::Status& status, const Lines& lines) {
  std::string_view message = bvhmill::MessageOf(status);
  Require(absl::IsInvalidArgument(status) && message.starts_with(kPath));
  message.remove_prefix(kPath.size());
  if (lines.tokens == 0) {
    Require(message == " holds no token");
    return;
  }
  Require(message.starts_with(':'));
  const size_t line = std::strtoul(message.data() + 1, nullptr, 10);
  Require(line >= 1 && line <= lines.all);
}

std::string HexOf(const bvhmill::server::TokenDigest& digest) {
  std::string out;
  for (const uint8_t byte : digest) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

// A line with all of its parts.
std::string LineOf(const Token& token) {
  const bvhmill::server::Caller& caller = *token.caller;
  std::string scopes;
  const auto add = [&](Scope scope, std::string_view name) {
    if (!caller.May(scope)) return;
    scopes.append(scopes.empty() ? "" : ",").append(name);
  };
  add(Scope::kRead, "read");
  add(Scope::kConvert, "convert");
  add(Scope::kJobs, "jobs");
  add(Scope::kAdmin, "admin");
  std::string line = caller.name + ':' + HexOf(token.digest) + ':' + scopes;
  std::string quotas;
  const auto add_quota = [&](std::string_view name, int64_t value) {
    if (value == 0) return;
    quotas += (quotas.empty() ? "" : ",") + std::string(name) + "=" +
              std::to_string(value);
  };
  add_quota("clips", caller.max_clips);
  add_quota("bytes", caller.max_bytes);
  add_quota("items", caller.max_items);
  add_quota("data", caller.max_data_bytes);
  return quotas.empty() ? line : line + ':' + quotas;
}

void CheckToken(const Token& token) {
  Require(!token.caller->name.empty());
  Require(token.caller->scopes != 0 && token.caller->scopes <= 15);
  Require(token.caller->max_clips >= 0 && token.caller->max_bytes >= 0);
  Require(token.caller->max_items >= 0 && token.caller->max_data_bytes >= 0);
  std::vector<Token> again;
  Require(
      bvhmill::server::ParseTokens(kPath, LineOf(token) + "\r\n", &again).ok());
  Require(again.size() == 1 && again[0].digest == token.digest);
  Require(again[0].caller->name == token.caller->name);
  Require(again[0].caller->scopes == token.caller->scopes);
  Require(again[0].caller->max_clips == token.caller->max_clips);
  Require(again[0].caller->max_bytes == token.caller->max_bytes);
  Require(again[0].caller->max_items == token.caller->max_items);
  Require(again[0].caller->max_data_bytes == token.caller->max_data_bytes);
}

// The line that `bvhmilld --hash-token` prints lets the token in.
void CheckHashed(std::string_view name, std::string_view token) {
  std::string line;
  if (!bvhmill::server::HashToken(name, token, &line).ok()) return;
  std::vector<Token> tokens;
  Require(bvhmill::server::ParseTokens(kPath, line, &tokens).ok());
  const size_t begin = token.find_first_not_of(" \t\r\n");
  const size_t end = token.find_last_not_of(" \t\r\n") + 1;
  Require(tokens.size() == 1 && tokens[0].caller->name == name);
  Require(tokens[0].digest ==
          bvhmill::server::DigestOf(token.substr(begin, end - begin)));
  Require(tokens[0].caller->May(Scope::kRead));
  Require(!tokens[0].caller->May(Scope::kAdmin));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t half = size / 2;
  CheckHashed(text.substr(0, half), text.substr(half));
  std::vector<Token> tokens;
  const absl::Status status =
      bvhmill::server::ParseTokens(kPath, text, &tokens);
  const Lines lines = CountLines(text);
  if (!status.ok()) {
    CheckRefusal(status, lines);
    return 0;
  }
  Require(tokens.size() == lines.tokens && lines.tokens > 0);
  for (const Token& token : tokens) CheckToken(token);
  return 0;
}
