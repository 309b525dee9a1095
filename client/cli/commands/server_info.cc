#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bvhmill/base/text.h"
#include "client/cli/commands/commands.h"
#include "client/cli/ui/json_text.h"

namespace bvhmill::client {
namespace {

constexpr char kServerInfoExamples[] =
    "  bvhmill server info --server 127.0.0.1:7450\n"
    "  bvhmill server info --server bvh.example:7450 --tls-ca ca.pem\n"
    "  bvhmill server info --server 7450 --json\n";

struct ServerInfoFlags {
  RunOptions run;
  bool json = false;
};

// A line for each limit of the message.
std::string LimitLines(const v1::Limits& limits) {
  using Field = google::protobuf::FieldDescriptor;
  const auto* descriptor = v1::Limits::descriptor();
  const auto* reflection = v1::Limits::GetReflection();
  std::string out;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const Field* field = descriptor->field(i);
    const int64_t value = field->cpp_type() == Field::CPPTYPE_INT32
                              ? reflection->GetInt32(limits, field)
                              : reflection->GetInt64(limits, field);
    std::string name = field->name();
    name.resize(std::max<size_t>(name.size(), 35), ' ');
    out += "  " + name + (value == 0 ? "none" : std::to_string(value)) + "\n";
  }
  return out;
}

std::string ServerInfoText(const v1::GetServerInfoResponse& info) {
  std::string out = "server   bvhmill " + Printable(info.server_version()) +
                    " (" + Printable(info.build().git_commit()) + ", " +
                    Printable(info.build().compiler()) + ")\n";
  out += "workers  " + std::to_string(info.build().worker_threads()) + "\n";
  out += "rules    " + Printable(info.rules_version()) + "\napi     ";
  for (const std::string& package : info.api_packages()) {
    out += " " + Printable(package);
  }
  out += "\nformats ";
  for (const v1::FormatInfo& format : info.formats()) {
    out += " " + Printable(format.format());
  }
  out += "\nsources ";
  for (const v1::SourceFormatInfo& format : info.source_formats()) {
    out += " " + Printable(format.name());
  }
  out += "\nmaps    ";
  for (const std::string& name : info.joint_maps()) {
    out += " " + Printable(name);
  }
  return out + "\nlimits\n" + LimitLines(info.limits());
}

int RunServerInfo(const CLI::App* app, const ServerInfoFlags& flags,
                  Session* session) {
  if (flags.run.connect.server.empty()) {
    return Misused(app, session,
                   "no server is named; use --server HOST:PORT, or set "
                   "BVHMILL_SERVER");
  }
  session->options = flags.run;
  ExitCode exit = kExitGood;
  const auto client = ConnectOrReport(*session, "", &exit);
  if (client == nullptr) return exit;
  const v1::GetServerInfoResponse& info = client->ServerInfo();
  session->console->PrintData(flags.json ? MessageJson(info) + "\n"
                                         : ServerInfoText(info));
  return session->console->data_lost() ? kExitClipFailed : kExitGood;
}

}  // namespace

Command AddServerInfo(CLI::App* parent) {
  const auto flags = std::make_shared<ServerInfoFlags>();
  CLI::App* server =
      parent->add_subcommand("server", "ask a server about itself");
  server->footer("  bvhmill server info --server 127.0.0.1:7450\n");
  server->require_subcommand(1);
  CLI::App* app = server->add_subcommand(
      "info", "print version, formats and limits of a server");
  app->footer(kServerInfoExamples);
  app->add_flag("--json", flags->json, "print one JSON object")
      ->group("Output");
  AddServerOptions(app, "server to ask", &flags->run.connect);
  return {app, [app, flags](Session* session) {
            return RunServerInfo(app, *flags, session);
          }};
}

}  // namespace bvhmill::client
