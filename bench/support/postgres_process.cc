#include "bench/support/postgres_process.h"

#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "bench/support/child_process.h"

namespace bvhmill::bench {
namespace {

namespace fs = std::filesystem;

constexpr char kUser[] = "postgres";

// The folder of the programs of the newest version; empty if there is none.
std::string FindPrograms() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator("/usr/lib/postgresql", error)) {
    const std::string programs = entry.path().native() + "/bin";
    if (access((programs + "/initdb").c_str(), X_OK) == 0) {
      found.push_back(programs);
    }
  }
  return found.empty() ? "" : *std::max_element(found.begin(), found.end());
}

// The processes that `parent` has started.
std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string line;
    std::getline(stat, line);
    // NUMBER (NAME) STATE PARENT
    const size_t end = line.rfind(')');
    if (end == std::string::npos) continue;
    if (std::atoi(line.c_str() + end + 4) != parent) continue;
    children.push_back(std::atoi(line.c_str()));
  }
  return children;
}

}  // namespace

std::unique_ptr<PostgresProcess> PostgresProcess::Start(bool durable,
                                                        std::string* why) {
  std::unique_ptr<PostgresProcess> out(new PostgresProcess);
  out->programs_ = FindPrograms();
  out->durable_ = durable;
  const passwd* const user = getpwnam(kUser);
  if (out->programs_.empty() || (getuid() == 0 && user == nullptr)) {
    *why = "PostgreSQL is not installed (Debian: postgresql)";
    return nullptr;
  }
  std::string folder =
      fs::temp_directory_path().native() + "/bvhmill-pg-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return nullptr;
  out->folder_ = folder;
  if (getuid() == 0 && chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0) {
    return nullptr;
  }
  const std::string make = out->Prefix() + out->programs_ +
                           "/initdb --no-sync -A trust -U bvhmill -E UTF8 "
                           "--locale=C -D " +
                           folder + "/data";
  if (RunCommand(make, why) != 0) return nullptr;
  if (!out->StartAgain()) {
    *why = "PostgreSQL does not start; see " + folder + "/log";
    return nullptr;
  }
  why->clear();
  return out;
}

PostgresProcess::~PostgresProcess() {
  Kill();
  if (!folder_.empty()) fs::remove_all(folder_);
}

std::string PostgresProcess::Prefix() const {
  if (getuid() != 0) return "cd / && ";
  return std::string("cd / && setpriv --reuid=") + kUser + " --regid=" + kUser +
         " --clear-groups ";
}

std::string PostgresProcess::AddressOf(const std::string& name) const {
  return "postgresql:///" + name + "?host=" + folder_ + "&user=bvhmill";
}

std::string PostgresProcess::RunSql(const std::string& name,
                                    const std::string& sql) {
  const std::string file = folder_ + "/run.sql";
  std::ofstream(file) << sql;
  std::string text;
  RunCommand(programs_ + "/psql -X -q -A -t -v ON_ERROR_STOP=1 -f " + file +
                 " '" + AddressOf(name) + "'",
             &text);
  return text;
}

std::string PostgresProcess::NewDatabase(const std::string& name) {
  return RunSql("postgres", "CREATE DATABASE " + name + ";").empty()
             ? AddressOf(name)
             : "";
}

bool PostgresProcess::Launch() {
  std::vector<std::string> args = {programs_ + "/postgres", "-D",
                                   folder_ + "/data", "-k", folder_};
  for (const std::string setting :
       {"listen_addresses=", "max_connections=100", "shared_buffers=128MB",
        "max_wal_size=2GB",
        // Else a database that was killed leaves memory in /dev/shm.
        "dynamic_shared_memory_type=mmap"}) {
    args.insert(args.end(), {"-c", setting});
  }
  if (!durable_) args.insert(args.end(), {"-c", "fsync=off"});
  pid_ = StartProgram(args, folder_ + "/log", kUser);
  return pid_ > 0;
}

// Processes of a database that was killed may hold its memory for a moment:
// then it refuses to start, and is started again.
bool PostgresProcess::StartAgain() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
    if (pid_ == 0 && !Launch()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::string text;
    if (RunCommand(programs_ + "/pg_isready -q -h " + folder_, &text) == 0) {
      return true;
    }
  }
  return false;
}

void PostgresProcess::Kill() {
  if (pid_ <= 0) return;
  const std::vector<pid_t> children = ChildrenOf(pid_);
  kill(pid_, SIGKILL);
  for (const pid_t child : children) kill(child, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace bvhmill::bench
