#pragma once

// Programs that tests and benches start, and which end with them.

#include <sys/types.h>

#include <string>
#include <vector>

namespace bvhmill::bench {

// Runs a command of the shell; what it prints is appended to `text`, errors
// included. Returns what pclose returns.
int RunCommand(const std::string& command, std::string* text);

// Starts the program at the path args[0]. Its output is appended to the file
// `log`. As root, it runs as `user`, unless that is empty. It gets SIGQUIT when
// the calling thread ends, so call this from a thread that lasts. Returns its
// process id, which the caller must wait for, or -1. The process exits with
// 125, 126 or 127 if log, user or program cannot be used.
pid_t StartProgram(const std::vector<std::string>& args, const std::string& log,
                   const std::string& user);

// Returns a port of 127.0.0.1 that no program listens on now, or 0 if there is
// none. Another program may take it at once.
int FreePort();

}  // namespace bvhmill::bench
