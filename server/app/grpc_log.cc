#include "server/app/grpc_log.h"

#include <grpc/support/log.h>

#include <string>
#include <string_view>

namespace bvhmill::server {
namespace {

// Never destroyed: threads of gRPC run until the program ends.
const Log* log_of_grpc = nullptr;

// gRPC is C: no exception may pass through it.
void WriteMessage(gpr_log_func_args* message) noexcept {
  try {
    const std::string_view path = message->file;
    const std::string file(path.substr(path.rfind('/') + 1));
    log_of_grpc->Event(std::string("gRPC: ") +
                       gpr_log_severity_string(message->severity) + " " + file +
                       ":" + std::to_string(message->line) + ": " +
                       message->message);
  } catch (...) {
    log_of_grpc->Exception("a message of gRPC");
  }
}

}  // namespace

void LogMessagesOfGrpc(LogFormat format) {
  log_of_grpc = new Log(format);
  gpr_set_log_function(&WriteMessage);
}

}  // namespace bvhmill::server
