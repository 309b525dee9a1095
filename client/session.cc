#include "client/session.h"

#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/tls_check.h"

namespace bvhmill::client {
namespace {

ExitCode ExitOf(const absl::Status& status, const CancelToken* cancel) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return kExitUsage;
    case absl::StatusCode::kUnavailable:
      return kExitUnreachable;
    case absl::StatusCode::kCancelled:
      // A server may say so, too.
      return IsCancelled(cancel) ? kExitInterrupted : kExitServerError;
    default:
      return kExitServerError;
  }
}

}  // namespace

std::unique_ptr<Client> ConnectOrSay(const Session& session,
                                     std::string_view hint, ExitCode* exit) {
  auto client = Client::Connect(session.options.connect, session.cancel);
  if (client.ok()) return *std::move(client);
  *exit = ExitOf(client.status(), session.cancel);
  if (*exit == kExitInterrupted) return nullptr;
  std::string line = "bvhmill: ";
  if (*exit == kExitServerError) {
    line += session.options.connect.server +
            " refuses: " + absl::StatusCodeToString(client.status().code()) +
            ": ";
  }
  const std::string tls = *exit == kExitUnreachable
                              ? WhyTlsFails(session.options.connect)
                              : std::string();
  if (!tls.empty()) {
    line += "cannot reach " + session.options.connect.server + ": " + tls;
  } else {
    line += MessageOf(client.status());
    if (*exit == kExitUnreachable) line += hint;
  }
  session.console->Talk(line + "\n");
  return nullptr;
}

ExitCode OpenEngine(Session* session) {
  if (session->options.local) {
    session->engine = std::make_unique<LocalEngine>(session->options.limits);
    return kExitGood;
  }
  ExitCode exit = kExitGood;
  auto client =
      ConnectOrSay(*session, " (--local works without a server)", &exit);
  if (client != nullptr) {
    session->engine = std::make_unique<RemoteEngine>(std::move(client));
  }
  return exit;
}

}  // namespace bvhmill::client
