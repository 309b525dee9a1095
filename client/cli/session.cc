#include "client/cli/session.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/cli/ui/tls_advice.h"

namespace bvhmill::client {
namespace {

// Lock-free, hence fit for a signal handler.
CancelToken interrupted;
// When the token was cancelled, in milliseconds; 0: it was not.
std::atomic<int64_t> first_signal = 0;
static_assert(std::atomic<int64_t>::is_always_lock_free);

// The time for the run to clean up, in milliseconds.
constexpr int64_t kToCleanUp = 1000;

int64_t Milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void OnSignal(int /*signal*/) {
  const int saved_errno = errno;
  const int64_t now = Milliseconds();
  int64_t first = 0;
  if (first_signal.compare_exchange_strong(first, now)) {
    interrupted.Cancel();
  } else if (now - first > kToCleanUp) {
    _exit(kExitInterrupted);
  }
  errno = saved_errno;
}

void Catch(int signal) {
  struct sigaction action = {};
  if (sigaction(signal, nullptr, &action) == 0 &&
      action.sa_handler == SIG_IGN) {
    return;
  }
  action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

CancelToken* CatchSignals() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  Catch(SIGINT);
  Catch(SIGTERM);
  return &interrupted;
}

namespace {

ExitCode ExitOf(const absl::Status& status, const CancelToken* cancel) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return kExitUsage;
    case absl::StatusCode::kUnavailable:
      return kExitUnreachable;
    case absl::StatusCode::kCancelled:
      // A server can also end a call with CANCELLED.
      return IsCancelled(cancel) ? kExitInterrupted : kExitServerError;
    default:
      return kExitServerError;
  }
}

std::string WhyRefused(const Session& session, const absl::Status& status) {
  const ConnectOptions& connect = session.options.connect;
  std::string why = connect.server +
                    " refuses: " + absl::StatusCodeToString(status.code()) +
                    ": " + std::string(MessageOf(status));
  if (!absl::IsUnauthenticated(status)) return why;
  return why + (connect.token_file.empty() ? "; use --token-file"
                                           : "; use another --token-file");
}

// Why the words of --server are no address, and the words that are meant.
std::string WhyNoServer(const Session& session, const absl::Status& status) {
  const std::string& server = session.options.connect.server;
  std::string why(MessageOf(status));
  if (CallErrorOf(status).field != "server") return why;
  why.insert(0, "--");
  if (server.find("://") != server.npos) {
    why += server.starts_with("https:") ? ", and --tls-system for TLS" : "";
  } else if (server.find_first_of(":,") == server.npos &&
             server.find_first_not_of("0123456789") != server.npos) {
    why += "; the port of bvhmilld is 7450 by default: --server " + server +
           ":7450";
  }
  return why;
}

std::string WhyUnreachable(const Session& session, const absl::Status& status,
                           std::string_view hint) {
  const ConnectOptions& connect = session.options.connect;
  const std::string tls = TlsAdvice(CheckTls(connect));
  return tls.empty() ? std::string(MessageOf(status)) + std::string(hint)
                     : "cannot reach " + connect.server + ": " + tls;
}

}  // namespace

std::unique_ptr<Client> ConnectOrReport(const Session& session,
                                        std::string_view hint, ExitCode* exit) {
  auto client = Client::Connect(session.options.connect, session.cancel);
  if (client.ok()) return *std::move(client);
  *exit = ExitOf(client.status(), session.cancel);
  if (*exit == kExitInterrupted) return nullptr;
  const std::string why = *exit == kExitServerError
                              ? WhyRefused(session, client.status())
                          : *exit == kExitUnreachable
                              ? WhyUnreachable(session, client.status(), hint)
                              : WhyNoServer(session, client.status());
  session.console->PrintDiagnostics("bvhmill: " + why + "\n");
  return nullptr;
}

bool IsTyped(const Session& session, std::string_view option) {
  return std::any_of(session.words.begin(), session.words.end(),
                     [&](std::string_view word) {
                       return word.substr(0, word.find('=')) == option;
                     });
}

ExitCode OpenEngine(Session* session) {
  if (session->options.connect.server.empty()) {
    session->engine = std::make_unique<LocalEngine>(session->options.limits);
    return kExitGood;
  }
  ExitCode exit = kExitGood;
  auto client = ConnectOrReport(*session, " (--local needs no server)", &exit);
  if (client != nullptr) {
    session->engine = std::make_unique<RemoteEngine>(std::move(client));
  }
  return exit;
}

}  // namespace bvhmill::client
