#pragma once

// A PostgreSQL in a folder of its own, reached by a socket in that folder. It
// refuses to run as root, so root runs it as the user that Debian's package
// makes.

#include <sys/types.h>

#include <memory>
#include <string>

namespace bvhmill::bench {

class PostgresProcess {
 public:
  // Makes a database cluster in a new folder below the folder for temporary
  // files, and starts it. Null, with the reason in `*why`, if PostgreSQL is not
  // installed or does not start. `durable` = false: changes survive the end of
  // its processes, and not of the machine; this is faster.
  static std::unique_ptr<PostgresProcess> Start(bool durable, std::string* why);
  // Ends the processes, and removes the folder.
  ~PostgresProcess();
  PostgresProcess(const PostgresProcess&) = delete;
  PostgresProcess& operator=(const PostgresProcess&) = delete;

  // The folder of its programs.
  const std::string& programs() const { return programs_; }
  // The address of the database `name`.
  std::string AddressOf(const std::string& name) const;
  // Makes an empty database, and returns its address; empty if that fails.
  std::string NewDatabase(const std::string& name);
  // Runs SQL in a database, and returns what it prints, without headers.
  std::string RunSql(const std::string& name, const std::string& sql);

  // Ends all processes of the database as kill -9 does.
  void Kill();
  // Starts it again; false if it does not answer within a minute.
  bool StartAgain();

 private:
  PostgresProcess() = default;
  std::string Prefix() const;
  bool Launch();

  std::string programs_;
  std::string folder_;
  bool durable_ = true;
  pid_t pid_ = 0;
};

}  // namespace bvhmill::bench
