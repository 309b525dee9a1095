#include <fcntl.h>
#include <openssl/evp.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bvhmill/base/status.h"
#include "client/cli/commands/commands.h"
#include "client/cli/io/new_file.h"
#include "client/cli/io/read_clip.h"
#include "client/cli/report/html_writer.h"
#include "client/cli/ui/json_text.h"

// One HTML file that shows clips: the viewer (client/page) with the clips in
// it. The viewer reads them from
//
//   <script type="application/json" id="bvhmill-takes">
//   [{"name":"walk.bvh","gzip":"base64 of the file, packed by gzip"}, ...]
//   </script>

extern char** environ;

namespace bvhmill::client {
namespace {

constexpr char kViewExamples[] =
    "  bvhmill view take.bvh\n"
    "  bvhmill view -r takes -o takes.html\n";

// Browsers open larger pages slowly, if at all.
constexpr size_t kMaxPageBytes = size_t{256} << 20;

struct ViewFlags {
  InputOptions input;
  // Empty: a new file in the folder for temporary files.
  std::string output;
  bool force = false;
  // Empty: the viewer that belongs to the program.
  std::string page;
};

absl::Status Refused(std::string_view why) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, why);
}

// The viewer: that of an installed program, or that of a build.
std::string FindPage() {
  char program[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof(program));
  if (size <= 0) return {};
  const std::filesystem::path folder =
      std::filesystem::path(std::string(program, static_cast<size_t>(size)))
          .parent_path();
  for (const char* const place :
       {"../share/bvhmill/bvhmill.html", "../../page/bvhmill.html"}) {
    std::error_code error;
    const std::filesystem::path page = folder / place;
    if (std::filesystem::is_regular_file(page, error)) return page.string();
  }
  return {};
}

// The viewer before and after the place of the clips.
struct Page {
  std::string head;
  std::string tail;
};

absl::StatusOr<Page> ReadPage(const ViewFlags& flags, const Session& session) {
  Input input;
  input.path = flags.page.empty() ? FindPage() : flags.page;
  if (input.path.empty()) {
    return Refused(
        "the viewer is not installed beside this program; './dev page' builds "
        "it, and --page names it");
  }
  ClipText text;
  const absl::Status status =
      ReadClip(input, int64_t{kMaxPageBytes}, session.cancel, &text);
  if (!status.ok()) {
    return Refused("--page: " + input.path + ": " +
                   std::string(MessageOf(status)));
  }
  const std::string_view all = ViewOf(text);
  const size_t at = all.rfind("</body>");
  if (at == std::string_view::npos) {
    return Refused("--page: " + input.path + ": is not the viewer");
  }
  return Page{std::string(all.substr(0, at)), std::string(all.substr(at))};
}

// Packs with gzip; nothing if there is no memory.
std::optional<std::string> Packed(std::string_view bytes) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return is_whole ? std::optional(std::move(out)) : std::nullopt;
}

std::string Base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(size));
  return out;
}

// The clip as an entry of the list that the viewer reads.
absl::StatusOr<std::string> Entry(const Input& input, const Session& session) {
  ClipText text;
  const absl::Status status =
      ReadClip(input, int64_t{INT_MAX}, session.cancel, &text);
  if (!status.ok()) return status;
  const std::optional<std::string> packed = Packed(ViewOf(text));
  if (!packed || packed->size() > kMaxPageBytes / 4 * 3) {
    return Refused("is too large for a page");
  }
  // The name of a file, or the path below a folder that was searched.
  const std::string name =
      input.base + std::string(InfoOf(input.format).extension);
  return EscapeForScript(JsonObject(
      {{"name", JsonPath(name)}, {"gzip", JsonQuote(Base64(*packed))}}));
}

