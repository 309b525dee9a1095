#include "bench/support/s3_process.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

constexpr char kPrograms[] = "/usr/bin/";

std::string NewUuid() {
  std::ifstream file("/proc/sys/kernel/random/uuid");
  std::string uuid;
  file >> uuid;
  return uuid;
}

bool IsInstalled() {
  for (const char* const name :
       {"ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool"}) {
    if (access((std::string(kPrograms) + name).c_str(), X_OK) != 0) {
      return false;
    }
  }
  return true;
}

bool Answers(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool answers =
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return answers;
}

void End(pid_t* process) {
  if (*process <= 0) return;
  kill(*process, SIGKILL);
  waitpid(*process, nullptr, 0);
  *process = 0;
}

// The settings of Ceph for one part of each kind on one machine. The parts talk
// to each other without keys, since only this machine reaches them.
constexpr char kSettings[] = R"(
mon initial members = a
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms bind ipv6 = false
admin socket =
log to stderr = false
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
rgw enable usage log = false
rgw enable ops log = false
rgw bucket quota ttl = 0
)";

}  // namespace

std::unique_ptr<S3Process> S3Process::Start(std::string* why) {
  if (!IsInstalled()) {
    *why = "Ceph is not installed (Debian: radosgw ceph-mon ceph-osd)";
    return nullptr;
  }
  std::unique_ptr<S3Process> out(new S3Process);
  std::string folder =
      fs::temp_directory_path().native() + "/bvhmill-s3-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    *why = "cannot make a folder";
    return nullptr;
  }
  out->folder_ = folder;
  if (!out->WriteConfig()) {
    *why = "cannot write the configuration";
    return nullptr;
  }
  if (!out->StartStore(why)) return nullptr;
  const std::string user = out->RunAdmin(
      std::string("user create --uid=test --display-name=test --access-key=") +
      kKey + " --secret-key=" + kSecret);
  if (user.find(kSecret) == std::string::npos) {
    *why = "the store makes no user: " + user;
    return nullptr;
  }
  if (!out->StartGateway()) {
    *why = "the gateway does not answer";
    return nullptr;
  }
  why->clear();
  return out;
}

S3Process::~S3Process() {
  End(&gateway_);
  End(&objects_);
  End(&monitor_);
  if (!folder_.empty()) fs::remove_all(folder_);
}

bool S3Process::WriteConfig() {
  certificate_ = folder_ + "/certificate.pem";
  std::string text;
  const bool has_certificate =
      RunCommand(
          "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "
          "/CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " +
              folder_ + "/key.pem -out " + certificate_,
          &text) == 0;
  port_ = FreePort();
  const int tls_port = FreePort();
  endpoint_ = "http://127.0.0.1:" + std::to_string(port_);
  tls_endpoint_ = "https://127.0.0.1:" + std::to_string(tls_port);
  const std::string monitor =
      "[v2:127.0.0.1:" + std::to_string(FreePort()) + "]";
  const std::string fsid = NewUuid();
  std::ofstream config(folder_ + "/ceph.conf");
  config << "[global]\nfsid = " << fsid << "\nmon host = " << monitor
         << kSettings << "run dir = " << folder_ << "\nmon data = " << folder_
         << "/mon\nosd data = " << folder_ << "/osd\nkeyring = " << folder_
         << "/keyring\nlog file = " << folder_
         << "/$name.log\nrgw frontends = beast endpoint=127.0.0.1:" << port_;
  if (has_certificate) {
    config << " ssl_endpoint=127.0.0.1:" << tls_port
           << " ssl_certificate=" << certificate_
           << " ssl_private_key=" << folder_ << "/key.pem";
  }
  config << "\n";
  std::ofstream(folder_ + "/keyring");
  fs::create_directories(folder_ + "/osd");
  return RunCommand("monmaptool --create --fsid " + fsid + " --addv a '" +
                        monitor + "' " + folder_ + "/monmap",
                    &text) == 0 &&
         config.good();
}

bool S3Process::StartStore(std::string* why) {
  const std::string config = folder_ + "/ceph.conf";
  const std::string programs = kPrograms;
  if (RunCommand("ceph-mon -c " + config + " --mkfs -i a --monmap " + folder_ +
                     "/monmap",
                 why) != 0) {
    return false;
  }
  monitor_ =
      StartProgram({programs + "ceph-mon", "-c", config, "-i", "a", "-f"},
                   folder_ + "/log", "");
  if (RunCommand("timeout 60 ceph-osd -c " + config +
                     " -i 0 --mkfs --osd-uuid " + NewUuid(),
                 why) != 0) {
    return false;
  }
  objects_ =
      StartProgram({programs + "ceph-osd", "-c", config, "-i", "0", "-f"},
                   folder_ + "/log", "");
  return monitor_ > 0 && objects_ > 0;
}

std::string S3Process::RunAdmin(const std::string& args) const {
  std::string text;
  RunCommand("timeout 90 radosgw-admin -c " + folder_ + "/ceph.conf " + args,
             &text);
  return text;
}

void S3Process::KillGateway() { End(&gateway_); }

bool S3Process::StartGateway() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  gateway_ = StartProgram({std::string(kPrograms) + "radosgw", "-c",
                           folder_ + "/ceph.conf", "-n", "client.rgw", "-f"},
                          folder_ + "/log", "");
  while (gateway_ > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (Answers(port_)) return true;
    if (waitpid(gateway_, nullptr, WNOHANG) == gateway_) gateway_ = 0;
  }
  return false;
}

}  // namespace bvhmill::bench
