#pragma once

// A real S3-compatible store in a folder of its own, on ports of 127.0.0.1: the
// gateway of Ceph (radosgw) with one monitor and one store of objects, which
// keeps them in memory. It starts in about 15 seconds.

#include <sys/types.h>

#include <memory>
#include <string>

namespace bvhmill::bench {

class S3Process {
 public:
  // Null, with the reason in `*why`, if Ceph is not installed or does not
  // start.
  static std::unique_ptr<S3Process> Start(std::string* why);
  // Ends the processes, and removes the folder.
  ~S3Process();
  S3Process(const S3Process&) = delete;
  S3Process& operator=(const S3Process&) = delete;

  // http://127.0.0.1:PORT
  const std::string& endpoint() const { return endpoint_; }
  int port() const { return port_; }
  // https://127.0.0.1:PORT, with a certificate signed by itself.
  const std::string& tls_endpoint() const { return tls_endpoint_; }
  // The path of that certificate, PEM.
  const std::string& certificate() const { return certificate_; }
  // The keys of a user who may do everything in buckets of its own.
  static constexpr char kKey[] = "TESTKEY";
  static constexpr char kSecret[] = "TESTSECRET";

  // Runs radosgw-admin with these arguments; what it prints.
  std::string RunAdmin(const std::string& args) const;

  // Ends the gateway as kill -9 does; what it has stored stays.
  void KillGateway();
  // Starts it again; false if it does not answer within a minute.
  bool StartGateway();

 private:
  S3Process() = default;
  bool WriteConfig();
  bool StartStore(std::string* why);

  std::string folder_;
  std::string endpoint_;
  std::string tls_endpoint_;
  std::string certificate_;
  int port_ = 0;
  pid_t monitor_ = 0;
  pid_t objects_ = 0;
  pid_t gateway_ = 0;
};

}  // namespace bvhmill::bench