// The whole page; clips that cannot be read are reported and left out.
absl::StatusOr<std::string> PageWith(const std::vector<Input>& inputs,
                                     const Page& page, const Session& session,
                                     int* exit) {
  std::string out =
      page.head + "<script type=\"application/json\" id=\"bvhmill-takes\">\n[";
  bool is_first = true;
  for (const Input& input : inputs) {
    absl::StatusOr<std::string> entry = Entry(input, session);
    if (IsCancelled(session.cancel)) return Refused("interrupted");
    if (!entry.ok()) {
      *exit = kExitClipFailed;
      session.console->PrintDiagnostics(
          input.path + ": error: " + std::string(MessageOf(entry.status())) +
          "\n");
      continue;
    }
    out += (is_first ? "" : ",\n") + *entry;
    is_first = false;
    if (out.size() > kMaxPageBytes) {
      return Refused("the clips are too large for one page of 256 MB");
    }
  }
  if (is_first) return Refused("there is no clip to view");
  return out + "]\n</script>\n" + page.tail;
}

// A new file of its own name in the folder for temporary files.
absl::StatusOr<std::string> TemporaryFile() {
  const char* const folder = std::getenv("TMPDIR");
  std::string path =
      std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") +
      "/bvhmill-XXXXXX.html";
  const int fd = mkstemps(path.data(), 5);
  if (fd < 0) return Refused(path + ": cannot be written");
  close(fd);
  return path;
}

// Opens the page with the browser of the desktop. False if there is none.
bool OpenInBrowser(const std::string& path) {
  std::string program = "xdg-open";
  std::string name = path;
  char* const words[] = {program.data(), name.data(), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  const int failed =
      posix_spawnp(&child, program.c_str(), &quiet, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

absl::Status Write(const std::string& path, bool force,
                   std::string_view bytes) {
  absl::StatusOr<ChosenFile> file = ChosenFile::Create(path, force);
  if (!file.ok()) return file.status();
  const absl::Status status = file->Append(bytes);
  return status.ok() ? file->Close() : status;
}

int RunView(const CLI::App* app, const ViewFlags& flags, Session* session) {
  const auto misused = [&](const absl::Status& status) {
    return Misused(app, session, std::string(MessageOf(status)));
  };
  const auto inputs =
      TakeInputs(flags.input, std::nullopt, /*quiet=*/true, *session);
  if (!inputs.ok()) return misused(inputs.status());
  const SideFile output = {"--output", flags.output};
  const absl::Status may_write =
      CheckSideFiles({&output, 1}, FilesReadBy(app), *inputs);
  if (!may_write.ok()) return misused(may_write);
  const absl::StatusOr<Page> page = ReadPage(flags, *session);
  if (!page.ok()) return misused(page.status());
  int exit = kExitGood;
  const auto whole = PageWith(*inputs, *page, *session, &exit);
  if (IsCancelled(session->cancel)) return kExitInterrupted;
  if (!whole.ok()) {
    session->console->PrintDiagnostics(
        "bvhmill: " + std::string(MessageOf(whole.status())) + "\n");
    return kExitClipFailed;
  }
  if (flags.output == "-") {
    return session->console->PrintData(*whole) ? exit : kExitClipFailed;
  }
  const bool opens = flags.output.empty();
  const auto path =
      opens ? TemporaryFile() : absl::StatusOr<std::string>(flags.output);
  if (!path.ok()) return misused(path.status());
  const absl::Status written = Write(*path, opens || flags.force, *whole);
  if (!written.ok()) {
    return misused(
        Refused("--output: " + *path + ": " + std::string(MessageOf(written))));
  }
  if (opens && !OpenInBrowser(*path)) {
    session->console->PrintDiagnostics(
        "bvhmill: no browser was found; open this file in one:\n");
  }
  return session->console->PrintData(*path + "\n") ? exit : kExitClipFailed;
}

}  // namespace

Command AddView(CLI::App* parent) {
  const auto flags = std::make_shared<ViewFlags>();
  CLI::App* app = parent->add_subcommand(
      "view", "look at clips and their issues in a browser");
  app->footer(kViewExamples);
  AddInputOptions(app, &flags->input);
  app->add_option("-o,--output", flags->output,
                  "write the page to this file ('-': stdout) and open nothing; "
                  "without it, a temporary file is opened")
      ->type_name("FILE")
      ->group("Output");
  app->add_flag("-f,--force", flags->force, "replace the file of --output")
      ->group("Output");
  app->add_option("--page", flags->page,
                  "the viewer, if it is not installed beside the program")
      ->type_name("FILE")
      ->group("Output");
  return {app, [app, flags](Session* session) {
            return RunView(app, *flags, session);
          }};
}

}  // namespace bvhmill::client
