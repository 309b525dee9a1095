#include "server/rpc/open_calls.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace bvhmill::server {
namespace {

struct FreeText {
  void operator()(char* text) const { gpr_free(text); }
};
// JSON without blanks, with the members of channelz.proto. Numbers of 64 bits
// are strings, and members that are 0 are missing. Null if gRPC has no answer.
using Json = std::unique_ptr<char, FreeText>;

std::string_view TextOf(const Json& json) {
  return json == nullptr ? std::string_view() : std::string_view(json.get());
}

// The number after `key`, which is quoted, in `text`; 0 if it is not there.
int64_t NumberAfter(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  const char* const begin = text.data() + at + key.size();
  int64_t number = 0;
  std::from_chars(begin, text.data() + text.size(), number);
  return number;
}

// Calls `use(rest)` for each `key` in `text`; `rest` begins after it.
template <typename Use>
void ForEach(std::string_view text, std::string_view key, const Use& use) {
  for (size_t at = text.find(key); at != std::string_view::npos;
       at = text.find(key)) {
    text.remove_prefix(at + key.size());
    use(text);
  }
}

int64_t NumberAt(std::string_view text) { return NumberAfter(text, ""); }

}  // namespace

// A page begins at a number that is larger than all numbers of the page before.
void OpenCalls::List() {
  std::unordered_map<std::string, intptr_t> found;
  const Json servers(grpc_channelz_get_servers(0));
  ForEach(TextOf(servers), R"("serverId":")", [&](std::string_view server) {
    intptr_t next = 0;
    for (bool has_more = true; has_more;) {
      const Json page(
          grpc_channelz_get_server_sockets(NumberAt(server), next, 0));
      const std::string_view text = TextOf(page);
      has_more = !text.empty() && !text.starts_with(R"({"end":true)");
      const intptr_t before = next;
      ForEach(text, R"("name":"chttp2 )", [&](std::string_view rest) {
        const std::string_view name = rest.substr(0, rest.find('"'));
        const auto id =
            static_cast<intptr_t>(NumberAfter(rest, R"("socketId":")"));
        found[std::string(name)] = id;
        next = id + 1;
      });
      has_more = has_more && next > before;
    }
  });
  sockets_ = std::move(found);
}

Connections::CallCounts OpenCalls::Of(const std::string& peer) {
  constexpr std::chrono::milliseconds kPause(100);
  const std::lock_guard lock(mutex_);
  auto known = sockets_.find(peer);
  const auto now = Clock::now();
  if (known == sockets_.end() && now - listed_at_ >= kPause) {
    listed_at_ = now;
    List();
    known = sockets_.find(peer);
  }
  if (known == sockets_.end()) return {};
  const Json socket(grpc_channelz_get_socket(known->second));
  const std::string_view text = TextOf(socket);
  if (text.empty()) {
    sockets_.erase(known);
    return {};
  }
  Connections::CallCounts counts;
  counts.begun = NumberAfter(text, R"("streamsStarted":")");
  counts.failed = NumberAfter(text, R"("streamsFailed":")");
  counts.ended = counts.failed + NumberAfter(text, R"("streamsSucceeded":")");
  return counts;
}

}  // namespace bvhmill::server
